/* SPDX-License-Identifier: Apache-2.0 */
/* cli/log_file.h - a run's events from a file, folded. */
#ifndef HAFT_CLI_LOG_FILE_H
#define HAFT_CLI_LOG_FILE_H

#include "run/run.h"

/* Reads the whole log; "-" is standard input. The text lives in `arena`. */
HAFT_MUST_USE haft_status haft__log_read(haft__arena *arena, const char *path, haft_str *ret_lines,
                                         haft_error *err);

/* Folds its events up to and with `last` (UINT64_MAX: all). err->where names the line. */
HAFT_MUST_USE haft_status haft__log_fold(haft__arena *arena, const haft__spec *spec,
                                         const char *path, haft_str lines, uint64_t last,
                                         haft__hash_key hash_key, haft__run *ret_run,
                                         haft_error *err);

#endif
