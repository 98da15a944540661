/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/run/offer/unmatched_pattern.c: rules about tools that a server does not have. */
#include "run/offer/unmatched_pattern.h"

#include "run/run_help.h"
#include "json/read.h"

TEST(patterns_that_match_nothing_of_their_server_are_reported)
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
        {"agent; server=dead!error; mcp_deny=dead:x", ""}, /* its tools are unknown */
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        haft__arena arena;
        help_spec s;
        haft__buf text;
        haft__arena_init(&arena, 0);
        haft__buf_init(&text, 1000);
        help_spec_init(&s, &arena, haft__str(rows[i].spec));
        haft__unmatched_pattern_warn(&text, &s.spec, &s.servers.listings[0]);
        CHECK_STR(haft__buf_str(&text), haft__str(rows[i].warning), "%s", rows[i].spec);
        haft__buf_finish(&text);
        haft__arena_finish(&arena);
    }
}

TEST(rules_of_approvals_are_checked_before_allow_lists)
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
    haft__unmatched_pattern_warn(&text, &s.spec, &s.servers.listings[0]);
    CHECK_STR(haft__buf_str(&text),
              HAFT__LIT("none of its tools matches \"docs:sned\" of approvals; did you mean "
                        "docs:send?"),
              "a misspelled name in a rule");
    haft__buf_finish(&text);
    haft__arena_finish(&arena);
}

static haft__json takes(haft__arena *arena, const char *properties)
{
    haft__json schema = haft__json_null();
    haft_str text =
        haft__arena_format(arena, "{\"type\":\"object\",\"properties\":%s}", properties);
    CHECK_INT(haft__json_read(arena, text, NULL, &schema, NULL, NULL), HAFT_OK, "%s", properties);
    return schema;
}

TEST(conditions_about_an_argument_that_no_tool_has_are_reported)
{
    static const struct {
        const char *tools, *at, *op;
        const char *warning;
    } rows[] = {
        {"docs:send", "/amount", "gt", ""},
        {"docs:send", "/amont", "gt", "none of its tools has the argument /amont of approvals"},
        {"docs:se*", "/amont", "exists", "none of its tools has the argument /amont of approvals"},
        {"docs:se*", "/amount", "gt", ""}, /* one of the tools has it */
        {"docs:read", "/anything", "gt", ""},
        {"docs:send", "/amont", "ne", ""}, /* the rule asks for approval */
        {"*:send", "/amont", "gt", ""},    /* another server may have the argument */
        {"mail:send", "/amont", "gt", ""},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        haft__arena arena;
        haft__arena_init(&arena, 0);
        haft__buf text;
        haft__buf_init(&text, 1000);
        haft_str pattern = haft__str(rows[i].tools);
        haft__json_member when[] = {
            {haft__json_string(HAFT__LIT("at")), haft__json_string(haft__str(rows[i].at))},
            {haft__json_string(HAFT__LIT("op")), haft__json_string(haft__str(rows[i].op))}};
        haft__approval_rule rule = {
            .tools = &pattern, .tool_count = 1, .when = haft__json_object(when, COUNT(when))};
        haft__spec spec = {.approvals = &rule, .approval_count = 1};
        haft__mcp_tool tools[] = {
            {.name = HAFT__LIT("docs:read")}, /* accepts any arguments */
            {.name = HAFT__LIT("docs:send"), .input_schema = takes(&arena, "{\"amount\":{}}")},
            {.name = HAFT__LIT("docs:sell"), .input_schema = takes(&arena, "{\"price\":{}}")}};
        haft__mcp_listing listing = {
            .server = HAFT__LIT("docs"), .tools = tools, .tool_count = COUNT(tools)};
        haft__unmatched_pattern_warn(&text, &spec, &listing);
        CHECK_STR(haft__buf_str(&text), haft__str(rows[i].warning), "%s %s", rows[i].tools,
                  rows[i].at);
        haft__buf_finish(&text);
        haft__arena_finish(&arena);
    }
}
