/* SPDX-License-Identifier: Apache-2.0 */
/* turns.c - see turns.h. Tests: tests/cli/render_test.py. */
#include "cli/input/turns.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/limits.h"
#include "base/str.h"
#include "format/render.h"
#include "io/file.h"
#include "json/read.h"
#include "json/write.h"

typedef struct turns_reader {
    haft__arena *arena;
    const haft__format *format;
    haft__turns *turns;
    const haft__format_call *calls; /* of the last turn with calls */
    size_t call_count;
    size_t turn_number; /* of the last turn of the assistant */
    size_t call_offset; /* number of calls before that turn */
} turns_reader;

static const char shape[] = "a turn is {\"text\", \"calls\": [{\"name\", \"arguments\"}]} or "
                            "{\"results\": [{\"id\", \"text\"}]}";

/* ---- members ---- */

static haft_status require_kind(const haft__json *value, haft__json_kind kind, const char *where,
                                const char *kind_name, haft_error *err)
{
    if (value == NULL || value->kind == kind) {
        return HAFT_OK;
    }
    return haft__json_fail_type(*value, where, kind_name, err);
}

/* Reads a text member. *io_text stays unchanged if the member is missing or null. */
static haft_status read_text(haft__json object, const char *key, haft_str *io_text, haft_error *err)
{
    char where[32];
    const haft__json *value = haft__json_get(object, haft__str(key));
    if (value == NULL || value->kind == HAFT__JSON_NULL) {
        return HAFT_OK;
    }
    (void)snprintf(where, sizeof(where), "/%s", key);
    haft_status status = require_kind(value, HAFT__JSON_STRING, where, "a string", err);
    *io_text = status == HAFT_OK ? haft__json_text(*value) : *io_text;
    return status;
}

/* Converts a value to text: a string stays unchanged, any other value becomes JSON. */
static haft_status read_any(turns_reader *r, const haft__json *value, haft_str *ret_text,
                            haft_error *err)
{
    if (value == NULL || value->kind == HAFT__JSON_STRING) {
        *ret_text = value != NULL ? haft__json_text(*value) : HAFT__LIT("");
        return HAFT_OK;
    }
    haft__buf text;
    haft__buf_init(&text, HAFT__LIMIT_FORMAT_BYTES);
    haft__json_write(&text, *value);
    haft_status status = haft__buf_check(&text, err);
    if (status == HAFT_OK) {
        *ret_text = haft__arena_copy(r->arena, haft__buf_str(&text));
        status = ret_text->ptr != NULL ? HAFT_OK : haft__arena_fail(r->arena, err);
    }
    haft__buf_finish(&text);
    return status;
}

static haft_status require_list(const haft__json *list, const char *key, haft_error *err)
{
    char where[32];
    (void)snprintf(where, sizeof(where), "/%s", key);
    return require_kind(list, HAFT__JSON_ARRAY, where, "an array", err);
}

/* Prepends a key and an index to the JSON pointer of an error. */
static void prefix_error(haft_error *err, const char *key, size_t index)
{
    char where[sizeof(err->where) + 64];
    (void)snprintf(where, sizeof(where), "%s/%zu%s", key, index, err->where);
    err->where[0] = '\0';
    haft__error_prepend_location(err, where);
}

/* ---- turns ---- */

static haft_status add_turn_text(turns_reader *r, const char *role, haft__buf *text,
                                 haft_error *err)
{
    haft_status status = haft__buf_check(text, err);
    haft_str content = {NULL, 0};
    if (status == HAFT_OK) {
        content = haft__arena_copy(r->arena, haft__buf_str(text));
        status = content.ptr != NULL ? HAFT_OK : haft__arena_fail(r->arena, err);
    }
    if (status == HAFT_OK) {
        r->turns->items[r->turns->count++] = (haft__turn){role, content};
    }
    return status;
}

