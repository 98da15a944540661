/* SPDX-License-Identifier: Apache-2.0 */
/* content.c - converts content blocks to text, and structured content to a value. Tests:
 * tests/mcp/client/content_test.c. */
#include "mcp/client/content.h"

#include <stdio.h>
#include <string.h>

#include "base/base64.h"
#include "base/buf.h"
#include "base/error.h"
#include "base/limits.h"
#include "base/str.h"
#include "base/utf8.h"
#include "base/vec.h"
#include "mcp/visible.h"
#include "schema/schema.h"
#include "json/object.h"
#include "json/read.h"
#include "json/write.h"

#define WORD_BYTES 200  /* maximum bytes of a URI, a name or a type */
#define TEXT_BYTES 1000 /* maximum bytes of the description of a link */
#define CUT_NOTE   "\n[the rest of the result was cut off]"

typedef struct reader {
    haft__arena *arena;
    haft__buf text;
    uint32_t index; /* of the block */
    haft__mcp_blob *blobs;
    size_t blob_count, blob_capacity;
    haft_error *err;
} reader;

static haft_status fail_type(reader *r, const char *key, haft__json found)
{
    char where[96];
    (void)snprintf(where, sizeof where, "/content/%u%s%s", r->index, key[0] != '\0' ? "/" : "",
                   key);
    return haft__json_fail_type(found, where, key[0] != '\0' ? "a string" : "an object", r->err);
}

/* ---- blocks ---- */

/* Appends as much of the text as fits together with a note after it. */
static void add_text(reader *r, haft_str text)
{
    size_t room = r->text.max - r->text.len;
    if (text.len <= room) {
        haft__buf_add_str(&r->text, text);
        return;
    }
    haft__buf_add(&r->text, text.ptr, haft__utf8_floor(text, room));
    haft__buf_fail(&r->text, HAFT_TOO_BIG, "");
}

/* Appends `before` and the text of `value` (a URI, a name, a type); nothing if it is no text. */
static void add_word(reader *r, const char *before, haft__json value, size_t max)
{
    haft_str word = haft__json_text(value);
    if (word.len > 0) {
        add_text(r, haft__str(before));
        haft__buf shown;
        haft__buf_init(&shown, max);
        haft__visible_append(&shown, word, max);
        add_text(r, haft__buf_str(&shown));
        if (shown.status == HAFT_NO_MEMORY) {
            haft__buf_fail(&r->text, HAFT_NO_MEMORY, NULL);
        }
        haft__buf_finish(&shown);
    }
}

static void add_size(reader *r, haft_str base64)
{
    char text[64];
    size_t padding = 0;
    while (padding < 2 && padding < base64.len && base64.ptr[base64.len - 1 - padding] == '=') {
        padding++;
    }
    (void)snprintf(text, sizeof text, ", %zu bytes]", (base64.len - padding) * 3 / 4);
    add_text(r, haft__str(text));
}

/* Stores the bytes of a block. If its base64 is not valid, for example because a secret in it was
 * redacted, appends a note with this reason instead. */
static haft_status keep_blob(reader *r, haft__json data, haft__json type)
{
    haft_str text = haft__json_text(data);
    size_t length = 0;
    char *bytes = haft__arena_alloc(r->arena, text.len / 4 * 3 + 1);
    haft__mcp_blob *blobs = haft__vec_reserve_in(
        r->arena, r->blobs, r->blob_count, &r->blob_capacity, r->blob_count + 1, sizeof(*blobs));
    if (bytes == NULL || blobs == NULL) {
        return haft__arena_fail(r->arena, r->err);
    }
    r->blobs = blobs;
    if (text.len > 0 && haft__base64_decode(text, bytes, &length)) {
        r->blobs[r->blob_count++] = (haft__mcp_blob){{bytes, length}, haft__json_text(type)};
    } else if (text.len > 0) {
        add_text(r, HAFT__LIT(" (not kept: its base64 is not valid, or had a secret)"));
    }
    return HAFT_OK;
}

