/* SPDX-License-Identifier: Apache-2.0 */
/* mcp/server/tool_name.h - names of tools as MCP has them: 1 to 128 of letters, digits and _ - . */
#ifndef HAFT_MCP_SERVER_TOOL_NAME_H
#define HAFT_MCP_SERVER_TOOL_NAME_H

#include "base/arena.h"

/* A name that fits, and has no "_-", stays as it is; any other one is spelt as tool/wire_name.h has
 * it, which always has a "_-". So no two names of tools have the same one. Lives in `arena`, or is
 * `name` itself; .ptr is NULL when there is no memory. */
haft_str haft__mcp_tool_name(haft__arena *arena, haft_str name);

#endif
