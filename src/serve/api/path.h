/* SPDX-License-Identifier: Apache-2.0 */
/*
 * serve/api/path.h - paths and queries of requests: decoded once, and only if every program would
 * read them in the same way.
 */
#ifndef HAFT_SERVE_API_PATH_H
#define HAFT_SERVE_API_PATH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"

#define HAFT__PATH_PARAMS 3

/* The values of the {names} of a pattern, in order. */
typedef struct haft__path_params {
    haft_str values[HAFT__PATH_PARAMS];
    size_t count;
} haft__path_params;

/* Why a path is rejected; NULL if it is well-formed. Rejected are an empty, "." or ".." segment,
 * %2F, %5C and %00, a percent sign without two hex digits, a backslash, control characters, and
 * text that is not UTF-8. */
const char *haft__path_problem(haft_str path);

/* Whether the well-formed `path` matches `pattern`: "/runs/{run}/artifacts/{name...}", where {name}
 * is one segment and {name...} all that follow. The values are decoded; they live in `arena` or
 * point into `path`. With `arena` NULL nothing is decoded and *ret_params is unchanged. */
bool haft__path_match(const char *pattern, haft_str path, haft__arena *arena,
                      haft__path_params *ret_params);

/* Finds a parameter of the query "a=1&b=two%20words". Returns false if it is malformed or occurs
 * twice. *ret_value is decoded, in `arena`; .ptr is NULL if the query does not have it. */
bool haft__query_find(haft_str query, const char *name, haft__arena *arena, haft_str *ret_value);

/* Calls `visit` with the decoded name of each parameter until it returns false. Returns false if a
 * name is malformed. */
bool haft__query_each(haft_str query, haft__arena *arena,
                      bool (*visit)(void *context, haft_str name), void *context);

#endif
