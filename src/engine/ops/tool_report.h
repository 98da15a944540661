/* SPDX-License-Identifier: Apache-2.0 */
/* engine/ops/tool_report.h - writes the verdicts on all tools and servers of a spec as JSON. */
#ifndef HAFT_ENGINE_OPS_TOOL_REPORT_H
#define HAFT_ENGINE_OPS_TOOL_REPORT_H

#include "engine/ops/first_turn.h"
#include "json/write.h"

/* Writes the tools as an array: {name, source, role, server, sight, offered, code, reason, search,
 * denied_by}. Omits built-ins that the spec does not enable. */
void haft__tool_report_write_tools(haft__json_writer *w, const haft__first_turn_preview *preview);

/* Writes the names of the built-ins that the spec does not enable, as an array. */
void haft__tool_report_write_not_enabled(haft__json_writer *w,
                                         const haft__first_turn_preview *preview);

/* Writes the servers as an array: {name, state, tools, means, warning, left_out, left_out_all,
 * code, reason}; the last two are null if tools of the server can be used. */
void haft__tool_report_write_servers(haft__json_writer *w, const haft__first_turn_preview *preview);

#endif
