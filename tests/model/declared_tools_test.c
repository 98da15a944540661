/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/model/declared_tools.c. */
#include "model/declared_tools.h"

#include "test.h"

static const haft__tool first = {.name = HAFT__LIT("first")};
static const haft__tool second = {.name = HAFT__LIT("second")};
static const haft__tool served = {.name = HAFT__LIT("served"), .source = HAFT__TOOL_MCP};

static void write_tool(haft__buf *buf, const haft__tool *tool)
{
    haft__buf_addf(buf, "{%.*s}", HAFT__ARG(tool->name));
}

static const haft__tool *const pair[] = {&first, &second};
static const haft__tool *const turned[] = {&second, &first};
static const haft__tool *const mixed[] = {&first, &served};

static const struct {
    const char *name;
    const haft__tool *const *tools;
    size_t count, deferred;
    bool can_share; /* before it is written */
    const char *text;
    size_t kept; /* tools in the text afterwards */
} requests[] = {
    {"none", pair, 0, 0, true, "", 0},
    {"one", pair, 1, 0, true, "{first}", 1},
    {"one more tool", pair, 2, 0, true, "{first},{second}", 2},
    {"only the first tool again", pair, 1, 0, true, "{first}", 2},
    {"another order", turned, 2, 0, false, "{second},{first}", 2},
    {"a tool of a server", mixed, 2, 0, false, "{first},{served}", 2},
    {"the tool of a server again", mixed, 2, 0, false, "{first},{served}", 2},
    {"a deferred tool", pair, 2, 1, false, "{first},{second,\"defer_loading\":true}", 2},
    {"a deferred tool again", pair, 2, 1, true, "{first},{second,\"defer_loading\":true}", 2},
    {"it is not deferred any more", pair, 2, 0, false, "{first},{second}", 2},
};

TEST(the_text_grows_and_is_dropped_when_tools_differ)
{
    haft__declared_tools tools;
    haft__declared_tools_init(&tools);
    for (size_t i = 0; i < COUNT(requests); i++) {
        haft__request request = {.tools = requests[i].tools,
                                 .tool_count = requests[i].count,
                                 .deferred_count = requests[i].deferred};
        CHECK_INT(haft__declared_tools_can_share(&tools, &request, write_tool),
                  requests[i].can_share, "%s", requests[i].name);
        CHECK(!haft__declared_tools_can_share(NULL, &request, write_tool), "%s", requests[i].name);
        CHECK_INT(haft__declared_tools_sync(&tools, &request, write_tool, NULL), HAFT_OK, "%s",
                  requests[i].name);
        if (requests[i].count > 0) {
            CHECK_STR(haft__declared_tools_text(&tools, requests[i].count),
                      haft__str(requests[i].text), "%s", requests[i].name);
        }
        CHECK_INT(tools.count, requests[i].kept, "%s", requests[i].name);
    }
    haft__declared_tools_finish(&tools);
    CHECK_INT(tools.count, 0, "no tool is kept");
}

TEST(a_failed_allocation_leaves_no_text)
{
    haft__request request = {.tools = pair, .tool_count = 2};
    for (unsigned n = 0;; n++) {
        haft__declared_tools tools;
        haft__declared_tools_init(&tools);
        test_fail_allocation(n);
        haft_status status = haft__declared_tools_sync(&tools, &request, write_tool, NULL);
        bool failed = test_allow_allocations();
        size_t count = tools.count;
        haft__declared_tools_finish(&tools);
        if (!failed) {
            CHECK(status == HAFT_OK && count == 2, "without a failed allocation");
            break;
        }
        CHECK(status == HAFT_NO_MEMORY && count == 0, "allocation %u", n);
    }
}
