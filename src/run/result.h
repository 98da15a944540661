/* SPDX-License-Identifier: Apache-2.0 */
/* run/result.h - what came of a run, as one JSON object: what `haft run --json` prints. */
#ifndef HAFT_RUN_RESULT_H
#define HAFT_RUN_RESULT_H

#include "run/run.h"

/* Appends it; docs/schemas/result.schema.json describes it. Of a run that has not ended `end` is
 * how it stands: "waiting", "running" or "queued". `why` is what went wrong with whoever wanted
 * something of it; NULL: the error that the run ended with. A run without events never was one, or
 * nothing is known of it but its id, which may be "": it is "failed". */
void haft__result_write(haft__buf *buf, const haft__run *run, const haft_error *why);

/* {"error":{...}}, where there is no result to speak of. */
void haft__result_write_error(haft__buf *buf, const haft_error *error);

#endif
