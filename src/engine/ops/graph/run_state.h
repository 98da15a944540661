/* SPDX-License-Identifier: Apache-2.0 */
/* engine/ops/graph/run_state.h - the state of a run of a graph after a step, as JSON. */
#ifndef HAFT_ENGINE_OPS_GRAPH_RUN_STATE_H
#define HAFT_ENGINE_OPS_GRAPH_RUN_STATE_H

#include "base/buf.h"
#include "spec/spec.h"

/* The state to write. */
typedef struct haft__run_state_request {
    const haft__spec *spec;
    const char *name; /* for errors */
    haft_str lines;   /* the events of the run */
    haft__hash_key hash_key;
    uint64_t step; /* UINT64_MAX: the last */
    bool diff;     /* only what the step changed */
} haft__run_state_request;

/* Writes {run, step, remaining_steps, state, next}, or with `diff` {run, step, nodes, updates,
 * dropped, edits}: docs/schemas/state.schema.json. BAD_INPUT if the run has no graph or no such
 * step. */
HAFT_MUST_USE haft_status haft__run_state_write(haft__buf *buf,
                                                const haft__run_state_request *request,
                                                haft__arena *arena, haft_error *err);

#endif
