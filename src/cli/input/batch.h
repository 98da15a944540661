/* SPDX-License-Identifier: Apache-2.0 */
/* cli/input/batch.h - commands that print one line for each line of a file (--jsonl). */
#ifndef HAFT_CLI_INPUT_BATCH_H
#define HAFT_CLI_INPUT_BATCH_H

#include "cli/command.h"

/* Handles one line of the file and prints one line. If the file's line could not be read, `failure`
 * is the reason (otherwise NULL). The handler prints `failure` and its own errors, and fails only
 * if printing fails. */
typedef haft_status haft__batch_handler(haft__cli *cli, void *context, haft_str line, size_t number,
                                        const haft_error *failure, haft_error *err);

/* Handles each line of the file that is not empty; "-" is standard input. Resets the arena of `cli`
 * for each line. Returns USAGE if the file cannot be read, FAILED if out of memory. */
haft__exit_status haft__batch_run(haft__cli *cli, const char *path, haft__batch_handler *handler,
                                  void *context, haft_error *err);

/* Prefixes the location of the error with the line number. Empty lines produce no output, so
 * without the number a reader could not match outputs to lines. */
void haft__batch_prefix_error(haft_error *failure, size_t number);

#endif
