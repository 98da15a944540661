/* SPDX-License-Identifier: Apache-2.0 */
/* run/result.h - the result of a run as one JSON object: the output of `haft run --json`. */
#ifndef HAFT_RUN_RESULT_H
#define HAFT_RUN_RESULT_H

#include "run/run.h"
#include "json/write.h"

/* Appends the result (docs/schemas/result.schema.json). For a run that has not ended, the field
 * `end` is its state: "waiting", "running" or "queued". `why` is the error of the operation on the
 * run; NULL: the error that the run ended with. A run without events has the end "failed": it never
 * started, or only its id is known (the id may be ""). */
void haft__result_write(haft__buf *buf, const haft__run *run, const haft_error *why);

/* Like haft__result_write, with the runs below the run that have not ended: adds their pending
 * calls. */
void haft__result_write_tree(haft__buf *buf, const haft__run *run, const haft__run *const *below,
                             size_t count, const haft_error *why);

/* Writes the members of a pending call, as in an item of `pending`. */
void haft__result_write_pending(haft__json_writer *w, const haft__run *run,
                                const haft__run_call *call);

/* Appends {"error":{...}}, for an operation without a run. */
void haft__result_write_error(haft__buf *buf, const haft_error *error);

#endif
