/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/tool/declare_tool.c. */
#include "base/limits.h"
#include "declare_help.h"
#include "test.h"
#include "tool/registry.h"

static haft_reply run_nothing(haft_call *call, const void *args)
{
    (void)args;
    return haft_replyf(call, "nothing");
}

static haft_tool by_hand(void)
{
    haft_tool tool = HAFT_TOOL_INIT;
    tool.name = "docs:count";
    tool.description = "Count the words of a document.";
    tool.input_schema = "{\"type\":\"object\",\"properties\":{\"n\":{\"type\":\"integer\"}}}";
    tool.run = run_nothing;
    return tool;
}

TEST(declared_tools_go_into_a_registry)
{
    haft__arena arena;
    haft__arena_init(&arena, 0);
    haft__tools tools;
    haft__tools_init(&tools, &arena, (haft__hash_key){1, 2});
    for (size_t i = 0; help_tools()[i] != NULL; i++) {
        haft__tool tool = {0};
        haft_error err = {0};
        const haft_tool *declared = help_tools()[i];
        haft_status status = haft__declare_tool(&arena, declared, &tool, &err);
        CHECK_INT(status, HAFT_OK, "%s: %s %s", declared->name, err.where, err.message);
        status = haft__tools_add(&tools, &tool, &err);
        CHECK_INT(status, HAFT_OK, "%s: %s %s", declared->name, err.where, err.message);
        CHECK_STR(tool.name, haft__str(declared->name), "name");
        CHECK_STR(tool.description, haft__str(declared->description), "description");
        CHECK(tool.name.ptr != declared->name, "%s: the name is not copied", declared->name);
        CHECK(tool.source == HAFT__TOOL_FUNCTION && tool.role == HAFT__ROLE_DATA && tool.typed
                  && tool.traits_given && tool.function != NULL
                  && tool.function->run == declared->run,
              "%s", declared->name);
    }
    const haft__tool *sixteen = haft__tools_find(&tools, HAFT__LIT("sixteen"));
    const haft__tool *nothing = haft__tools_find(&tools, HAFT__LIT("nothing"));
    CHECK(sixteen->traits.read_only && sixteen->traits.cost == HAFT__COST_FREE,
          "traits of HAFT_TOOL_WITH");
    CHECK(!nothing->traits.read_only && nothing->traits.cost == HAFT__COST_LIGHT,
          "default traits of HAFT_TOOL");
    CHECK_INT(nothing->traits.timeout_ms, HAFT__TRAITS_TIMEOUT_MS, "default timeout");
    haft__arena_finish(&arena);
}

TEST(hand_written_tool_structs_are_read)
{
    haft__arena arena;
    haft__arena_init(&arena, 0);
    haft__tool made = {0};
    haft_error err = {0};
    haft_tool tool = by_hand();
    tool.output_schema = "{\"type\":\"integer\"}";
    tool.traits = HAFT_IDEMPOTENT | HAFT_DESTRUCTIVE | HAFT_RETURN_DIRECT | HAFT_NEEDS_APPROVAL
                  | HAFT_COST_HEAVY | HAFT_CACHE_THREAD;
    tool.timeout_ms = 5000;
    tool.retries = 2;
    tool.cache_ms = 300000;
    tool.lane = "disk";
    CHECK_INT(haft__declare_tool(&arena, &tool, &made, &err), HAFT_OK, "%s", err.message);
    CHECK_STR(help_text(made.input_schema), haft__str(tool.input_schema), "input schema");
    CHECK_STR(help_text(made.output_schema), haft__str(tool.output_schema), "output schema");
    haft__traits traits = made.traits;
    CHECK(!traits.read_only && traits.idempotent && traits.destructive && traits.return_direct
              && traits.needs_approval && traits.cost == HAFT__COST_HEAVY
              && traits.cache == HAFT__CACHE_THREAD,
          "traits that are flags");
    CHECK(traits.timeout_ms == 5000 && traits.retries == 2 && traits.cache_ttl_ms == 300000,
          "traits that are numbers");
    CHECK_STR(traits.lane, HAFT__LIT("disk"), "lane");
    tool.traits = HAFT_CACHE_RUN;
    CHECK_INT(haft__declare_tool(&arena, &tool, &made, &err), HAFT_OK, "%s", err.message);
    CHECK(made.traits.cache == HAFT__CACHE_RUN && made.traits.cost == HAFT__COST_LIGHT,
          "cache of a run, default cost");
    tool.traits = HAFT_CACHE_GLOBAL;
    CHECK_INT(haft__declare_tool(&arena, &tool, &made, &err), HAFT_OK, "%s", err.message);
    CHECK(made.traits.cache == HAFT__CACHE_GLOBAL, "global cache");
    haft__arena_finish(&arena);
}

TEST(a_tool_without_a_function_is_headless)
{
    haft__arena arena;
    haft__arena_init(&arena, 0);
    haft__tool made = {0};
    haft_error err = {0};
    haft_tool tool = by_hand();
    tool.run = NULL;
    tool.input_schema = NULL;
    CHECK_INT(haft__declare_tool(&arena, &tool, &made, &err), HAFT_OK, "%s", err.message);
    CHECK(made.source == HAFT__TOOL_HEADLESS && made.function == NULL,
          "source and function of the tool");
    CHECK_STR(help_text(made.input_schema),
              HAFT__LIT("{\"type\":\"object\",\"properties\":{},\"required\":[],"
                        "\"additionalProperties\":false}"),
              "the schema without arguments");
    CHECK_INT(made.output_schema.kind, HAFT__JSON_NULL, "no output schema");
    haft__arena_finish(&arena);
}

