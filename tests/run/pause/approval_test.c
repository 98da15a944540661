/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/run/pause/approval.c. */
#include "run/pause/approval.h"

#include "test.h"

TEST(rules_match_by_name_or_trait)
{
    haft__arena arena;
    haft__arena_init(&arena, 0);
    static const haft_str traits[] = {{"destructive", 11}, {"idempotent", 10}};
    static const haft_str tools[] = {{"docs:send_*", 11}};
    haft__approval_rule rules[] = {{.tools = tools, .tool_count = 1},
                                   {.traits = traits, .trait_count = 2}};
    haft__spec spec = {.approvals = rules, .approval_count = 2};
    static const struct {
        haft__tool tool;
        bool wanted;
        int rule;
    } cases[] = {
        {{.name = {"docs:send_mail", 14}}, true, 0},
        {{.name = {"docs:read", 9}}, false, -1},
        {{.name = {"drop", 4}, .traits = {.destructive = true}}, true, 1},
        {{.name = {"put", 3}, .traits = {.idempotent = true}}, true, 1},
        {{.name = {"get", 3}, .traits = {.read_only = true, .return_direct = true}}, false, -1},
        {{.name = {"pay", 3}, .traits = {.needs_approval = true}}, true, -1},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        const haft__approval_rule *found = NULL;
        haft__json none = haft__json_object(NULL, 0);
        CHECK_INT(haft__approval_is_required(&spec, &cases[i].tool, &none, &arena, &found),
                  cases[i].wanted, "case %zu", i);
        CHECK(found == (cases[i].rule < 0 ? NULL : &rules[cases[i].rule]), "rule of case %zu", i);
    }
    haft__arena_finish(&arena);
}

TEST(no_rule_matches_a_reducer_of_a_graph)
{
    static const haft_str traits[] = {{"destructive", 11}}, tools[] = {{"*", 1}};
    const haft__approval_rule rules[] = {{.tools = tools, .tool_count = 1},
                                         {.traits = traits, .trait_count = 1}};
    haft__tool tool = {.name = HAFT__LIT("reducer:sum"), .traits = {.destructive = true}};
    for (size_t i = 0; i < COUNT(rules); i++) {
        tool.reducer = false; /* a server may be named so */
        CHECK(haft__approval_matches(&rules[i], &tool), "a tool with this name, rule %zu", i);
        tool.reducer = true;
        CHECK(!haft__approval_matches(&rules[i], &tool), "a reducer, rule %zu", i);
    }
}

/* A destructive hint of a server counts, unless the spec turns that off. */
TEST(hinted_destructive_tools_need_approval)
{
    static const struct {
        bool on;
        haft__tool tool;
        bool wanted;
    } cases[] = {
        {true, {.name = {"docs:drop", 9}, .hinted_destructive = true}, true},
        {false, {.name = {"docs:drop", 9}, .hinted_destructive = true}, false},
        {true, {.name = {"docs:drop", 9}, .traits = {.destructive = true}}, false},
        {false, {.name = {"docs:drop", 9}, .traits = {.needs_approval = true}}, true},
    };
    haft__arena arena;
    haft__arena_init(&arena, 0);
    for (size_t i = 0; i < COUNT(cases); i++) {
        const haft__approval_rule *found = NULL;
        haft__spec spec = {.approve_destructive = cases[i].on};
        CHECK_INT(haft__approval_is_required(&spec, &cases[i].tool, NULL, &arena, &found),
                  cases[i].wanted, "case %zu", i);
    }
    haft__arena_finish(&arena);
}