static haft_status read_call(turns_reader *r, haft__json entry, size_t index,
                             haft__format_call *ret, haft_error *err)
{
    haft__format_call call = {.name = {NULL, 0}, .number = r->call_offset + index};
    call.id = haft__arena_format(r->arena, "c%zu.%zu", r->turn_number, index + 1);
    if (call.id.ptr == NULL) {
        return haft__arena_fail(r->arena, err);
    }
    haft_status status = require_kind(&entry, HAFT__JSON_OBJECT, "", "a call", err);
    if (status == HAFT_OK) {
        status = read_text(entry, "id", &call.id, err);
    }
    if (status == HAFT_OK) {
        status = read_text(entry, "name", &call.name, err);
    }
    if (status == HAFT_OK && call.name.len == 0) {
        status = haft__fail(err, HAFT_BAD_INPUT, "", "expected the key \"name\", found none");
        status = haft__hint(err, status, "%s", shape);
    }
    if (status == HAFT_OK) {
        status = read_any(r, haft__json_get(entry, HAFT__LIT("arguments")), &call.arguments, err);
    }
    *ret = call;
    return status;
}

static haft_status add_assistant(turns_reader *r, haft__json turn, haft_error *err)
{
    const haft__json *list = haft__json_get(turn, HAFT__LIT("calls"));
    haft_str text = HAFT__LIT("");
    haft_status status = read_text(turn, "text", &text, err);
    if (status == HAFT_OK) {
        status = require_list(list, "calls", err);
    }
    if (status != HAFT_OK) {
        return status;
    }
    size_t count = list != NULL ? list->count : 0;
    haft__format_call *calls = haft__arena_array(r->arena, count + 1, sizeof(*calls));
    if (calls == NULL) {
        return haft__arena_fail(r->arena, err);
    }
    r->turn_number++;
    r->call_offset += r->call_count;
    r->call_count = 0;
    for (size_t i = 0; i < count; i++) {
        status = read_call(r, list->items[i], i, &calls[i], err);
        if (status != HAFT_OK) {
            prefix_error(err, "/calls", i);
            return status;
        }
    }
    r->calls = calls;
    r->call_count = count;
    haft__buf out;
    haft__buf_init(&out, HAFT__LIMIT_FORMAT_BYTES);
    haft__format_write_calls(&out, r->format, text, calls, count);
    status = add_turn_text(r, "assistant", &out, err);
    haft__buf_finish(&out);
    return status;
}

/* Finds the call of a result by its id; a result without an id belongs to the call at its index. */
static const haft__format_call *find_call(const turns_reader *r, haft_str id, size_t index)
{
    for (size_t i = 0; id.len > 0 && i < r->call_count; i++) {
        if (haft__str_equal(r->calls[i].id, id)) {
            return &r->calls[i];
        }
    }
    return id.len == 0 && index < r->call_count ? &r->calls[index] : NULL;
}

static haft_status read_result(turns_reader *r, haft__json entry, size_t index,
                               haft__format_result *ret, haft_error *err)
{
    haft__format_result result = {.id = {NULL, 0}, .name = {NULL, 0}};
    haft_status status = require_kind(&entry, HAFT__JSON_OBJECT, "", "a result", err);
    if (status == HAFT_OK) {
        status = read_text(entry, "id", &result.id, err);
    }
    const haft__format_call *call = find_call(r, result.id, index);
    if (call != NULL) {
        result.id = call->id;
        result.name = call->name;
        result.number = call->number;
    }
    if (status == HAFT_OK) {
        status = read_text(entry, "name", &result.name, err);
    }
    if (status == HAFT_OK && result.name.len == 0) {
        status = haft__fail(err, HAFT_BAD_INPUT, "", "no call matches this result");
        status = haft__hint(err, status, "give the result the \"id\" of a call, or a \"name\"");
    }
    if (status == HAFT_OK) {
        status = read_any(r, haft__json_get(entry, HAFT__LIT("text")), &result.text, err);
    }
    *ret = result;
    return status;
}

static haft_status add_user(turns_reader *r, const haft__json *list, haft_error *err)
{
    haft_status status = require_list(list, "results", err);
    if (status != HAFT_OK) {
        return status;
    }
    haft__format_result *results = haft__arena_array(r->arena, list->count + 1U, sizeof(*results));
    if (results == NULL) {
        return haft__arena_fail(r->arena, err);
    }
    for (size_t i = 0; i < list->count; i++) {
        status = read_result(r, list->items[i], i, &results[i], err);
        if (status != HAFT_OK) {
            prefix_error(err, "/results", i);
            return status;
        }
    }
    haft__buf out;
    haft__buf_init(&out, HAFT__LIMIT_FORMAT_BYTES);
    haft__format_write_results(&out, r->format, results, list->count);
    status = add_turn_text(r, "user", &out, err);
    haft__buf_finish(&out);
    return status;
}

