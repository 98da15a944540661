/* SPDX-License-Identifier: Apache-2.0 */
/* cli/input/log_file.h - a run's events from a file, folded. */
#ifndef HAFT_CLI_INPUT_LOG_FILE_H
#define HAFT_CLI_INPUT_LOG_FILE_H

#include <stdio.h>

#include "run/run.h"

/* Reads the whole log; "-" is standard input. The text lives in `arena`. A last line that was cut
 * while it was written is left out, which `notes` is told. BAD_INPUT when there are no events. */
HAFT_MUST_USE haft_status haft__log_file_read(haft__arena *arena, const char *path, FILE *notes,
                                              haft_str *ret_lines, haft_error *err);

/* Checks that each line is an event, and finds the first and the last. err->where names the line.
 * UNSUPPORTED when the log is of a newer version. */
HAFT_MUST_USE haft_status haft__log_file_check(haft__arena *arena, const char *path, haft_str lines,
                                               haft__hash_key hash_key, haft__event *ret_first,
                                               haft__event *ret_last, haft_error *err);

/* Folds its events up to and with `last` (UINT64_MAX: all). err->where names the line. */
HAFT_MUST_USE haft_status haft__log_file_fold(haft__arena *arena, const haft__spec *spec,
                                              const char *path, haft_str lines, uint64_t last,
                                              haft__hash_key hash_key, haft__run *ret_run,
                                              haft_error *err);

#endif
