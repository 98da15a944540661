/* SPDX-License-Identifier: Apache-2.0 */
/* engine/result_artifacts.h - stores the binary parts of a tool's result as artifacts of the
 * run. */
#ifndef HAFT_ENGINE_RESULT_ARTIFACTS_H
#define HAFT_ENGINE_RESULT_ARTIFACTS_H

#include "exec/exec.h"
#include "run/run.h"

/* Appends an event for each part of the result that is not text, except those that are too big or
 * contain a secret, and a line about each part to the text for the model, which lives in `arena`.
 * The caller must append the result of the call in the same step, so that the store gets both or
 * neither. */
HAFT_MUST_USE haft_status haft__result_artifacts_store(haft_run *run, const haft__run_call *call,
                                                       const haft__exec_result *result,
                                                       haft__arena *arena, haft_str *io_text,
                                                       haft_error *err);

#endif