static haft_status add_turn(turns_reader *r, haft__json turn, haft_error *err)
{
    const haft__json *results = haft__json_get(turn, HAFT__LIT("results"));
    if (results != NULL) {
        return add_user(r, results, err);
    }
    if (haft__json_get(turn, HAFT__LIT("calls")) != NULL
        || haft__json_get(turn, HAFT__LIT("text")) != NULL) {
        return add_assistant(r, turn, err);
    }
    haft_status status = haft__fail(
        err, HAFT_BAD_INPUT, "", "expected a turn, found %s%s", haft__json_kind_name(turn),
        turn.kind == HAFT__JSON_OBJECT ? " without \"calls\", \"text\" or \"results\"" : "");
    return haft__hint(err, status, "%s", shape);
}

/* ---- the file ---- */

static haft_status make_room(turns_reader *r, size_t count, haft_error *err)
{
    r->turns->items = haft__arena_array(r->arena, count + 1, sizeof(*r->turns->items));
    return r->turns->items != NULL ? HAFT_OK : haft__arena_fail(r->arena, err);
}

static haft_status read_array(turns_reader *r, haft_str text, const haft__json_options *options,
                              haft_error *err)
{
    haft__json list = haft__json_null();
    haft_status status = haft__json_read(r->arena, text, options, &list, NULL, err);
    if (status == HAFT_OK) {
        status = make_room(r, list.count, err);
    }
    for (uint32_t i = 0; status == HAFT_OK && i < list.count; i++) {
        status = add_turn(r, list.items[i], err);
        if (status != HAFT_OK) {
            prefix_error(err, "", i);
        }
    }
    return status;
}

/* Replaces the line number of a JSON error. Its location "1:COLUMN (byte N)" is relative to the
 * line. */
static void prefix_error_line(haft_error *err, size_t number)
{
    char where[sizeof(err->where) + 32];
    const char *column = strncmp(err->where, "1:", 2) == 0 ? err->where + 2 : "";
    if (column[0] != '\0') {
        (void)snprintf(where, sizeof(where), "%zu:%.*s", number, (int)strcspn(column, " "), column);
    } else {
        (void)snprintf(where, sizeof(where), "%zu%s%s", number, err->where[0] != '\0' ? ": " : "",
                       err->where);
    }
    err->where[0] = '\0';
    haft__error_prepend_location(err, where);
}

static haft_status read_lines(turns_reader *r, haft_str text, const haft__json_options *options,
                              haft_error *err)
{
    size_t lines = 1;
    for (size_t i = 0; i < text.len; i++) {
        lines += text.ptr[i] == '\n' ? 1 : 0;
    }
    haft_status status = make_room(r, lines, err);
    for (size_t number = 1; status == HAFT_OK && text.len > 0; number++) {
        haft_str line = haft__str_split(&text, '\n');
        haft__json turn = haft__json_null();
        if (haft__str_trim(line).len == 0) {
            continue;
        }
        status = haft__json_read(r->arena, line, options, &turn, NULL, err);
        if (status == HAFT_OK) {
            status = add_turn(r, turn, err);
        }
        if (status != HAFT_OK) {
            prefix_error_line(err, number);
        }
    }
    return status;
}

haft_status haft__turns_read(haft__arena *arena, const char *path, haft__hash_key hash_key,
                             const haft__format *format, haft__turns *ret_turns, haft_error *err)
{
    haft__json_options options = HAFT__JSON_OPTIONS_INIT;
    options.hash_key = hash_key;
    haft__turns turns = {.count = 0};
    turns_reader r = {.arena = arena, .format = format, .turns = &turns};
    haft_str text = {NULL, 0};
    haft_status status = haft__file_read_arena(arena, path, HAFT__LIMIT_JSON_BYTES, &text, err);
    if (status != HAFT_OK) {
        return status;
    }
    bool array = haft__str_starts_with(haft__str_trim(text), HAFT__LIT("["));
    status = array ? read_array(&r, text, &options, err) : read_lines(&r, text, &options, err);
    if (status != HAFT_OK) {
        haft__error_prepend_location(err, strcmp(path, "-") == 0 ? "standard input" : path);
        return status;
    }
    *ret_turns = turns;
    return HAFT_OK;
}
