/* SPDX-License-Identifier: Apache-2.0 */
/* exec/files/within.h - the parts of a root that glob, grep and read may see (`within` of a spec).
 */
#ifndef HAFT_EXEC_FILES_WITHIN_H
#define HAFT_EXEC_FILES_WITHIN_H

#include "exec/files/root.h"

/* Files and directories, relative to the root. Without paths, all files of the root are visible. */
typedef struct haft__files_within {
    const haft_str *paths;
    size_t count;
} haft__files_within;

typedef enum haft__within_place {
    HAFT__WITHIN_OUTSIDE,
    HAFT__WITHIN_ABOVE, /* a directory that leads to one of the paths */
    HAFT__WITHIN_INSIDE,
} haft__within_place;

/* The place of a normalised path; "." and "" are the root. */
haft__within_place haft__files_within_place(const haft__files_within *within, haft_str path);

/* Whether `path` is itself one of the paths. */
bool haft__files_within_names(const haft__files_within *within, haft_str path);

/* Fails with BAD_INPUT if `path` is outside; with `inside`, also if it is only above one of the
 * paths. err->where is "/path". */
HAFT_MUST_USE haft_status haft__files_within_check(const haft__files_within *within, haft_str path,
                                                   bool inside, haft_error *err);

#endif
