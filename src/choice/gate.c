/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gate.c - decides whether the model has called enough distinct data tools to open the gate.
 *
 * Invariant: a closed gate can always be opened. The threshold never exceeds the number of
 * reachable tools. So while the gate is closed, the offer has a data tool that is not counted and
 * was not rejected, or a search that may find such a tool. A search without hits opens the gate.
 * Skills change neither the threshold nor this invariant (haft__gate_widen).
 *
 * Tests: tests/choice/gate_test.c, tests/choice/exhaustive_test.c.
 */
#include "choice/choice_int.h"

/* A lower bound for min_tools_for_auto: one tool is not research. */
#define MIN_TOOLS 2U

static uint32_t smaller(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

static bool is_usable(const haft__choice_tool *tool)
{
    return !(tool->rejected || tool->hidden);
}

static void count_data_tools(const haft__choice_facts *facts, haft__gate *gate)
{
    gate->called = gate->reachable = (uint32_t)facts->also_counted_count;
    for (size_t i = 0; i < facts->tool_count; i++) {
        const haft__choice_tool *tool = &facts->tools[i];
        if (tool->role == HAFT__ROLE_DATA) {
            gate->called += tool->finished ? 1 : 0;
            gate->reachable += tool->finished || is_usable(tool) ? 1 : 0;
        }
    }
}

/* The number of declared data tools. The gate does not require tools that are callable but not
 * declared (evicted or only listed). */
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
        gate.threshold = smaller(wanted > MIN_TOOLS ? wanted : MIN_TOOLS, gate.reachable);
        if (facts->fixed_threshold > 0) {
            gate.threshold = smaller(gate.threshold, facts->fixed_threshold);
        }
        gate.searches = !facts->gate_opened && gate.reachable == 0 && facts->search.len > 0;
        gate.open = facts->gate_opened || (gate.called >= gate.threshold && !gate.searches);
    }
    return gate;
}

/* Whether the gate waits for a call of the tool. */
static bool is_wanted(const haft__choice_tool *tool)
{
    return tool->role == HAFT__ROLE_DATA && !tool->finished && is_usable(tool);
}

void haft__gate_widen(const haft__spec *spec, const haft__choice_facts *facts,
                      haft__choice_tool *io_tools)
{
    bool stuck = !haft__gate_evaluate(spec, facts).open;
    for (size_t i = 0; i < facts->tool_count; i++) {
        stuck = stuck && !(is_wanted(&io_tools[i]) && !io_tools[i].narrowed);
    }
    for (size_t i = 0; stuck && i < facts->tool_count; i++) {
        io_tools[i].narrowed = io_tools[i].narrowed && !is_wanted(&io_tools[i]);
    }
}
