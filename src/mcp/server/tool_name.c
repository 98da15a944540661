/* SPDX-License-Identifier: Apache-2.0 */
/* tool_name.c - encodes names that are not valid in MCP. Tests: tests/mcp/server/tool_name_test.c.
 */
#include "mcp/server/tool_name.h"

#include "base/ascii.h"
#include "base/limits.h"
#include "base/str.h"
#include "tool/wire_name.h"

static bool fits(haft_str name)
{
    for (size_t i = 0; i < name.len; i++) {
        char c = name.ptr[i];
        bool plain = haft__ascii_is_alphanumeric(c) || c == '_' || c == '-' || c == '.';
        if (!plain || (c == '-' && i > 0 && name.ptr[i - 1] == '_')) {
            return false;
        }
    }
    return name.len > 0 && name.len <= HAFT__LIMIT_TOOL_NAME_BYTES;
}

haft_str haft__mcp_tool_name(haft__arena *arena, haft_str name)
{
    if (fits(name)) {
        return name;
    }
    haft__wire_name wire = haft__wire_name_encode(name);
    return haft__arena_copy(arena, haft__wire_name_str(&wire));
}