/* Adds a note such as "[image image/png, 1234 bytes]". */
static haft_status add_media(reader *r, haft__json block, const char *kind)
{
    haft__json data = haft__object_get(block, "data"), type = haft__object_get(block, "mimeType");
    if (data.kind != HAFT__JSON_STRING) {
        return fail_type(r, "data", data);
    }
    if (type.kind != HAFT__JSON_STRING) {
        return fail_type(r, "mimeType", type);
    }
    add_text(r, HAFT__LIT("["));
    add_text(r, haft__str(kind));
    add_word(r, " ", type, WORD_BYTES);
    add_size(r, haft__json_text(data));
    return keep_blob(r, data, type);
}

static haft_status add_link(reader *r, haft__json block)
{
    haft__json uri = haft__object_get(block, "uri");
    if (uri.kind != HAFT__JSON_STRING) {
        return fail_type(r, "uri", uri);
    }
    add_text(r, HAFT__LIT("[link"));
    add_word(r, " ", haft__object_get(block, "name"), WORD_BYTES);
    add_word(r, " ", uri, WORD_BYTES);
    add_word(r, " ", haft__object_get(block, "mimeType"), WORD_BYTES);
    add_word(r, ": ", haft__object_get(block, "description"), TEXT_BYTES);
    add_text(r, HAFT__LIT("]"));
    return HAFT_OK;
}

static haft_status add_resource(reader *r, haft__json block)
{
    haft__json resource = haft__object_get(block, "resource"),
               uri = haft__object_get(resource, "uri");
    haft__json text = haft__object_get(resource, "text"), blob = haft__object_get(resource, "blob");
    if (uri.kind != HAFT__JSON_STRING) {
        return fail_type(r, "resource/uri", uri);
    }
    if (text.kind != HAFT__JSON_STRING && blob.kind != HAFT__JSON_STRING) {
        return fail_type(r, "resource/text", text);
    }
    add_word(r, "[resource ", uri, WORD_BYTES);
    add_word(r, " ", haft__object_get(resource, "mimeType"), WORD_BYTES);
    if (text.kind == HAFT__JSON_STRING) {
        add_text(r, HAFT__LIT("]\n"));
        add_text(r, haft__json_text(text));
        return HAFT_OK;
    }
    add_size(r, haft__json_text(blob));
    return keep_blob(r, blob, haft__object_get(resource, "mimeType"));
}

static haft_status add_block(reader *r, haft__json block)
{
    haft__json type = haft__object_get(block, "type"), text = haft__object_get(block, "text");
    haft_str kind = haft__json_text(type);
    if (block.kind != HAFT__JSON_OBJECT) {
        return fail_type(r, "", block);
    }
    if (type.kind != HAFT__JSON_STRING) {
        return fail_type(r, "type", type);
    }
    if (haft__str_equal(kind, HAFT__LIT("text"))) {
        add_text(r, haft__json_text(text));
        return text.kind == HAFT__JSON_STRING ? HAFT_OK : fail_type(r, "text", text);
    }
    if (haft__str_equal(kind, HAFT__LIT("image"))) {
        return add_media(r, block, "image");
    }
    if (haft__str_equal(kind, HAFT__LIT("audio"))) {
        return add_media(r, block, "audio");
    }
    if (haft__str_equal(kind, HAFT__LIT("resource_link"))) {
        return add_link(r, block);
    }
    if (haft__str_equal(kind, HAFT__LIT("resource"))) {
        return add_resource(r, block);
    }
    add_word(r, "[a block of unknown type ", type, WORD_BYTES);
    add_text(r, HAFT__LIT("]"));
    return HAFT_OK;
}

