/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cli/follow/run_result.h - the object that --json prints for a run:
 * docs/schemas/result.schema.json.
 *
 * After a rejected command the object has the state of the run as well as the error, so that a
 * reader of the object alone does not mistake a healthy run for a failed one.
 */
#ifndef HAFT_CLI_FOLLOW_RUN_RESULT_H
#define HAFT_CLI_FOLLOW_RUN_RESULT_H

#include "cli/session.h"

/* Prints the object. Its `error` is `why`, the error of the command; NULL: the error that the run
 * ended with. `runtime` is for reading the runs below it, whose calls may be pending; NULL: without
 * them. */
HAFT_MUST_USE haft_status haft__run_result_print(haft__cli *cli, haft_runtime *runtime,
                                                 const haft__run *run, const haft_error *why,
                                                 haft_error *err);

/* The same for a run as the store has it now; `why` may be NULL. Without a runtime, or if the store
 * cannot be read, only the id is printed; without an id, or if the run does not exist, that is
 * null. */
void haft__run_result_print_stored(haft__cli *cli, haft_runtime *runtime, const char *id,
                                   const haft_error *why);

/* Sets the run that the command is about; "" if it has no id yet. */
void haft__cli_set_run(haft__cli *cli, const char *id);

/* Resolves *name (an id, the beginning of one, "last") to an id, for the whole command, and calls
 * haft__cli_set_run. NOT_FOUND, BAD_INPUT. */
HAFT_MUST_USE haft_status haft__cli_resolve_run(haft__cli *cli, haft_runtime *runtime,
                                                const char **name, haft_error *err);

#endif
