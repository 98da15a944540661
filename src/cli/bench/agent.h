/* SPDX-License-Identifier: Apache-2.0 */
/* cli/bench/agent.h - the agent of `haft bench`: a support agent with five tools. */
#ifndef HAFT_CLI_BENCH_AGENT_H
#define HAFT_CLI_BENCH_AGENT_H

#include <stdatomic.h>

#include "cli/bench/options.h"
#include "engine/runtime.h"

/* The task of each run, and its expected answer. */
extern const char haft__bench_task[], haft__bench_expected_answer[];

/* Loads the agent; `w` names its model server. `results` counts tool results and must outlive the
 * runtime. */
HAFT_MUST_USE haft_status haft__bench_load_agent(haft_runtime *runtime,
                                                 const haft__bench_options *w,
                                                 atomic_ullong *results, haft_agent **ret_agent,
                                                 haft_error *err);

#endif
