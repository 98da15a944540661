/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/choice/choose.c: each rule, its exact reason, and the tools it allows. */
#include "choice_help.h"

/* Decides, and formats the choice as one line: "any by gate [glob grep]: 0 of 2 data tools called".
 */
static void decide(const haft__spec *spec, const haft__choice_facts *facts, haft__buf *ret_line)
{
    bool *allowed = test_alloc(facts->tool_count + 1);
    memset(allowed, 0xff, facts->tool_count + 1);
    haft__choice choice;
    haft__choice_decide(spec, facts, allowed, &choice);
    CHECK(choice.allowed == allowed, "the choice points to the caller's array");
    CHECK((choice.mode == HAFT__MODE_TOOL) == (choice.tool.len > 0),
          "a name is given in the mode `tool`, and only there");
    haft__buf_clear(ret_line);
    haft__buf_addf(ret_line, "%s%s%.*s by %s [", help_mode(choice.mode),
                   choice.tool.len > 0 ? " " : "", HAFT__ARG(choice.tool), help_rule(choice.rule));
    help_add_allowed(ret_line, &choice, facts);
    haft__buf_addf(ret_line, "]: %s", choice.reason);
}

static const struct {
    const char *name;
    const char *gate; /* "" off, else min_tools_for_auto */
    const char *schedule, *by_default;
    uint32_t turn;
    const char *tools; /* and before it "o " gate opened, "s " default satisfied */
    const char *want;
} cases[] = {
    {"nothing special", "", "", "auto", 1, "a:d b:d", "auto by default [a b]: default auto"},
    {"no tools at all", "", "", "auto", 1, "", "auto by default []: default auto"},
    {"all roles under auto", "", "", "auto", 1, "a:d n:n c:c s:a",
     "auto by default [a n c s]: default auto"},

    /* limits */
    {"last turn", "", "", "auto", 12, "a:d b:d", "none by limit []: last turn (12 of 12)"},
    {"past the last turn", "", "", "auto", 13, "a:d", "none by limit []: last turn (13 of 12)"},
    {"one before it", "", "", "auto", 11, "a:d", "auto by default [a]: default auto"},
    {"limits before schedule, gate and default", "5", "a a a a a a a a a a a a", "any", 12,
     "a:d b:d", "none by limit []: last turn (12 of 12)"},

    /* schedule */
    {"scheduled tool", "", "extract auto none", "auto", 1, "extract:d b:d",
     "tool extract by schedule [extract]: schedule, turn 1: tool extract"},
    {"scheduled auto", "", "extract auto none", "auto", 2, "extract:d+ b:d",
     "auto by schedule [extract b]: schedule, turn 2: auto"},
    {"scheduled none", "", "extract auto none", "auto", 3, "extract:d+ b:d",
     "none by schedule []: schedule, turn 3: none"},
    {"scheduled any", "", "any", "auto", 1, "a:d s:a",
     "any by schedule [a]: schedule, turn 1: any"},
    {"after its end", "", "extract auto none", "auto", 4, "extract:d+ b:d",
     "auto by default [extract b]: default auto"},
    {"gate falls through to the gate", "5", "a gate", "auto", 2, "a:d+ b:d",
     "any by gate [a b]: 1 of 2 data tools called"},
    {"gate falls through to the default", "", "gate", "b", 1, "a:d b:d",
     "tool b by default [b]: default tool b"},
    {"schedule before gate", "5", "auto", "auto", 1, "a:d b:d",
     "auto by schedule [a b]: schedule, turn 1: auto"},
    {"schedule before default", "", "auto", "any", 1, "a:d",
     "auto by schedule [a]: schedule, turn 1: auto"},
    {"an artifact tool by name", "5", "s", "auto", 1, "a:d b:d s:a",
     "tool s by schedule [s]: schedule, turn 1: tool s"},
    {"scheduled tool is not offered, gate decides", "5", "x", "auto", 1, "a:d b:d",
     "any by gate [a b]: scheduled tool x is not offered; 0 of 2 data tools called"},
    {"scheduled tool is not offered, default decides", "", "x", "auto", 1, "a:d b:d",
     "auto by default [a b]: scheduled tool x is not offered; default auto"},
    {"neither tool is offered", "2", "x", "y", 1, "a:d+ b:d+",
     "auto by default [a b]: scheduled tool x is not offered; gate open; default tool y is not "
     "offered"},
    {"a name that begins like another", "", "ab", "auto", 1, "a:d abc:d",
     "auto by default [a abc]: scheduled tool ab is not offered; default auto"},
    {"scheduled any without tools", "", "any", "auto", 1, "",
     "auto by schedule []: schedule, turn 1: any, but no tool is offered"},
    {"scheduled any with artifact tools only", "", "any", "auto", 1, "s:a t:a",
     "any by schedule [s t]: schedule, turn 1: any"},

    /* tools that a skill does not allow */
    {"a narrowed tool is not allowed", "", "", "auto", 1, "a:d b:d! n:n",
     "auto by default [a n]: default auto"},
    {"a narrowed tool is not forced by the schedule", "", "b", "auto", 1, "a:d b:d!",
     "auto by default [a]: scheduled tool b is not offered; default auto"},
    {"nor by the default", "", "", "b", 1, "a:d b:d!",
     "auto by default [a]: default tool b is not offered"},
    {"narrowed tools do not lower the threshold", "5", "", "auto", 2, "a:d+ b:d! c:d",
     "any by gate [a c]: 1 of 3 data tools called"},
    {"only narrowed tools cannot be required", "", "any", "auto", 1, "a:d!",
     "auto by schedule []: schedule, turn 1: any, but no tool is offered"},

    /* gate */
    {"nothing called yet", "5", "", "auto", 1, "a:d b:d c:c n:n s:a",
     "any by gate [a b c n]: 0 of 2 data tools called"},
    {"some called", "3", "", "auto", 2, "a:d+ b:d c:d e:d",
     "any by gate [a b c e]: 1 of 3 data tools called"},
    {"open", "3", "", "auto", 4, "a:d+ b:d+ c:d+ s:a",
     "auto by default [a b c s]: gate open; default auto"},
    {"open, forced default", "3", "", "any", 4, "a:d+ b:d+ c:d+ s:a",
     "any by default [a b c]: gate open; default any"},
    {"stays open", "3", "", "auto", 4, "o a:d+ b:d c:d",
     "auto by default [a b c]: gate open; default auto"},
    {"no data tool", "3", "", "auto", 1, "c:c s:a n:n",
     "auto by default [c s n]: gate open; default auto"},
    {"gate before default", "3", "", "none", 1, "a:d b:d",
     "any by gate [a b]: 0 of 2 data tools called"},

    /* default */
    {"default any", "", "", "any", 1, "a:d c:c s:a", "any by default [a c]: default any"},
    {"default any, satisfied", "", "", "any", 2, "s a:d+ c:c s:a",
     "auto by default [a c s]: default satisfied"},
    {"default any without tools", "", "", "any", 1, "",
     "auto by default []: default any, but no tool is offered"},
    {"default any, artifact tools only", "", "", "any", 1, "s:a",
     "any by default [s]: default any"},
    {"default tool", "", "", "b", 1, "a:d b:d", "tool b by default [b]: default tool b"},
    {"default tool, satisfied", "", "", "b", 2, "s a:d b:d+",
     "auto by default [a b]: default satisfied"},
    {"default tool is not offered", "", "", "x", 1, "a:d",
     "auto by default [a]: default tool x is not offered"},
    {"default none", "", "", "none", 1, "a:d", "none by default []: default none"},
    {"default none is never satisfied", "", "", "none", 2, "s a:d",
     "none by default []: default none"},
    {"an undeclared tool may be called", "", "", "auto", 1, "a:d b:d~",
     "auto by default [a b]: default auto"},
    {"an undeclared tool cannot be demanded by name", "", "b", "b", 1, "a:d b:d~",
     "auto by default [a b]: scheduled tool b is not offered; default tool b is not offered"},
    {"an undeclared tool cannot be demanded by `any`", "", "", "any", 1, "b:d~ n:n~",
     "auto by default [b n]: default any, but no tool is offered"},
    {"if all others are undeclared, `any` allows artifact tools", "", "", "any", 1, "s:a n:n~",
     "any by default [s n]: default any"},
    {"default auto needs no call", "", "", "auto", 2, "s a:d", "auto by default [a]: default auto"},
};

