/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mcp_result.c - how the end of a call reads, and what is known of its effect.
 * Tests: tests/exec/mcp_result_test.c.
 */
#include "base/error.h"
#include "base/limits.h"
#include "base/str.h"
#include "exec/mcp_int.h"
#include "mcp/visible.h"
#include "json/write.h"

static haft__json get(haft__json object, const char *key)
{
    const haft__json *value = haft__json_get(object, haft__str(key));
    return value != NULL ? *value : haft__json_null();
}

static haft_str text_of(haft__json object, const char *key)
{
    return haft__json_text(get(object, key));
}

/* ---- content ---- */

/* "[image: image/png, 1234 characters of base64]" */
static void add_note(haft__buf *buf, haft__json block, const char *what)
{
    haft_str type = text_of(block, "mimeType");
    haft__buf_addf(buf, "[%s: %.*s, %zu characters of base64]", what,
                   HAFT__ARG(type.len > 0 ? type : HAFT__LIT("unnamed type")),
                   text_of(block, "data").len);
}

static void add_link(haft__buf *buf, haft__json block)
{
    haft__buf_addf(buf, "[resource %.*s", HAFT__ARG(text_of(block, "uri")));
    haft_str name = text_of(block, "name");
    haft__buf_addf(buf, "%s%.*s]", name.len > 0 ? ": " : "", HAFT__ARG(name));
}

static void add_resource(haft__buf *buf, haft__json resource)
{
    haft__json text = get(resource, "text");
    if (text.kind == HAFT__JSON_STRING) {
        haft__buf_addf(buf, "[resource %.*s]\n", HAFT__ARG(text_of(resource, "uri")));
        haft__visible_add(buf, haft__json_text(text), HAFT__LIMIT_TOOL_RESULT_BYTES);
    } else {
        haft__buf_addf(buf, "[resource %.*s: %zu characters of base64]",
                       HAFT__ARG(text_of(resource, "uri")), text_of(resource, "blob").len);
    }
}

static void add_block(haft__buf *buf, haft__json block)
{
    haft_str type = text_of(block, "type");
    if (haft__str_equal(type, HAFT__LIT("text"))) {
        haft__visible_add(buf, text_of(block, "text"), HAFT__LIMIT_TOOL_RESULT_BYTES);
    } else if (haft__str_equal(type, HAFT__LIT("image"))) {
        add_note(buf, block, "image");
    } else if (haft__str_equal(type, HAFT__LIT("audio"))) {
        add_note(buf, block, "audio");
    } else if (haft__str_equal(type, HAFT__LIT("resource_link"))) {
        add_link(buf, block);
    } else if (haft__str_equal(type, HAFT__LIT("resource"))) {
        add_resource(buf, get(block, "resource"));
    } else {
        haft__buf_addf(buf, "[content of an unknown type]");
    }
}

static void add_content(haft__buf *buf, haft__json content)
{
    uint32_t most = content.kind == HAFT__JSON_ARRAY ? content.count : 0;
    for (uint32_t i = 0; i < most && i < HAFT__LIMIT_MCP_BLOCKS; i++) {
        haft__buf_add_str(buf, i > 0 ? HAFT__LIT("\n") : HAFT__LIT(""));
        add_block(buf, content.items[i]);
    }
    if (most > HAFT__LIMIT_MCP_BLOCKS) {
        haft__buf_addf(buf, "\n[%u more pieces of content are left out]",
                       most - HAFT__LIMIT_MCP_BLOCKS);
    }
}

static void tell_result(haft__mcp_use *use, haft__json value, haft__exec_result *result)
{
    haft__buf buf;
    haft__json structured = get(value, "structuredContent");
    haft__buf_init(&buf, HAFT__LIMIT_TOOL_RESULT_BYTES);
    haft__json content = get(value, "content");
    result->started = true;
    if (content.kind != HAFT__JSON_ARRAY && structured.kind == HAFT__JSON_NULL) {
        result->text = haft__arena_format(&use->job->arena,
                                          "the MCP server '%.*s' sent a result without content",
                                          HAFT__ARG(use->link->server.name));
        result->text = result->text.ptr != NULL ? result->text : HAFT__LIT("out of memory");
        return;
    }
    result->ok = get(value, "isError").kind != HAFT__JSON_TRUE;
    add_content(&buf, content);
    if (buf.len == 0 && structured.kind != HAFT__JSON_NULL) {
        haft__json_write(&buf, structured);
    }
    result->text = haft__arena_copy(&use->job->arena, haft__buf_str(&buf));
    if (buf.status != HAFT_OK || result->text.ptr == NULL) {
        result->ok = false;
        result->text = HAFT__LIT("the result is longer than a result may be");
        result->hint = HAFT__LIT("ask for less at once");
    }
    haft__buf_finish(&buf);
}

/* ---- errors ---- */

static void tell_error(haft__mcp_use *use, const haft__mcp_done *done, haft__exec_result *result)
{
    const haft_error *broken = &use->link->error; /* says more than that it was lost */
    bool lost = done->outcome == HAFT__MCP_LOST && broken->status != HAFT_OK;
    const haft_error *error = lost ? broken : &done->error;
    bool named = haft__str_starts(haft__str(error->message), HAFT__LIT("the MCP server '"));
    result->text = named ? haft__str(error->message)
                         : haft__arena_format(&use->job->arena, "the MCP server '%.*s': %s",
                                              HAFT__ARG(use->link->server.name), error->message);
    result->text = result->text.ptr != NULL ? result->text : HAFT__LIT("out of memory");
    result->hint = haft__str(error->hint);
    result->started = done->sent;
}

static bool is_server_trouble(uint32_t http)
{
    return http == 408 || http == 425 || http == 429 || http >= 500;
}

void haft__mcp_result(haft__mcp_use *use, const haft__mcp_done *done, haft__exec_result *ret_result)
{
    *ret_result = (haft__exec_result){.text = HAFT__LIT("")};
    switch (done->outcome) {
    case HAFT__MCP_RESULT: tell_result(use, done->result, ret_result); break;
    case HAFT__MCP_ERROR:
        tell_error(use, done, ret_result);
        ret_result->transient = is_server_trouble(done->http);
        break;
    case HAFT__MCP_LOST: /* the run goes on: the model is told what nobody knows */
        tell_error(use, done, ret_result);
        ret_result->transient = true;
        if (done->sent) {
            ret_result->hint = HAFT__LIT("it may or may not have had its effect: find that out "
                                         "before it is called again");
        }
        break;
    case HAFT__MCP_CANCELLED: tell_error(use, done, ret_result); break;
    case HAFT__MCP_INPUT:
        ret_result->text = HAFT__LIT("the tool wants to know something of a person, and nobody "
                                     "can be asked");
        ret_result->started = true;
        break;
    }
}
