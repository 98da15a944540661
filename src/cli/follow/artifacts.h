/* SPDX-License-Identifier: Apache-2.0 */
/* cli/follow/artifacts.h - writes the artifacts of a run to files (--artifacts DIR). */
#ifndef HAFT_CLI_FOLLOW_ARTIFACTS_H
#define HAFT_CLI_FOLLOW_ARTIFACTS_H

#include "engine/runtime.h"

/* Creates the directory before a run if it does not exist. Fails with BAD_INPUT if this process
 * cannot write to it; err->where is the path. Does nothing if `path` is NULL. */
HAFT_MUST_USE haft_status haft__artifacts_create_directory(const char *path, haft_error *err);

/* Writes the last artifact of each name into the directory, and creates the directory if needed. A
 * slash in a name becomes '_', so that no file is outside of the directory. If two names would be
 * the same file (also on a file system that ignores case), the second gets a number: report-2.md.
 * If an artifact cannot be written, writes the others and returns the first error. Does nothing if
 * `path` is NULL. */
HAFT_MUST_USE haft_status haft__artifacts_export(const char *path, const haft_run *run,
                                                 haft_error *err);

#endif
