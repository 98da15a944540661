/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/run/fold/tools.c: tools that an event reveals, and definitions that are wrong. */
#include "run/decide/decide.h"
#include "run/offer/resolve.h"
#include "run/run_help.h"
#include "tool/wire_name.h"

#define HASH64 "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
#define STARTED                                                                                    \
    "\"kind\":\"run_started\",\"version\":1,\"spec\":\"" HASH64                                    \
    "\",\"name\":\"n\",\"task\":\"t\",\"thread\":\"" HELP_THREAD "\",\"parent\":null,"             \
    "\"user\":null}"
#define TOOL                                                                                       \
    "{\"name\":\"docs:search\",\"score\":null,\"server\":\"docs\",\"description\":\"Searches.\","  \
    "\"input_schema\":{\"type\":\"object\"},\"output_schema\":null,\"traits\":{\"read_only\":"     \
    "true,\"lane\":\"docs\"},\"hash\":\"h1\"}"
#define REVEALED(tools)                                                                            \
    "\"kind\":\"tools_revealed\",\"tools\":[" tools "],\"query\":null,\"call\":null,"              \
    "\"servers\":[]}"
#define HIDDEN(tools) "\"kind\":\"tools_hidden\",\"tools\":" tools ",\"cap\":1}"
#define TURN                                                                                       \
    "\"kind\":\"turn_started\",\"turn\":1,\"mode\":\"auto\",\"tool\":null,\"allowed\":["           \
    "\"docs:search\"],\"declared\":[],\"format\":\"native\",\"reason\":\"\",\"gate\":null,"        \
    "\"final\":false}"

typedef struct world {
    haft__arena arena;
    help_spec spec;
    haft__run run;
    haft_error err;
} world;

static haft_status fold(world *w, const char *body)
{
    haft__buf line;
    haft__buf_init(&line, 1 << 20);
    haft__event_write(&line, w->run.seq + 1, 1000, HAFT__LIT(HELP_RUN), haft__str(body));
    haft_status status = haft__run_fold(&w->run, haft__buf_str(&line), &w->err);
    haft__buf_finish(&line);
    return status;
}

static void world_init(world *w, const char *words)
{
    *w = (world){0};
    haft__arena_init(&w->arena, 0);
    help_spec_init(&w->spec, &w->arena, haft__str(words));
    CHECK_INT(haft__run_init(&w->run, &w->arena, &w->spec.spec, HELP_KEY, NULL), HAFT_OK, "init");
    CHECK_INT(fold(w, STARTED), HAFT_OK, "%s", w->err.message);
}

TEST(a_revealed_tool_belongs_to_the_run)
{
    world w;
    world_init(&w, "agent; tools=look");
    CHECK(w.run.tools == &w.spec.spec.tools, "at first the run has the tools of the spec");
    CHECK_INT(fold(&w, REVEALED("")), HAFT_OK, "%s", w.err.message);
    CHECK(w.run.tools == &w.spec.spec.tools && w.run.initial_search_done, "nothing was revealed");
    CHECK_INT(fold(&w, REVEALED(TOOL)), HAFT_OK, "%s", w.err.message);
    const haft__tool *tool = haft__tools_find(w.run.tools, HAFT__LIT("docs:search"));
    haft__wire_name wire = haft__wire_name_encode(HAFT__LIT("docs:search"));
    CHECK_INT(w.run.tools->count, 2, "number of tools");
    CHECK(w.run.tools->items[0] == w.spec.spec.tools.items[0], "tools of the spec come first");
    CHECK(tool != NULL && haft__run_tool_index(&w.run, tool) == 1,
          "the revealed tool comes second");
    CHECK(haft__wire_name_find_tool(w.run.tools, haft__wire_name_str(&wire)) == tool,
          "found by its wire name");
    if (tool == NULL) {
        haft__arena_finish(&w.arena);
        return;
    }
    CHECK(tool->source == HAFT__TOOL_MCP && tool->role == HAFT__ROLE_DATA,
          "source and role of the tool");
    CHECK(tool->traits.read_only && haft__str_equal(tool->traits.lane, HAFT__LIT("docs")),
          "traits of the tool");
    CHECK(tool->schema != NULL, "its schema is compiled");
    const struct {
        const char *key, *text;
    } parts[] = {{"server", "docs"}, {"tool", "search"}, {"hash", "h1"}};
    for (size_t i = 0; i < COUNT(parts); i++) {
        const haft__json *part = haft__json_get(tool->definition, haft__str(parts[i].key));
        CHECK_STR(haft__json_text(*part), haft__str(parts[i].text), "%s", parts[i].key);
    }
    CHECK_INT(w.spec.spec.tools.count, 1, "the spec stays as it was");
    CHECK_INT(fold(&w, TURN), HAFT_OK, "%s", w.err.message);
    CHECK(!w.run.allowed[0] && w.run.allowed[1], "only the revealed tool is allowed");
    haft__arena_finish(&w.arena);
}

