/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/tool/registry.c. */
#include "tool/registry.h"

#include "base/limits.h"
#include "test.h"
#include "tool/wire_name.h"
#include "tool_help.h"

static const haft__hash_key key = {1, 2};

TEST(tools_are_found_and_keep_their_order)
{
    static const char *const names[] = {"read", "docs:search", "grep"};
    haft__arena arena;
    haft__arena_init(&arena, 0);
    haft__tools tools;
    haft__tools_init(&tools, &arena, key);
    CHECK(haft__tools_find(&tools, HAFT__LIT("read")) == NULL, "found in an empty registry");
    for (size_t i = 0; i < COUNT(names); i++) {
        haft__tool tool = help_tool(&arena, names[i]);
        haft_error err = {0};
        haft_status status = haft__tools_add(&tools, &tool, &err);
        CHECK_INT(status, HAFT_OK, "%s: %s %s", names[i], err.where, err.message);
        tool.name = HAFT__LIT("changed");
    }
    CHECK_INT(tools.count, COUNT(names), "number of tools");
    for (size_t i = 0; i < tools.count && i < COUNT(names); i++) {
        const haft__tool *tool = haft__tools_find(&tools, haft__str(names[i]));
        CHECK(tool == tools.items[i], "%s is at another place", names[i]);
        CHECK_STR(tools.items[i]->name, haft__str(names[i]), "name at place %zu", i);
        CHECK(tool != NULL && tool->schema != NULL, "%s has no compiled schema", names[i]);
    }
    CHECK(haft__tools_find(&tools, HAFT__LIT("search")) == NULL, "an unknown name");
    haft__arena_finish(&arena);
}

/* Tools with one error each. */
TEST(invalid_tools_are_rejected_by_the_registry)
{
    static const struct {
        const char *name, *description, *schema, *traits;
        const char *error;
    } cases[] = {
        {"a b", "Count words.", "{\"type\":\"object\"}", "{}",
         " | tool name 'a b' has byte 0x20 at 1 | use letters, digits and _ . / - or server:tool"},
        {"count", "", "{\"type\":\"object\"}", "{}",
         "count#/description | the tool has no description | "
         "say what it does and when to use it; the model reads that"},
        {"count", " \n", "{\"type\":\"object\"}", "{}",
         "count#/description | the tool has no description | "
         "say what it does and when to use it; the model reads that"},
        {"count", "caf\xc3", "{\"type\":\"object\"}", "{}",
         "count#/description | the description is not UTF-8 at byte 3 | "},
        {"count", "Count words.", "true", "{}",
         "count#/input_schema | expected a JSON Schema, found boolean | "},
        {"count", "Count words.", "null", "{}",
         "count#/input_schema | expected a JSON Schema, found null | "},
        {"count", "Count words.", "{}", "{}",
         "count#/input_schema/type | the arguments of a tool must be an object, but this schema "
         "does not have \"type\": \"object\" | put each argument into \"properties\" of an object"},
        {"count", "Count words.", "{\"type\":[\"object\"]}", "{}",
         "count#/input_schema/type | the arguments of a tool must be an object, but this schema "
         "does not have \"type\": \"object\" | put each argument into \"properties\" of an object"},
        {"s:count", "Count words.", "{\"type\":\"object\"}", "{\"retries\":1}",
         "s:count#/traits/retries | retries on a tool that is neither read_only nor idempotent | "
         "a second attempt could repeat the effect; set idempotent: true if it cannot, or remove "
         "retries"},
        {"count", "Count words.", "{\"type\":\"object\"}",
         "{\"read_only\":true,\"destructive\":true}",
         "count#/traits/destructive | a tool cannot be destructive and read_only | "},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        haft__arena arena;
        haft__arena_init(&arena, 0);
        haft__tools tools;
        haft__tools_init(&tools, &arena, key);
        haft__tool tool = help_tool(&arena, cases[i].name);
        haft_error err = {0};
        tool.description = haft__str(cases[i].description);
        tool.input_schema = help_json(&arena, cases[i].schema);
        haft_status status =
            haft__traits_read(help_json(&arena, cases[i].traits), &tool.traits, NULL);
        CHECK_INT(status, HAFT_OK, "case %zu", i);
        CHECK_INT(haft__tools_add(&tools, &tool, &err), HAFT_BAD_INPUT, "case %zu", i);
        CHECK_STR(help_error(&err), haft__str(cases[i].error), "case %zu", i);
        CHECK_INT(haft__tools_add(&tools, &tool, NULL), HAFT_BAD_INPUT,
                  "case %zu without an error to fill in", i);
        CHECK_INT(tools.count, 0, "case %zu: number of tools", i);
        CHECK(haft__tools_find(&tools, tool.name) == NULL, "case %zu: the tool is found", i);
        haft__arena_finish(&arena);
    }
}

