/* SPDX-License-Identifier: Apache-2.0 */
/*
 * exec/files/walk.h - the files below a directory whose path matches, one after the other, in the
 * order of their paths as bytes.
 *
 * Left out: what ignore files say (.gitignore, .ignore and .git/info/exclude inside of the root),
 * `.git` itself, hidden names unless the pattern writes their dot, symbolic links, and whatever is
 * neither file nor directory. Every directory is opened by its path beneath the root and closed
 * before the next one, so a walk holds no descriptor and cannot be led outside.
 */
#ifndef HAFT_EXEC_FILES_WALK_H
#define HAFT_EXEC_FILES_WALK_H

#include <stdatomic.h>
#include <stdbool.h>

#include "base/arena.h"
#include "exec/files/glob.h"
#include "exec/files/root.h"

typedef struct haft__walk_frame haft__walk_frame;

typedef struct haft__walk {
    int root;
    const haft__glob *glob_pattern; /* matched with paths from `start` on */
    const atomic_bool *stop;
    size_t start; /* bytes of the path the walk began at, and its slash */
    haft__arena arena;
    haft__walk_frame *top; /* the directory that is looked at */
    haft__files_path path;
    size_t depth, left; /* directories entered; entries that may still be looked at */
    /* What was found on the way. */
    size_t files;      /* regular files, matching or not */
    size_t ignored;    /* files and directories that ignore files leave out */
    size_t links;      /* symbolic links */
    size_t unreadable; /* directories that could not be opened or read */
    size_t too_deep;   /* past HAFT__LIMIT_FILES_DEPTH or _PATH_BYTES */
    bool cut;          /* HAFT__LIMIT_FILES_ENTRIES were looked at, and there are more */
    bool stopped;      /* by `stop` */
} haft__walk;

/* Begins below `start`, a directory. `glob_pattern` and `stop` (which may be NULL) are borrowed. */
HAFT_MUST_USE haft_status haft__walk_begin(haft__walk *walk, int root,
                                           const haft__files_path *start,
                                           const haft__glob *glob_pattern, const atomic_bool *stop,
                                           haft_error *err);

/* Fine on a zeroed walk, and twice. */
void haft__walk_end(haft__walk *walk);

/* The path of the next file, from the root, NUL-terminated, until the next call; .ptr is NULL at
 * the end. Fails only for want of memory. */
HAFT_MUST_USE haft_status haft__walk_next(haft__walk *walk, haft_str *ret_path, haft_error *err);

#endif
