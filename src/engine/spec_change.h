/* SPDX-License-Identifier: Apache-2.0 */
/* engine/spec_change.h - replaces the spec of a run. */
#ifndef HAFT_ENGINE_SPEC_CHANGE_H
#define HAFT_ENGINE_SPEC_CHANGE_H

#include "engine/agent.h"
#include "run/run.h"

/* A spec that replaces the spec of a run. */
typedef struct haft__spec_replacement {
    haft_str text;      /* the spec as JSON; if .ptr is NULL, the run keeps its spec */
    haft_str file;      /* SHA-256 of the spec's file */
    haft_str by;        /* the person who accepts the spec */
    haft_str changes;   /* the differences, one per line */
    bool overrides_run; /* the spec differs from the run's spec only by the overrides of the
                         * caller */
    bool chooses_model; /* the caller has chosen a model, so the variables that chose the run's
                         * model are not needed */
} haft__spec_replacement;

/* Called for each run that is opened to be continued, before any decision. If it fails, the run
 * does not continue. The replacement lives until the next call. */
typedef struct haft__spec_change_hook {
    haft_status (*check)(void *context, const haft_run *run,
                         haft__spec_replacement *ret_replacement, haft_error *err);
    void *context;
    bool overrides; /* the hook changes the spec of each run, so a spec without a key may be opened
                     */
} haft__spec_change_hook;

/* Loads a spec of `run`. If the spec cannot be used, for example without a key, but the hook may
 * replace it or the run is cancelled, the agent is READ_ONLY and `opening.agent_error` has the
 * reason. */
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