/* A program built with an older, shorter struct, and one built with a newer, longer struct. */
TEST(the_struct_may_be_shorter_or_longer)
{
    struct future {
        haft_tool tool;
        void *more;
    } future = {by_hand(), NULL};
    haft__arena arena;
    haft__arena_init(&arena, 0);
    haft__tool made = {0};
    haft_error err = {0};
    future.tool.struct_size = sizeof(future);
    CHECK_INT(haft__declare_tool(&arena, &future.tool, &made, &err), HAFT_OK, "%s", err.message);
    future.tool.struct_size = offsetof(haft_tool, traits);
    future.tool.traits = 0xffffffffU; /* not read */
    CHECK_INT(haft__declare_tool(&arena, &future.tool, &made, &err), HAFT_OK, "%s", err.message);
    CHECK(!made.traits.read_only, "a member after struct_size was read");
    future.tool.struct_size--;
    CHECK_INT(haft__declare_tool(&arena, &future.tool, &made, &err), HAFT_BAD_INPUT,
              "a struct that is too short");
    CHECK_STR(haft__str(err.where), HAFT__LIT("/struct_size"), "%s", err.message);
    CHECK_STR(haft__str(err.hint),
              HAFT__LIT("start from HAFT_TOOL_INIT, or declare it with HAFT_TOOL"),
              "hint of the error");
    haft__arena_finish(&arena);
}

TEST(invalid_tool_structs_are_rejected)
{
    static const haft_object nothing = {0};
    static const struct {
        const haft_object *arguments;
        const char *input, *output;
        uint32_t traits;
        const char *where;
    } cases[] = {
        {&nothing, "{}", NULL, 0, "/input_schema"},
        {&nothing, NULL, NULL, 0, "/arguments"},
        {NULL, "{", NULL, 0, "/input_schema:1:2 (byte 1)"},
        {NULL, "{\"type\":\"object\",\"type\":\"object\"}", NULL, 0, "/input_schema:1:2 (byte 1)"},
        {NULL, NULL, "nul", 0, "/output_schema:1:4 (byte 3)"},
        {NULL, NULL, NULL, 0x1000, "/traits"},
        {NULL, NULL, NULL, HAFT_QUEUED, "/run"},
        {NULL, NULL, NULL, HAFT_COST_FREE | HAFT_COST_HEAVY, "/traits"},
        {NULL, NULL, NULL, HAFT_CACHE_RUN | HAFT_CACHE_GLOBAL, "/traits"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        haft__arena arena;
        haft__arena_init(&arena, 0);
        haft__tool made = {0};
        haft_error err = {0};
        haft_tool tool = by_hand();
        tool.arguments = cases[i].arguments;
        tool.input_schema = cases[i].input;
        tool.output_schema = cases[i].output;
        tool.traits = cases[i].traits;
        CHECK_INT(haft__declare_tool(&arena, &tool, &made, &err), HAFT_BAD_INPUT, "case %zu", i);
        CHECK_STR(haft__str(err.where), haft__str(cases[i].where), "%s", err.message);
        CHECK(made.name.ptr == NULL, "case %zu: the output was written", i);
        haft__arena_finish(&arena);
    }
}

/* Names and traits are checked for all tools in one place. */
TEST(the_registry_checks_names_descriptions_and_traits)
{
    haft__arena arena;
    haft__arena_init(&arena, 0);
    haft__tools tools;
    haft__tools_init(&tools, &arena, (haft__hash_key){1, 2});
    haft__tool made = {0};
    haft_error err = {0};
    haft_tool tool = HAFT_TOOL_INIT;
    CHECK_INT(haft__declare_tool(&arena, &tool, &made, &err), HAFT_OK, "%s", err.message);
    CHECK_INT(haft__tools_add(&tools, &made, &err), HAFT_BAD_INPUT, "no name");
    tool.name = "count";
    CHECK_INT(haft__declare_tool(&arena, &tool, &made, &err), HAFT_OK, "%s", err.message);
    CHECK_INT(haft__tools_add(&tools, &made, &err), HAFT_BAD_INPUT, "no description");
    tool = by_hand();
    tool.timeout_ms = HAFT__LIMIT_TOOL_TIMEOUT_MS + 1;
    CHECK_INT(haft__declare_tool(&arena, &tool, &made, &err), HAFT_OK, "%s", err.message);
    CHECK_INT(haft__tools_add(&tools, &made, &err), HAFT_TOO_BIG, "a timeout past the limit");
    CHECK_STR(haft__str(err.where), HAFT__LIT("docs:count#/traits/timeout"), "%s", err.message);
    tool.timeout_ms--;
    CHECK_INT(haft__declare_tool(&arena, &tool, &made, &err), HAFT_OK, "%s", err.message);
    CHECK_INT(haft__tools_add(&tools, &made, &err), HAFT_OK, "%s", err.message);
    haft__arena_finish(&arena);
}

TEST(declaring_survives_an_arena_of_every_size)
{
    haft_tool tool = by_hand();
    tool.output_schema = "{\"type\":\"integer\"}";
    tool.lane = "disk";
    unsigned failures = 0;
    bool made = false;
    for (size_t size = 16; !made && size < 65536; size += 16) {
        haft__arena arena;
        haft__arena_init(&arena, size);
        haft__tool to = {0};
        haft_status status = haft__declare_tool(&arena, &tool, &to, NULL);
        made = status == HAFT_OK;
        failures += !made;
        CHECK(made || status == HAFT_TOO_BIG, "%zu bytes: status %d", size, (int)status);
        haft__arena_finish(&arena);
    }
    CHECK(made && failures > 10, "%u failures", failures);
}
