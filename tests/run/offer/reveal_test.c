/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/run/offer/reveal.c: which results of a search become visible. */
#include "run/offer/reveal.h"

#include "base/limits.h"
#include "run/offer/resolve.h"
#include "run/run_help.h"

/* A spec with servers, and the hits of a search in it. */
typedef struct fixture {
    haft__arena arena;
    help_spec s;
    haft__offer offer;
    haft__reveal_hit hits[16];
    haft__reveal_request ask;
    haft__reveal reveal;
} fixture;

static void fixture_init(fixture *w, const char *words, const char *found, const char *call,
                         uint32_t limit)
{
    memset(w, 0, sizeof(*w));
    haft__arena_init(&w->arena, 0);
    help_spec_init(&w->s, &w->arena, haft__str(words));
    CHECK_INT(haft__resolve(&w->s.spec, NULL, w->s.servers.listings, w->s.servers.count, &w->arena,
                            &w->offer, NULL),
              HAFT_OK, "%s", words);
    w->ask = (haft__reveal_request){.spec = &w->s.spec,
                                    .listings = w->s.servers.listings,
                                    .listing_count = w->s.servers.count,
                                    .offer = &w->offer,
                                    .hits = w->hits,
                                    .query = HAFT__LIT("look for it"),
                                    .call = haft__str(call),
                                    .limit = limit};
    haft_str rest = haft__str(found);
    while (rest.len > 0) {
        w->hits[w->ask.hit_count] = (haft__reveal_hit){
            haft__str_split(&rest, ','), 9.0 - (double)w->ask.hit_count, HAFT__LIT("text")};
        w->ask.hit_count++;
    }
}

static haft_status decide(fixture *w)
{
    return haft__reveal_decide(&w->ask, &w->arena, HELP_KEY, &w->reveal, NULL);
}

