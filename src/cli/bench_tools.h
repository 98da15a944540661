/* SPDX-License-Identifier: Apache-2.0 */
/* cli/bench_tools.h - the agent of `haft bench`: a support agent with five tools. */
#ifndef HAFT_CLI_BENCH_TOOLS_H
#define HAFT_CLI_BENCH_TOOLS_H

#include <stdatomic.h>

#include "cli/bench_words.h"
#include "engine/runtime.h"

/* What a run is asked, and what its answer must be. */
extern const char haft__bench_task[], haft__bench_answer[];

/* Loads it; its model is the server that the words name. `results` counts the tools' results and
 * must outlive the runtime. */
HAFT_MUST_USE haft_status haft__bench_load_agent(haft_runtime *runtime, const haft__bench_words *w,
                                                 atomic_ullong *results, haft_agent **ret_agent,
                                                 haft_error *err);

#endif
