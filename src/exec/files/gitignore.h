/* SPDX-License-Identifier: Apache-2.0 */
/*
 * exec/files/gitignore.h - paths excluded by .gitignore files, with git's rules. Pure.
 *
 * Each directory with rules has a haft__gitignore with a pointer to its parent. The last matching
 * rule decides; rules of deeper directories take precedence.
 */
#ifndef HAFT_EXEC_FILES_GITIGNORE_H
#define HAFT_EXEC_FILES_GITIGNORE_H

#include <stdbool.h>

#include "base/arena.h"

typedef struct haft__gitignore_rule haft__gitignore_rule;

typedef struct haft__gitignore {
    const struct haft__gitignore *above; /* NULL at the top */
    size_t prefix; /* length of the directory's path with its trailing slash */
    const haft__gitignore_rule *last;
} haft__gitignore;

/* Appends the rules of a file. `text` is borrowed. Ignores lines longer than
 * HAFT__LIMIT_FILES_PATH_BYTES. False when out of memory. */
HAFT_MUST_USE bool haft__gitignore_parse(haft__gitignore *ignore, haft__arena *arena,
                                         haft_str text);

/* Whether `path`, relative to the top, is excluded. The caller must not pass paths inside an
 * excluded directory: no rule can include them again. `ignore` may be NULL. */
bool haft__gitignore_matches(const haft__gitignore *ignore, haft_str path, bool is_directory);

#endif
