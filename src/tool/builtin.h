/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tool/builtin.h - the built-in tools: one row each, with the texts for the model, the role in the
 * choice policy and the place where the tool runs.
 *
 * The code that runs a built-in has a table by haft__builtin_id: run/decide/builtin.c or
 * exec/exec.c. To add one: docs/adding-a-builtin.md.
 */
#ifndef HAFT_TOOL_BUILTIN_H
#define HAFT_TOOL_BUILTIN_H

#include "tool/tool.h"

/* Names that appear in messages. */
#define HAFT__TOOL_SEARCH   "tool_search"
#define HAFT__READ_RESULT   "read_result"
#define HAFT__TOOL_COMPLETE "complete_workflow"
#define HAFT__WRITE_TODOS   "write_todos"

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
    HAFT__BUILTIN_WRITE_TODOS,
    HAFT__BUILTIN_COUNT,
} haft__builtin_id;

/* The place where a built-in runs. */
typedef enum haft__builtin_host {
    HAFT__BUILTIN_IN_RUN,    /* in the run itself: run/decide/builtin.c; no I/O */
    HAFT__BUILTIN_IN_ENGINE, /* in the host, with access to the run: engine/tool_search.c */
    HAFT__BUILTIN_IN_EXEC,   /* in an executor (exec/exec.c), without a run; the MCP server offers
                                these, too */
    HAFT__BUILTIN_NOWHERE,   /* not in this version */
} haft__builtin_host;

/* The requirement of a built-in: it is offered only if the spec meets it. */
typedef enum haft__builtin_need {
    HAFT__BUILTIN_NEEDS_NOTHING,
    HAFT__BUILTIN_NEEDS_CODE,     /* the format codemode */
    HAFT__BUILTIN_NEEDS_DEFERRED, /* deferred tools */
    HAFT__BUILTIN_NEEDS_DATABASE,
} haft__builtin_need;

/* The precondition of a control tool (choice/guard.c). */
typedef enum haft__builtin_guard {
    HAFT__BUILTIN_UNGUARDED,
    HAFT__BUILTIN_GUARD_QUESTION,   /* data tools were called */
    HAFT__BUILTIN_GUARD_COMPLETION, /* gate, phases, artifact */
} haft__builtin_guard;

#define HAFT__BUILTIN_ARGUMENTS 4

typedef struct haft__builtin_argument {
    const char *name; /* NULL after the last */
    uint8_t kind;     /* index into the table in builtin.c */
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

/* All built-ins, indexed by haft__builtin_id. */
const haft__builtin *haft__builtins(size_t *ret_count);

const haft__builtin *haft__builtin_get(haft__builtin_id id);

/* The built-in with this name, or NULL. */
const haft__builtin *haft__builtin_find(haft_str name);

/* The row of a tool; NULL if the tool is not a built-in. */
const haft__builtin *haft__builtin_of(const haft__tool *tool);

/* Whether the tool runs code that can call tools. After an interruption the code runs again from
 * its beginning, and its calls get their recorded results. */
bool haft__tool_runs_code(const haft__tool *tool);

/* The index of a row. */
haft__builtin_id haft__builtin_id_of(const haft__builtin *builtin);

/* Makes the tool for a registry; its schema lives in `arena`. NOT_FOUND if no built-in has that
 * name; the hint is the nearest name. */
HAFT_MUST_USE haft_status haft__builtin_tool(haft__arena *arena, haft_str name,
                                             haft__tool *ret_tool, haft_error *err);

#endif
