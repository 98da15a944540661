/* SPDX-License-Identifier: Apache-2.0 */
/* cli/input/batch.h - commands that answer each line of a file with a line (--jsonl). */
#ifndef HAFT_CLI_INPUT_BATCH_H
#define HAFT_CLI_INPUT_BATCH_H

#include "cli/command.h"

/* One line, or why it could not be read: then `failure` is not NULL. Whatever is wrong with a line
 * is a part of its answer; only printing can fail. */
typedef haft_status haft__batch_handler(haft__cli *cli, void *context, haft_str line, size_t number,
                                        const haft_error *failure, haft_error *err);

/* Answers each line of the file that is not empty, "-" being standard input; the arena is the
 * line's. USAGE when it cannot be read, FAILED when there is no memory. */
haft__exit_status haft__batch_run(haft__cli *cli, const char *path, haft__batch_handler *answer,
                                  void *context, haft_error *err);

/* Puts the number of the line in front of the place of its error, so that answers can be matched to
 * lines although empty lines have none. */
void haft__batch_prefix_error(haft_error *failure, size_t number);

#endif
