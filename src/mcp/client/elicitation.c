/* SPDX-License-Identifier: Apache-2.0 */
/* elicitation.c - validates the questions of MCP servers before they are shown to a person, and
 * writes the answers. run/pause/elicitation.h validates the answers.
 * Tests: tests/mcp/client/elicitation_test.c. */
#include "mcp/client/elicitation.h"

#include "base/error.h"
#include "base/limits.h"
#include "base/str.h"
#include "mcp/definition_parts.h"
#include "mcp/visible.h"
#include "json/object.h"

/* ---- questions ---- */

/* MCP allows only flat forms: an object whose fields are strings, numbers, booleans or enums. */
static haft_status check_form(haft__json schema, haft_error *err)
{
    haft__json fields = haft__object_get(schema, "properties");
    if (schema.kind != HAFT__JSON_OBJECT) {
        return haft__json_fail_type(schema, "/requestedSchema", "an object", err);
    }
    if (!haft__str_equal(haft__json_text(haft__object_get(schema, "type")), HAFT__LIT("object"))
        || fields.kind != HAFT__JSON_OBJECT) {
        return haft__fail(err, HAFT_BAD_INPUT, "/requestedSchema",
                          "expected an object schema with properties");
    }
    for (uint32_t i = 0; i < fields.count; i++) {
        haft__json field = fields.members[i].value;
        bool nested =
            haft__str_equal(haft__json_text(haft__object_get(field, "type")), HAFT__LIT("object"))
            || haft__object_get(field, "properties").kind != HAFT__JSON_NULL;
        if (field.kind != HAFT__JSON_OBJECT || nested) {
            return haft__fail(err, HAFT_BAD_INPUT, "/requestedSchema/properties",
                              "the field '%.*s' is not a primitive field",
                              HAFT__ARG(haft__json_text(fields.members[i].key)));
        }
    }
    return HAFT_OK;
}

/* A person reads the texts of the form, so hidden characters are made visible, as in the schemas of
 * tools. */
static haft_status read_form(haft__arena *arena, haft__json params, haft__mcp_elicitation *question,
                             haft_error *err)
{
    haft__json schema = haft__object_get(params, "requestedSchema");
    haft_status status =
        haft__mcp_schema_make_visible(arena, schema, "/requestedSchema", &question->schema, err);
    return status == HAFT_OK ? check_form(question->schema, err) : status;
}

/* A person opens the URL, so it must not contain hidden characters. */
static haft_status read_address(haft__arena *arena, haft__json params,
                                haft__mcp_elicitation *question, haft_error *err)
{
    haft__json url = haft__object_get(params, "url");
    haft_str text = haft__json_text(url), visible;
    if (url.kind != HAFT__JSON_STRING) {
        return haft__json_fail_type(url, "/url", "a string", err);
    }
    haft_status status = haft__visible_copy(arena, text, HAFT__LIMIT_MCP_LOG_BYTES, &visible, err);
    bool is_http = haft__str_starts_with(text, HAFT__LIT("https://"))
                   || haft__str_starts_with(text, HAFT__LIT("http://"));
    if (status == HAFT_OK && (!is_http || !haft__str_equal(text, visible))) {
        return haft__fail(err, HAFT_BAD_INPUT, "/url",
                          "expected an http or https URL, found '%.*s'", HAFT__ARG(visible));
    }
    question->address = text;
    return status;
}

haft_status haft__mcp_elicitation_read(haft__arena *arena, haft__json params,
                                       haft__mcp_elicitation *ret_question, haft_error *err)
{
    haft__mcp_elicitation question = *ret_question;
    haft__json mode = haft__object_get(params, "mode"),
               message = haft__object_get(params, "message");
    question.url = haft__str_equal(haft__json_text(mode), HAFT__LIT("url"));
    if (mode.kind != HAFT__JSON_NULL && !question.url
        && !haft__str_equal(haft__json_text(mode), HAFT__LIT("form"))) {
        return haft__fail(err, HAFT_BAD_INPUT, "/mode", "expected \"form\" or \"url\"");
    }
    if (message.kind != HAFT__JSON_STRING) {
        return haft__json_fail_type(message, "/message", "a string", err);
    }
    haft_status status =
        haft__visible_copy(arena, haft__json_text(message), HAFT__LIMIT_TOOL_DESCRIPTION_BYTES,
                           &question.message, err);
    question.schema = haft__json_null();
    if (status == HAFT_OK) {
        status = question.url ? read_address(arena, params, &question, err)
                              : read_form(arena, params, &question, err);
    }
    if (status == HAFT_OK) {
        *ret_question = question;
    }
    return status;
}

/* ---- answers ---- */

void haft__mcp_elicitation_write_answer(haft__json_writer *w, haft__mcp_action action,
                                        haft__json content)
{
    static const char *const names[] = {[HAFT__MCP_ACCEPT] = "accept",
                                        [HAFT__MCP_DECLINE] = "decline",
                                        [HAFT__MCP_CANCEL] = "cancel"};
    haft__json_begin_object(w);
    haft__field_string(w, "action", names[action]);
    if (action == HAFT__MCP_ACCEPT && content.kind == HAFT__JSON_OBJECT) {
        haft__field_value(w, "content", content);
    }
    haft__json_end_object(w);
}
