/* SPDX-License-Identifier: Apache-2.0 */
/* cli/input/log_file.h - the events of a run, from a file. */
#ifndef HAFT_CLI_INPUT_LOG_FILE_H
#define HAFT_CLI_INPUT_LOG_FILE_H

#include <stdio.h>

#include "base/arena.h"

/* Reads the whole log; "-" is standard input. The text lives in `arena`. A last line that was cut
 * while it was written is left out, which `notes` is told. BAD_INPUT when there are no events. */
HAFT_MUST_USE haft_status haft__log_file_read(haft__arena *arena, const char *path, FILE *notes,
                                              haft_str *ret_lines, haft_error *err);

#endif