static haft_status add_blocks(reader *r, haft__json content)
{
    haft_status status = HAFT_OK;
    for (r->index = 0;
         r->index < content.count && r->index < HAFT__LIMIT_MCP_BLOCKS && status == HAFT_OK;
         r->index++) {
        if (r->index > 0) {
            add_text(r, HAFT__LIT("\n"));
        }
        status = add_block(r, content.items[r->index]);
    }
    if (status == HAFT_OK && content.count > HAFT__LIMIT_MCP_BLOCKS) {
        char note[64];
        (void)snprintf(note, sizeof note, "\n[and %u more blocks]",
                       content.count - HAFT__LIMIT_MCP_BLOCKS);
        add_text(r, haft__str(note));
    }
    return status;
}

/* The text, with a note if it was cut. */
static haft_status keep_text(reader *r, haft_str *ret_text)
{
    bool cut = r->text.status == HAFT_TOO_BIG;
    haft_status status = cut ? HAFT_OK : haft__buf_check(&r->text, r->err);
    if (status != HAFT_OK) {
        return status;
    }
    haft_str note = cut ? HAFT__LIT(CUT_NOTE) : HAFT__LIT("");
    char *text = haft__arena_alloc(r->arena, r->text.len + note.len);
    if (text == NULL) {
        return haft__arena_fail(r->arena, r->err);
    }
    memcpy(text, r->text.len > 0 ? r->text.ptr : "", r->text.len);
    memcpy(text + r->text.len, note.ptr, note.len);
    *ret_text = (haft_str){text, r->text.len + note.len};
    return HAFT_OK;
}

/* ---- structured content ---- */

/* Whether the blocks only repeat the value: no block, or one text block with the value as JSON. */
static haft_status mirrors(haft__json content, haft__json value, bool *ret_same, haft_error *err)
{
    haft__arena scratch;
    haft__json read;
    haft__json text =
        content.count == 1 ? haft__object_get(content.items[0], "text") : haft__json_null();
    *ret_same = content.count == 0;
    if (text.kind != HAFT__JSON_STRING) {
        return HAFT_OK;
    }
    haft__arena_init(&scratch, 0);
    haft_status status = haft__json_read(&scratch, haft__json_text(text), NULL, &read, NULL, NULL);
    bool json = status == HAFT_OK;
    status = status == HAFT_NO_MEMORY ? haft__fail_no_memory(err) : HAFT_OK;
    if (json) {
        status = haft__json_equal(read, value, ret_same, err);
    }
    haft__arena_finish(&scratch);
    return status;
}

static haft_status fail_schema(const haft__schema_report *report, haft_error *err)
{
    char where[96] = "/structuredContent";
    haft_str at = report->count > 0 ? report->errors[0].where : HAFT__LIT("");
    haft_str message = report->count > 0 ? report->errors[0].message : HAFT__LIT("it is not valid");
    (void)snprintf(where, sizeof where, "/structuredContent%.*s", HAFT__ARG(at));
    haft_status status =
        haft__fail(err, HAFT_BAD_INPUT, where,
                   "the result does not match the tool's output schema: %.*s", HAFT__ARG(message));
    return haft__hint(err, status, "this is an error of the server");
}

/* Replaces the validation message, because that message contains a part of the value, which may
 * contain secrets. */
static haft_status fail_schema_redacted(haft_error *err)
{
    haft_status status = haft__fail(err, HAFT_BAD_INPUT, "/structuredContent",
                                    "the result does not match the tool's output schema; it "
                                    "contains a secret, so no details are shown");
    return haft__hint(err, status, "this is an error of the server");
}

static haft_status check_value(haft__json schema, haft__json value, bool has_secret,
                               haft__hash_key hash_key, haft_error *err)
{
    haft__arena scratch;
    const haft__schema *compiled = NULL;
    haft__schema_report report = {.valid = true};
    haft__schema_options options = {.hash_key = hash_key};
    haft__checker *checker = haft__checker_create();
    haft__arena_init(&scratch, 0);
    haft_status status = checker != NULL
                             ? haft__schema_compile(&scratch, schema, &options, &compiled, err)
                             : haft__fail_no_memory(err);
    if (status == HAFT_OK) {
        status = haft__schema_check(compiled, checker, value, &scratch, &report, err);
    }
    if (status == HAFT_OK && !report.valid) {
        status = has_secret ? fail_schema_redacted(err) : fail_schema(&report, err);
    }
    haft__checker_destroy(checker);
    haft__arena_finish(&scratch);
    return status;
}

