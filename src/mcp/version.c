/* SPDX-License-Identifier: Apache-2.0 */
/* version.c - versions, the newest first. Tests: tests/mcp/version_test.c. */
#include "mcp/version.h"

#include "base/str.h"

static const char *const versions[] = {HAFT__MCP_MODERN_VERSION,
                                       HAFT__MCP_LEGACY_VERSION,
                                       "2025-06-18",
                                       "2025-03-26",
                                       "2024-11-05",
                                       "2024-10-07"};

bool haft__mcp_version_modern(haft_str version)
{
    return haft__str_equal(version, HAFT__LIT(HAFT__MCP_MODERN_VERSION));
}

bool haft__mcp_version_legacy(haft_str version)
{
    return haft__str_is_one_of(version, versions + 1, COUNT(versions) - 1);
}

haft_str haft__mcp_version_choose(haft__json list)
{
    for (size_t i = 0; list.kind == HAFT__JSON_ARRAY && i < COUNT(versions); i++) {
        for (uint32_t j = 0; j < list.count; j++) {
            if (list.items[j].kind == HAFT__JSON_STRING
                && haft__str_equal(haft__json_text(list.items[j]), haft__str(versions[i]))) {
                return haft__str(versions[i]);
            }
        }
    }
    return (haft_str){NULL, 0};
}
