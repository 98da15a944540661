/* SPDX-License-Identifier: Apache-2.0 */
/*
 * exec/files/glob.h - path patterns: * ? [...] ** and {a,b}, matched in time bounded by the product
 * of both lengths. Pure.
 *
 * Two dialects share the matcher. A pattern of the tools (`glob`, grep's `glob`) knows braces,
 * counts characters, and finds a name that begins with a dot only where it writes that dot. One of
 * an ignore file is git's: no braces, bytes, and dots are like other bytes.
 */
#ifndef HAFT_EXEC_FILES_GLOB_H
#define HAFT_EXEC_FILES_GLOB_H

#include <stdbool.h>

#include "base/arena.h"

typedef struct haft__glob haft__glob; /* lives in its arena; read-only */

/* Everything that is not hidden: what "**" compiles to. */
extern const haft__glob haft__glob_match_all;

/* A pattern of the tools. Without a slash it is about names at any depth, with one about paths from
 * where the search begins; one that ends in a slash means everything below. BAD_INPUT when it is
 * empty, begins with a slash, has "..", or braces that do not pair; TOO_BIG past
 * HAFT__LIMIT_FILES_GLOB_BYTES or _GLOB_ALTERNATIVES. */
HAFT_MUST_USE haft_status haft__glob_compile(haft__arena *arena, haft_str pattern,
                                             const haft__glob **ret_glob, haft_error *err);

/* A pattern of an ignore file, without its marks (!, a slash at either end); with `anywhere` it is
 * about a name, not a path. One that is malformed matches nothing. `pattern` is borrowed. NULL when
 * there is no memory. */
const haft__glob *haft__glob_compile_gitignore(haft__arena *arena, haft_str pattern, bool anywhere);

/* `path` has no slash at either end and none beside another. */
bool haft__glob_matches(const haft__glob *glob_pattern, haft_str path);

/* False when no path below the directory can match: there is no need to look into it. */
bool haft__glob_can_match_below(const haft__glob *glob_pattern, haft_str directory);

#endif
