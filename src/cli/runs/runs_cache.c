/* SPDX-License-Identifier: Apache-2.0 */
/* runs_cache.c - see cli/runs/runs_cache.h. Tests: tests/cli/runs/runs_cache_test.c. */
#include "cli/runs/runs_cache.h"

#include "base/hash.h"
#include "base/str.h"
#include "json/object.h"
#include "json/read.h"

typedef struct sums {
    uint64_t turn, replies, breaks;
    uint64_t input, cached;
} sums;

static uint64_t percent(uint64_t part, uint64_t whole)
{
    return whole > 0 ? part * 100 / whole : 0;
}

static bool is_break(haft_str cause)
{
    return cause.len > 0 && !haft__str_equal(cause, HAFT__LIT("first"));
}

static void write_audit(haft__buf *buf, haft__json cache)
{
    haft_str cause = haft__object_string(cache, "cause");
    haft_str where = haft__object_string(cache, "first_difference");
    uint64_t bytes = haft__object_number(cache, "bytes", 0);
    uint64_t same = haft__object_number(cache, "same_bytes", 0);
    if (cache.count == 0) {
        haft__buf_addf(buf, "not audited");
    } else if (bytes > 0) {
        haft__buf_addf(buf, "%llu of %llu bytes (%llu %%)", (unsigned long long)same,
                       (unsigned long long)bytes, (unsigned long long)percent(same, bytes));
    }
    if (cause.len > 0) {
        haft__buf_addf(buf, "%s%.*s%s%.*s", bytes > 0 ? "; " : "", HAFT__ARG(cause),
                       where.len > 0 ? " at " : "", HAFT__ARG(where));
    }
}

static void write_reply(haft__buf *buf, haft__json event, sums *s)
{
    haft__json usage = haft__object_object(event, "usage");
    haft__json cache = haft__object_object(event, "cache");
    uint64_t input = haft__object_number(usage, "input_tokens", 0);
    uint64_t cached = haft__object_number(usage, "cached_tokens", 0);
    haft__buf_addf(buf, "%4llu  %9llu  %9llu  %4llu %%  ", (unsigned long long)s->turn,
                   (unsigned long long)input, (unsigned long long)cached,
                   (unsigned long long)percent(cached, input));
    write_audit(buf, cache);
    haft__buf_add_char(buf, '\n');
    s->replies++;
    s->input += input;
    s->cached += cached;
    s->breaks += is_break(haft__object_string(cache, "cause")) ? 1 : 0;
}

haft_status haft__runs_cache_write(haft__buf *buf, haft_str lines, haft__hash_key hash_key,
                                   haft_error *err)
{
    sums s = {.turn = 0};
    haft__arena arena;
    haft__json_options options = HAFT__JSON_OPTIONS_INIT;
    haft_status status = HAFT_OK;
    options.hash_key = hash_key;
    haft__arena_init(&arena, 0);
    haft__buf_addf(buf,
                   "turn   input tok     cached          same start as the previous request\n");
    while (lines.len > 0 && status == HAFT_OK) {
        haft_str line = haft__str_split(&lines, '\n');
        haft__json event = haft__json_null();
        haft__arena_reset(&arena);
        status = haft__json_read(&arena, line, &options, &event, NULL, err);
        haft_str kind = haft__object_string(event, "kind");
        if (haft__str_equal(kind, HAFT__LIT("turn_started"))) {
            s.turn = haft__object_number(event, "turn", s.turn);
        } else if (haft__str_equal(kind, HAFT__LIT("model_replied"))) {
            write_reply(buf, event, &s);
        }
    }
    haft__arena_finish(&arena);
    haft__buf_addf(buf, " all  %9llu  %9llu  %4llu %%  %llu %s, %llu %s\n",
                   (unsigned long long)s.input, (unsigned long long)s.cached,
                   (unsigned long long)percent(s.cached, s.input), (unsigned long long)s.replies,
                   s.replies == 1 ? "reply" : "replies", (unsigned long long)s.breaks,
                   s.breaks == 1 ? "break" : "breaks");
    return status == HAFT_OK ? haft__buf_check(buf, err) : status;
}
