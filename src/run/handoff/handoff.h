/* SPDX-License-Identifier: Apache-2.0 */
/*
 * run/handoff/handoff.h - handoffs: a run that continues with another agent.
 *
 * A call of a tool transfer_to_NAME requests a handoff. When all calls of the turn have results,
 * the event handed_off replaces the spec of the run by the spec of the agent; the conversation
 * stays. The spec that the run began with contains all agents, so the log needs no other spec.
 */
#ifndef HAFT_RUN_HANDOFF_HANDOFF_H
#define HAFT_RUN_HANDOFF_HANDOFF_H

#include "run/run.h"

/* The agent of that name; NULL if the spec has none. */
const haft__spec *haft__spec_find_agent(const haft__spec *spec, haft_str name);

/* The handoff of that tool; NULL if it is not a transfer tool. */
const haft__handoff *haft__spec_find_handoff(const haft__spec *spec, haft_str tool);

/* Whether a run of the spec can be handed to the agent of that name, by the spec itself or by one
 * of its agents. */
bool haft__spec_is_handoff_target(const haft__spec *spec, haft_str name);

/* The spec of the agent that gets the run; NULL if the run has no such agent. */
const haft__spec *haft__handoff_spec(const haft__run *run, const haft__handoff *handoff);

/* The first accepted transfer of the last reply; NULL without one. */
const haft__run_call *haft__handoff_accepted(const haft__run *run);

/* Like haft__handoff_accepted, but NULL if the handoff has already happened or a call of the reply
 * has no result. */
const haft__run_call *haft__handoff_due(const haft__run *run);

#endif