TEST(the_first_rule_that_matches_decides)
{
    haft__buf line;
    haft__buf_init(&line, 4096);
    for (size_t i = 0; i < COUNT(cases); i++) {
        haft__spec spec = help_spec();
        uint64_t min = 0;
        spec.choice.gate = haft__str_to_u64(haft__str(cases[i].gate), &min);
        spec.choice.min_tools_for_auto = (uint32_t)min;
        help_schedule(&spec.choice, cases[i].schedule);
        spec.choice.default_choice = help_tool_choice(haft__str(cases[i].by_default));
        haft__choice_facts facts = {.turn = cases[i].turn};
        const char *tools = cases[i].tools;
        facts.gate_opened = strncmp(tools, "o ", 2) == 0;
        facts.default_satisfied = strncmp(tools, "s ", 2) == 0;
        tools += facts.gate_opened || facts.default_satisfied ? 2 : 0;
        facts.tools = help_tools(tools, &facts.tool_count);
        decide(&spec, &facts, &line);
        CHECK_STR(haft__buf_str(&line), haft__str(cases[i].want), "%s", cases[i].name);
    }
    haft__buf_finish(&line);
}

static const struct {
    haft__spent_budget spent;
    const char *want;
} spent_cases[] = {
    {{"calls", 50, 50}, "none by limit []: call budget used up (50 of 50)"},
    {{"tokens", 200100, 200000}, "none by limit []: token budget used up (200100 of 200000)"},
    {{"usd", 500000, 500000}, "none by limit []: money budget used up ($0.50 of $0.50)"},
    {{"usd", 1512300, 1500000}, "none by limit []: money budget used up ($1.5123 of $1.50)"},
    {{"usd", 12000001, 12000000}, "none by limit []: money budget used up ($12.000001 of $12.00)"},
    {{"usd", 50000, 10000}, "none by limit []: money budget used up ($0.05 of $0.01)"},
    {{"wall", 600000, 600000}, "none by limit []: time budget used up (600 s of 600 s)"},
    {{"wall", 600042, 600000}, "none by limit []: time budget used up (600.042 s of 600 s)"},
    {{"turns", 4, 4}, "none by limit []: turn budget used up (4 of 4)"},
    {{"patience", 2, 1}, "none by limit []: patience budget used up (2 of 1)"},
    {{"tokens", UINT64_MAX, UINT64_MAX - 1},
     "none by limit []: token budget used up (18446744073709551615 of 18446744073709551614)"},
    {{NULL, 0, 0}, "auto by default [a]: default auto"},
};

