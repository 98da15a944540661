/* SPDX-License-Identifier: Apache-2.0 */
/* cli/explain/tool_report.h - the verdict on every tool and server of a spec, in words and as JSON.
 */
#ifndef HAFT_CLI_EXPLAIN_TOOL_REPORT_H
#define HAFT_CLI_EXPLAIN_TOOL_REPORT_H

#include <stdio.h>

#include "engine/ops/first_turn.h"
#include "json/write.h"

/* The decision tree as lines: "+" for a tool in the request, "~" for one that can be called without
 * being there, "-" for one that is out, each with its reason; and one for each server of which
 * nothing can be said. Only names that begin with `start`. Returns how many lines. */
size_t haft__tool_report_print(FILE *out, const haft__first_turn_preview *first, haft_str start);

/* The built-ins that the spec does not enable, which the others leave out: one line, an array. */
void haft__tool_report_print_not_enabled(FILE *out, const haft__first_turn_preview *first);
void haft__tool_report_write_not_enabled(haft__json_writer *w,
                                         const haft__first_turn_preview *first);

/* haft__tool_report_print for tools of servers alone. */
size_t haft__tool_report_print_mcp(FILE *out, const haft__first_turn_preview *first,
                                   haft_str start);

/* "9 deferred tools, 2 shown: at most 2 (max_mcp_tools)", and how many others servers have; nothing
 * when nothing is deferred. */
void haft__tool_report_print_limit(FILE *out, const haft__first_turn_preview *first);

/* The tools as an array: {name, source, role, server, sight, offered, code, reason,
 * search, denied_by}. */
void haft__tool_report_write_tools(haft__json_writer *w, const haft__first_turn_preview *first);

/* A line for each server: its state and what that means, and how many tools it has; and what is
 * wrong with what is remembered of it. */
void haft__tool_report_print_servers(FILE *out, const haft__first_turn_preview *first);

/* Warnings alone: tools that are left out, and what is wrong with what is remembered. */
void haft__tool_report_print_warnings(FILE *out, const haft__mcp_listing *listings, size_t count);

/* The servers as an array: {name, state, tools, means, warning, left_out, left_out_all, code,
 * reason}; the last two are null when it can be used. */
void haft__tool_report_write_servers(haft__json_writer *w, const haft__first_turn_preview *first);

#endif
