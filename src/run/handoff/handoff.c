/* SPDX-License-Identifier: Apache-2.0 */
/* handoff.c - see run/handoff/handoff.h. Tests: tests/run/handoff/handoff_test.c. */
#include "run/handoff/handoff.h"

#include "base/str.h"

const haft__spec *haft__spec_find_agent(const haft__spec *spec, haft_str name)
{
    for (size_t i = 0; i < spec->agent_count; i++) {
        if (haft__str_equal(spec->agents[i].name, name)) {
            return spec->agents[i].spec;
        }
    }
    return NULL;
}

const haft__handoff *haft__spec_find_handoff(const haft__spec *spec, haft_str tool)
{
    for (size_t i = 0; i < spec->handoff_count; i++) {
        if (haft__str_equal(spec->handoffs[i].tool, tool)) {
            return &spec->handoffs[i];
        }
    }
    return NULL;
}

bool haft__spec_is_handoff_target(const haft__spec *spec, haft_str name)
{
    for (size_t i = 0; i < spec->handoff_count; i++) {
        if (!spec->handoffs[i].outer && haft__str_equal(spec->handoffs[i].agent, name)) {
            return true;
        }
    }
    for (size_t i = 0; i < spec->agent_count; i++) {
        const haft__spec *agent = spec->agents[i].spec;
        for (size_t k = 0; agent != NULL && k < agent->handoff_count; k++) {
            if (agent->handoffs[k].outer && haft__str_equal(agent->handoffs[k].agent, name)) {
                return true;
            }
        }
    }
    return false;
}

const haft__spec *haft__handoff_spec(const haft__run *run, const haft__handoff *handoff)
{
    return handoff->agent.len > 0 ? haft__spec_find_agent(run->first_spec, handoff->agent)
                                  : run->first_spec;
}

const haft__run_call *haft__handoff_accepted(const haft__run *run)
{
    for (size_t i = run->batch; i < run->call_count; i++) {
        const haft__run_call *call = &run->calls[i];
        if (call->stage == HAFT__CALL_FINISHED && call->ok && call->tool != NULL
            && call->tool->source == HAFT__TOOL_HANDOFF) {
            return call;
        }
    }
    return NULL;
}

const haft__run_call *haft__handoff_due(const haft__run *run)
{
    const haft__run_call *call = run->stage == HAFT__RUN_IDLE ? haft__handoff_accepted(run) : NULL;
    return call != NULL && !haft__str_equal(call->id, run->handoff_call) ? call : NULL;
}
