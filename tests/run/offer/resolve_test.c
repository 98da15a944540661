/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/run/offer/resolve.c: every branch of the decision tree, and the offer as a whole.
 */
#include "run/offer/resolve.h"

#include "run/run_help.h"

/* One tool of a spec, or of one of its servers. */
typedef struct branch {
    const char *spec, *tool, *word;
    haft__visibility sight;
} branch;

static const branch branches[] = {
    /* tools of the spec */
    {"agent; tools=look", "look", "declared", HAFT__VISIBILITY_DECLARED},
    {"agent; tools=pick!headless", "pick", "declared", HAFT__VISIBILITY_DECLARED},
    {"agent; tools=look; context=1000; own_bytes=400", "look", "declared",
     HAFT__VISIBILITY_DECLARED},
    {"agent; tools=look; context=1000; own_bytes=404", "look", "share", HAFT__VISIBILITY_NONE},
    {"agent; tools=look; own_bytes=9999999", "look", "declared", HAFT__VISIBILITY_DECLARED},
    {"agent; tools=look; context=1000; own_bytes=404; schedule=look", "look", "named",
     HAFT__VISIBILITY_DECLARED},
    {"agent; tools=look; context=1000; own_bytes=404; default=look", "look", "named",
     HAFT__VISIBILITY_DECLARED},
    {"agent; tools=look; context=1000; own_bytes=404; phase=one+look", "look", "named",
     HAFT__VISIBILITY_DECLARED},
    {"agent; tools=look; context=1000; own_bytes=404; builtin_deny=tool_search", "look",
     "search_denied", HAFT__VISIBILITY_NONE},
    {"agent; tools=grep; context=1000; own_bytes=404", "grep", "enabled",
     HAFT__VISIBILITY_DECLARED},
    /* built-ins */
    {"agent; tools=grep", "grep", "enabled", HAFT__VISIBILITY_DECLARED},
    {"agent", "grep", "not_enabled", HAFT__VISIBILITY_NONE},
    {"agent; tools=grep; builtin_allow=g*", "grep", "enabled", HAFT__VISIBILITY_DECLARED},
    {"agent; tools=grep; builtin_allow=read", "grep", "builtin_denied", HAFT__VISIBILITY_NONE},
    {"agent; tools=grep; builtin_deny=*ep", "grep", "builtin_denied", HAFT__VISIBILITY_NONE},
    {"agent; tools=read_result", "read_result", "enabled", HAFT__VISIBILITY_DECLARED},
    {"agent; tools=python_execution", "python_execution", "needs_code", HAFT__VISIBILITY_NONE},
    {"agent; tools=python_execution; format=codemode", "python_execution", "enabled",
     HAFT__VISIBILITY_DECLARED},
    {"agent; tools=execute_sql", "execute_sql", "needs_database", HAFT__VISIBILITY_NONE},
    {"agent; tools=execute_sql; database", "execute_sql", "enabled", HAFT__VISIBILITY_DECLARED},
    {"agent; tools=search_schemas", "search_schemas", "needs_database", HAFT__VISIBILITY_NONE},
    {"agent; tools=search_schemas; database", "search_schemas", "enabled",
     HAFT__VISIBILITY_DECLARED},
    /* tool_search */
    {"agent; tools=tool_search", "tool_search", "needs_deferred", HAFT__VISIBILITY_NONE},
    {"agent; tools=tool_search; server=docs,a", "tool_search", "enabled",
     HAFT__VISIBILITY_DECLARED},
    {"agent; tools=tool_search; server=docs!disabled,a", "tool_search", "needs_deferred",
     HAFT__VISIBILITY_NONE},
    {"agent; server=docs,a", "tool_search", "enabled", HAFT__VISIBILITY_DECLARED},
    {"agent; no_search; server=docs,a", "tool_search", "undeclared", HAFT__VISIBILITY_CALLABLE},
    {"workflow; provider=mistral; tools=look,store_artifact", "store_artifact", "gate_closed",
     HAFT__VISIBILITY_CALLABLE},
    {"workflow; provider=openai; tools=look,store_artifact", "store_artifact", "enabled",
     HAFT__VISIBILITY_DECLARED},
    {"workflow; provider=openai; format=hermes; tools=look,store_artifact", "store_artifact",
     "gate_closed", HAFT__VISIBILITY_CALLABLE},
    {"workflow; provider=mistral; schedule=store_artifact; tools=look,store_artifact",
     "store_artifact", "enabled", HAFT__VISIBILITY_DECLARED},
    {"workflow; provider=mistral; phase=write+store_artifact; tools=look,store_artifact",
     "store_artifact", "gate_closed", HAFT__VISIBILITY_CALLABLE},
    {"workflow; provider=mistral; default=store_artifact; tools=look,store_artifact",
     "store_artifact", "gate_closed", HAFT__VISIBILITY_CALLABLE},
    {"workflow; provider=anthropic; tools=look,store_artifact", "store_artifact", "gate_closed",
     HAFT__VISIBILITY_CALLABLE},
    {"workflow; provider=script; tools=look,store_artifact", "store_artifact", "enabled",
     HAFT__VISIBILITY_DECLARED},
    {"workflow; provider=script; format=hermes; tools=look,store_artifact", "store_artifact",
     "gate_closed", HAFT__VISIBILITY_CALLABLE},
    {"agent; provider=mistral; tools=look,store_artifact", "store_artifact", "enabled",
     HAFT__VISIBILITY_DECLARED},
    {"agent", "tool_search", "not_enabled", HAFT__VISIBILITY_NONE},
    {"agent; server=docs,a; builtin_deny=tool_search", "tool_search", "not_enabled",
     HAFT__VISIBILITY_NONE},
    {"agent; tools=tool_search; server=docs,a; builtin_deny=tool_search", "tool_search",
     "builtin_denied", HAFT__VISIBILITY_NONE},
    {"agent; tools=tool_search,look; context=1000; own_bytes=404", "tool_search", "enabled",
     HAFT__VISIBILITY_DECLARED},
    /* tools of servers */
    {"agent; server=docs,a", "docs:a", "deferred", HAFT__VISIBILITY_NONE},
    {"agent; server=docs!disabled,a", "docs:a", "server_disabled", HAFT__VISIBILITY_NONE},
    {"agent; server=docs!error,a", "docs:a", "server_error", HAFT__VISIBILITY_NONE},
    {"agent; server=docs,a!changed,b", "docs:a", "tool_changed", HAFT__VISIBILITY_NONE},
    {"agent; server=docs,a!changed,b", "docs:b", "deferred", HAFT__VISIBILITY_NONE},
    {"agent; server=docs!error,a!changed", "docs:a", "server_error", HAFT__VISIBILITY_NONE},
    {"agent; mcp_deny=*:a; server=docs,a!changed", "docs:a", "tool_denied", HAFT__VISIBILITY_NONE},
    {"agent; mcp_allow=mail:*; server=docs,a", "docs:a", "server_denied", HAFT__VISIBILITY_NONE},
    {"agent; mcp_deny=docs:*; server=docs,a", "docs:a", "server_denied", HAFT__VISIBILITY_NONE},
    {"agent; mcp_deny=*; server=docs,a", "docs:a", "server_denied", HAFT__VISIBILITY_NONE},
    {"agent; mcp_allow=docs:b; server=docs,a", "docs:a", "tool_denied", HAFT__VISIBILITY_NONE},
    {"agent; mcp_allow=*b; server=docs,a", "docs:a", "tool_denied", HAFT__VISIBILITY_NONE},
    {"agent; mcp_deny=*:a; server=docs,a", "docs:a", "tool_denied", HAFT__VISIBILITY_NONE},
    {"agent; mcp_allow=docs:*; mcp_deny=mail:*; server=docs,a", "docs:a", "deferred",
     HAFT__VISIBILITY_NONE},
    {"agent; tools=docs:a; server=docs,a", "docs:a", "name_taken", HAFT__VISIBILITY_NONE},
    {"agent; server=docs,a; builtin_deny=tool_search", "docs:a", "search_denied",
     HAFT__VISIBILITY_NONE},
};

