/* SPDX-License-Identifier: Apache-2.0 */
/*
 * parse.c - checks the text as a whole, then reads it as JSON or YAML.
 *
 * The incremental reader reads JSON, because its events have positions; the builder handles
 * duplicate keys and limits. Tests: tests/spec/load/document/parse_test.c. Fuzzer: fuzz/spec.c.
 */
#include "spec/load/document/parse.h"

#include <string.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/str.h"
#include "base/utf8.h"
#include "spec/load/document/yaml.h"
#include "json/stream.h"

#define BOM "\xEF\xBB\xBF"

/* ---- the text as a whole ---- */

/* The position of the first byte that is not allowed in a text, or the length. */
static size_t find_control(haft_str text)
{
    size_t at = 0;
    while (at < text.len) {
        unsigned char c = (unsigned char)text.ptr[at];
        if ((c < 0x20 && c != '\t' && c != '\n' && c != '\r') || c == 0x7F) {
            break;
        }
        at++;
    }
    return at;
}

static bool check_bytes(haft__spec_builder *tree)
{
    haft_str text = tree->text;
    size_t valid = haft__utf8_valid_prefix(text), control = find_control(text);
    if (valid < text.len && valid <= control) {
        haft__spec_problem *problem =
            haft__spec_builder_problem(tree, valid, "found the byte 0x%02X, expected UTF-8",
                                       (unsigned)(unsigned char)text.ptr[valid]);
        haft__spec_problem_hint(tree->problems, problem, "save the file as UTF-8");
        return false;
    }
    if (control < text.len) {
        haft__spec_problem *problem = haft__spec_builder_problem(
            tree, control, "found the control character 0x%02X, expected text",
            (unsigned)(unsigned char)text.ptr[control]);
        haft__spec_problem_hint(tree->problems, problem,
                                "inside double quotes it can be written as \\u00%02x",
                                (unsigned)(unsigned char)text.ptr[control]);
        return false;
    }
    return true;
}

static bool check_size(haft__spec_builder *tree)
{
    if (tree->text.len <= HAFT__LIMIT_SPEC_BYTES) {
        return true;
    }
    haft__spec_problem *problem =
        haft__spec_problem_add(tree->problems, false, "the spec has %zu bytes, more than %d",
                               tree->text.len, HAFT__LIMIT_SPEC_BYTES);
    haft__spec_problem_hint(tree->problems, problem, "is this the right file?");
    return false;
}

/* ---- JSON ---- */

typedef struct json_reader {
    haft__spec_builder *tree;
    haft_str rest;
    size_t base; /* offset of the JSON in the text of the tree */
    size_t at;   /* offset of the token of the current event */
    bool in_string;
    haft__buf string; /* the pieces of a string so far */
    haft__json_stream stream;
} json_reader;

/* Reports a syntax error. The reader reports its location as "line:column (byte N)". */
static bool fail_json(json_reader *r, haft_status status, const haft_error *err)
{
    if (status == HAFT_NO_MEMORY) {
        return haft__spec_builder_fail(r->tree, status);
    }
    const char *byte = strstr(err->where, "(byte ");
    haft_str number = byte != NULL ? haft__str(byte + 6) : HAFT__LIT("0");
    uint64_t offset = 0;
    (void)haft__str_to_u64(haft__str_split(&number, ')'), &offset);
    haft__spec_problem *problem = haft__spec_builder_problem(
        r->tree, r->base + (size_t)offset, "%s%s",
        status == HAFT_TOO_BIG ? "" : "this is not JSON: ", err->message);
    bool first = r->tree->count == 0 && r->tree->depth <= 1;
    haft__spec_problem_hint(
        r->tree->problems, problem, "%s",
        err->hint[0] != '\0' ? err->hint
        : first ? "a spec that starts with '{' is read as JSON; write YAML without the outer braces"
                : "");
    return false;
}

/* Moves to the start of the next token: past white space, a comma, a colon. */
static void skip_to_token(json_reader *r)
{
    if (r->in_string) {
        return;
    }
    size_t at = 0;
    while (at < r->rest.len && strchr(" \t\r\n,:", r->rest.ptr[at]) != NULL) {
        at++;
    }
    r->at = (size_t)(r->rest.ptr + at - r->tree->text.ptr);
}

