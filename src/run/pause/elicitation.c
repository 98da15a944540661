/* SPDX-License-Identifier: Apache-2.0 */
/* elicitation.c - see run/pause/elicitation.h. Tests: tests/run/pause/elicitation_test.c. */
#include "run/pause/elicitation.h"

#include "base/error.h"
#include "base/limits.h"
#include "base/macros.h"
#include "base/str.h"
#include "run/arguments.h"
#include "json/object.h"
#include "json/write.h"

static bool is_url(haft__json elicitation)
{
    return haft__str_equal(haft__object_string(elicitation, "mode"), HAFT__LIT("url"));
}

haft_str haft__elicitation_text(const haft__run_call *call, const char *key)
{
    return haft__object_string(call->elicitation, key);
}

bool haft__elicitation_is_url(const haft__run_call *call)
{
    return is_url(call->elicitation);
}

static haft__json schema_of(haft__json elicitation)
{
    const haft__json *schema = haft__json_get(elicitation, HAFT__LIT("schema"));
    return schema != NULL ? *schema : haft__json_null();
}

static haft__json fields_of(haft__json elicitation)
{
    const haft__json *fields = haft__json_get(schema_of(elicitation), HAFT__LIT("properties"));
    return fields != NULL && fields->kind == HAFT__JSON_OBJECT ? *fields : haft__json_null();
}

haft__json haft__elicitation_fields(const haft__run_call *call)
{
    return fields_of(call->elicitation);
}

bool haft__elicitation_requires(const haft__run_call *call, haft_str field)
{
    const haft__json *names = haft__json_get(schema_of(call->elicitation), HAFT__LIT("required"));
    for (uint32_t i = 0; names != NULL && names->kind == HAFT__JSON_ARRAY && i < names->count;
         i++) {
        if (haft__str_equal(haft__json_text(names->items[i]), field)) {
            return true;
        }
    }
    return false;
}

/* {action} or {action, content}. */
static haft_status make_answer(haft__arena *arena, const char *action, const haft__json *content,
                               haft__json *ret_answer, haft_error *err)
{
    haft__json_member *members = haft__arena_array(arena, 2, sizeof(*members));
    if (members == NULL) {
        return haft__arena_fail(arena, err);
    }
    members[0] = (haft__json_member){haft__json_string(HAFT__LIT("action")),
                                     haft__json_string(haft__str(action))};
    if (content != NULL) {
        members[1] = (haft__json_member){haft__json_string(HAFT__LIT("content")), *content};
    }
    *ret_answer = haft__json_object(members, content != NULL ? 2 : 1);
    return HAFT_OK;
}

/* The value of {action: ...}; NULL if it is not an action. */
static const char *action_of(haft__json value)
{
    static const char *const actions[] = {"accept", "decline", "cancel"};
    const haft__json *action = haft__json_get(value, HAFT__LIT("action"));
    const haft__json *content = haft__json_get(value, HAFT__LIT("content"));
    bool alone = action != NULL && action->kind == HAFT__JSON_STRING
                 && value.count == 1U + (content != NULL);
    for (size_t i = 0; alone && i < COUNT(actions); i++) {
        if (haft__str_equal(haft__json_text(*action), haft__str(actions[i]))) {
            return actions[i];
        }
    }
    return NULL;
}

static bool is_refusal(haft__json value)
{
    return value.kind == HAFT__JSON_FALSE
           || (value.kind == HAFT__JSON_STRING
               && haft__str_equal(haft__json_text(value), HAFT__LIT("no")));
}

/* Makes the content of the form from the answer. */
static haft_status content_of(haft__json elicitation, haft__json value, haft__arena *arena,
                              haft__json *ret_content, haft_error *err)
{
    haft__json fields = fields_of(elicitation);
    if (value.kind == HAFT__JSON_NULL) {
        value = haft__json_object(NULL, 0);
    }
    if (value.kind == HAFT__JSON_OBJECT) {
        *ret_content = value;
        return HAFT_OK;
    }
    if (fields.kind != HAFT__JSON_OBJECT || fields.count != 1) {
        haft_status status = haft__fail(
            err, HAFT_BAD_INPUT, "", "expected an object with %u fields, found %s",
            fields.kind == HAFT__JSON_OBJECT ? fields.count : 0, haft__json_kind_name(value));
        return haft__hint(err, status, "the schema of the question is in `pending` of --json");
    }
    haft__json_member *member = haft__arena_array(arena, 1, sizeof(*member));
    if (member == NULL) {
        return haft__arena_fail(arena, err);
    }
    *member = (haft__json_member){fields.members[0].key, value};
    *ret_content = haft__json_object(member, 1);
    return HAFT_OK;
}

/* Validates the answer against the schema of the tool. If that schema is invalid, the answer is not
 * checked. */
static haft_status accept_content(haft__json elicitation, haft__json value, haft__arena *arena,
                                  haft__hash_key hash_key, haft__json *ret_answer, haft_error *err)
{
    haft__json content = haft__json_null();
    haft__tool form = {.input_schema = schema_of(elicitation)};
    haft__schema_options options = {.hash_key = hash_key};
    haft_status status = content_of(elicitation, value, arena, &content, err);
    if (status == HAFT_OK && form.input_schema.kind == HAFT__JSON_OBJECT) {
        status = haft__schema_compile(arena, form.input_schema, &options, &form.schema, NULL);
        if (status == HAFT_NO_MEMORY) {
            return haft__fail_no_memory(err);
        }
        status = status == HAFT_OK ? haft__arguments_read_value(
                     &form, content, "the answer does not match the schema of the question", arena,
                     hash_key, &content, err)
                                   : HAFT_OK;
    }
    return status == HAFT_OK ? make_answer(arena, "accept", &content, ret_answer, err) : status;
}

haft_status haft__elicitation_answer(haft__json elicitation, haft__json value, haft__arena *arena,
                                     haft__hash_key hash_key, haft__json *ret_answer,
                                     haft_error *err)
{
    const char *action = action_of(value);
    const haft__json *content = haft__json_get(value, HAFT__LIT("content"));
    if (action != NULL && strcmp(action, "accept") != 0) {
        return make_answer(arena, action, NULL, ret_answer, err);
    }
    if (is_url(elicitation)) {
        return make_answer(arena, action == NULL && is_refusal(value) ? "decline" : "accept", NULL,
                           ret_answer, err);
    }
    if (action != NULL) {
        value = content != NULL ? *content : haft__json_null();
    }
    return accept_content(elicitation, value, arena, hash_key, ret_answer, err);
}