/* The last verdict for the name: that of a server, if a tool of the spec has the same name. */
static const haft__verdict *find(const haft__offer *offer, const char *name)
{
    for (size_t i = offer->count; i-- > 0;) {
        if (haft__str_equal(offer->items[i].name, haft__str(name))) {
            return &offer->items[i];
        }
    }
    return NULL;
}

TEST(every_branch_has_its_verdict)
{
    for (size_t i = 0; i < COUNT(branches); i++) {
        const branch *b = &branches[i];
        haft__arena arena;
        help_spec s;
        haft__offer offer;
        haft__arena_init(&arena, 0);
        help_spec_init(&s, &arena, haft__str(b->spec));
        CHECK_INT(
            haft__resolve(&s.spec, NULL, s.servers.listings, s.servers.count, &arena, &offer, NULL),
            HAFT_OK, "%s", b->spec);
        const haft__verdict *verdict = find(&offer, b->tool);
        CHECK(verdict != NULL, "%s has no %s", b->spec, b->tool);
        if (verdict != NULL) {
            CHECK_STR(haft__str(haft__reason_word(verdict->reason)), haft__str(b->word), "%s: %s",
                      b->spec, b->tool);
            CHECK_STR(haft__str(haft__visibility_name(verdict->visibility)),
                      haft__str(haft__visibility_name(b->sight)), "%s: %s", b->spec, b->tool);
            CHECK(haft__reason_text(verdict->reason)[0] != '\0', "%s has no text", b->word);
        }
        haft__arena_finish(&arena);
    }
}

