/* SPDX-License-Identifier: Apache-2.0 */
/* context_help.c - see context_help.h. */
#include "context_help.h"

#include "base/str.h"
#include "run/replay/replay.h"
#include "json/object.h"
#include "json/read.h"

void help_add_words(haft__buf *script, uint32_t *seed, size_t count)
{
    static const char *const words[] = {"river", "stone",    "cloud",
                                        "42",    "northern", "\\\"quote\\\""};
    for (size_t i = 0; i < count; i++) {
        *seed = *seed * 1664525U + 1013904223U;
        haft__buf_addf(script, " %s", words[(*seed >> 16) % COUNT(words)]);
    }
}

haft_str help_write_script(size_t turns, size_t calls, size_t words, uint32_t seed)
{
    haft__buf script, results;
    size_t fact = 0;
    haft__buf_init(&script, 1 << 26);
    haft__buf_init(&results, 1 << 26);
    haft__buf_addf(&script, "{\"replies\":[");
    for (size_t turn = 0; turn < turns; turn++) {
        size_t count = calls == 1 ? 1 : 1 + (seed >> 20) % calls;
        haft__buf_addf(&script, "{\"text\":\"");
        help_add_words(&script, &seed, calls == 1 ? 0 : (seed >> 10) % 20);
        haft__buf_addf(&script, "\",\"calls\":[");
        for (size_t i = 0; i < count; i++) {
            haft__buf_addf(&script, "%s{\"name\":\"look\",\"arguments\":{\"n\":%zu}}",
                           i > 0 ? "," : "", fact);
            haft__buf_addf(&results, "%s\"fact %zu:", fact > 0 ? "," : "", fact);
            help_add_words(&results, &seed, 1 + (seed >> 12) % words);
            haft__buf_addf(&results, "\"");
            fact++;
        }
        haft__buf_addf(&script, "]},");
    }
    haft__buf_addf(&script,
                   "{\"calls\":[{\"name\":\"read_result\",\"arguments\":{\"call\":\"c3.1\"}}"
                   "]},{\"expect\":{\"contains\":\"fact\"},\"text\":\"Done.\"}],"
                   "\"results\":{\"look\":[%.*s]}}",
                   (int)results.len, results.ptr);
    haft_str kept = help_keep(haft__buf_str(&script));
    haft__buf_finish(&script);
    haft__buf_finish(&results);
    return kept;
}

void help_check_replay(const help_run *r)
{
    haft__arena arena;
    haft__replay replay = {0};
    haft_error err = {0};
    haft__arena_init(&arena, 0);
    CHECK_INT(
        haft__replay_log(&arena, &r->spec.spec, haft__buf_str(&r->log), HELP_KEY, &replay, &err),
        HAFT_OK, "%s %s", err.where, err.message);
    CHECK(replay.identical, "it differs at %llu: %.*s, not %.*s",
          (unsigned long long)replay.differs_at, HAFT__ARG(replay.recorded),
          HAFT__ARG(replay.decided));
    haft__arena_finish(&arena);
}

/* ---- pairs ---- */

#define MOST_OPEN 64

/* The calls of a request that have no result yet. An id is "" if the provider has no ids. */
typedef struct open_calls {
    const char *name;
    haft_str ids[MOST_OPEN];
    size_t count, all;
    bool answering; /* a result of these calls came */
} open_calls;

static void add_call(open_calls *open, haft_str id)
{
    CHECK(!open->answering || open->count == 0, "%s: a call between results", open->name);
    CHECK(open->count < MOST_OPEN, "%s: too many calls", open->name);
    open->answering = false;
    open->ids[open->count++] = id;
    open->all++;
}

static void add_result(open_calls *open, haft_str id)
{
    size_t at = 0;
    while (at < open->count && !haft__str_equal(open->ids[at], id)) {
        at++;
    }
    CHECK(at < open->count, "%s: a result without its call: %.*s", open->name, HAFT__ARG(id));
    if (at < open->count) {
        open->ids[at] = open->ids[--open->count];
    }
    open->answering = true;
}

/* A part of a message. Returns true if it is neither a call nor a result. */
static bool add_part(open_calls *open, haft__json part)
{
    haft_str type = haft__object_text(part, "type");
    haft__json call = haft__object_get(part, "functionCall"),
               response = haft__object_get(part, "functionResponse");
    if (haft__str_equal(type, HAFT__LIT("tool_use"))) {
        add_call(open, haft__object_text(part, "id"));
    } else if (haft__str_equal(type, HAFT__LIT("tool_result"))) {
        add_result(open, haft__object_text(part, "tool_use_id"));
    } else if (haft__str_equal(type, HAFT__LIT("function_call"))) {
        add_call(open, haft__object_text(part, "call_id"));
    } else if (haft__str_equal(type, HAFT__LIT("function_call_output"))) {
        add_result(open, haft__object_text(part, "call_id"));
    } else if (call.kind == HAFT__JSON_OBJECT) {
        add_call(open, haft__object_text(call, "name"));
    } else if (response.kind == HAFT__JSON_OBJECT) {
        add_result(open, haft__object_text(response, "name"));
    } else {
        return true;
    }
    return false;
}

static void add_message(open_calls *open, haft__json message)
{
    haft_str role = haft__object_text(message, "role");
    haft__json parts = haft__object_array(message, "content"),
               calls = haft__object_array(message, "tool_calls");
    bool tool = haft__str_equal(role, HAFT__LIT("tool")), other = !tool;
    parts = parts.count == 0 ? haft__object_array(message, "parts") : parts;
    for (uint32_t i = 0; i < parts.count; i++) {
        other = add_part(open, parts.items[i]) && other;
    }
    other = add_part(open, message) && other && parts.count == 0;
    CHECK(!other || open->count == 0, "%s: a message before the result of a call", open->name);
    if (tool) {
        add_result(open, haft__object_text(message, "tool_call_id"));
    }
    for (uint32_t i = 0; i < calls.count; i++) {
        add_call(open, haft__object_text(calls.items[i], "id"));
    }
}

size_t help_check_pairs(haft_str body, const char *name, bool transcript)
{
    haft__arena arena;
    haft__json root = haft__json_null();
    open_calls open = {.name = name};
    haft__arena_init(&arena, 0);
    CHECK_INT(haft__json_read(&arena, body, NULL, &root, NULL, NULL), HAFT_OK, "%s: JSON", name);
    haft__json list = haft__object_array(root, "messages");
    list = list.count == 0 ? haft__object_array(root, "contents") : list;
    list = list.count == 0 ? haft__object_array(root, "input") : list;
    CHECK(list.count > 0, "%s: no messages in %.*s", name, HAFT__ARG(body));
    uint32_t first = 0;
    while (first < list.count && !transcript
           && !haft__str_equal(haft__object_text(list.items[first], "role"), HAFT__LIT("user"))) {
        haft_str role = haft__object_text(list.items[first], "role");
        CHECK(haft__str_equal(role, HAFT__LIT("system"))
                  || haft__str_equal(role, HAFT__LIT("developer")),
              "%s: the first message is of %.*s", name, HAFT__ARG(role));
        first++;
    }
    for (uint32_t i = 0; i < list.count; i++) {
        add_message(&open, list.items[i]);
    }
    CHECK_INT(open.count, 0, "%s: calls without results", name);
    haft__arena_finish(&arena);
    return open.all;
}
