/* SPDX-License-Identifier: Apache-2.0 */
/* mcp/server/tool_name.h - valid MCP tool names: 1 to 128 of letters, digits and _ - . */
#ifndef HAFT_MCP_SERVER_TOOL_NAME_H
#define HAFT_MCP_SERVER_TOOL_NAME_H

#include "base/arena.h"

/* A valid name without "_-" is unchanged. Any other name is encoded by tool/wire_name.h, whose
 * output always contains "_-". So two names never have the same encoding. Lives in `arena`, or is
 * `name` itself; .ptr is NULL when out of memory. */
haft_str haft__mcp_tool_name(haft__arena *arena, haft_str name);

#endif