/* Reason words are for programs: each is unique, and each is in the documentation. */
TEST(every_reason_has_a_unique_word)
{
    for (int i = 0; i <= HAFT__REASON_HIDDEN; i++) {
        for (int k = 0; k < i; k++) {
            CHECK(strcmp(haft__reason_word((haft__reason)i), haft__reason_word((haft__reason)k))
                      != 0,
                  "%s comes twice", haft__reason_word((haft__reason)i));
        }
    }
}

TEST(a_server_of_another_spec_is_unknown)
{
    haft__arena arena;
    help_spec s;
    haft__arena_init(&arena, 0);
    help_spec_init(&s, &arena, HAFT__LIT("agent; server=docs,a"));
    CHECK_INT(haft__resolve_server(&s.spec, HAFT__LIT("who")), HAFT__REASON_NO_SERVER,
              "an unknown server");
    CHECK_INT(haft__resolve_server(&s.spec, HAFT__LIT("docs")), HAFT__REASON_DEFERRED,
              "a server of the spec");
    haft__arena_finish(&arena);
}

TEST(a_tool_of_the_spec_may_have_the_name_of_a_built_in)
{
    haft__spec spec = {.mcp = haft__json_null()};
    haft__tool tool = {.name = HAFT__LIT("execute_sql"), .source = HAFT__TOOL_FUNCTION};
    CHECK_INT(haft__resolve_tool(&spec, NULL, &tool).visibility, HAFT__VISIBILITY_DECLARED,
              "the tool is declared like any other");
}

/* The state after searches decides, even if servers now list other tools. */
TEST(the_state_of_a_tool_after_searches_is_its_verdict)
{
    help_run r;
    haft__offer offer;
    help_run_init(&r, "agent; max_mcp=1; tools=tool_search,look; server=docs,find,read,send",
                  "{\"replies\":[{\"calls\":[{\"name\":\"tool_search\",\"arguments\":{\"query\":"
                  "\"read send\"}}]},{\"text\":\"good\"}]}");
    CHECK_INT(help_run_go(&r), HAFT_OK, "%s", r.err.message);
    static const struct {
        const char *tool, *word;
    } rows[] = {
        {"docs:find", "hidden"}, {"docs:read", "revealed"},  {"docs:send", "listed"},
        {"look", "declared"},    {"tool_search", "enabled"},
    };
    for (size_t gone = 0; gone <= 1; gone++) { /* the server is reachable; it is not */
        CHECK_INT(haft__resolve(&r.spec.spec, &r.drive.run, r.spec.servers.listings, 1 - gone,
                                &r.arena, &offer, NULL),
                  HAFT_OK, "resolve");
        for (size_t i = 0; i < COUNT(rows); i++) {
            const haft__verdict *verdict = find(&offer, rows[i].tool);
            CHECK(verdict != NULL, "no %s", rows[i].tool);
            CHECK_STR(haft__str(haft__reason_word(verdict->reason)), haft__str(rows[i].word),
                      "%s, gone %zu", rows[i].tool, gone);
        }
        CHECK_INT(offer.deferred, 3, "deferred tools");
        CHECK_INT(offer.shown, 1, "shown tools");
    }
    help_run_finish(&r);
}

/* Only a list shows that a tool does not exist any more. */
TEST(a_tool_that_its_server_no_longer_lists_is_gone)
{
    static const struct {
        const char *state, *error, *find, *read;
    } rows[] = {
        {"used", "", "hidden", "gone"},
        {"known", "", "hidden", "gone"},
        {"configured", "", "hidden", "revealed"},
        {"started", "it is dead", "hidden", "revealed"},
    };
    help_run r;
    haft__offer offer;
    help_run_init(&r, "agent; max_mcp=1; tools=tool_search; server=docs,find,read",
                  "{\"replies\":[{\"calls\":[{\"name\":\"tool_search\",\"arguments\":{\"query\":"
                  "\"read\"}}]},{\"text\":\"good\"}]}");
    CHECK_INT(help_run_go(&r), HAFT_OK, "%s", r.err.message);
    for (size_t i = 0; i < COUNT(rows); i++) {
        haft__mcp_listing listing = r.spec.servers.listings[0];
        listing.tool_count = 1;
        listing.state = haft__str(rows[i].state);
        listing.error = haft__str(rows[i].error);
        CHECK_INT(haft__resolve(&r.spec.spec, &r.drive.run, &listing, 1, &r.arena, &offer, NULL),
                  HAFT_OK, "resolve");
        CHECK_STR(haft__str(haft__reason_word(find(&offer, "docs:find")->reason)),
                  haft__str(rows[i].find), "row %zu", i);
        CHECK_STR(haft__str(haft__reason_word(find(&offer, "docs:read")->reason)),
                  haft__str(rows[i].read), "row %zu", i);
    }
    help_run_finish(&r);
}

