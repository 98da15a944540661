/* SPDX-License-Identifier: Apache-2.0 */
/* The rules of middleware, for states of runs. */
#include "run/middleware/middleware.h"

#include "base/limits.h"
#include "base/str.h"
#include "test.h"

static haft__run_call call_of(const char *name, uint64_t begun_ms)
{
    return (haft__run_call){.name = haft__str(name), .started = begun_ms > 0, .begun_ms = begun_ms};
}

TEST(a_rate_limit_counts_the_last_starts)
{
    static const struct {
        uint64_t begun[5]; /* 0: not started */
        size_t batch;
        uint32_t max;
        uint64_t wanted;
    } rows[] = {
        {{0}, 0, 1, 0},
        {{100}, 1, 1, 1100},
        {{100, 200, 300}, 3, 3, 1100},
        {{100, 200, 300}, 3, 2, 1200},
        {{100, 200, 300}, 3, 4, 0},
        {{100, 300, 200}, 1, 2, 1200}, /* calls of one reply start in any order */
        {{100, 0, 200}, 1, 1, 1200},
        {{100, 100, 100}, 3, 2, 1100},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        haft__run_call calls[6];
        haft__middleware entry = {.kind = HAFT__MIDDLEWARE_RATE_LIMIT, .name = HAFT__LIT("r")};
        entry.as.rate_limit = (haft__rate_limit){.max = rows[i].max, .per_ms = 1000};
        for (size_t k = 0; k < 5; k++) {
            calls[k] = call_of("a", rows[i].begun[k]);
        }
        calls[5] = call_of("a", 0);
        haft__spec spec = {.middleware = &entry, .middleware_count = 1};
        haft__run run = {.spec = &spec, .calls = calls, .call_count = 6, .batch = rows[i].batch};
        const haft__middleware *by = NULL;
        CHECK_INT(haft__rate_limit_at(&run, &calls[5], &by), rows[i].wanted, "row %zu", i);
        CHECK_INT(by != NULL, rows[i].wanted > 0, "row %zu", i);
    }
}

TEST(a_call_limit_counts_started_calls_of_its_tools)
{
    static const haft_str patterns[] = {{"a*", 2}};
    haft__run_call calls[] = {call_of("a", 1), call_of("b", 1), call_of("ab", 2), call_of("a", 0)};
    haft__middleware entry = {
        .kind = HAFT__MIDDLEWARE_CALL_LIMIT, .tools = patterns, .tool_count = COUNT(patterns)};
    haft__run run = {.calls = calls, .call_count = COUNT(calls), .batch = 2};
    static const struct {
        uint32_t max;
        bool per_turn, wanted;
    } rows[] = {
        {1, false, true}, {2, false, true}, {3, false, false}, {1, true, true}, {2, true, false}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        entry.as.call_limit = (haft__call_limit){.max = rows[i].max, .per_turn = rows[i].per_turn};
        CHECK_INT(haft__call_limit_is_reached(&run, &entry, &calls[3]), rows[i].wanted, "row %zu",
                  i);
    }
}

static haft__middleware hook_at(const char *name, haft__hook_point at)
{
    haft__middleware entry = {.kind = HAFT__MIDDLEWARE_COMMAND, .name = haft__str(name)};
    entry.as.hook.at[at] = true;
    return entry;
}

/* A call passes the hooks inwards from the first, and its result outwards from the last. */
TEST(hooks_follow_the_order_of_the_list)
{
    haft__middleware entries[] = {
        hook_at("1", HAFT__HOOK_AFTER_TOOL), hook_at("2", HAFT__HOOK_AFTER_TOOL),
        hook_at("3", HAFT__HOOK_BEFORE_MODEL), hook_at("4", HAFT__HOOK_BEFORE_MODEL)};
    haft__spec spec = {.middleware = entries, .middleware_count = COUNT(entries)};
    haft__run run = {.spec = &spec};
    haft__run_call call = call_of("a", 1);
    haft__passed second = {.name = HAFT__LIT("2"), .at = HAFT__HOOK_AFTER_TOOL};
    haft__passed first = {.before = &second, .name = HAFT__LIT("1"), .at = HAFT__HOOK_AFTER_TOOL};
    CHECK(haft__middleware_next_after(&run, &call, true) == &entries[1], "the innermost");
    CHECK(!haft__middleware_is_last(&run, &call, &entries[1], true), "one is left");
    call.passage.passed = &second;
    CHECK(haft__middleware_next_after(&run, &call, true) == &entries[0], "then the outermost");
    CHECK(haft__middleware_is_last(&run, &call, &entries[0], true), "none is left");
    call.passage.passed = &first;
    CHECK(haft__middleware_next_after(&run, &call, true) == NULL, "all have decided");
    CHECK(haft__middleware_next_for_model(&run, HAFT__HOOK_BEFORE_MODEL) == &entries[2], "inwards");
    CHECK(haft__middleware_next_for_model(&run, HAFT__HOOK_AFTER_MODEL) == NULL, "none there");
}

TEST(the_wording_of_an_error)
{
    haft__buf text;
    haft__buf_init(&text, 1 << 16);
    haft__error_text_write(&text, HAFT__LIT("{tool} {other} failed: {error}"), HAFT__LIT("t"),
                           HAFT__LIT("e {tool}"));
    CHECK_STR(haft__buf_str(&text), HAFT__LIT("t {other} failed: e {tool}"), "replaced once");
    haft__buf_finish(&text);
}
