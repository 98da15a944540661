/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/run/offer.c: which tools a model sees, in which format, and what is known of them.
 */
#include "run/offer.h"

#include "run_help.h"

static const struct {
    const char *tool, *mcp, *databases, *format;
    bool offered;
    const char *reason;
} offers[] = {
    {"look", "null", "null", "native", true, "declared in the spec"},
    {"pick!headless", "null", "null", "native", true, "declared in the spec"},
    {"grep", "null", "null", "native", true, "a built-in, enabled"},
    {"read_result", "null", "null", "native", true, "a built-in, enabled"},
    {"python_execution", "null", "null", "native", false,
     "needs the codemode format, which is not enabled"},
    {"python_execution", "null", "null", "codemode", true, "a built-in, enabled"},
    {"tool_search", "null", "null", "native", false,
     "needs deferred tools, and there are no MCP servers"},
    {"tool_search", "{}", "null", "native", false,
     "needs deferred tools, and there are no MCP servers"},
    {"tool_search", "{\"servers\":{\"docs\":{}}}", "null", "native", true, "a built-in, enabled"},
    {"execute_sql", "null", "{}", "native", false, "needs a database, and none is configured"},
    {"execute_sql", "null", "{\"shop\":{}}", "native", true, "a built-in, enabled"},
    {"search_schemas", "null", "null", "native", false, "needs a database, and none is configured"},
    {"search_schemas", "null", "{\"shop\":{}}", "native", true, "a built-in, enabled"},
};

TEST(every_tool_gets_a_verdict_and_a_reason)
{
    for (size_t i = 0; i < COUNT(offers); i++) {
        char words[64];
        haft__arena arena;
        haft__arena_init(&arena, 0);
        help_spec s;
        (void)snprintf(words, sizeof(words), "agent; tools=%s", offers[i].tool);
        help_spec_init(&s, &arena, haft__str(words));
        haft_str format = haft__str(offers[i].format);
        s.spec.formats = &format;
        s.spec.mcp = help_json(&arena, offers[i].mcp);
        s.spec.databases = help_json(&arena, offers[i].databases);
        haft__offer offer = haft__offer_look(&s.spec, s.spec.tools.items[0]);
        CHECK(offer.tool == s.spec.tools.items[0], "%s", offers[i].tool);
        CHECK_INT(offer.offered, offers[i].offered, "%s", offers[i].tool);
        CHECK_STR(haft__str(offer.reason), haft__str(offers[i].reason), "%s", offers[i].tool);
        haft__arena_finish(&arena);
    }
}

TEST(a_tool_of_the_spec_with_a_built_ins_name_needs_nothing)
{
    haft__spec spec = {.mcp = haft__json_null(), .databases = haft__json_null()};
    haft__tool tool = {.name = HAFT__LIT("execute_sql"), .source = HAFT__TOOL_FUNCTION};
    CHECK(haft__offer_look(&spec, &tool).offered, "it is not the built-in");
}

static const struct {
    const char *formats[3];
    bool native;
    const char *format, *reason;
} formats[] = {
    {{"native", "hermes"}, true, "native", "preferred, and available"},
    {{"native", "hermes"},
     false,
     "hermes",
     "the first enabled one available: the model has no native calls"},
    {{"hermes", "native"}, true, "hermes", "preferred, and available"},
    {{"native"}, false, "native", "nothing else is enabled"},
    {{NULL}, true, "native", "nothing else is enabled"},
    {{"codemode", "native"}, true, "native", "the first enabled one available"},
    {{"codemode", "purejson"}, false, "purejson", "the first enabled one available"},
    {{"codemode"}, true, "native", "code cannot be run here, and nothing else is enabled"},
};

TEST(the_format_is_the_first_that_is_available)
{
    for (size_t i = 0; i < COUNT(formats); i++) {
        haft_str names[3];
        haft__spec spec = {.formats = names, .model = {.native_tools = formats[i].native}};
        for (; formats[i].formats[spec.format_count] != NULL; spec.format_count++) {
            names[spec.format_count] = haft__str(formats[i].formats[spec.format_count]);
        }
        const char *reason = NULL;
        CHECK_STR(haft__offer_format(&spec, &reason), haft__str(formats[i].format), "case %zu", i);
        CHECK_STR(haft__str(reason), haft__str(formats[i].reason), "case %zu", i);
    }
}

TEST(facts_are_what_has_happened)
{
    help_run r;
    help_run_init(&r, "agent; calls=3; tools=look,python_execution,send!approval,find,tally",
                  "{\"replies\":[{\"calls\":[{\"name\":\"look\"},{\"name\":\"send\"},{\"name\":"
                  "\"find\",\"raw\":\"{\"}]}],\"results\":{\"look\":{\"error\":\"no\"}}}");
    CHECK_INT(help_run_go(&r), HAFT_OK, "%s", r.err.message);
    CHECK_INT(help_run_answer(&r, "c1.2", "reject", "null"), HAFT_OK, "%s", r.err.message);
    haft__choice_facts facts;
    CHECK_INT(haft__offer_facts(&r.drive.run, &r.arena, &facts, &r.err), HAFT_OK, "%s",
              r.err.message);
    static const struct {
        const char *name;
        bool finished, rejected;
    } wanted[] = {{"look", true, false},
                  {"send", false, true},
                  {"find", false, false},
                  {"tally", false, false}};
    CHECK_INT(facts.tool_count, COUNT(wanted), "those that are offered");
    for (size_t i = 0; i < COUNT(wanted); i++) {
        CHECK_STR(facts.tools[i].name, haft__str(wanted[i].name), "%zu", i);
        CHECK_INT(facts.tools[i].finished, wanted[i].finished, "%s", wanted[i].name);
        CHECK_INT(facts.tools[i].rejected, wanted[i].rejected, "%s", wanted[i].name);
    }
    CHECK_INT(facts.turn, r.drive.run.turn + 1, "the next turn");
    CHECK(facts.spent.what == NULL, "nothing is used up");
    r.drive.run.worked_ms = 600000;
    CHECK_INT(haft__offer_facts(&r.drive.run, &r.arena, &facts, &r.err), HAFT_OK, "%s",
              r.err.message);
    CHECK(facts.spent.what != NULL && strcmp(facts.spent.what, "wall") == 0, "time is used up");
    haft__arena arena;
    haft__arena_init(&arena, 0);
    test_fail_allocation(0);
    haft_status status = haft__offer_facts(&r.drive.run, &arena, &facts, &r.err);
    CHECK(test_allow_allocations() && status == HAFT_NO_MEMORY, "no memory");
    haft__arena_finish(&arena);
    help_run_finish(&r);
}
