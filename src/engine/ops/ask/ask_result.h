/* SPDX-License-Identifier: Apache-2.0 */
/*
 * engine/ops/ask/ask_result.h - the result of `haft ask`: the answer of a run of a graph such as
 * examples/search.yaml, with checked references and the findings of its workers.
 */
#ifndef HAFT_ENGINE_OPS_ASK_ASK_RESULT_H
#define HAFT_ENGINE_OPS_ASK_ASK_RESULT_H

#include "run/reference/reference.h"
#include "run/run.h"

/* A worker: its sub-query, and its findings or "worker error: ...". */
typedef struct haft__ask_worker {
    haft_str angle, findings; /* checked like the answer */
} haft__ask_worker;

typedef struct haft__ask_result {
    haft_str answer; /* without the wrong references */
    haft__reference *references;
    size_t reference_count;
    size_t dropped; /* number of references removed from the answer */
    haft__ask_worker *workers;
    size_t worker_count;
    uint64_t steps; /* number of steps of the graph */
} haft__ask_result;

/* Reads the result of a run that has ended. A graph without the channels `queries` and `findings`
 * has no workers. Everything lives in `arena`. */
HAFT_MUST_USE haft_status haft__ask_result_read(const haft__run *run, haft__arena *arena,
                                                haft__ask_result *ret_result, haft_error *err);

/* Writes docs/schemas/ask.schema.json. */
void haft__ask_result_write(haft__buf *buf, const haft__run *run, const haft__ask_result *result);

#endif
