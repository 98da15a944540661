/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cli/follow/run_result.h - what --json prints of a run: one object,
 * docs/schemas/result.schema.json.
 *
 * A command that is refused says how the run stands all the same, and why it was refused: whoever
 * reads only the object must not take a run that is well for one that has failed.
 */
#ifndef HAFT_CLI_FOLLOW_RUN_RESULT_H
#define HAFT_CLI_FOLLOW_RUN_RESULT_H

#include "cli/session.h"

/* Prints the object; `why` is its `error` for what did not come to the end of the run, or NULL. */
HAFT_MUST_USE haft_status haft__run_result_print(haft__cli *cli, const haft__run *run,
                                                 const haft_error *why, haft_error *err);

/* The same of a run as the store has it now; `why` may be NULL. Without a runtime, or when the
 * store cannot be read, only its id is known; without an id, or when there is no such run, that is
 * null. */
void haft__run_result_print_stored(haft__cli *cli, haft_runtime *runtime, const char *id,
                                   const haft_error *why);

/* From here on the command is about this run; "": it has no id yet. */
void haft__cli_set_run(haft__cli *cli, const char *id);

/* Finds the run that *name means (an id, the beginning of one, "last") and makes it its id: it is
 * that run for the whole command, and haft__cli_set_run knows it. NOT_FOUND, BAD_INPUT. */
HAFT_MUST_USE haft_status haft__cli_resolve_run(haft__cli *cli, haft_runtime *runtime,
                                                const char **name, haft_error *err);

#endif