TEST(an_evicted_tool_is_not_declared_and_can_be_called)
{
    world w;
    haft__request request;
    haft__effect effect = {.kind = HAFT__EFFECT_END};
    haft__decider decider;
    world_init(&w, "agent; tools=look");
    CHECK_INT(haft__decider_init(&decider, NULL), HAFT_OK, "init");
    CHECK_INT(fold(&w, REVEALED(TOOL)), HAFT_OK, "%s", w.err.message);
    CHECK_INT(fold(&w, HIDDEN("[\"docs:search\"]")), HAFT_OK, "%s", w.err.message);
    CHECK_INT(haft__decide(&decider, &w.run, 1000, &effect, &w.err), HAFT_OK, "%s", w.err.message);
    haft_str turn = help_keep(effect.body);
    CHECK(strstr(turn.ptr, "\"allowed\":[\"look\",\"docs:search\"],\"declared\":[\"look\"]")
              != NULL,
          "%s", turn.ptr);
    CHECK_INT(haft__decide_request(&w.run, &w.arena, &request, NULL), HAFT_OK, "make the request");
    CHECK_INT(request.tool_count, 1, "declared tools");
    CHECK_INT(fold(&w, HIDDEN("[\"docs:search\"]")), HAFT_BAD_INPUT, "a tool is evicted twice");
    haft__decider_finish(&decider);
    haft__arena_finish(&w.arena);
    world_init(&w, "agent; tools=look");
    CHECK_INT(fold(&w, REVEALED(TOOL)), HAFT_OK, "%s", w.err.message);
    CHECK_INT(fold(&w, HIDDEN("[\"docs:search\"]")), HAFT_OK, "%s", w.err.message);
    CHECK_INT(fold(&w, REVEALED(TOOL)), HAFT_OK, "reveal the tool again: %s", w.err.message);
    CHECK_INT(haft__decide_request(&w.run, &w.arena, &request, NULL), HAFT_OK, "make the request");
    CHECK_INT(request.tool_count, 2, "declared tools after the second search");
    haft__arena_finish(&w.arena);
}

#define RELISTED(servers)                                                                          \
    "\"kind\":\"tools_revealed\",\"tools\":[],\"query\":\"\",\"call\":null,\"servers\":[" servers  \
    "],\"automatic\":false,\"listed\":[],\"cap\":2,\"deferred\":0,\"share\":null,\"reason\":"      \
    "\"so\"}"
#define ROW(name, rest)                                                                            \
    "{\"name\":\"" name "\",\"state\":\"used\",\"tools\":1,\"error\":null," rest "}"

/* A server lists other tools than before: a tool that is gone is not offered until it is back, and
 * the state of other servers is unchanged. */
