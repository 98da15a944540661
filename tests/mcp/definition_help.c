/* SPDX-License-Identifier: Apache-2.0 */
#include "mcp/definition_help.h"

#include "test.h"
#include "json/read.h"

haft__json test_json(haft__arena *arena, haft_str text)
{
    haft__json value = {0};
    haft_error err = {0};
    haft__json_options options = HAFT__JSON_OPTIONS_INIT;
    haft_status status = haft__json_read(arena, text, &options, &value, NULL, &err);
    CHECK(status == HAFT_OK || status == HAFT_NO_MEMORY, "%.*s: %s %s", HAFT__ARG(text), err.where,
          err.message);
    return value;
}

haft_status test_tool_read(haft__arena *arena, haft_str text, bool trusted,
                           haft__mcp_tool *ret_tool, haft_error *err)
{
    haft__mcp_origin origin = {.server = HAFT__LIT("docs"), .trusted = trusted};
    return haft__mcp_tool_read(arena, test_json(arena, text), &origin, ret_tool, err);
}
