/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gate.c - has the model called enough different tools to be let off the lead?
 *
 * Invariant: a closed gate can open. The threshold is never above what is reachable, so as long as
 * it is closed there is a data tool on offer that has not been counted and that nobody rejected.
 * Tests: tests/choice/gate_test.c, tests/choice/exhaustive_test.c.
 */
#include "choice/choice_int.h"

/* However small min_tools_for_auto is, one tool is no research. */
#define LEAST_TOOLS 2U

static uint32_t smaller(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

static void count_data_tools(const haft__choice_facts *facts, haft__gate *gate)
{
    gate->called = gate->reachable = (uint32_t)facts->also_counted_count;
    for (size_t i = 0; i < facts->tool_count; i++) {
        const haft__choice_tool *tool = &facts->tools[i];
        if (tool->role == HAFT__ROLE_DATA) {
            gate->called += tool->finished ? 1 : 0;
            gate->reachable += tool->finished || !(tool->rejected || tool->hidden) ? 1 : 0;
        }
    }
}

/* What is only callable was evicted, or named in passing: nobody waits for a call of it. */
static uint32_t count_declared(const haft__choice_facts *facts)
{
    uint32_t count = 0;
    for (size_t i = 0; i < facts->tool_count; i++) {
        count += !facts->tools[i].hidden;
    }
    return count;
}

haft__gate haft__gate_evaluate(const haft__spec *spec, const haft__choice_facts *facts)
{
    haft__gate gate = {.on = spec->choice.gate, .open = true};
    count_data_tools(facts, &gate);
    if (gate.on) {
        uint32_t wanted = smaller(spec->choice.min_tools_for_auto, count_declared(facts));
        gate.threshold = smaller(wanted > LEAST_TOOLS ? wanted : LEAST_TOOLS, gate.reachable);
        gate.open = facts->gate_opened || gate.called >= gate.threshold;
    }
    return gate;
}
