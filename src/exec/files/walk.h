/* SPDX-License-Identifier: Apache-2.0 */
/*
 * exec/files/walk.h - iterates over the files below a directory whose paths match a pattern, in the
 * byte order of their paths.
 *
 * It skips: paths excluded by ignore files (.gitignore, .ignore and .git/info/exclude inside the
 * root), `.git` itself, hidden names unless the pattern contains the leading dot, symbolic links,
 * and special files. Each directory is opened by its path beneath the root and closed before the
 * next one, so a walk keeps no descriptor open and cannot leave the root.
 */
#ifndef HAFT_EXEC_FILES_WALK_H
#define HAFT_EXEC_FILES_WALK_H

#include <stdatomic.h>
#include <stdbool.h>

#include "base/arena.h"
#include "exec/files/glob.h"
#include "exec/files/within.h"

typedef struct haft__walk_frame haft__walk_frame;

typedef struct haft__walk {
    int root;
    const haft__glob *glob_pattern; /* matched against paths relative to `start` */
    const haft__files_within *within;
    const atomic_bool *stop;
    size_t start; /* length of the start path with its slash */
    haft__arena arena;
    haft__walk_frame *top; /* the current directory */
    haft__files_path path;
    size_t depth, left; /* directories entered; remaining entry budget */
    /* Statistics. */
    size_t files;      /* regular files, matching or not */
    size_t ignored;    /* files and directories excluded by ignore files */
    size_t links;      /* symbolic links */
    size_t unreadable; /* directories that could not be opened or read */
    size_t too_deep;   /* above HAFT__LIMIT_FILES_DEPTH or _PATH_BYTES */
    bool cut;          /* HAFT__LIMIT_FILES_ENTRIES reached, and more entries exist */
    bool stopped;      /* by `stop` */
} haft__walk;

/* Begins below the directory `start`. `glob_pattern`, `within` and `stop` (may be NULL) are
 * borrowed. */
HAFT_MUST_USE haft_status haft__walk_begin(haft__walk *walk, int root,
                                           const haft__files_path *start,
                                           const haft__glob *glob_pattern,
                                           const haft__files_within *within,
                                           const atomic_bool *stop, haft_error *err);

/* May be called with a zeroed walk, and twice. */
void haft__walk_end(haft__walk *walk);

/* The path of the next file relative to the root, NUL-terminated, valid until the next call; .ptr
 * is NULL at the end. Fails only when out of memory. */
HAFT_MUST_USE haft_status haft__walk_next(haft__walk *walk, haft_str *ret_path, haft_error *err);

#endif
