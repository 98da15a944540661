/* SPDX-License-Identifier: Apache-2.0 */
/*
 * exec/files/glob.h - path patterns: * ? [...] ** and {a,b}, matched in time bounded by the product
 * of both lengths. Pure.
 *
 * Two dialects share the matcher. The dialect of the tools (`glob`, grep's `glob`) has braces,
 * matches characters, and matches a hidden name only if the pattern contains the leading dot. The
 * dialect of ignore files is git's: no braces, bytes, and dots are ordinary bytes.
 */
#ifndef HAFT_EXEC_FILES_GLOB_H
#define HAFT_EXEC_FILES_GLOB_H

#include <stdbool.h>

#include "base/arena.h"

typedef struct haft__glob haft__glob; /* lives in its arena; read-only */

/* Matches every path that is not hidden: the compiled form of "**". */
extern const haft__glob haft__glob_match_all;

/* Compiles a pattern of the tools. A pattern without a slash matches names at any depth. A pattern
 * with a slash matches paths relative to the start of the search; a slash at its end means
 * everything below. BAD_INPUT if it is empty, begins with a slash, or has ".." or unbalanced
 * braces; TOO_BIG above HAFT__LIMIT_FILES_GLOB_BYTES or _GLOB_ALTERNATIVES. */
HAFT_MUST_USE haft_status haft__glob_compile(haft__arena *arena, haft_str pattern,
                                             const haft__glob **ret_glob, haft_error *err);

/* Compiles a pattern of an ignore file, without its marks (!, a slash at either end); with
 * `anywhere` the pattern matches a name, not a path. A malformed pattern matches nothing. `pattern`
 * is borrowed. NULL when out of memory. */
const haft__glob *haft__glob_compile_gitignore(haft__arena *arena, haft_str pattern, bool anywhere);

/* Whether the path matches. It must not have a leading, trailing or double slash. */
bool haft__glob_matches(const haft__glob *glob_pattern, haft_str path);

/* False if no path below the directory can match, so that a walk can skip it. */
bool haft__glob_can_match_below(const haft__glob *glob_pattern, haft_str directory);

#endif