TEST(tools_that_were_found_become_visible)
{
    static const struct {
        const char *spec, *found, *call;
        uint32_t limit;
        const char *revealed; /* after '|': tools that are only listed */
    } rows[] = {
        {"agent; server=docs,a,b,c", "docs:c,docs:b", "", 0, "docs:c docs:b |"},
        {"agent; server=docs,a,b,c", "docs:c", "", 0, "docs:c |"},
        {"agent; server=docs,a,b,c", "", "", 0, "|"},
        {"agent; server=docs,a,b,c", "", "c1.1", 0, "|"},
        {"agent; server=docs,a,b,c", "docs:c", "c1.1", 0, "docs:c |"},
        {"agent; server=docs,a,b,c,d", "docs:c,docs:d,docs:b,docs:a", "c1.1", 0,
         "docs:c docs:d | docs:b docs:a"},
        {"agent; server=docs,a,b,c,d", "docs:c,docs:d,docs:b,docs:a", "c1.1", 1, "docs:c |"},
        {"agent; server=docs,a,b,c,d", "docs:c,docs:d,docs:b,docs:a", "c1.1", 3,
         "docs:c docs:d | docs:b"},
        {"agent; max_mcp=1; server=docs,a,b", "docs:b", "", 0, "docs:b |"},
        {"agent; size_b=8; server=docs,a,b,c,d,e,f", "docs:f", "", 0, "docs:f |"},
        {"agent; server=docs,a,b", "docs:none,look,docs:b,docs:b", "c1.1", 0, "docs:b |"},
        {"agent; tools=look; server=docs!disabled,a; server=mail,b", "docs:a,mail:b,look", "", 0,
         "mail:b |"},
        {"agent; mcp_deny=docs:a; server=docs,a,b", "docs:a", "", 0, "|"},
        {"agent; tools=docs:a; server=docs,a,b", "docs:a", "", 0, "|"},
        {"agent; server=docs,a b,c", "docs:a b", "", 0, "|"},
        {"agent; schedule=docs:c; server=docs,a,b,c,d", "docs:b,docs:a", "", 0, "docs:c docs:b |"},
        {"agent; schedule=docs:c; server=docs,a,b,c,d", "docs:b,docs:a", "c1.1", 0,
         "docs:b docs:a |"},
        {"agent; server=docs", "", "", 0, "|"},
        {"agent; server=docs,a!changed,b", "docs:a", "", 0, "|"},
        {"agent; schedule=docs:a; server=docs,a!changed,b", "", "", 0, "|"},
        {"agent; phase=one+docs:a; server=docs,a,b", "", "", 0, "docs:a |"},
        {"agent; server=docs,a!changed,b", "docs:a", "c1.1", 0, "|"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        fixture w;
        haft__buf found;
        haft__buf_init(&found, 1 << 16);
        fixture_init(&w, rows[i].spec, rows[i].found, rows[i].call, rows[i].limit);
        CHECK_INT(decide(&w), HAFT_OK, "row %zu", i);
        for (size_t k = 0; k <= w.reveal.count; k++) {
            haft__buf_add_str(&found, k == w.reveal.shown ? HAFT__LIT("|") : HAFT__LIT(""));
            if (k < w.reveal.count) {
                haft__buf_addf(&found, "%s%.*s%s", k >= w.reveal.shown ? " " : "",
                               HAFT__ARG(w.reveal.items[k].tool->name),
                               k < w.reveal.shown ? " " : "");
            }
        }
        CHECK_STR(haft__buf_str(&found), haft__str(rows[i].revealed), "row %zu: %s", i,
                  rows[i].spec);
        haft__buf_finish(&found);
        haft__arena_finish(&w.arena);
    }
}

/* A search lists ten names in addition to those it reveals, and not eleven. */
TEST(a_call_gets_ten_more_names)
{
    fixture w;
    haft__buf words, found;
    haft__buf_init(&words, 1 << 16);
    haft__buf_init(&found, 1 << 16);
    haft__buf_addf(&words, "agent; max_mcp=1; server=docs");
    for (int i = 0; i < 14; i++) {
        haft__buf_addf(&words, ",t%d", i);
        haft__buf_addf(&found, "%sdocs:t%d", i > 0 ? "," : "", i);
    }
    haft_str spec = help_keep(haft__buf_str(&words)), hits = help_keep(haft__buf_str(&found));
    fixture_init(&w, spec.ptr, hits.ptr, "c1.1", 0);
    CHECK_INT(decide(&w), HAFT_OK, "decide");
    CHECK_INT(w.reveal.count, 1 + HAFT__LIMIT_SEARCH_LISTED, "revealed and listed tools");
    CHECK_INT(w.reveal.shown, 1, "revealed tools");
    CHECK(haft__reveal_max_hits(&w.s.spec) >= w.reveal.count, "the search returns enough hits");
    haft__buf_finish(&words);
    haft__buf_finish(&found);
    haft__arena_finish(&w.arena);
}

static bool refuses_b(void *context, haft_str definition)
{
    (*(int *)context)++;
    return strstr(help_keep(definition).ptr, "\"docs:b\"") != NULL;
}

TEST(a_definition_that_cannot_be_logged_is_left_out)
{
    fixture w;
    int asked = 0;
    fixture_init(&w, "agent; server=docs,a,b,c", "docs:b,docs:c,docs:a", "", 0);
    w.ask.refuses = refuses_b;
    w.ask.context = &asked;
    CHECK_INT(decide(&w), HAFT_OK, "decide");
    CHECK_INT(w.reveal.count, 2, "tools of the result");
    CHECK_STR(w.reveal.items[0].tool->name, HAFT__LIT("docs:c"), "the next tool is revealed");
    CHECK_INT(asked, 3, "tools that were checked");
    haft__arena_finish(&w.arena);
}

TEST(the_event_names_the_call_and_the_query)
{
    fixture w;
    haft__buf body;
    haft__buf_init(&body, 1 << 20);
    fixture_init(&w, "agent; max_mcp=1; server=docs,a,b,c; server=dead!error", "docs:b,docs:c",
                 "c1.1", 0);
    CHECK_INT(decide(&w), HAFT_OK, "decide");
    haft__input_tools_revealed(&body, &w.reveal);
    haft_str text = help_keep(haft__buf_str(&body));
    static const char *const parts[] = {
        "\"kind\":\"tools_revealed\",\"tools\":[{\"name\":\"docs:b\",\"score\":9.0000,\"server\":",
        "\"rank\":1,\"why\":\"text\"}],\"query\":\"look for it\",\"call\":\"c1.1\",\"servers\":[{"
        "\"name\":\"docs\",\"state\":\"started\",\"tools\":3,\"error\":null,\"names\":null},{"
        "\"name\":\"dead\",\"state\":\"configured\",\"tools\":0,\"error\":\"it does not answer\","
        "\"names\":null}],\"automatic\":false,\"listed\":[{\"name\":\"docs:c\",\"score\":8.0000,",
        "\"rank\":2,\"why\":\"text\"}],\"cap\":1,\"deferred\":3,\"share\":null}",
    };
    for (size_t i = 0; i < COUNT(parts); i++) {
        CHECK(strstr(text.ptr, parts[i]) != NULL, "%s\nin %s", parts[i], text.ptr);
    }
    w.ask.call = HAFT__LIT("");
    haft__buf_clear(&body);
    CHECK_INT(decide(&w), HAFT_OK, "decide");
    haft__input_tools_revealed(&body, &w.reveal);
    text = help_keep(haft__buf_str(&body));
    CHECK(strstr(text.ptr, "\"names\":[\"a\",\"b\",\"c\"]}") != NULL, "%s", text.ptr);
    CHECK(strstr(text.ptr, "\"automatic\":true,\"listed\":[],") != NULL, "%s", text.ptr);
    haft__buf_finish(&body);
    haft__arena_finish(&w.arena);
}

/* The list of a server is recorded each time it differs from the recorded one. */
TEST(a_server_list_is_recorded_only_if_it_has_changed)
{
    help_run r;
    haft__offer offer;
    haft__buf body;
    haft__buf_init(&body, 1 << 20);
    help_run_init(&r, "agent; max_mcp=2; server=docs,find,read",
                  "{\"replies\":[{\"text\":\"a\"}]}");
    CHECK_INT(help_run_go(&r), HAFT_OK, "%s", r.err.message);
    haft__mcp_listing listing = r.spec.servers.listings[0];
    haft__reveal_request ask = {.spec = &r.spec.spec,
                                .run = &r.drive.run,
                                .listings = &listing,
                                .listing_count = 1,
                                .offer = &offer,
                                .call = HAFT__LIT("")};
    for (size_t count = 2; count >= 1; count--) {
        listing.tool_count = count;
        CHECK_INT(haft__resolve(ask.spec, ask.run, &listing, 1, &r.arena, &offer, NULL), HAFT_OK,
                  "resolve");
        CHECK_INT(haft__input_tools_relisted(&body, &ask), count < 2, "%zu tools", count);
        CHECK((body.len > 0) == (count < 2), "%zu tools", count);
    }
    haft_str text = help_keep(haft__buf_str(&body));
    CHECK(strstr(text.ptr, "\"gone\":[\"read\"],\"names\":[\"find\"]}]") != NULL, "%s", text.ptr);
    CHECK(strstr(text.ptr, "\"reason\":\"the server's list changed\"") != NULL, "%s", text.ptr);
    haft__buf_finish(&body);
    help_run_finish(&r);
}

/* The maximum number of tool names of a server in an event, and one more. */
TEST(the_tool_names_of_a_server_in_an_event_are_bounded)
{
    for (size_t more = 0; more <= 1; more++) {
        fixture w;
        haft__buf body;
        size_t count = HAFT__LIMIT_SEARCH_NAMES + more;
        haft__buf_init(&body, 1 << 20);
        fixture_init(&w, "agent; server=docs,a", "", "", 0);
        haft__mcp_tool *tools = test_alloc(count * sizeof(*tools));
        for (size_t i = 0; i < count; i++) {
            tools[i] = w.s.servers.tools[0];
        }
        w.s.servers.listings[0].tools = tools;
        w.s.servers.listings[0].tool_count = count;
        CHECK_INT(haft__resolve(&w.s.spec, NULL, w.s.servers.listings, 1, &w.arena, &w.offer, NULL),
                  HAFT_OK, "resolve");
        CHECK_INT(decide(&w), HAFT_OK, "decide");
        haft__input_tools_revealed(&body, &w.reveal);
        haft_str text = help_keep(haft__buf_str(&body));
        CHECK_INT(strstr(text.ptr, "\"names\":null") != NULL, more, "%zu more than the limit",
                  more);
        haft__buf_finish(&body);
        haft__arena_finish(&w.arena);
    }
}

/* Gives the tool a title so that the definitions, which `body` has between `start` and `end`, get
 * `bytes` long. */
static void fill_definition(haft__mcp_tool *tool, haft__buf *body, const char *start,
                            const char *end, size_t bytes)
{
    const char *first = strstr(help_keep(haft__buf_str(body)).ptr, start) + strlen(start);
    size_t taken = (size_t)(strstr(first, end) - first);
    size_t room = bytes - taken - strlen(",\"title\":\"\"");
    char *text = test_alloc(room);
    memset(text, 'x', room);
    haft__json_member *members = test_alloc(3 * sizeof(*members));
    members[0] = tool->input_schema.members[0];
    members[1] = tool->input_schema.members[1];
    members[2] = (haft__json_member){haft__json_string(HAFT__LIT("title")),
                                     haft__json_string((haft_str){text, room})};
    tool->input_schema = haft__json_object(members, 3);
}

/* Definitions that fill the limit of an event, and one byte more. */
TEST(definitions_fit_up_to_the_limit)
{
    for (size_t more = 0; more <= 1; more++) {
        fixture w;
        haft__buf body;
        haft__buf_init(&body, (size_t)16 << 20);
        fixture_init(&w, "agent; max_mcp=9; server=docs,one,two", "docs:one,docs:two", "", 0);
        CHECK_INT(decide(&w), HAFT_OK, "decide with small definitions");
        w.reveal.shown = 1;
        haft__input_tools_revealed(&body, &w.reveal);
        fill_definition(&w.s.servers.tools[0], &body, "\"tools\":[", "],\"query\"",
                        HAFT__LIMIT_MCP_REVEALED_BYTES + more);
        CHECK_INT(decide(&w), HAFT_OK, "decide with a large definition");
        CHECK_INT(w.reveal.count, 1, "%zu more than the limit", more);
        CHECK_STR(w.reveal.items[0].tool->name,
                  more == 0 ? HAFT__LIT("docs:one") : HAFT__LIT("docs:two"),
                  "%zu more than the limit", more);
        haft__buf_finish(&body);
        haft__arena_finish(&w.arena);
    }
}

#define BOUND "agent; provider=anthropic; model=claude-haiku-5-5; "

TEST(the_first_search_has_the_definitions_of_tools_that_are_declared_deferred)
{
    static const struct {
        const char *spec, *found, *call, *deferred;
    } rows[] = {
        {BOUND "server=docs,a,b,c", "docs:b", "", " docs:a docs:c"},
        {BOUND "server=docs,a,b!changed,c; server=mail,d", "", "", " docs:a docs:c mail:d"},
        {BOUND "mcp_deny=docs:a; server=docs,a,b", "", "", " docs:b"},
        {BOUND "server=docs,a,b,c", "docs:b", "c1.1", ""},
        {BOUND "format=hermes; server=docs,a,b", "docs:b", "", ""},
        {BOUND "no_search; server=docs,a,b", "", "", ""},
        {"agent; provider=anthropic; model=claude-opus-4-6; server=docs,a,b", "", "", ""},
        {"agent; provider=openai; model=gpt-6.1-sol; server=docs,a,b", "", "", ""},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        fixture w;
        haft__buf found;
        haft__buf_init(&found, 1 << 16);
        fixture_init(&w, rows[i].spec, rows[i].found, rows[i].call, 0);
        CHECK_INT(decide(&w), HAFT_OK, "row %zu", i);
        for (size_t k = 0; k < w.reveal.deferred_count; k++) {
            haft__buf_addf(&found, " %.*s", HAFT__ARG(w.reveal.deferred[k].tool->name));
        }
        CHECK_STR(haft__buf_str(&found), haft__str(rows[i].deferred), "row %zu", i);
        haft__buf_clear(&found);
        haft__input_tools_revealed(&found, &w.reveal);
        CHECK_INT(strstr(help_keep(haft__buf_str(&found)).ptr, "\"deferred_tools\":[") != NULL,
                  rows[i].deferred[0] != '\0', "row %zu", i);
        haft__buf_finish(&found);
        haft__arena_finish(&w.arena);
    }
}

/* A definition that fills the limit, and one byte more. A tool after it is smaller and fits. */
TEST(deferred_definitions_fit_up_to_the_limit)
{
    for (size_t more = 0; more <= 1; more++) {
        fixture w;
        haft__buf body;
        haft__buf_init(&body, (size_t)16 << 20);
        fixture_init(&w, BOUND "server=docs,one,two", "", "", 0);
        CHECK_INT(decide(&w), HAFT_OK, "decide with small definitions");
        w.reveal.deferred_count = 1;
        haft__input_tools_revealed(&body, &w.reveal);
        fill_definition(&w.s.servers.tools[0], &body, "\"deferred_tools\":[", "],\"share\"",
                        HAFT__LIMIT_SEARCH_DEFERRED_BYTES + more);
        CHECK_INT(decide(&w), HAFT_OK, "decide with a large definition");
        CHECK_INT(w.reveal.deferred_count, 1, "%zu more than the limit", more);
        CHECK_STR(w.reveal.deferred[0].tool->name,
                  more == 0 ? HAFT__LIT("docs:one") : HAFT__LIT("docs:two"),
                  "%zu more than the limit", more);
        haft__buf_finish(&body);
        haft__arena_finish(&w.arena);
    }
}

TEST(a_search_is_needed_only_if_tools_are_deferred)
{
    static const struct {
        const char *spec;
        bool wanted;
    } rows[] = {
        {"agent", false},
        {"agent; server=docs,search", true},
        {"agent; no_search; server=docs,search", false},
        {"agent; server=docs!disabled,search", false},
        {"agent; server=docs!disabled,search; server=mail", true},
        {"agent; mcp_deny=docs:*; server=docs,search", false},
        {"agent; builtin_deny=tool_search; server=docs,search", false},
        {"agent; builtin_allow=grep; server=docs,search", false},
        {"agent; builtin_allow=tool_*; server=docs,search", true},
        {"agent; tools=look; context=1000; own_bytes=404", true},
        {"agent; tools=look; context=1000; own_bytes=400", false},
        {"agent; tools=look; context=1000; own_bytes=404; schedule=look", false},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        haft__arena arena;
        help_spec s;
        haft__arena_init(&arena, 0);
        help_spec_init(&s, &arena, haft__str(rows[i].spec));
        CHECK_INT(haft__reveal_is_needed(&s.spec), rows[i].wanted, "%s", rows[i].spec);
        haft__arena_finish(&arena);
    }
}

TEST(revealing_survives_failed_allocations)
{
    for (unsigned n = 0;; n++) {
        fixture w;
        haft__arena made;
        haft__arena_init(&made, 0);
        fixture_init(&w, "agent; tools=look; server=docs,search,write", "docs:write", "", 0);
        test_fail_allocation(n);
        haft_status status = haft__reveal_decide(&w.ask, &made, HELP_KEY, &w.reveal, NULL);
        bool failed = test_allow_allocations();
        CHECK_INT(status, failed ? HAFT_NO_MEMORY : HAFT_OK, "allocation %u", n);
        haft__arena_finish(&made);
        haft__arena_finish(&w.arena);
        if (!failed) {
            CHECK(n > 1, "no allocation was made");
            break;
        }
    }
}

TEST(a_server_entry_has_its_state_and_the_omitted_tools)
{
    for (size_t more = 0; more <= 1; more++) {
        haft__arena arena;
        haft__buf body;
        haft__json rows[HAFT__LIMIT_MCP_LEFT_OUT + 1];
        haft__arena_init(&arena, 0);
        haft__buf_init(&body, 1 << 20);
        for (size_t i = 0; i < COUNT(rows); i++) {
            rows[i] = haft__json_string(HAFT__LIT("row"));
        }
        haft__mcp_listing listing = {.server = HAFT__LIT("docs"),
                                     .state = HAFT__LIT("known"),
                                     .error = HAFT__LIT(""),
                                     .stderr_lines = HAFT__LIT("one\ntwo"),
                                     .hash = HAFT__LIT("abc"),
                                     .warning = HAFT__LIT("it is damaged"),
                                     .left_out =
                                         haft__json_array(rows, HAFT__LIMIT_MCP_LEFT_OUT + more),
                                     .left_out_all = 99};
        haft__spec spec = {0};
        haft__offer offer = {0};
        haft__reveal reveal = {.request = {.spec = &spec,
                                           .listings = &listing,
                                           .listing_count = 1,
                                           .offer = &offer,
                                           .call = HAFT__LIT("c1.1")}};
        haft__input_tools_revealed(&body, &reveal);
        haft__buf_add_char(&body, '\0');
        size_t listed = 0;
        for (const char *at = body.ptr; (at = strstr(at, "\"row\"")) != NULL; at++) {
            listed++;
        }
        CHECK_INT(listed, HAFT__LIMIT_MCP_LEFT_OUT, "rows listed, with %zu above the limit", more);
        CHECK(strstr(body.ptr, "\"error\":null,\"stderr\":\"one\\ntwo\",\"hash\":\"abc\","
                               "\"warning\":\"it is damaged\","
                               "\"left_out\":[")
                  != NULL,
              "%s", body.ptr);
        CHECK(strstr(body.ptr, "],\"left_out_all\":99,\"names\":null}]") != NULL, "%s", body.ptr);
        haft__buf_finish(&body);
        haft__arena_finish(&arena);
    }
}
