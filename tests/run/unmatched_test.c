/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/run/unmatched.c: rules about tools that a server does not have. */
#include "run/unmatched.h"

#include "run_help.h"

TEST(patterns_that_match_nothing_of_their_server_are_told)
{
    static const struct {
        const char *spec, *warning;
    } rows[] = {
        {"agent; server=docs,read,write", ""},
        {"agent; server=docs,read,write; mcp_deny=docs:write+other:x", ""},
        {"agent; server=docs,read,write; mcp_deny=docs:w*+*:gone+docs:*", ""},
        {"agent; server=docs,read,write; mcp_deny=docs:read+docs:wirte",
         "none of its tools matches \"docs:wirte\" of mcp.deny; did you mean docs:write?"},
        {"agent; server=docs,read,write; mcp_deny=docs:delete_*",
         "none of its tools matches \"docs:delete_*\" of mcp.deny"},
        {"agent; server=docs,read,write; mcp_allow=docs:look",
         "none of its tools matches \"docs:look\" of mcp.allow"},
        {"agent; server=dead!error; mcp_deny=dead:x", ""}, /* nobody knows what it has */
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        haft__arena arena;
        help_spec s;
        haft__buf text;
        haft__arena_init(&arena, 0);
        haft__buf_init(&text, 1000);
        help_spec_init(&s, &arena, haft__str(rows[i].spec));
        haft__unmatched_warn(&text, &s.spec, &s.servers.listings[0]);
        CHECK_STR(haft__buf_str(&text), haft__str(rows[i].warning), "%s", rows[i].spec);
        haft__buf_finish(&text);
        haft__arena_finish(&arena);
    }
}

TEST(rules_of_approval_are_looked_at_before_what_is_allowed)
{
    const haft_str tools[] = {HAFT__LIT("docs:read"), HAFT__LIT("docs:sned")};
    const haft__approval_rule rules[] = {{.tools = tools, .tool_count = 1},
                                         {.tools = tools, .tool_count = 2}};
    haft__arena arena;
    help_spec s;
    haft__buf text;
    haft__arena_init(&arena, 0);
    haft__buf_init(&text, 1000);
    help_spec_init(&s, &arena, HAFT__LIT("agent; server=docs,read,send; mcp_allow=docs:gone"));
    s.spec.approvals = rules;
    s.spec.approval_count = COUNT(rules);
    haft__unmatched_warn(&text, &s.spec, &s.servers.listings[0]);
    CHECK_STR(haft__buf_str(&text),
              HAFT__LIT("none of its tools matches \"docs:sned\" of approvals; did you mean "
                        "docs:send?"),
              "a slip");
    haft__buf_finish(&text);
    haft__arena_finish(&arena);
}
