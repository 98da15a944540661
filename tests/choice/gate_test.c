/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/choice/gate.c. exhaustive_test.c covers all small offers. */
#include "choice_help.h"

static const struct {
    const char *name, *tools, *also;
    uint32_t min;
    uint32_t called, reachable, threshold;
    bool open;
} cases[] = {
    {"default of five, six tools", "a:d b:d c:d d:d e:d f:d", "", 5, 0, 6, 5, false},
    {"all roles are in the number of tools", "a:d b:d c:d x:c y:a z:n", "", 5, 0, 3, 3, false},
    {"number of tools is the smaller", "a:d b:d c:d", "", 5, 0, 3, 3, false},
    {"never under two", "a:d b:d c:d", "", 0, 0, 3, 2, false},
    {"a minimum of one is raised to two", "a:d b:d c:d", "", 1, 0, 3, 2, false},
    {"one data tool", "a:d x:c y:a", "", 5, 0, 1, 1, false},
    {"one data tool, called", "a:d+ x:c y:a", "", 5, 1, 1, 1, true},
    {"no data tool", "x:c y:a", "", 5, 0, 0, 0, true},
    {"no tool", "", "", 5, 0, 0, 0, true},
    {"neutral, control and artifact tools do not count", "a:d b:d n:n+ c:c+ s:a+", "", 2, 0, 2, 2,
     false},
    {"enough", "a:d+ b:d+ c:d", "", 2, 2, 3, 2, true},
    {"rejected tools cannot be reached", "a:d- b:d c:d", "", 5, 0, 2, 2, false},
    {"all rejected", "a:d- b:d-", "", 5, 0, 0, 0, true},
    {"rejected once, finished later", "a:d+- b:d-", "", 5, 1, 1, 1, true},
    {"one left", "a:d+ b:d- c:d", "", 5, 1, 2, 2, false},
    {"called tools that are gone stay counted", "a:d b:d c:d", "x y", 5, 2, 5, 3, false},
    {"called tools that are gone can be enough", "a:d b:d c:d", "x y z", 5, 3, 6, 3, true},
    {"only tools that are gone", "", "x", 5, 1, 1, 1, true},
    {"an undeclared tool does not count and cannot be reached", "a:d b:d c:d~ e:d~ n:n~", "", 5, 0,
     2, 2, false},
    {"an undeclared tool counts after it was called", "a:d b:d c:d+~ e:d~", "", 5, 1, 3, 2, false},
    {"none is declared", "a:d~ b:d~", "", 5, 0, 0, 0, true},
};

TEST(the_threshold_follows_the_formula_and_can_be_reached)
{
    for (size_t i = 0; i < COUNT(cases); i++) {
        haft__spec spec = help_spec();
        spec.choice.gate = true;
        spec.choice.min_tools_for_auto = cases[i].min;
        haft__choice_facts facts = {.turn = 1};
        facts.tools = help_tools(cases[i].tools, &facts.tool_count);
        facts.also_counted = help_names(cases[i].also, &facts.also_counted_count);
        haft__gate gate = haft__gate_evaluate(&spec, &facts);
        CHECK(gate.on, "%s: the gate is on", cases[i].name);
        CHECK_INT(gate.called, cases[i].called, "%s: called", cases[i].name);
        CHECK_INT(gate.reachable, cases[i].reachable, "%s: reachable", cases[i].name);
        CHECK_INT(gate.threshold, cases[i].threshold, "%s: threshold", cases[i].name);
        CHECK_INT(gate.open, cases[i].open, "%s: open", cases[i].name);
        facts.gate_opened = true;
        CHECK(haft__gate_evaluate(&spec, &facts).open, "%s: a gate that has opened stays open",
              cases[i].name);
    }
}

TEST(skills_narrow_no_tool_that_a_closed_gate_needs)
{
    static const struct {
        const char *name, *tools, *narrowed;
        bool opened;
    } rows[] = {
        {"one that it waits for is allowed", "a:d+ b:d! c:d d:d!", "b d", false},
        {"none is allowed", "a:d+! b:d! c:d! n:n!", "a n", false},
        {"none at all", "a:d! b:d! c:c", "", false},
        {"the allowed one was rejected", "a:d+ b:d- c:d!", "", false},
        {"a rejected or undeclared tool stays narrowed", "a:d- b:d-! c:d! d:d~! e:d+", "b d",
         false},
        {"enough tools were called", "a:d+ b:d+ c:d! d:d!", "c d", false},
        {"the gate is open", "a:d! b:d!", "a b", true},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        haft__spec spec = help_spec();
        char found[64] = "";
        spec.choice.gate = true;
        spec.choice.min_tools_for_auto = 2;
        haft__choice_facts facts = {.turn = 2, .gate_opened = rows[i].opened};
        facts.tools = help_tools(rows[i].tools, &facts.tool_count);
        haft__choice_tool *tools = test_alloc(facts.tool_count * sizeof(*tools));
        memcpy(tools, facts.tools, facts.tool_count * sizeof(*tools));
        facts.tools = tools;
        haft__gate_widen(&spec, &facts, tools);
        for (size_t k = 0; k < facts.tool_count; k++) {
            size_t used = strlen(found);
            if (tools[k].narrowed) {
                (void)snprintf(found + used, sizeof(found) - used, "%s%.*s", used > 0 ? " " : "",
                               HAFT__ARG(tools[k].name));
            }
        }
        CHECK_STR(haft__str(found), haft__str(rows[i].narrowed), "%s", rows[i].name);
    }
}

TEST(tools_are_counted_without_a_gate_too)
{
    haft__spec spec = help_spec();
    haft__choice_facts facts = {.turn = 1};
    facts.tools = help_tools("a:d+ b:d c:d- s:a", &facts.tool_count);
    haft__gate gate = haft__gate_evaluate(&spec, &facts);
    CHECK(!gate.on && gate.open, "the gate is off");
    CHECK_INT(gate.called, 1, "called");
    CHECK_INT(gate.reachable, 2, "reachable");
    CHECK_INT(gate.threshold, 0, "threshold");
}
