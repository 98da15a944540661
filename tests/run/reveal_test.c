/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/run/reveal.c: the verdict on each tool that a server lists. */
#include "run/reveal.h"

#include "base/limits.h"
#include "run_help.h"

static haft_status decide(help_spec *s, haft__arena *arena, haft__reveal *ret_reveal)
{
    return haft__reveal_decide(&s->spec, s->servers.listings, s->servers.count, arena, HELP_KEY,
                               ret_reveal, NULL);
}

#define CAP    "deferred: past the cap of tools of servers"
#define DENIED "denied by mcp.allow and mcp.deny"
#define SHUT   "the server is not allowed by mcp.allow and mcp.deny"

TEST(every_tool_gets_its_verdict)
{
    static const struct {
        const char *spec, *verdicts;
    } rows[] = {
        {"agent; server=docs,search,write", "docs:search revealed, docs:write revealed"},
        {"agent; server=docs,search,write,drop",
         "docs:search revealed, docs:write revealed, docs:drop " CAP},
        {"agent; max_mcp=1; server=docs,search; server=mail,send",
         "docs:search revealed, mail:send " CAP},
        {"agent; server=docs!disabled,search; server=mail,send",
         "docs:search the server is disabled, mail:send revealed"},
        {"agent; mcp_allow=mail:*; server=docs,search; server=mail,send",
         "docs:search " SHUT ", mail:send revealed"},
        {"agent; mcp_deny=docs:*; server=docs,search; server=mail,send",
         "docs:search " SHUT ", mail:send revealed"},
        {"agent; mcp_deny=*; server=docs,search", "docs:search " SHUT},
        {"agent; mcp_allow=*; server=docs,search", "docs:search revealed"},
        {"agent; mcp_allow=*search; server=docs,search,write",
         "docs:search revealed, docs:write " DENIED},
        {"agent; mcp_allow=docs:se*; mcp_deny=*:search; server=docs,search,see,write",
         "docs:search " DENIED ", docs:see revealed, docs:write " DENIED},
        {"agent; server=docs!error,search; server=mail,send",
         "docs:search its server has an error, mail:send revealed"},
        {"agent; server=docs,search,search",
         "docs:search revealed, docs:search there is a tool of that name already"},
        {"agent; tools=docs:search; server=docs,search",
         "docs:search there is a tool of that name already"},
        {"agent; server=docs,a b,search",
         "docs:a b its definition cannot be used, docs:search revealed"},
        {"agent; server=docs", ""},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        haft__arena arena;
        help_spec s;
        haft__reveal reveal;
        haft__buf found;
        haft__arena_init(&arena, 0);
        haft__buf_init(&found, 1 << 16);
        help_spec_init(&s, &arena, haft__str(rows[i].spec));
        CHECK_INT(decide(&s, &arena, &reveal), HAFT_OK, "%s", rows[i].spec);
        size_t revealed = 0;
        for (size_t k = 0; k < reveal.tool_count; k++) {
            haft__buf_addf(&found, "%s%.*s %s", k > 0 ? ", " : "",
                           HAFT__ARG(reveal.tools[k].tool->name), reveal.tools[k].reason);
            revealed += reveal.tools[k].revealed;
        }
        CHECK_STR(haft__buf_str(&found), haft__str(rows[i].verdicts), "%s", rows[i].spec);
        CHECK_INT(reveal.revealed, revealed, "%s", rows[i].spec);
        haft__buf_finish(&found);
        haft__arena_finish(&arena);
    }
}

TEST(the_cap_is_the_model_s_size)
{
    static const struct {
        const char *spec;
        uint32_t cap;
    } rows[] = {
        {"agent", 2},
        {"agent; size_b=3", 2},
        {"agent; size_b=6.99", 2},
        {"agent; size_b=7", 5},
        {"agent; size_b=7.0", 5},
        {"agent; size_b=30", 5},
        {"agent; size_b=30.1", 10},
        {"agent; size_b=1e3", 10},
        {"agent; size_b=3; max_mcp=9", 9},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        haft__arena arena;
        help_spec s;
        haft__arena_init(&arena, 0);
        help_spec_init(&s, &arena, haft__str(rows[i].spec));
        CHECK_INT(haft__reveal_cap(&s.spec), rows[i].cap, "%s", rows[i].spec);
        haft__arena_finish(&arena);
    }
}