TEST(a_tool_that_is_gone_is_not_offered)
{
    static const struct {
        const char *body;
        bool gone, unnamed;
        size_t names, servers;
    } rows[] = {
        {RELISTED(ROW("docs", "\"gone\":[\"search\"],\"names\":[\"a\",\"b\"]")), true, false, 2, 1},
        {RELISTED(ROW("mail", "\"names\":[\"search\"]")), true, false, 2, 2},
        {RELISTED(ROW("docs", "\"gone\":[\"search\"],\"names\":null")), true, true, 2, 2},
        {RELISTED(ROW("docs", "\"names\":[\"search\"]")), false, false, 1, 2},
        {RELISTED(ROW("docs", "\"gone\":[\"other\"],\"names\":[]")), false, false, 0, 2},
    };
    world w;
    world_init(&w, "agent; tools=look");
    CHECK_INT(fold(&w, REVEALED(TOOL)), HAFT_OK, "%s", w.err.message);
    for (size_t i = 0; i < COUNT(rows); i++) {
        CHECK_INT(fold(&w, rows[i].body), HAFT_OK, "row %zu: %s", i, w.err.message);
        haft__verdict verdict = haft__resolve_index(&w.run, 1);
        CHECK_INT(verdict.reason, rows[i].gone ? HAFT__REASON_GONE : HAFT__REASON_REVEALED,
                  "row %zu", i);
        const haft__run_server *server = haft__run_find_server(&w.run, HAFT__LIT("docs"));
        CHECK(server != NULL && server->unnamed == rows[i].unnamed, "row %zu", i);
        CHECK_INT(server->name_count, rows[i].names, "row %zu: names", i);
        CHECK_INT(w.run.server_count, rows[i].servers, "row %zu: servers", i);
    }
    CHECK_INT(fold(&w, RELISTED("")), HAFT_BAD_INPUT, "without a server");
    CHECK(haft__run_find_server(NULL, HAFT__LIT("docs")) == NULL, "no run");
    haft__arena_finish(&w.arena);
}

/* A definition with one changed part. */
static haft_str changed(const char *old, const char *new)
{
    const char *body = REVEALED(TOOL), *at = strstr(body, old);
    haft__buf buf;
    haft__buf_init(&buf, 1 << 16);
    CHECK(at != NULL, "there is no %s", old);
    haft__buf_add(&buf, body, at != NULL ? (size_t)(at - body) : 0);
    haft__buf_addf(&buf, "%s%s", new, at != NULL ? at + strlen(old) : "");
    haft_str made = help_keep(haft__buf_str(&buf));
    haft__buf_finish(&buf);
    return made;
}

