/* SPDX-License-Identifier: Apache-2.0 */
/* cli/explain/tool_report_print.h - prints the verdict on every tool and server of a spec. */
#ifndef HAFT_CLI_EXPLAIN_TOOL_REPORT_PRINT_H
#define HAFT_CLI_EXPLAIN_TOOL_REPORT_PRINT_H

#include <stdio.h>

#include "engine/ops/first_turn.h"

/* Prints one line with the reason for each tool whose name begins with `start`: "+" for a tool in
 * the request, "~" for a tool that can be called without being in the request, "-" for an excluded
 * tool. Also prints a line for each server without callable tools. Returns the number of lines. */
size_t haft__tool_report_print(FILE *out, const haft__first_turn_preview *first, haft_str start);

/* Prints one line with the built-ins that the spec does not enable. */
void haft__tool_report_print_not_enabled(FILE *out, const haft__first_turn_preview *first);

/* Like haft__tool_report_print, but only for tools of servers. */
size_t haft__tool_report_print_mcp(FILE *out, const haft__first_turn_preview *first,
                                   haft_str start);

/* Prints "9 deferred tools, 2 shown: at most 2 (max_mcp_tools)", and how many other tools the
 * servers have. Prints nothing if no tool is deferred. */
void haft__tool_report_print_limit(FILE *out, const haft__first_turn_preview *first);

/* Prints a line for each server: its state with an explanation, its number of tools, and a warning
 * if its cached list has a problem. */
void haft__tool_report_print_servers(FILE *out, const haft__first_turn_preview *first);

/* Prints only the warnings: about omitted tools and about problems of cached lists. */
void haft__tool_report_print_warnings(FILE *out, const haft__mcp_listing *listings, size_t count);

#endif
