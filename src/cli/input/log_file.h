/* SPDX-License-Identifier: Apache-2.0 */
/* cli/input/log_file.h - reads the events of a run from a file. */
#ifndef HAFT_CLI_INPUT_LOG_FILE_H
#define HAFT_CLI_INPUT_LOG_FILE_H

#include <stdio.h>

#include "base/arena.h"

/* Reads the whole log; "-" is standard input. The text lives in `arena`. A truncated last line is
 * dropped, with a note to `notes`. BAD_INPUT if the log has no events. */
HAFT_MUST_USE haft_status haft__log_file_read(haft__arena *arena, const char *path, FILE *notes,
                                              haft_str *ret_lines, haft_error *err);

#endif
