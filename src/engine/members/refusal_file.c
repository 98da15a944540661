/* SPDX-License-Identifier: Apache-2.0 */
/* refusal_file.c - see refusal_file.h. Tests: tests/engine/members/refusal_file_test.c,
 * tests/cli/remembered_test.py. */
#include "engine/members/refusal_file.h"

#include "base/error.h"
#include "base/macros.h"
#include "base/sha256.h"
#include "base/str.h"
#include "exec/state_file.h"
#include "io/environment.h"
#include "io/file.h"
#include "json/object.h"

#define VERSION   1
#define KEPT_MS   (24ULL * 60 * 60 * 1000)
#define MAX_BYTES 4096

/* Names in the file, which stay the same whatever the wire formats call them. */
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
};
_Static_assert(COUNT(names) == HAFT__MEMBER_COUNT, "each member has a name");

/* The name of the file is a hash: a URL may have a password in it. .ptr is NULL without a directory
 * or memory. */
static haft_str find_path(haft__arena *arena, haft_str url, haft_str model)
{
    char hex[HAFT__SHA256_HEX];
    const char *why;
    haft_str directory = haft__environment_state_path(arena, "models", &why);
    haft_str key = haft__arena_format(arena, "%.*s\n%.*s", HAFT__ARG(url), HAFT__ARG(model));
    if (directory.ptr == NULL || key.ptr == NULL) {
        return (haft_str){NULL, 0};
    }
    haft__sha256_hex(key, hex);
    return haft__arena_format(arena, "%s/%.*s.json", directory.ptr, (int)sizeof(hex), hex);
}

static haft__refusals read_record(haft__json record, uint64_t now_ms)
{
    haft__refusals found = {0};
    haft__json refused = haft__object_object(record, "refused");
    uint64_t at_ms = haft__object_number(record, "at_ms", 0);
    if (haft__object_number(record, "version", 0) != VERSION || at_ms > now_ms
        || now_ms - at_ms >= KEPT_MS) {
        return found;
    }
    for (size_t i = 0; i < COUNT(names); i++) {
        uint64_t status = haft__object_number(refused, names[i], 0);
        if (status >= 400 && status <= 599) {
            found.members |= HAFT__MEMBER_BIT(i);
            found.statuses[i] = (uint16_t)status;
        }
    }
    return found;
}

haft__refusals haft__refusal_file_read(haft_str url, haft_str model, uint64_t now_ms)
{
    haft__arena arena;
    haft__refusals found = {0};
    haft__json record;
    haft_str text = {NULL, 0};
    haft__arena_init(&arena, 0);
    haft_str path = find_path(&arena, url, model);
    if (path.ptr != NULL
        && haft__state_file_read(&arena, path.ptr, MAX_BYTES, &text, NULL) == HAFT_OK
        && haft__state_file_parse(&arena, text, (haft__hash_key){0, 0}, &record, NULL) == HAFT_OK) {
        found = read_record(record, now_ms);
    }
    haft__arena_finish(&arena);
    return found;
}

void haft__refusal_file_write(haft_str url, haft_str model, const haft__refusals *refusals,
                              uint64_t now_ms)
{
    haft__arena arena;
    haft__buf text;
    haft__json_writer w;
    haft__arena_init(&arena, 0);
    haft__buf_init(&text, MAX_BYTES);
    haft__json_writer_init(&w, &text);
    haft__json_begin_object(&w);
    haft__field_number(&w, "version", VERSION);
    haft__field_number(&w, "at_ms", now_ms);
    haft__json_key(&w, "refused");
    haft__json_begin_object(&w);
    for (size_t i = 0; i < COUNT(names); i++) {
        if ((refusals->members & HAFT__MEMBER_BIT(i)) != 0) {
            haft__field_number(&w, names[i], refusals->statuses[i]);
        }
    }
    haft__json_end_object(&w);
    haft__json_end_object(&w);
    haft_str path = find_path(&arena, url, model);
    if (path.ptr != NULL && text.status == HAFT_OK) {
        haft__state_file_create_directory(path.ptr);
        haft_status ignored = haft__file_replace(path.ptr, haft__buf_str(&text), NULL);
        (void)ignored;
    }
    haft__buf_finish(&text);
    haft__arena_finish(&arena);
}