TEST(the_cap_depends_on_the_size_of_the_model)
{
    static const struct {
        const char *spec;
        uint32_t cap;
        const char *why;
    } rows[] = {
        {"agent", 2, "unknown_size"},
        {"agent; size_b=3", 2, "size_b"},
        {"agent; size_b=6.99", 2, "size_b"},
        {"agent; size_b=7", 5, "size_b"},
        {"agent; size_b=7.0", 5, "size_b"},
        {"agent; size_b=30", 5, "size_b"},
        {"agent; size_b=30.1", 10, "size_b"},
        {"agent; size_b=1e3", 10, "size_b"},
        {"agent; size_b=3; max_mcp=9", 9, "max_mcp_tools"},
        {"agent; hosted", 10, "hosted"},
        {"agent; hosted; size_b=3", 2, "size_b"},
        {"agent; hosted; max_mcp=1", 1, "max_mcp_tools"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        haft__arena arena;
        help_spec s;
        const char *why = NULL;
        haft__arena_init(&arena, 0);
        help_spec_init(&s, &arena, haft__str(rows[i].spec));
        CHECK_INT(haft__resolve_cap(&s.spec, &why), rows[i].cap, "%s", rows[i].spec);
        CHECK_STR(haft__str(why), haft__str(rows[i].why), "%s", rows[i].spec);
        haft__arena_finish(&arena);
    }
}

/* Which list, and which pattern of it; only for denied tools. */
TEST(a_denial_names_its_list_and_pattern)
{
    static const struct {
        const char *spec;
        haft__reason reason;
        const char *server, *name, *list, *pattern;
    } rows[] = {
        {"agent; mcp_deny=a:*+docs:*; server=docs,a", HAFT__REASON_SERVER_DENIED, "docs", "docs:a",
         "mcp.deny", "docs:*"},
        {"agent; mcp_deny=docs:x+*; server=docs,a", HAFT__REASON_SERVER_DENIED, "docs", "",
         "mcp.deny", "*"},
        {"agent; mcp_allow=mail:*; server=docs,a", HAFT__REASON_SERVER_DENIED, "docs", "docs:a",
         "mcp.allow", NULL},
        {"agent; mcp_deny=*:b+*:a; server=docs,a", HAFT__REASON_TOOL_DENIED, "docs", "docs:a",
         "mcp.deny", "*:a"},
        {"agent; mcp_allow=docs:b; mcp_deny=*:c; server=docs,a", HAFT__REASON_TOOL_DENIED, "docs",
         "docs:a", "mcp.allow", NULL},
        {"agent; builtin_deny=x+g*", HAFT__REASON_BUILTIN_DENIED, "", "grep", "builtins.deny",
         "g*"},
        {"agent; builtin_allow=x; builtin_deny=y", HAFT__REASON_BUILTIN_DENIED, "", "grep",
         "builtins.allow", NULL},
        {"agent; mcp_deny=docs:*; server=docs,a", HAFT__REASON_DEFERRED, "docs", "docs:a", NULL,
         NULL},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        haft__arena arena;
        help_spec s;
        haft__arena_init(&arena, 0);
        help_spec_init(&s, &arena, haft__str(rows[i].spec));
        haft__denial denial = haft__resolve_denial(
            &s.spec, rows[i].reason, haft__str(rows[i].server), haft__str(rows[i].name));
        CHECK_INT(denial.list != NULL, rows[i].list != NULL, "row %zu", i);
        CHECK_STR(haft__str(denial.list != NULL ? denial.list : ""),
                  haft__str(rows[i].list != NULL ? rows[i].list : ""), "row %zu", i);
        CHECK_INT(denial.pattern.ptr != NULL, rows[i].pattern != NULL, "row %zu", i);
        CHECK_STR(denial.pattern, haft__str(rows[i].pattern != NULL ? rows[i].pattern : ""),
                  "row %zu", i);
        haft__arena_finish(&arena);
    }
}

TEST(a_failed_allocation_makes_no_offer)
{
    haft__arena arena, made;
    help_spec s;
    haft__offer offer;
    haft__arena_init(&arena, 0);
    haft__arena_init(&made, 0);
    help_spec_init(&s, &arena, HAFT__LIT("agent; tools=look"));
    test_fail_allocation(0);
    haft_status status = haft__resolve(&s.spec, NULL, NULL, 0, &made, &offer, NULL);
    CHECK(test_allow_allocations() && status == HAFT_NO_MEMORY, "out of memory");
    haft__arena_finish(&made);
    haft__arena_finish(&arena);
}
