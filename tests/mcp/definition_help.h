/* SPDX-License-Identifier: Apache-2.0 */
/* definition_help.h - definitions of tools from JSON, for tests. */
#ifndef HAFT_TESTS_MCP_DEFINITION_HELP_H
#define HAFT_TESTS_MCP_DEFINITION_HELP_H

#include "mcp/definition.h"

/* Valid JSON; null when out of memory. */
haft__json test_json(haft__arena *arena, haft_str text);

/* An entry of a list from a server "docs". */
haft_status test_tool_read(haft__arena *arena, haft_str text, bool trusted,
                           haft__mcp_tool *ret_tool, haft_error *err);

#endif
