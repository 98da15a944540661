/* SPDX-License-Identifier: Apache-2.0 */
/*
 * exec/files/gitignore.h - which paths .gitignore files leave out, as git has it. Pure.
 *
 * Each directory with rules has a haft__gitignore that knows the one above it. The last rule that
 * matches decides, the rules of deeper directories before those above.
 */
#ifndef HAFT_EXEC_FILES_GITIGNORE_H
#define HAFT_EXEC_FILES_GITIGNORE_H

#include <stdbool.h>

#include "base/arena.h"

typedef struct haft__gitignore_rule haft__gitignore_rule;

typedef struct haft__gitignore {
    const struct haft__gitignore *above; /* NULL at the top */
    size_t prefix;                       /* bytes of the directory's path and the slash behind it */
    const haft__gitignore_rule *last;
} haft__gitignore;

/* Adds the rules of a file behind those that are there. `text` is borrowed. Lines longer than
 * HAFT__LIMIT_FILES_PATH_BYTES are no rules. False when there is no memory. */
HAFT_MUST_USE bool haft__gitignore_parse(haft__gitignore *ignore, haft__arena *arena,
                                         haft_str text);

/* Whether `path`, seen from the top, is left out. Those who ask have not been told so for a
 * directory it is in: what is in there cannot be brought back. `ignore` may be NULL. */
bool haft__gitignore_matches(const haft__gitignore *ignore, haft_str path, bool is_directory);

#endif
