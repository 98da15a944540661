/* SPDX-License-Identifier: Apache-2.0 */
/* engine/ops/tool_list.h - lists the tools of a spec: its own tools, and the cached tools of its
 * MCP servers. engine/ops/mcp_refresh.h queries the servers. */
#ifndef HAFT_ENGINE_OPS_TOOL_LIST_H
#define HAFT_ENGINE_OPS_TOOL_LIST_H

#include "engine/ops/first_turn.h"
#include "engine/ops/mcp_refresh.h"
#include "model/tool_definition.h"
#include "json/write.h"

typedef struct haft__tool_list {
    const haft__spec *spec;
    haft__first_turn_preview preview;
    const haft__tool *server_tools; /* in the order of haft__tool_list_next_server_tool */
} haft__tool_list;

/* Reads the list into `arena`. `refreshed` has the servers that failed to list their tools; the
 * listing of such a server gets its error, or a warning if the cached list is used. */
HAFT_MUST_USE haft_status haft__tool_list_read(haft__arena *arena, const haft__spec *spec,
                                               const haft__mcp_refresh_result *refreshed,
                                               haft__tool_list *ret_list, haft_error *err);

/* Returns the next verdict on a tool of a server, or NULL after the last one. *at is the position,
 * 0 before the first call. */
const haft__verdict *haft__tool_list_next_server_tool(const haft__tool_list *list, size_t *at);

/* ---- tool_list_json.c ---- */

/* Writes one object (docs/schemas/tools.schema.json). */
HAFT_MUST_USE haft_status haft__tool_list_write(haft__json_writer *w, haft__arena *arena,
                                                const haft__tool_list *list, haft_error *err);

/* Writes the tools in the wire format of a provider: all tools of the spec, and the tools of
 * servers that the first turn declares. Reports omitted keywords of their schemas. */
HAFT_MUST_USE haft_status haft__tool_list_write_wire(haft__json_writer *w,
                                                     const haft__tool_list *list,
                                                     const haft__tool_definition_format *format,
                                                     haft__relax_report *report, haft_error *err);

#endif