TEST(servers_are_asked_when_one_is_enabled)
{
    static const struct {
        const char *spec;
        bool wanted;
    } rows[] = {
        {"agent", false},
        {"agent; server=docs,search", true},
        {"agent; server=docs!disabled,search", false},
        {"agent; server=docs!disabled,search; server=mail", true},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        haft__arena arena;
        help_spec s;
        haft__arena_init(&arena, 0);
        help_spec_init(&s, &arena, haft__str(rows[i].spec));
        CHECK(haft__reveal_wanted(&s.spec) == rows[i].wanted, "%s", rows[i].spec);
        CHECK_STR(haft__str(haft__reveal_server(&s.spec, HAFT__LIT("who"))),
                  HAFT__LIT("the spec has no such server"), "%s", rows[i].spec);
        haft__arena_finish(&arena);
    }
}

/* Definitions that fill what one event may have, and a byte more. */
TEST(definitions_have_room_up_to_the_limit)
{
    for (size_t more = 0; more <= 1; more++) {
        haft__arena arena;
        help_spec s;
        haft__reveal reveal;
        haft__buf body;
        haft__arena_init(&arena, 0);
        haft__buf_init(&body, (size_t)16 << 20);
        help_spec_init(&s, &arena, HAFT__LIT("agent; max_mcp=9; server=docs,one,two"));
        haft__mcp_tool *one = &s.servers.tools[0];
        CHECK_INT(decide(&s, &arena, &reveal), HAFT_OK, "small");
        reveal.tools[1].revealed = false;
        haft__input_tools_revealed(&body, &reveal);
        /* A schema that takes what the rest leaves; a text in it takes its bytes and quotes. */
        haft_str start = HAFT__LIT("\"tools\":["), end = HAFT__LIT("],\"query\"");
        const char *first = strstr(help_keep(haft__buf_str(&body)).ptr, start.ptr) + start.len;
        size_t taken = (size_t)(strstr(first, end.ptr) - first);
        size_t room = HAFT__LIMIT_MCP_REVEALED_BYTES - taken - strlen(",\"title\":\"\"") + more;
        char *text = test_alloc(room);
        memset(text, 'x', room);
        haft__json_member members[] = {
            one->input_schema.members[0],
            one->input_schema.members[1],
            {haft__json_string(HAFT__LIT("title")), haft__json_string((haft_str){text, room})},
        };
        one->input_schema = haft__json_object(members, COUNT(members));
        CHECK_INT(decide(&s, &arena, &reveal), HAFT_OK, "large");
        CHECK(reveal.tools[0].revealed == (more == 0), "%zu more: %s", more,
              reveal.tools[0].reason);
        CHECK(reveal.tools[1].revealed == (more == 1), "%zu more: %s", more,
              reveal.tools[1].reason);
        haft__buf_finish(&body);
        haft__arena_finish(&arena);
    }
}

TEST(revealing_survives_failed_allocations)
{
    for (unsigned n = 0;; n++) {
        haft__arena arena, made;
        help_spec s;
        haft__reveal reveal;
        haft__arena_init(&arena, 0);
        haft__arena_init(&made, 0);
        help_spec_init(&s, &arena, HAFT__LIT("agent; tools=look; server=docs,search,write"));
        test_fail_allocation(n);
        haft_status status = decide(&s, &made, &reveal);
        bool failed = test_allow_allocations();
        CHECK_INT(status, failed ? HAFT_NO_MEMORY : HAFT_OK, "allocation %u", n);
        haft__arena_finish(&made);
        haft__arena_finish(&arena);
        if (!failed) {
            CHECK(n > 1, "there was nothing to fail");
            break;
        }
    }
}
