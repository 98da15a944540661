/* SPDX-License-Identifier: Apache-2.0 */
/*
 * graph/run/function.h - functions of a C program for graphs: functions of nodes, and reducers.
 *
 * Each function is a tool that only graphs use, with the source FUNCTION. Its calls are recorded,
 * run on the thread pool, time out, and are cancelled and recovered like other calls. The log has
 * empty arguments for these calls; haft__graph_rules.make_input makes their input from the state.
 */
#ifndef HAFT_GRAPH_RUN_FUNCTION_H
#define HAFT_GRAPH_RUN_FUNCTION_H

#include "tool/tool.h"

/* The names of these tools: PREFIX and the name from the program. */
#define HAFT__GRAPH_FUNCTION_TOOL "function:"
#define HAFT__GRAPH_REDUCER_TOOL  "reducer:"

/* The description of all these tools. It is also used for a function in a log that this process
 * does not have, because a replay compares the hashes of approvals. */
#define HAFT__GRAPH_FUNCTION_DESCRIPTION "A function of a program, for graphs."

/* Makes the tool of a function of nodes, in `arena`. Fails with BAD_INPUT if the name or the traits
 * are not allowed, or with TOO_BIG. */
HAFT_MUST_USE haft_status haft__graph_declare_function(haft__arena *arena, const char *name,
                                                       haft_graph_function *run, void *context,
                                                       uint32_t traits, haft__tool *ret_tool,
                                                       haft_error *err);

/* Makes the tool of a reducer, in `arena`. haft__graph_execution_reduction makes its arguments. Its
 * result is {value, own: [{task, value}]}, or {failed, message} if the function refuses the write
 * of a task. */
HAFT_MUST_USE haft_status haft__graph_declare_reducer(haft__arena *arena, const char *name,
                                                      haft_graph_reducer *reduce, void *context,
                                                      haft__tool *ret_tool, haft_error *err);

#endif