static haft_status read_value(haft__json result, haft__json exact, haft__json schema,
                              haft__hash_key hash_key, haft__mcp_content *content, haft_error *err)
{
    bool has_secret = exact.kind != HAFT__JSON_NULL;
    const haft__json *value = haft__json_get(result, HAFT__LIT("structuredContent"));
    content->has_value = value != NULL;
    content->value = value != NULL ? *value : haft__json_null();
    if (content->failed || schema.kind == HAFT__JSON_NULL) {
        return HAFT_OK;
    }
    if (value == NULL) {
        return haft__fail(err, HAFT_BAD_INPUT, "/structuredContent",
                          "the tool has an output schema, but its result has no "
                          "structuredContent");
    }
    return check_value(schema, has_secret ? haft__object_get(exact, "structuredContent") : *value,
                       has_secret, hash_key, err);
}

/* ---- results ---- */

static haft_status write_text(haft__arena *arena, haft__json blocks, haft__mcp_content *content,
                              haft_error *err)
{
    reader r = {.arena = arena, .err = err};
    haft__buf_init(&r.text, HAFT__LIMIT_TOOL_RESULT_BYTES - strlen(CUT_NOTE));
    haft_status status = HAFT_OK;
    if (content->has_value) {
        status = mirrors(blocks, content->value, &content->json, err);
    }
    if (status == HAFT_OK && content->json) {
        haft__json_write(&r.text, content->value);
    } else if (status == HAFT_OK) {
        status = add_blocks(&r, blocks);
    }
    if (status == HAFT_OK) {
        status = keep_text(&r, &content->text);
        content->blobs = r.blobs;
        content->blob_count = r.blob_count;
    }
    haft__buf_finish(&r.text);
    return status;
}

/* Rejects a result without content: the outcome of the call would be unknown. */
static haft_status no_content(haft__json result, haft_error *err)
{
    bool task = haft__json_get(result, HAFT__LIT("task")) != NULL;
    haft_status status =
        task ? haft__fail(err, HAFT_BAD_INPUT, "/task",
                          "the server turned the call into a task, and haft does not support tasks")
             : haft__fail(err, HAFT_BAD_INPUT, "/content",
                          "expected an array of content, found nothing");
    return haft__hint(err, status, "the call may have had its effect");
}

haft_status haft__mcp_content_read(haft__arena *arena, haft__json result, haft__json exact,
                                   haft__json output_schema, haft__hash_key hash_key,
                                   haft__mcp_content *ret_content, haft_error *err)
{
    haft__json blocks = haft__object_get(result, "content"),
               failed = haft__object_get(result, "isError");
    haft__mcp_content content = {.failed = failed.kind == HAFT__JSON_TRUE};
    if (failed.kind > HAFT__JSON_TRUE) {
        return haft__json_fail_type(failed, "/isError", "a boolean", err);
    }
    if (blocks.kind != HAFT__JSON_NULL && blocks.kind != HAFT__JSON_ARRAY) {
        return haft__json_fail_type(blocks, "/content", "an array", err);
    }
    if (blocks.kind == HAFT__JSON_NULL && !content.failed
        && haft__json_get(result, HAFT__LIT("structuredContent")) == NULL) {
        return no_content(result, err);
    }
    haft_status status = read_value(result, exact, output_schema, hash_key, &content, err);
    if (status == HAFT_OK) {
        status = write_text(arena, blocks, &content, err);
    }
    if (status == HAFT_OK) {
        *ret_content = content;
    }
    return status;
}
