/* SPDX-License-Identifier: Apache-2.0 */
/* tool/builtin.h - the tools haft brings along: what the model reads of them, and what they are to
 * the choice policy. How they run is the business of src/run and src/exec. */
#ifndef HAFT_TOOL_BUILTIN_H
#define HAFT_TOOL_BUILTIN_H

#include "tool/tool.h"

#define HAFT__BUILTIN_ARGUMENTS 4

typedef struct haft__builtin_argument {
    const char *name; /* NULL behind the last */
    uint8_t kind;     /* of the table in builtin.c */
    bool required;
    const char *what;
} haft__builtin_argument;

typedef struct haft__builtin {
    const char *name;
    const char *description;
    haft__builtin_argument arguments[HAFT__BUILTIN_ARGUMENTS];
    haft__tool_role role;
    haft__tool_cost cost;
    bool read_only, idempotent;
} haft__builtin;

/* All of them, cheapest first. */
const haft__builtin *haft__builtins(size_t *ret_count);

/* NULL when there is none of that name. */
const haft__builtin *haft__builtin_find(haft_str name);

/* The tool as a registry takes it; its schema lives in `arena`. NOT_FOUND for a name that is no
 * built-in, with the nearest as the hint. */
HAFT_MUST_USE haft_status haft__builtin_tool(haft__arena *arena, haft_str name,
                                             haft__tool *ret_tool, haft_error *err);

#endif
