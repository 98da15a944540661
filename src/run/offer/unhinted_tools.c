/* SPDX-License-Identifier: Apache-2.0 */
/* unhinted_tools.c - see run/offer/unhinted_tools.h. Tests: tests/run/offer/unhinted_tools_test.c.
 */
#include "run/offer/unhinted_tools.h"

#include "base/macros.h"
#include "base/str.h"
#include "run/pause/approval.h"
#include "json/object.h"

static bool has_hint(const haft__mcp_tool *tool)
{
    haft__json destructive = haft__object_get(tool->annotations, "destructiveHint");
    bool given = destructive.kind == HAFT__JSON_TRUE || destructive.kind == HAFT__JSON_FALSE;
    return given || haft__object_flag(tool->annotations, "readOnlyHint", false);
}

/* Whether some call of the tool needs approval. */
static bool has_rule(const haft__spec *spec, const haft__mcp_tool *listed)
{
    haft__tool tool = {.name = listed->name, .source = HAFT__TOOL_MCP, .traits = listed->traits};
    for (size_t i = 0; i < spec->approval_count; i++) {
        if (haft__approval_matches(&spec->approvals[i], &tool)) {
            return true;
        }
    }
    return false;
}

size_t haft__unhinted_tools_add(haft__buf *buf, const haft__spec *spec,
                                const haft__mcp_listing *listing)
{
    size_t count = 0;
    for (size_t i = 0; spec->approve_destructive && i < listing->tool_count; i++) {
        const haft__mcp_tool *tool = &listing->tools[i];
        if (!has_hint(tool) && !has_rule(spec, tool)) {
            haft__buf_add_str(buf, count++ > 0 ? HAFT__LIT(", ") : HAFT__LIT(""));
            haft__buf_add_str(buf, tool->name);
        }
    }
    return count;
}
