/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cli/follow/run_result.h - the object that --json prints for a run:
 * docs/schemas/result.schema.json.
 *
 * After a rejected command the object has both the error and the state of the run. A reader of the
 * object can therefore distinguish a rejected command from a failed run.
 */
#ifndef HAFT_CLI_FOLLOW_RUN_RESULT_H
#define HAFT_CLI_FOLLOW_RUN_RESULT_H

#include "cli/session.h"

/* Prints the object. Its `error` is `why`, the error of the command; if `why` is NULL, it is the
 * error of the run. `runtime` is for reading the child runs, whose calls may be pending; if it is
 * NULL, the object has no child runs. */
HAFT_MUST_USE haft_status haft__run_result_print(haft__cli *cli, haft_runtime *runtime,
                                                 const haft__run *run, const haft_error *why,
                                                 haft_error *err);

/* Prints the object of a stored run; `why` may be NULL. If `runtime` is NULL or the store cannot be
 * read, prints only the id. If `id` is "" or the run does not exist, the printed id is null. */
void haft__run_result_print_stored(haft__cli *cli, haft_runtime *runtime, const char *id,
                                   const haft_error *why);

/* Sets the run of the command. Does nothing if `id` is "". */
void haft__cli_set_run(haft__cli *cli, const char *id);

/* Replaces *name (an id, the beginning of an id, or "last") by the id, and calls haft__cli_set_run.
 * Fails with NOT_FOUND or BAD_INPUT. */
HAFT_MUST_USE haft_status haft__cli_resolve_run(haft__cli *cli, haft_runtime *runtime,
                                                const char **name, haft_error *err);

#endif