TEST(a_schema_that_does_not_compile_is_reported)
{
    static const struct {
        const char *name, *schema, *where;
    } cases[] = {
        {"count", "{\"type\":\"object\",\"properties\":{\"n\":{\"type\":\"int\"}}}",
         "count#/input_schema/properties/n/type"},
        {"docs:count", "{\"type\":\"object\",\"required\":\"n\"}",
         "docs:count#/input_schema/required"},
        {"a_name_of_sixty_bytes_which_is_too_long_for_the_place_of_error",
         "{\"type\":\"object\",\"required\":1}",
         "a_name_of_sixty_bytes_which_is_too_long_#/input_schema/required"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        haft__arena arena;
        haft__arena_init(&arena, 0);
        haft__tools tools;
        haft__tools_init(&tools, &arena, key);
        haft__tool tool = help_tool(&arena, cases[i].name);
        haft_error err = {0};
        tool.input_schema = help_json(&arena, cases[i].schema);
        CHECK_INT(haft__tools_add(&tools, &tool, &err), HAFT_BAD_INPUT, "%s", cases[i].schema);
        CHECK_STR(haft__str(err.where), haft__str(cases[i].where), "%s", err.message);
        haft__arena_finish(&arena);
    }
}

TEST(the_length_of_a_description_is_limited)
{
    static char text[HAFT__LIMIT_TOOL_DESCRIPTION_BYTES + 1];
    memset(text, 'd', sizeof(text));
    haft__arena arena;
    haft__arena_init(&arena, 0);
    haft__tools tools;
    haft__tools_init(&tools, &arena, key);
    haft__tool tool = help_tool(&arena, "count");
    haft_error err = {0};
    tool.description = (haft_str){text, sizeof(text)};
    CHECK_INT(haft__tools_add(&tools, &tool, &err), HAFT_TOO_BIG, "past the limit");
    CHECK_STR(help_error(&err),
              HAFT__LIT("count#/description | the description has 16385 bytes, more than 16384 | "),
              "error message");
    tool.description.len--;
    CHECK_INT(haft__tools_add(&tools, &tool, &err), HAFT_OK, "at the limit: %s", err.message);
    haft__arena_finish(&arena);
}

static void add_pair(haft__tools *tools, const haft__tool *first, const haft__tool *second)
{
    haft_error err = {0};
    CHECK_INT(haft__tools_add(tools, first, &err), HAFT_OK, "first: %s", err.message);
    CHECK_INT(haft__tools_add(tools, second, &err), HAFT_OK, "second: %s", err.message);
}

/* A C function with a schema and the entry of the spec with its name, in both orders. */
TEST(a_typed_schema_has_precedence)
{
    for (int typed_first = 0; typed_first < 2; typed_first++) {
        for (int given = 0; given < 2; given++) {
            haft__arena arena;
            haft__arena_init(&arena, 0);
            haft__tools tools;
            haft__tools_init(&tools, &arena, key);
            haft__tool other = help_tool(&arena, "other");
            haft__tool typed = help_tool(&arena, "count"), plain = typed;
            typed.source = HAFT__TOOL_FUNCTION;
            typed.traits.read_only = typed.traits_given = true;
            typed.role = HAFT__ROLE_NEUTRAL;
            plain.typed = false;
            plain.description = HAFT__LIT("Count the words of a letter.");
            plain.source = HAFT__TOOL_HEADLESS;
            plain.traits.cost = HAFT__COST_HEAVY;
            plain.traits_given = given == 1;
            plain.input_schema = help_json(&arena, "{\"type\":\"object\",\"properties\":{}}");
            add_pair(&tools, typed_first ? &typed : &plain, &other);
            haft_error err = {0};
            haft_status status = haft__tools_add(&tools, typed_first ? &plain : &typed, &err);
            CHECK_INT(status, HAFT_OK, "%s", err.message);
            CHECK_INT(tools.count, 2, "number of tools");
            const haft__tool *both = haft__tools_find(&tools, HAFT__LIT("count"));
            CHECK(both == tools.items[0], "the merged tool is not at the first place");
            CHECK(both->typed && both->source == HAFT__TOOL_FUNCTION,
                  "typed and implemented by the function");
            CHECK(both->role == HAFT__ROLE_NEUTRAL, "role");
            CHECK_STR(both->description, plain.description, "description");
            CHECK_STR(help_text(both->input_schema), help_text(typed.input_schema), "schema");
            CHECK_INT(both->traits.cost, given ? HAFT__COST_HEAVY : HAFT__COST_LIGHT, "cost");
            CHECK_INT(both->traits.read_only, given ? false : true, "read_only");
            haft__arena_finish(&arena);
        }
    }
}

TEST(a_headless_typed_tool_takes_the_source_of_the_plain_one)
{
    haft__arena arena;
    haft__arena_init(&arena, 0);
    haft__tools tools;
    haft__tools_init(&tools, &arena, key);
    haft__tool typed = help_tool(&arena, "count"), plain = typed;
    typed.source = HAFT__TOOL_HEADLESS;
    plain.typed = false;
    plain.definition = haft__json_string(HAFT__LIT("wc"));
    add_pair(&tools, &typed, &plain);
    CHECK_INT(tools.items[0]->source, HAFT__TOOL_COMMAND, "source of the merged tool");
    CHECK_STR(haft__json_text(tools.items[0]->definition), HAFT__LIT("wc"),
              "definition of the merged tool");
    haft__arena_finish(&arena);
}

TEST(two_tools_of_one_name_are_rejected)
{
    for (int typed = 0; typed < 2; typed++) {
        haft__arena arena;
        haft__arena_init(&arena, 0);
        haft__tools tools;
        haft__tools_init(&tools, &arena, key);
        haft__tool tool = help_tool(&arena, "count");
        haft_error err = {0};
        tool.typed = typed == 1;
        CHECK_INT(haft__tools_add(&tools, &tool, &err), HAFT_OK, "%s", err.message);
        CHECK_INT(haft__tools_add(&tools, &tool, &err), HAFT_BAD_INPUT,
                  "add the second tool, typed %d", typed);
        CHECK_STR(help_error(&err),
                  HAFT__LIT("count#/name | there are two tools 'count' | "
                            "rename one, or put them under servers: a:count"),
                  "error message, typed %d", typed);
        CHECK_INT(tools.count, 1, "number of tools, typed %d", typed);
        haft__arena_finish(&arena);
    }
}

/* The traits of both are checked together; if they conflict, nothing changes. */
TEST(a_merged_tool_is_checked)
{
    haft__arena arena;
    haft__arena_init(&arena, 0);
    haft__tools tools;
    haft__tools_init(&tools, &arena, key);
    haft__tool typed = help_tool(&arena, "count"), plain = typed;
    haft_error err = {0};
    plain.typed = false;
    plain.traits_given = true;
    plain.traits.retries = 1;
    plain.description = HAFT__LIT("Another.");
    CHECK_INT(haft__tools_add(&tools, &typed, &err), HAFT_OK, "%s", err.message);
    CHECK_INT(haft__tools_add(&tools, &plain, &err), HAFT_BAD_INPUT, "conflicting retries");
    CHECK_STR(haft__str(err.where), HAFT__LIT("count#/traits/retries"), "%s", err.message);
    CHECK_STR(tools.items[0]->description, typed.description, "the tool is unchanged");
    haft__arena_finish(&arena);
}

/* A hash collision cannot be found by trial, so the entry is forged. */
TEST(tools_with_the_same_wire_name_are_rejected)
{
    haft__arena arena;
    haft__arena_init(&arena, 0);
    haft__tools tools;
    haft__tools_init(&tools, &arena, key);
    haft__tool first = help_tool(&arena, "first"), second = help_tool(&arena, "second");
    haft__wire_name wire = haft__wire_name_encode(second.name);
    haft_error err = {0};
    CHECK_INT(haft__map_put(&tools.by_wire, haft__wire_name_str(&wire), &first, NULL), HAFT_OK,
              "forge the entry");
    CHECK_INT(haft__tools_add(&tools, &second, &err), HAFT_BAD_INPUT, "add the second tool");
    CHECK_STR(help_error(&err),
              HAFT__LIT("second#/name | the name has the same form on the wire as 'first' | "
                        "rename one of the two"),
              "error message");
    CHECK_INT(tools.count, 0, "number of tools");
    haft__arena_finish(&arena);
}

TEST(the_nearest_name_is_found)
{
    static const char *const names[] = {"grep",        "docs:search", "read",
                                        "wiki:search", "read_result", "x:go"};
    static const struct {
        const char *name, *wanted; /* NULL: no name is near */
    } cases[] = {
        {"gerp", "grep"},
        {"Grep", "grep"},
        {"raed", "read"},
        {"docs_search", "docs:search"},
        {"search", "docs:search"},
        {"wiki.search", "wiki:search"},
        {"read_results", "read_result"},
        {"go", "x:go"},
        {"explode", NULL},
        {"", NULL},
    };
    haft__arena arena;
    haft__arena_init(&arena, 0);
    haft__tools tools;
    haft__tools_init(&tools, &arena, key);
    CHECK(haft__tools_nearest(&tools, HAFT__LIT("grep")).ptr == NULL,
          "an empty registry has no nearest name");
    for (size_t i = 0; i < COUNT(names); i++) {
        haft__tool tool = help_tool(&arena, names[i]);
        CHECK_INT(haft__tools_add(&tools, &tool, NULL), HAFT_OK, "%s", names[i]);
    }
    for (size_t i = 0; i < COUNT(cases); i++) {
        haft_str found = haft__tools_nearest(&tools, haft__str(cases[i].name));
        CHECK_STR(found, haft__str(cases[i].wanted != NULL ? cases[i].wanted : ""), "%s",
                  cases[i].name);
        CHECK((found.ptr == NULL) == (cases[i].wanted == NULL), "%s", cases[i].name);
    }
    haft__arena_finish(&arena);
}

/* Names that are much longer or shorter are skipped; a thousand of the others are compared. */
TEST(the_nearest_name_is_found_among_many)
{
    haft__arena arena;
    haft__arena_init(&arena, 0);
    haft__tools tools;
    haft__tools_init(&tools, &arena, key);
    haft__tool tool = help_tool(&arena, "count");
    for (unsigned i = 0; i < 2000; i++) {
        tool.name = haft__arena_format(&arena, "server:tool_number_%u", i);
        CHECK_INT(haft__tools_add(&tools, &tool, NULL), HAFT_OK, "tool %u", i);
    }
    tool.name = HAFT__LIT("zoo:zebra_crossing");
    CHECK_INT(haft__tools_add(&tools, &tool, NULL), HAFT_OK, "add the last tool");
    CHECK_STR(haft__tools_nearest(&tools, HAFT__LIT("zoo:Zebra_crosing")), tool.name,
              "found by a small distance");
    CHECK_STR(haft__tools_nearest(&tools, HAFT__LIT("zebra_crossing")), tool.name,
              "found by its part after the server");
    CHECK_STR(haft__tools_nearest(&tools, HAFT__LIT("server:tool_numbr_999")),
              HAFT__LIT("server:tool_number_999"), "the nearest of many similar names");
    haft__arena_finish(&arena);
}

TEST(the_number_of_tools_is_limited)
{
    haft__arena arena;
    haft__arena_init(&arena, 0);
    haft__tools tools;
    haft__tools_init(&tools, &arena, key);
    haft__tool tool = help_tool(&arena, "count");
    haft_error err = {0};
    for (unsigned i = 0; i <= HAFT__LIMIT_TOOL_COUNT; i++) {
        tool.name = haft__arena_format(&arena, "t%u", i);
        haft_status wanted = i < HAFT__LIMIT_TOOL_COUNT ? HAFT_OK : HAFT_TOO_BIG;
        haft_status status = haft__tools_add(&tools, &tool, &err);
        CHECK(status == wanted, "tool %u: %s", i, err.message);
    }
    CHECK_STR(haft__str(err.message), HAFT__LIT("more than 16384 tools"), "%s", err.message);
    CHECK_INT(tools.count, HAFT__LIMIT_TOOL_COUNT, "number of tools");
    CHECK(haft__tools_find(&tools, HAFT__LIT("t16383")) == tools.items[16383], "the last tool");
    haft__arena_finish(&arena);
}

/* After each failure the registry is as before, and the same add works. Eight tools are there, or
 * sixteen, so that the maps, or the list, grow with the next one. */
static bool add_with_little(unsigned before, size_t left)
{
    haft__arena arena;
    haft__arena_init(&arena, 0);
    haft__tools tools;
    haft__tools_init(&tools, &arena, key);
    haft__tool tool = help_tool(&arena, "count");
    for (unsigned i = 0; i < before; i++) {
        tool.name = haft__arena_format(&arena, "t%u", i);
        CHECK_INT(haft__tools_add(&tools, &tool, NULL), HAFT_OK, "tool %u", i);
    }
    tool.name = HAFT__LIT("another");
    help_leave(&arena, left);
    haft_status status = haft__tools_add(&tools, &tool, NULL);
    (void)test_allow_allocations();
    bool added = status == HAFT_OK;
    if (!added) {
        CHECK_INT(status, HAFT_NO_MEMORY, "%zu bytes", left);
        CHECK_INT(tools.count, before, "%zu bytes: number of tools", left);
        CHECK(haft__tools_find(&tools, tool.name) == NULL, "%zu bytes: the tool is found", left);
        CHECK(haft__wire_name_find_tool(&tools, tool.name) == NULL,
              "%zu bytes: the tool is found by its wire name", left);
        CHECK_INT(haft__tools_add(&tools, &tool, NULL), HAFT_OK, "%zu bytes: add the tool again",
                  left);
    }
    CHECK_INT(tools.count, before + 1, "%zu bytes: number of tools at the end", left);
    CHECK(haft__wire_name_find_tool(&tools, tool.name) == tools.items[before],
          "%zu bytes: the tool is not found by its wire name", left);
    haft__arena_finish(&arena);
    return added;
}

TEST(adding_survives_every_failed_allocation)
{
    static const unsigned before[] = {0, 3, 8, 16};
    for (size_t i = 0; i < COUNT(before); i++) {
        size_t left = 0;
        while (left < 16384 && !add_with_little(before[i], left)) {
            left += 8;
        }
        /* Compiling also uses malloc, so that it never works without memory. */
        CHECK(left > 0, "the tool was added without memory");
    }
}

/* A tool added to the sharing registry stays there; the tools themselves are the same. */
static haft_status share_some(haft__arena *arena, const haft__tools *others)
{
    haft__tools tools;
    haft__tools_init(&tools, arena, key);
    haft_status status = haft__tools_share(&tools, others, NULL);
    if (status != HAFT_OK) {
        return status;
    }
    haft__tool more = help_tool(arena, "docs:more");
    CHECK_INT(tools.count, others->count, "number of shared tools");
    CHECK_INT(haft__tools_add(&tools, &more, NULL), HAFT_OK, "add a tool");
    for (size_t i = 0; i < others->count; i++) {
        haft__wire_name wire = haft__wire_name_encode(others->items[i]->name);
        CHECK(tools.items[i] == others->items[i], "tool %zu", i);
        CHECK(haft__tools_find(&tools, others->items[i]->name) == others->items[i], "name %zu", i);
        CHECK(haft__wire_name_find_tool(&tools, haft__wire_name_str(&wire)) == others->items[i],
              "wire %zu", i);
    }
    CHECK(haft__tools_find(&tools, more.name) == tools.items[others->count],
          "the new tool is found");
    CHECK(haft__tools_find(others, more.name) == NULL,
          "the new tool is not in the shared registry");
    return HAFT_OK;
}

TEST(a_registry_can_share_the_tools_of_another)
{
    haft__arena arena;
    haft__arena_init(&arena, 0);
    haft__tools tools;
    haft__tools_init(&tools, &arena, key);
    for (unsigned i = 0; i < 20; i++) {
        haft__tool tool = help_tool(&arena, "any");
        tool.name = haft__arena_format(&arena, "t%u", i);
        CHECK_INT(share_some(&arena, &tools), HAFT_OK, "share %u tools", i);
        CHECK_INT(haft__tools_add(&tools, &tool, NULL), HAFT_OK, "tool %u", i);
    }
    haft_status status = HAFT_NO_MEMORY;
    for (unsigned n = 0; status != HAFT_OK; n++) {
        haft__arena other;
        haft__tools all;
        haft__arena_init(&other, 0);
        haft__tools_init(&all, &other, key);
        test_fail_allocation(n);
        status = haft__tools_share(&all, &tools, NULL);
        bool failed = test_allow_allocations();
        CHECK_INT(status, failed ? HAFT_NO_MEMORY : HAFT_OK, "allocation %u", n);
        haft__arena_finish(&other);
    }
    haft__arena_finish(&arena);
}

TEST(a_tool_is_replaced_in_its_place)
{
    haft__arena arena;
    haft__tools tools;
    haft_error err = {0};
    haft__arena_init(&arena, 0);
    haft__tools_init(&tools, &arena, key);
    haft__tool first = help_tool(&arena, "docs:a"), other = help_tool(&arena, "docs:b");
    CHECK_INT(haft__tools_add(&tools, &first, NULL), HAFT_OK, "add the first tool");
    CHECK_INT(haft__tools_add(&tools, &other, NULL), HAFT_OK, "add the other tool");
    const haft__tool *known = haft__tools_find(&tools, HAFT__LIT("docs:a"));
    haft__tool fresh = help_tool(&arena, "docs:a");
    fresh.description = HAFT__LIT("Does something else now.");
    CHECK_INT(haft__tools_replace(&tools, &fresh, &err), HAFT_OK, "%s", err.message);
    CHECK(tools.items[0] == known && tools.count == 2, "the replaced tool keeps its place");
    CHECK_STR(known->description, fresh.description, "the new description");
    fresh.description = HAFT__LIT("");
    CHECK_INT(haft__tools_replace(&tools, &fresh, &err), HAFT_BAD_INPUT,
              "replace with an invalid tool");
    CHECK_STR(known->description, HAFT__LIT("Does something else now."), "the tool is unchanged");
    haft__arena_finish(&arena);
}