/* Copies the whole text of a string or number into the arena. */
static bool copy_text(json_reader *r, const haft__json_event *event, haft__json *ret_value)
{
    haft__buf_add_str(&r->string, haft__json_text(event->value));
    haft_str kept = haft__arena_copy(r->tree->arena, haft__buf_str(&r->string));
    if (r->string.status != HAFT_OK || kept.ptr == NULL) {
        return haft__spec_builder_fail(r->tree, HAFT_NO_MEMORY);
    }
    *ret_value = event->value;
    ret_value->text = kept.ptr;
    ret_value->count = (uint32_t)kept.len;
    haft__buf_clear(&r->string);
    return true;
}

static bool add_json_event(json_reader *r, const haft__json_event *event)
{
    static const haft_str no_anchor = {NULL, 0};
    haft__json value = event->value;
    bool has_text = value.kind == HAFT__JSON_STRING || value.kind == HAFT__JSON_NUMBER;
    r->in_string = event->kind == HAFT__JSON_EVENT_PART;
    switch (event->kind) {
    case HAFT__JSON_EVENT_MORE:
    case HAFT__JSON_EVENT_DONE: return true;
    case HAFT__JSON_EVENT_BEGIN:
        return haft__spec_builder_open(r->tree, value.kind == HAFT__JSON_OBJECT, r->at, no_anchor);
    case HAFT__JSON_EVENT_END: return haft__spec_builder_close(r->tree);
    case HAFT__JSON_EVENT_KEY:
        return copy_text(r, event, &value)
               && haft__spec_builder_add_key(r->tree, value, r->at, false);
    case HAFT__JSON_EVENT_PART: haft__buf_add_str(&r->string, haft__json_text(value)); return true;
    case HAFT__JSON_EVENT_SCALAR:
        return (!has_text || copy_text(r, event, &value))
               && haft__spec_builder_add_value(r->tree, value, r->at, no_anchor);
    }
    HAFT__UNREACHABLE();
}

static bool read_json_events(json_reader *r)
{
    bool ended = false;
    for (;;) {
        haft__json_event event;
        haft_error err = {.status = HAFT_OK};
        skip_to_token(r);
        haft_status status = haft__json_stream_next(&r->stream, &r->rest, &event, &err);
        if (status != HAFT_OK) {
            return fail_json(r, status, &err);
        }
        if (!add_json_event(r, &event)) {
            return false;
        }
        if (event.kind == HAFT__JSON_EVENT_MORE) {
            if (ended) {
                return true;
            }
            haft__json_stream_end(&r->stream);
            ended = true;
        }
    }
}

static bool read_json(haft__spec_builder *tree, haft_str text)
{
    json_reader r = {.tree = tree, .rest = text, .base = tree->text.len - text.len};
    haft__json_options options = HAFT__JSON_OPTIONS_INIT;
    options.max_depth = HAFT__LIMIT_JSON_DEPTH_STRICT;
    haft__json_stream_init(&r.stream, &options);
    haft__buf_init(&r.string, HAFT__LIMIT_SPEC_BYTES);
    bool done = read_json_events(&r);
    haft__buf_finish(&r.string);
    haft__json_stream_finish(&r.stream);
    return done;
}

/* ---- either ---- */

static bool read_any(haft__spec_builder *tree)
{
    if (!check_size(tree) || !check_bytes(tree)) {
        return false;
    }
    haft_str text = tree->text, start;
    if (haft__str_starts_with(text, HAFT__LIT(BOM))) {
        text = haft__str_skip(text, strlen(BOM));
    }
    start = haft__str_trim(text);
    if (start.len == 0) {
        return true;
    }
    return start.ptr[0] == '{' ? read_json(tree, text) : haft__yaml_read(tree, text);
}

haft_status haft__spec_parse(haft__arena *arena, haft_str text, haft__hash_key hash_key,
                             haft__spec_problems *problems, haft__spec_document *ret_document,
                             haft_error *err)
{
    haft__spec_builder tree;
    haft__spec_document document = {.text = text};
    haft__spec_builder_init(&tree, arena, problems, text, hash_key);
    if (read_any(&tree) && !haft__spec_builder_document(&tree, &document)) {
        haft__spec_problem *problem =
            haft__spec_problem_add(problems, false, "the file is empty, expected a spec");
        haft__spec_problem_locate(problem, text, 0);
        haft__spec_problem_hint(problems, problem, "the smallest spec is: model: offline");
    }
    haft_status status = tree.status != HAFT_OK ? tree.status : problems->status;
    haft__spec_builder_finish(&tree);
    if (status != HAFT_OK) {
        return haft__fail(err, status, "", "%s", haft_status_text(status));
    }
    *ret_document = document;
    return HAFT_OK;
}
