/* SPDX-License-Identifier: Apache-2.0 */
/* engine/spec_change.h - continuing a run with another spec than it began with. */
#ifndef HAFT_ENGINE_SPEC_CHANGE_H
#define HAFT_ENGINE_SPEC_CHANGE_H

#include "engine/agent.h"
#include "run/run.h"

/* A spec that replaces that of a run. */
typedef struct haft__spec_replacement {
    haft_str text;      /* as JSON; .ptr is NULL: the run keeps its spec */
    haft_str file;      /* SHA-256 of the file it was loaded from */
    haft_str by;        /* who accepts it */
    haft_str changes;   /* lines */
    bool overrides_run; /* it is the spec of the run with the overrides of the caller, and nothing
                         * else has changed */
    bool chooses_model; /* even if the model is the same: the variables that the model of the run
                         * came from are not needed */
} haft__spec_replacement;

/* Called for each run that is opened to be continued, before anything is decided for it: an error
 * keeps the run from continuing. The replacement lives until the next call. */
typedef struct haft__spec_change_hook {
    haft_status (*check)(void *context, const haft_run *run,
                         haft__spec_replacement *ret_replacement, haft_error *err);
    void *context;
    bool overrides; /* it changes the spec of each run: a spec that lacks a key may be opened */
} haft__spec_change_hook;

/* Loads a spec of `run`. If it lacks, for example, a key, but somebody may override it or the run
 * is cancelled, the agent is READ_ONLY and `opening.agent_error` has the reason. */
HAFT_MUST_USE haft_status haft__spec_change_load_agent(haft_run *run, haft_str text, haft_str path,
                                                       haft__spec_use use, haft_agent **ret_agent,
                                                       haft_error *err);

/* Loads the specs in the events of `run`: haft__run.specs. */
haft__run_specs haft__spec_change_loader(haft_run *run);

/* The seq of the last event of a log that replaces the spec; 0: none. */
HAFT_MUST_USE haft_status haft__spec_change_find_last(const haft_runtime *runtime, haft_str lines,
                                                      uint64_t *ret_seq, haft_error *err);

/* Calls the runtime's hook for a run that was just opened, and records the replacement. */
HAFT_MUST_USE haft_status haft__spec_change_check(haft_run *run, haft_error *err);

#endif
