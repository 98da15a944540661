/* SPDX-License-Identifier: Apache-2.0 */
/* run/result.h - what came of a run, as one JSON object: what `haft run --json` prints. */
#ifndef HAFT_RUN_RESULT_H
#define HAFT_RUN_RESULT_H

#include "run/run.h"

/* Appends it; docs/schemas/result.schema.json describes it. A run that has not ended is
 * "waiting", or "failed" when it stopped here because of an error, `stopped`, which may be NULL. A
 * run of zeros never was one: its id is null. */
void haft__result_write(haft__buf *buf, const haft__run *run, const haft_error *stopped);

#endif
