/* SPDX-License-Identifier: Apache-2.0 */
/*
 * graph/run/function.h - functions of a C program for graphs: code of nodes, and reducers.
 *
 * Each is a tool that only graphs use, with the source FUNCTION. So its calls are recorded, run on
 * the thread pool, time out, are cancelled and recovered like those of tools. Their arguments in
 * the log are empty: haft__graph_rules.make_input makes what they get from the state.
 */
#ifndef HAFT_GRAPH_RUN_FUNCTION_H
#define HAFT_GRAPH_RUN_FUNCTION_H

#include "tool/tool.h"

/* Names of these tools: PREFIX and the name that the program gives. */
#define HAFT__GRAPH_FUNCTION_TOOL "function:"
#define HAFT__GRAPH_REDUCER_TOOL  "reducer:"

/* Of all of them, also of one that a log names and this process does not have: a replay compares
 * the hashes of approvals. */
#define HAFT__GRAPH_FUNCTION_DESCRIPTION "A function of a program, for graphs."

/* Makes the tool of a function of nodes, in `arena`. BAD_INPUT for a name or traits that it cannot
 * have; TOO_BIG. */
HAFT_MUST_USE haft_status haft__graph_declare_function(haft__arena *arena, const char *name,
                                                       haft_graph_function *run, void *context,
                                                       uint32_t traits, haft__tool *ret_tool,
                                                       haft_error *err);

/* Makes the tool of a reducer, in `arena`. Its arguments are those of
 * haft__graph_execution_reduction; its result is {value, own: [{task, value}]}, or {failed,
 * message} if the function refuses the write of a task. */
HAFT_MUST_USE haft_status haft__graph_declare_reducer(haft__arena *arena, const char *name,
                                                      haft_graph_reducer *reduce, void *context,
                                                      haft__tool *ret_tool, haft_error *err);

#endif