TEST(definitions_that_are_wrong_are_refused)
{
#define WHY "tools_revealed is not valid here: "
#define IT  WHY "the tool \"docs:search\" "
    static const struct {
        const char *old, *new, *message;
    } rows[] = {
        {"[" TOOL "]", "null", WHY "it has no list of tools"},
        {"[" TOOL "]", "{}", WHY "it has no list of tools"},
        {TOOL, TOOL "," TOOL, IT "exists already"},
        {"[" TOOL "]", "[" TOOL "],\"deferred_tools\":[" TOOL "]", IT "exists already"},
        {"[" TOOL "]", "[],\"deferred_tools\":[7]",
         WHY "the tool \"\" is not named after its server"},
        {TOOL, "7", WHY "the tool \"\" is not named after its server"},
        {"\"docs:search\"", "\"look\"", WHY "the tool \"look\" exists already"},
        {"\"docs:search\"", "\"other:search\"",
         WHY "the tool \"other:search\" is not named after its server"},
        {"\"docs:search\"", "\"docs:\"", WHY "the tool \"docs:\" is not named after its server"},
        {"\"server\":\"docs\"", "\"server\":\"\"", IT "is not named after its server"},
        {"\"docs:search\"", "\"docs:a b\"", NULL},
        {"\"hash\":\"h1\"", "\"hash\":null", IT "has no hash"},
        {"\"description\":\"Searches.\"", "\"description\":\"\"",
         IT "cannot be used: the tool has no description"},
        {"{\"type\":\"object\"}", "null", IT "cannot be used: expected a JSON Schema, found null"},
        {"{\"type\":\"object\"}", "{\"type\":\"object\",\"minProperties\":-1}", NULL},
        {"\"read_only\":true", "\"read_only\":1", NULL},
        {"\"read_only\":true", "\"retries\":2", NULL},
        {"\"traits\":{\"read_only\":true,\"lane\":\"docs\"}", "\"traits\":null", NULL},
        {"\"call\":null", "\"call\":\"c1.1\"", WHY "its call is not running"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        world w;
        world_init(&w, "agent; tools=look");
        haft_str body = changed(rows[i].old, rows[i].new);
        CHECK_INT(fold(&w, body.ptr), HAFT_BAD_INPUT, "%s", body.ptr);
        CHECK(w.err.message[0] != '\0', "%s", body.ptr);
        if (rows[i].message != NULL) {
            CHECK_STR(haft__str(w.err.message), haft__str(rows[i].message), "%s", body.ptr);
        }
        haft__arena_finish(&w.arena);
    }
}

TEST(tools_are_revealed_between_turns_or_by_a_call)
{
    static const char *const hidden[] = {HIDDEN("null"), HIDDEN("[\"look\"]"), HIDDEN("[7]"),
                                         HIDDEN("[\"docs:none\"]")};
    world w;
    world_init(&w, "agent; tools=look,docs:search");
    CHECK_INT(fold(&w, TURN), HAFT_OK, "%s", w.err.message);
    CHECK_INT(fold(&w, REVEALED("")), HAFT_BAD_INPUT, "revealed during a request");
    CHECK_STR(
        haft__str(w.err.message),
        HAFT__LIT(
            "tools_revealed is not valid here: tools are revealed only between turns or by a call"),
        "error message");
    haft__arena_finish(&w.arena);
    for (size_t i = 0; i < COUNT(hidden); i++) {
        world_init(&w, "agent; tools=look");
        CHECK_INT(fold(&w, hidden[i]), HAFT_BAD_INPUT, "%s", hidden[i]);
        haft__arena_finish(&w.arena);
    }
}

/* The maximum number of tools, and one more. */
TEST(the_number_of_tools_of_a_run_is_bounded)
{
    static const char entry[] =
        "%s{\"name\":\"s:t%d\",\"score\":null,\"server\":\"s\",\"description\":\"x\","
        "\"input_schema\":{\"type\":\"object\"},\"output_schema\":null,\"traits\":{},"
        "\"hash\":\"h\"}";
    for (int more = 0; more <= 1; more++) {
        world w;
        haft__buf body;
        haft__buf_init(&body, (size_t)16 << 20);
        haft__buf_add_str(&body, HAFT__LIT("\"kind\":\"tools_revealed\",\"tools\":["));
        for (int i = 1; i < HAFT__LIMIT_CHOICE_TOOLS + more; i++) {
            char one[256];
            (void)snprintf(one, sizeof(one), entry, i > 1 ? "," : "", i);
            haft__buf_add_str(&body, haft__str(one));
        }
        haft__buf_addf(&body, "]}%c", '\0');
        world_init(&w, "agent; tools=look");
        haft__buf line;
        haft__buf_init(&line, (size_t)16 << 20);
        haft__event_write(&line, 2, 1000, HAFT__LIT(HELP_RUN), (haft_str){body.ptr, body.len - 1});
        CHECK_INT(haft__run_fold(&w.run, haft__buf_str(&line), &w.err),
                  more == 0 ? HAFT_OK : HAFT_BAD_INPUT, "%d more than the limit: %s", more,
                  w.err.message);
        haft__buf_finish(&line);
        haft__buf_finish(&body);
        haft__arena_finish(&w.arena);
    }
}

TEST(revealing_survives_every_failed_allocation)
{
    for (unsigned n = 0;; n++) {
        world w;
        world_init(&w, "agent; tools=look");
        haft__buf line;
        haft__buf_init(&line, 1 << 20);
        haft__event_write(&line, 2, 1000, HAFT__LIT(HELP_RUN), haft__str(REVEALED(TOOL)));
        test_fail_allocation(n);
        haft_status status = haft__run_fold(&w.run, haft__buf_str(&line), NULL);
        bool failed = test_allow_allocations();
        CHECK_INT(status, failed ? HAFT_NO_MEMORY : HAFT_OK, "allocation %u", n);
        haft__buf_finish(&line);
        haft__arena_finish(&w.arena);
        if (!failed) {
            CHECK(n > 0, "no allocation was made");
            break;
        }
    }
}
