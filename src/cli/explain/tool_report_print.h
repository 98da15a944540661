/* SPDX-License-Identifier: Apache-2.0 */
/* cli/explain/tool_report_print.h - the verdict on every tool and server of a spec, as text. */
#ifndef HAFT_CLI_EXPLAIN_TOOL_REPORT_PRINT_H
#define HAFT_CLI_EXPLAIN_TOOL_REPORT_PRINT_H

#include <stdio.h>

#include "engine/ops/first_turn.h"

/* The decision tree as lines: "+" for a tool in the request, "~" for one that can be called without
 * being in it, "-" for an excluded one, each with its reason; and a line for each server without
 * callable tools. Only names that begin with `start`. Returns the number of lines. */
size_t haft__tool_report_print(FILE *out, const haft__first_turn_preview *first, haft_str start);

/* One line with the built-ins that the spec does not enable, which are not in the tree. */
void haft__tool_report_print_not_enabled(FILE *out, const haft__first_turn_preview *first);

/* haft__tool_report_print, only for tools of servers. */
size_t haft__tool_report_print_mcp(FILE *out, const haft__first_turn_preview *first,
                                   haft_str start);

/* "9 deferred tools, 2 shown: at most 2 (max_mcp_tools)", and how many other tools servers have.
 * Prints nothing if no tool is deferred. */
void haft__tool_report_print_limit(FILE *out, const haft__first_turn_preview *first);

/* A line for each server: its state and the meaning of that, its number of tools, and a warning
 * about its cached list. */
void haft__tool_report_print_servers(FILE *out, const haft__first_turn_preview *first);

/* Only the warnings: omitted tools, and problems of cached lists. */
void haft__tool_report_print_warnings(FILE *out, const haft__mcp_listing *listings, size_t count);

#endif
