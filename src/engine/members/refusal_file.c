/* SPDX-License-Identifier: Apache-2.0 */
/* refusal_file.c - see refusal_file.h. Tests: tests/engine/members/refusal_file_test.c,
 * tests/cli/remembered_test.py. */
#include "engine/members/refusal_file.h"

#include "base/error.h"
#include "base/hex.h"
#include "base/limits.h"
#include "base/macros.h"
#include "base/str.h"
#include "exec/state_file.h"
#include "io/environment.h"
#include "io/file.h"
#include "json/object.h"

#define VERSION   2
#define MAX_BYTES 8192

/* Names of the members in the file. They do not depend on wire formats. */
static const char *const names[] = {
    [HAFT__MEMBER_ALLOWED_TOOLS] = "allowed_tools",
    [HAFT__MEMBER_NAMED_CHOICE] = "named_choice",
    [HAFT__MEMBER_TOOL_CHOICE] = "tool_choice",
    [HAFT__MEMBER_PARALLEL] = "parallel",
    [HAFT__MEMBER_STRICT] = "strict",
    [HAFT__MEMBER_STREAM_OPTIONS] = "stream_options",
    [HAFT__MEMBER_GRAMMAR] = "grammar",
    [HAFT__MEMBER_SCHEMA] = "schema",
    [HAFT__MEMBER_INCLUDE] = "include",
    [HAFT__MEMBER_CACHE] = "cache",
    [HAFT__MEMBER_DEFER] = "defer",
    [HAFT__MEMBER_EFFORT] = "effort",
};
_Static_assert(COUNT(names) == HAFT__MEMBER_COUNT, "each member has a name");

haft_status haft__refusal_key(haft_str url, haft_str model, haft__json options,
                              char ret_key[HAFT__SHA256_HEX], haft_error *err)
{
    haft__buf text;
    haft__buf_init(&text, HAFT__LIMIT_RUN_BYTES);
    haft__buf_addf(&text, "%.*s\n%.*s\n", HAFT__ARG(url), HAFT__ARG(model));
    haft__json_write(&text, options);
    haft_status status = haft__buf_check(&text, err);
    if (status == HAFT_OK) {
        haft__sha256_hex(haft__buf_str(&text), ret_key);
    }
    haft__buf_finish(&text);
    return status;
}

/* The path of the file. Its name is a hash, because a URL may contain a password. .ptr is NULL
 * without a directory or if out of memory. */
static haft_str find_path(haft__arena *arena, haft_str key)
{
    const char *why;
    haft_str directory = haft__environment_state_path(arena, "models", &why);
    return directory.ptr != NULL
               ? haft__arena_format(arena, "%s/%.*s.json", directory.ptr, HAFT__ARG(key))
               : directory;
}

/* ---- reading ---- */

static uint64_t read_hex(haft_str digits)
{
    uint64_t number = 0;
    for (size_t i = 0; i < digits.len && i < 16; i++) {
        int digit = haft__hex_value(digits.ptr[i]);
        number = number << 4 | (uint64_t)(digit > 0 ? digit : 0);
    }
    return number;
}

static void read_refusal(haft__json row, haft__refusals *refusals)
{
    haft_str name = haft__object_string(row, "member");
    uint64_t status = haft__object_number(row, "status", 0);
    for (size_t i = 0; i < COUNT(names); i++) {
        if (haft__str_equal(name, haft__str(names[i])) && status >= 400 && status < 500) {
            haft__refusals_add(refusals,
                               (haft__refusal){.member = (haft__member)i,
                                               .status = (uint16_t)status,
                                               .text = read_hex(haft__object_string(row, "text")),
                                               .at_ms = haft__object_number(row, "at_ms", 0)});
        }
    }
}

haft__refusals haft__refusal_file_read(haft_str key)
{
    haft__arena arena;
    haft__refusals found = {.count = 0};
    haft__json record;
    haft_str text = {NULL, 0};
    haft__arena_init(&arena, 0);
    haft_str path = find_path(&arena, key);
    if (path.ptr != NULL
        && haft__state_file_read(&arena, path.ptr, MAX_BYTES, &text, NULL) == HAFT_OK
        && haft__state_file_parse(&arena, text, (haft__hash_key){0, 0}, &record, NULL) == HAFT_OK
        && haft__object_number(record, "version", 0) == VERSION) {
        haft__json rows = haft__object_array(record, "refused");
        for (uint32_t i = 0; i < rows.count; i++) {
            read_refusal(rows.items[i], &found);
        }
    }
    haft__arena_finish(&arena);
    return found;
}

/* ---- writing ---- */

static void write_refusal(haft__json_writer *w, const haft__refusal *refusal)
{
    haft__json_begin_object(w);
    haft__field_string(w, "member", names[refusal->member]);
    haft__field_number(w, "status", refusal->status);
    haft__field_number(w, "at_ms", refusal->at_ms);
    if (refusal->text != 0) {
        haft__json_key(w, "text");
        haft__buf_addf(w->buf, "\"%016llx\"", (unsigned long long)refusal->text);
        w->after_key = false;
    }
    haft__json_end_object(w);
}

void haft__refusal_file_write(haft_str key, const haft__refusals *refusals)
{
    haft__arena arena;
    haft__buf text;
    haft__json_writer w;
    haft__arena_init(&arena, 0);
    haft__buf_init(&text, MAX_BYTES);
    haft__json_writer_init(&w, &text);
    haft__json_begin_object(&w);
    haft__field_number(&w, "version", VERSION);
    haft__json_key(&w, "refused");
    haft__json_begin_array(&w);
    for (size_t i = 0; i < refusals->count; i++) {
        write_refusal(&w, &refusals->items[i]);
    }
    haft__json_end_array(&w);
    haft__json_end_object(&w);
    haft_str path = find_path(&arena, key);
    if (path.ptr != NULL && text.status == HAFT_OK) {
        haft__state_file_create_directory(path.ptr);
        haft_status ignored = haft__file_replace(path.ptr, haft__buf_str(&text), NULL);
        (void)ignored;
    }
    haft__buf_finish(&text);
    haft__arena_finish(&arena);
}
