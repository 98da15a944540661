/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tool/builtin.h - the built-in tools: one row each, with what the model reads, what the tool is to
 * the choice policy and where it runs. The code that runs a built-in has a table by
 * haft__builtin_id: run/decide/builtin.c or exec/exec.c. To add one: docs/adding-a-builtin.md.
 */
#ifndef HAFT_TOOL_BUILTIN_H
#define HAFT_TOOL_BUILTIN_H

#include "tool/tool.h"

/* Names that messages mention. */
#define HAFT__TOOL_SEARCH   "tool_search"
#define HAFT__TOOL_COMPLETE "complete_workflow"

/* In the order of lists: the cheapest first. */
typedef enum haft__builtin_id {
    HAFT__BUILTIN_GLOB,
    HAFT__BUILTIN_GREP,
    HAFT__BUILTIN_READ,
    HAFT__BUILTIN_SEARCH_SCHEMAS,
    HAFT__BUILTIN_EXECUTE_SQL,
    HAFT__BUILTIN_PYTHON_EXECUTION,
    HAFT__BUILTIN_TOOL_SEARCH,
    HAFT__BUILTIN_READ_RESULT,
    HAFT__BUILTIN_REQUEST_USER_INPUT,
    HAFT__BUILTIN_COMPLETE_WORKFLOW,
    HAFT__BUILTIN_STORE_ARTIFACT,
    HAFT__BUILTIN_COUNT,
} haft__builtin_id;

/* Where a built-in runs. */
typedef enum haft__builtin_host {
    HAFT__BUILTIN_IN_RUN,    /* in the run itself: run/decide/builtin.c; no I/O */
    HAFT__BUILTIN_IN_ENGINE, /* in the host, with the run: engine/tool_search.c */
    HAFT__BUILTIN_IN_EXEC,   /* in an executor (exec/exec.c), without a run: MCP serves it, too */
    HAFT__BUILTIN_NOWHERE,   /* not in this version */
} haft__builtin_host;

/* What a spec must have before a built-in that is enabled is offered. */
typedef enum haft__builtin_need {
    HAFT__BUILTIN_NEEDS_NOTHING,
    HAFT__BUILTIN_NEEDS_CODE,     /* the format codemode */
    HAFT__BUILTIN_NEEDS_DEFERRED, /* tools that are not declared at first */
    HAFT__BUILTIN_NEEDS_DATABASE,
} haft__builtin_need;

/* What must be done before a control tool may run (choice/guard.c). */
typedef enum haft__builtin_guard {
    HAFT__BUILTIN_UNGUARDED,
    HAFT__BUILTIN_GUARD_QUESTION,   /* data tools were called */
    HAFT__BUILTIN_GUARD_COMPLETION, /* gate, phases, artifact */
} haft__builtin_guard;

#define HAFT__BUILTIN_ARGUMENTS 4

typedef struct haft__builtin_argument {
    const char *name; /* NULL after the last */
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
    haft__builtin_host host;
    haft__builtin_need need;
    haft__builtin_guard guard;
    bool completes; /* a successful call completes the workflow */
} haft__builtin;

/* All of them; haft__builtin_id is the index. */
const haft__builtin *haft__builtins(size_t *ret_count);

const haft__builtin *haft__builtin_get(haft__builtin_id id);

/* NULL when there is none of that name. */
const haft__builtin *haft__builtin_find(haft_str name);

/* The row of a tool; NULL when the tool is no built-in. */
const haft__builtin *haft__builtin_of(const haft__tool *tool);

/* The index of a row. */
haft__builtin_id haft__builtin_id_of(const haft__builtin *builtin);

/* The tool as a registry takes it; its schema lives in `arena`. NOT_FOUND for a name that is no
 * built-in, with the nearest as the hint. */
HAFT_MUST_USE haft_status haft__builtin_tool(haft__arena *arena, haft_str name,
                                             haft__tool *ret_tool, haft_error *err);

#endif
