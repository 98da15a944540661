/* SPDX-License-Identifier: Apache-2.0 */
/* cli/follow/artifacts.h - artifacts of a run as files (--artifacts DIR). */
#ifndef HAFT_CLI_FOLLOW_ARTIFACTS_H
#define HAFT_CLI_FOLLOW_ARTIFACTS_H

#include "engine/runtime.h"

/* Writes each into the directory, which is made if need be, under its name; the last of a name
 * counts. A name is one file of that directory, whatever is in it: a slash becomes '_'. Does
 * nothing when `path` is NULL. */
HAFT_MUST_USE haft_status haft__artifacts_export(const char *path, const haft_run *run,
                                                 haft_error *err);

#endif
