/* SPDX-License-Identifier: Apache-2.0 */
/* cli/follow/artifacts.h - writes the artifacts of a run to files (--artifacts DIR). */
#ifndef HAFT_CLI_FOLLOW_ARTIFACTS_H
#define HAFT_CLI_FOLLOW_ARTIFACTS_H

#include "engine/runtime.h"

/* Before a run: creates the directory if needed. BAD_INPUT if artifacts could not be written there;
 * err->where is the path. Does nothing if `path` is NULL. */
HAFT_MUST_USE haft_status haft__artifacts_check(const char *path, haft_error *err);

/* Writes each artifact into the directory under its name, and creates the directory if needed. The
 * last artifact of a name wins. A slash in a name becomes '_', so that each file is in that
 * directory. If one cannot be written, the others still are, and the first error is returned. Names
 * that would be the same file, case ignored, get a number: report-2.md. Does
 * nothing if `path` is NULL. */
HAFT_MUST_USE haft_status haft__artifacts_export(const char *path, const haft_run *run,
                                                 haft_error *err);

#endif