TEST(a_spent_budget_requests_the_answer)
{
    haft__buf line;
    haft__buf_init(&line, 4096);
    haft__spec spec = help_spec();
    for (size_t i = 0; i < COUNT(spent_cases); i++) {
        haft__choice_facts facts = {.turn = 3, .spent = spent_cases[i].spent};
        facts.tools = help_tools("a:d", &facts.tool_count);
        decide(&spec, &facts, &line);
        CHECK_STR(haft__buf_str(&line), haft__str(spent_cases[i].want), "case %zu", i);
        facts.turn = 12;
        decide(&spec, &facts, &line);
        CHECK_STR(haft__buf_str(&line), HAFT__LIT("none by limit []: last turn (12 of 12)"),
                  "the last turn is named first");
    }
    haft__buf_finish(&line);
}

/* A schedule and a default with tools that are not offered, and an open gate: the longest reason.
 */
static void reason_for(haft_str scheduled, haft_str wanted, char ret_reason[HAFT__CHOICE_REASON])
{
    haft__spec spec = help_spec();
    const haft__tool_choice entry = {.mode = HAFT__MODE_TOOL, .tool = scheduled};
    spec.choice.gate = true;
    spec.choice.schedule = &entry;
    spec.choice.schedule_count = 1;
    spec.choice.default_choice = (haft__tool_choice){.mode = HAFT__MODE_TOOL, .tool = wanted};
    haft__choice choice;
    haft__choice_decide(&spec, &(haft__choice_facts){.turn = 1}, NULL, &choice);
    memcpy(ret_reason, choice.reason, HAFT__CHOICE_REASON);
}

