/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/run/run.c. */
#include "run/run.h"

#include "run_help.h"

TEST(ends_and_pauses_have_names)
{
    static const char *const ends[] = {"done",     "direct", "exhausted", "incomplete", "refused",
                                       "violated", "failed", "cancelled", "expired"};
    static const char *const pauses[] = {"question", "headless", "approval", "unknown_outcome"};
    for (size_t i = 0; i < COUNT(ends); i++) {
        CHECK_STR(haft__str(haft__end_name((haft__end)i)), haft__str(ends[i]), "case %zu", i);
    }
    for (size_t i = 0; i < COUNT(pauses); i++) {
        CHECK_STR(haft__str(haft__pause_name((haft__pause)i)), haft__str(pauses[i]), "case %zu", i);
    }
}

TEST(calls_have_ids_by_turn_and_number)
{
    static const struct {
        uint32_t turn;
        uint64_t number;
        const char *id;
    } rows[] = {{0, 0, "c0.0"},
                {1, 1, "c1.1"},
                {10, 109, "c10.109"},
                {UINT32_MAX, UINT64_MAX, "c4294967295.18446744073709551615"}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        char text[HAFT__CALL_ID_SIZE];
        CHECK_STR(haft__run_call_id(text, rows[i].turn, rows[i].number), haft__str(rows[i].id),
                  "case %zu", i);
    }
}

/* Micro-dollars per million tokens, times tokens: millionths of micro-dollars. */
static const struct {
    uint64_t parts;
    const char *dollars;
} costs[] = {
    {0, "0.0"},
    {1, "0.000000000001"},
    {1000000, "0.000001"},
    {190000000, "0.00019"},
    {999999999999, "0.999999999999"},
    {1000000000000, "1.0"},
    {1500000000000, "1.5"},
    {12000000000010, "12.00000000001"},
    {INT64_MAX, "9223372.036854775807"},
};

TEST(costs_are_exact)
{
    for (size_t i = 0; i < COUNT(costs); i++) {
        haft__run run = {.cost_parts = costs[i].parts};
        haft__buf found;
        haft__buf_init(&found, 64);
        haft__run_add_cost(&found, &run);
        CHECK_STR(haft__buf_str(&found), haft__str(costs[i].dollars), "%s", costs[i].dollars);
        haft__buf_finish(&found);
    }
}

/* Two calls are equal if their tools and the meaning of their arguments are equal. */
static const struct {
    const char *tool, *arguments, *key;
} keys[] = {
    {"look", "{}", "look\n{}"},
    {"look", "{\"b\":1,\"a\":[2.0, 1e1]}", "look\n{\"a\":[2,10],\"b\":1}"},
    {"docs:look", "null", "docs:look\nnull"},
};

TEST(calls_are_compared_by_their_meaning)
{
    haft__arena arena;
    haft__arena_init(&arena, 0);
    for (size_t i = 0; i < COUNT(keys); i++) {
        haft__buf found;
        haft__buf_init(&found, 4096);
        CHECK_INT(haft__run_call_key(&found, haft__str(keys[i].tool),
                                     help_json(&arena, keys[i].arguments), NULL),
                  HAFT_OK, "%s", keys[i].key);
        CHECK_STR(haft__buf_str(&found), haft__str(keys[i].key), "%s", keys[i].arguments);
        haft__buf_finish(&found);
    }
    haft__json nested = help_json(&arena, "{\"a\":{\"b\":1}}");
    for (unsigned n = 0; n < 2; n++) {
        haft__buf found;
        haft__buf_init(&found, 4096);
        test_fail_allocation(n);
        haft_status status = haft__run_call_key(&found, HAFT__LIT("look"), nested, NULL);
        CHECK_INT(status, test_allow_allocations() ? HAFT_NO_MEMORY : HAFT_OK, "allocation %u", n);
        haft__buf_finish(&found);
    }
    haft__arena_finish(&arena);
}

/* Replay depends on these hashes: they must be the same in every process and every version. */
TEST(hashes_never_change)
{
    CHECK_INT(haft__run_hash(HAFT__LIT("look")), haft__run_hash(HAFT__LIT("look")),
              "equal texts have equal hashes");
    CHECK(haft__run_hash(HAFT__LIT("look")) != haft__run_hash(HAFT__LIT("lock")),
          "different texts have different hashes");
    CHECK_INT(haft__run_hash(HAFT__LIT("")), -6038869966312405171, "the hash of an empty text");
    CHECK_INT(haft__run_hash(HAFT__LIT("look\n{}")), 7899854090172899593, "the hash of a call");
}

TEST(calls_are_found_by_their_id)
{
    help_run r;
    help_run_init(&r, "agent; tools=look",
                  "{\"replies\":[{\"calls\":[{\"name\":\"look\"},{\"name\":\"none\"}]},"
                  "{\"calls\":[{\"name\":\"look\"}]},{\"text\":\"x\"}],\"results\":{\"look\":1}}");
    CHECK(haft__run_find_call(&r.drive.run, HAFT__LIT("c1.1")) == NULL,
          "no call before the run starts");
    CHECK_INT(help_run_go(&r), HAFT_OK, "%s", r.err.message);
    const haft__run *run = &r.drive.run;
    static const char *const ids[] = {"c1.1", "c1.2", "c2.1"};
    for (size_t i = 0; i < COUNT(ids); i++) {
        const haft__run_call *call = haft__run_find_call(run, haft__str(ids[i]));
        CHECK(call == &run->calls[i], "%s", ids[i]);
    }
    CHECK(haft__run_find_call(run, HAFT__LIT("c1.3")) == NULL, "c1.3");
    CHECK(haft__run_find_call(run, HAFT__LIT("")) == NULL, "an empty id");
    CHECK_INT(haft__run_tool_index(run, r.spec.spec.tools.items[0]), 0, "the index of a tool");
    CHECK_INT(haft__run_tool_index(run, NULL), 1, "the index of an unknown tool");
    help_run_finish(&r);
}

TEST(starting_survives_every_failed_allocation)
{
    haft__arena kept;
    haft__arena_init(&kept, 0);
    help_spec spec;
    help_spec_init(&spec, &kept, HAFT__LIT("agent; tools=look"));
    for (unsigned n = 0;; n++) {
        haft__arena arena;
        haft__run run;
        haft__arena_init(&arena, 0);
        test_fail_allocation(n);
        haft_status status = haft__run_init(&run, &arena, &spec.spec, HELP_KEY, NULL);
        bool failed = test_allow_allocations();
        CHECK_INT(status, failed ? HAFT_NO_MEMORY : HAFT_OK, "allocation %u", n);
        haft__arena_finish(&arena);
        if (!failed) {
            break;
        }
    }
    haft__arena_finish(&kept);
}
