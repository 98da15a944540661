/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/run/offer/unhinted_tools.c: tools that run without approval because they have no
 * hints. */
#include "run/offer/unhinted_tools.h"

#include "test.h"
#include "json/read.h"

TEST(tools_without_a_hint_are_named)
{
    static const struct {
        const char *annotations;
        bool named;
    } cases[] = {
        {"null", true},
        {"{}", true},
        {"{\"destructiveHint\":\"yes\"}", true},
        {"{\"idempotentHint\":true}", true},
        {"{\"readOnlyHint\":false}", true},
        {"{\"readOnlyHint\":true}", false},
        {"{\"destructiveHint\":true}", false},
        {"{\"destructiveHint\":false}", false},
    };
    static const haft_str other[] = {{"docs:put", 8}}, all[] = {{"docs:*", 6}};
    const haft__approval_rule rules[] = {{.tools = other, .tool_count = 1},
                                         {.tools = all, .tool_count = 1}};
    for (size_t i = 0; i < COUNT(cases); i++) {
        haft__arena arena;
        haft__buf text;
        haft__mcp_tool tools[] = {{.name = HAFT__LIT("docs:a")}, {.name = HAFT__LIT("docs:b")}};
        haft__mcp_listing listing = {.tools = tools, .tool_count = COUNT(tools)};
        haft__spec spec = {.approve_destructive = true, .approvals = rules, .approval_count = 1};
        haft__arena_init(&arena, 0);
        haft__buf_init(&text, 100);
        CHECK_INT(haft__json_read(&arena, haft__str(cases[i].annotations), NULL,
                                  &tools[0].annotations, NULL, NULL),
                  HAFT_OK, "case %zu", i);
        CHECK_INT(haft__unhinted_tools_add(&text, &spec, &listing), 1 + cases[i].named, "case %zu",
                  i);
        CHECK_STR(haft__buf_str(&text),
                  cases[i].named ? HAFT__LIT("docs:a, docs:b") : HAFT__LIT("docs:b"), "case %zu",
                  i);
        spec.approval_count = 2; /* a rule covers both */
        CHECK_INT(haft__unhinted_tools_add(&text, &spec, &listing), 0,
                  "case %zu with an approval rule", i);
        spec = (haft__spec){.approve_destructive = false};
        CHECK_INT(haft__unhinted_tools_add(&text, &spec, &listing), 0,
                  "case %zu, destructive tools need no approval", i);
        haft__buf_finish(&text);
        haft__arena_finish(&arena);
    }
}