TEST(a_reason_holds_the_longest_names_and_cuts_longer_ones_between_characters)
{
    enum { MOST = HAFT__LIMIT_TOOL_NAME_BYTES };
    char x[MOST], accents[2 * MOST + 1], reason[HAFT__CHOICE_REASON], want[HAFT__CHOICE_REASON];
    memset(x, 'x', sizeof(x));
    for (size_t i = 0; i < sizeof(accents); i++) {
        accents[i] = i == 0 ? 'y' : "\xa9\xc3"[i % 2];
    }
    for (size_t skip = 0; skip < 2; skip++) {
        /* After the y, the limit is in the middle of a character. */
        haft_str longer = haft__str_skip((haft_str){accents, sizeof(accents)}, skip);
        int kept = MOST - (skip == 0 ? 1 : 0);
        reason_for((haft_str){x, MOST}, longer, reason);
        (void)snprintf(want, sizeof(want),
                       "scheduled tool %.*s is not offered; gate open; default tool %.*s is not "
                       "offered",
                       MOST, x, kept, longer.ptr);
        CHECK_STR(haft__str(reason), haft__str(want), "skip %zu", skip);
    }
}

/* ---- many tools ---- */

static haft__choice_facts many_tools(size_t count)
{
    haft__choice_tool *tools = test_alloc(count * sizeof(*tools));
    for (size_t i = 0; i < count; i++) {
        char *name = test_alloc(16);
        int length = snprintf(name, 16, "tool_%zu", i);
        tools[i] = (haft__choice_tool){.name = {name, (size_t)length},
                                       .role = i % 16 == 0 ? HAFT__ROLE_ARTIFACT : HAFT__ROLE_DATA,
                                       .finished = i % 2 == 1};
    }
    return (haft__choice_facts){.turn = 2, .tools = tools, .tool_count = count};
}

TEST(the_largest_offer_is_decided_without_memory)
{
    haft__choice_facts facts = many_tools(HAFT__LIMIT_CHOICE_TOOLS);
    haft__spec spec = help_spec();
    spec.choice.gate = true;
    spec.choice.min_tools_for_auto = HAFT__LIMIT_CHOICE_TOOLS;
    bool *allowed = test_alloc(HAFT__LIMIT_CHOICE_TOOLS);
    haft__choice choice;
    size_t before = test_allocation_count();
    haft__choice_decide(&spec, &facts, allowed, &choice);
    CHECK_INT(test_allocation_count(), before, "allocations");
    CHECK_STR(haft__str(choice.reason), HAFT__LIT("2048 of 3840 data tools called"), "reason");
    size_t count = 0;
    for (size_t i = 0; i < facts.tool_count; i++) {
        count += allowed[i] ? 1 : 0;
        CHECK_INT(allowed[i], i % 16 != 0, "tool %zu", i);
    }
    CHECK_INT(count, 3840, "allowed");
}
