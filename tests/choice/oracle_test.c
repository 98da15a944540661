/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of the policy in every situation, reachable or not: all offers of up to six tools in every
 * order, every state of each tool, every min_tools_for_auto from 0 to 8. haft__choice_decide and
 * the oracle agree. exhaustive_test.c covers the reachable states. */
#include "oracle_view.h"

static const haft_str names[] = {{"f", 1}, {"e", 1}, {"a", 1}, {"b", 1}, {"d", 1}, {"c", 1}};

/* The kinds of tools: a data tool that is fresh, finished, rejected, or both; or of another role.
 */
static const haft__choice_tool kinds[] = {
    {.role = HAFT__ROLE_DATA},
    {.role = HAFT__ROLE_DATA, .finished = true},
    {.role = HAFT__ROLE_DATA, .rejected = true},
    {.role = HAFT__ROLE_CONTROL},
    {.role = HAFT__ROLE_ARTIFACT},
    {.role = HAFT__ROLE_DATA, .finished = true, .rejected = true},
    {.role = HAFT__ROLE_NEUTRAL, .finished = true},
    {.role = HAFT__ROLE_CONTROL, .finished = true},
    {.role = HAFT__ROLE_ARTIFACT, .finished = true, .rejected = true},
};

/* The offer with this number, of `count` tools of the first `kind_count` kinds. */
static void make_offer(unsigned number, size_t count, size_t kind_count, haft__choice_tool *tools)
{
    for (size_t i = 0; i < count; i++, number /= (unsigned)kind_count) {
        tools[i] = kinds[number % kind_count];
        tools[i].name = names[i];
    }
}

static unsigned power(size_t base, size_t exponent)
{
    unsigned result = 1;
    for (size_t i = 0; i < exponent; i++) {
        result *= (unsigned)base;
    }
    return result;
}

static void check_situation(const haft__spec *spec, const haft__choice_facts *facts)
{
    bool allowed[MAX_TOOLS];
    haft__choice choice;
    haft__choice_decide(spec, facts, allowed, &choice);
    oracle_world w = see_spec(spec);
    see_facts(&w, facts);
    oracle_answer answer = oracle_decide(&w);
    compare(&choice, facts, &w, &answer);
}

/* Calls `each` for every offer of up to `max` tools. */
static size_t for_each_offer(size_t max, size_t kind_count,
                             size_t (*each)(haft__choice_facts *facts))
{
    size_t checked = 0;
    for (size_t count = 0; count <= max; count++) {
        for (unsigned number = 0; number < power(kind_count, count); number++) {
            haft__choice_tool tools[MAX_TOOLS];
            make_offer(number, count, kind_count, tools);
            haft__choice_facts facts = {.turn = 1, .tools = tools, .tool_count = count};
            checked += each(&facts);
        }
    }
    return checked;
}

static size_t check_gates(haft__choice_facts *facts)
{
    static const haft_str gone[] = {{"x", 1}, {"y", 1}};
    haft__spec spec = help_spec();
    spec.choice.gate = true;
    size_t checked = 0;
    for (uint32_t min = 0; min <= MAX_LEAST; min++) {
        spec.choice.min_tools_for_auto = min;
        facts->also_counted = gone;
        for (size_t more = 0; more <= COUNT(gone); more++) {
            facts->also_counted_count = more;
            facts->gate_opened = false;
            check_situation(&spec, facts);
            facts->gate_opened = true;
            check_situation(&spec, facts);
            checked += 2;
        }
    }
    return checked;
}

TEST(the_oracle_agrees_about_every_gate)
{
    failures = 0;
    size_t checked = for_each_offer(MAX_TOOLS, 5, check_gates);
    checked += for_each_offer(3, COUNT(kinds), check_gates);
    printf("# %zu situations of the gate\n", checked);
    CHECK_INT(failures, 0, "failures in %zu situations", checked);
}

/* Every entry of a schedule with every default, gate on and off. */
static size_t check_schedules_and_defaults(haft__choice_facts *facts)
{
    static const char *const choices[] = {"auto", "any", "none", "f", "a", "missing", "gate"};
    size_t checked = 0;
    for (unsigned number = 0; number < 7 * 6 * 2 * 2 * 2 * 2; number++) {
        const haft__tool_choice entry = help_tool_choice(haft__str(choices[number % 7]));
        haft__spec spec = help_spec();
        spec.choice.default_choice = help_tool_choice(haft__str(choices[number / 7 % 6]));
        spec.choice.schedule = &entry;
        spec.choice.schedule_count = 1;
        spec.choice.gate = (number / 42 & 1) != 0;
        facts->default_satisfied = (number / 42 & 2) != 0;
        facts->turn = (number / 42 & 4) != 0 ? 2 : 1;
        spec.limits.turns = (number / 42 & 8) != 0 ? 2 : 12;
        check_situation(&spec, facts);
        checked++;
    }
    return checked;
}

TEST(the_oracle_agrees_about_every_wanted_choice)
{
    failures = 0;
    size_t checked = for_each_offer(3, COUNT(kinds), check_schedules_and_defaults);
    printf("# %zu situations of schedule and default\n", checked);
    CHECK_INT(failures, 0, "failures in %zu situations", checked);
}
