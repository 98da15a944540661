/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/spec/load/build_tools.c. */
#include "spec/spec_help.h"
#include "tool/traits.h"
#include "json/read.h"

#define WORDS "description: Count the words of a text."

TEST(tools_of_every_kind_keep_their_order)
{
    loaded f;
    load(&f, "model: anthropic:x\n"
             "tools:\n"
             "  - {name: a, " WORDS ", args: [x, y], command: [wc, -w], stdin: \"{x}{y}\"}\n"
             "  - builtin: [grep, glob]\n"
             "  - {name: b, " WORDS ", http: {url: \"https://example.org/\"}}\n"
             "  - {name: c, " WORDS ", agent: c.yaml, input_schema: {type: object}, output_schema: "
             "true}\n"
             "  - {name: d, " WORDS ", provider: {type: web_search}}\n"
             "  - {name: e, " WORDS ", headless: true, traits: {destructive: true, needs_approval: "
             "true}}\n"
             "builtins: {enabled: [glob, read]}\n");
    CHECK_STR(f.listing, HAFT__LIT(""), "no problems");
    static const struct {
        const char *name;
        haft__tool_source source;
        bool typed, given;
    } wanted[] = {
        {"a", HAFT__TOOL_COMMAND, false, false},   {"grep", HAFT__TOOL_BUILTIN, true, false},
        {"glob", HAFT__TOOL_BUILTIN, true, false}, {"b", HAFT__TOOL_HTTP, false, false},
        {"c", HAFT__TOOL_AGENT, true, false},      {"d", HAFT__TOOL_PROVIDER, false, false},
        {"e", HAFT__TOOL_HEADLESS, false, true},   {"read", HAFT__TOOL_BUILTIN, true, false},
    };
    CHECK_INT(f.spec->tools.count, COUNT(wanted), "number of tools");
    for (size_t i = 0; i < COUNT(wanted) && i < f.spec->tools.count; i++) {
        const haft__tool *tool = f.spec->tools.items[i];
        CHECK_STR(tool->name, haft__str(wanted[i].name), "case %zu", i);
        CHECK_INT(tool->source, wanted[i].source, "%s", wanted[i].name);
        CHECK_INT(tool->typed, wanted[i].typed, "%s", wanted[i].name);
        CHECK(tool->source == HAFT__TOOL_BUILTIN || tool->traits_given == wanted[i].given, "%s",
              wanted[i].name);
        CHECK(tool->schema != NULL, "%s has no compiled schema", wanted[i].name);
        CHECK(tool->source == HAFT__TOOL_BUILTIN || tool->definition.kind == HAFT__JSON_OBJECT,
              "%s has no definition", wanted[i].name);
    }
    unload(&f);
}

TEST(tool_search_is_enabled_if_tools_are_deferred)
{
#define SERVER "mcp: {servers: {docs: {command: [x]}}}\n"
#define LARGE                                                                                      \
    "model: {provider: openai, model: m, context_tokens: 100}\n"                                   \
    "tools: [{name: a, " WORDS ", args: [x], command: [x]}]\n"
    static const struct {
        const char *text;
        bool enabled;
    } rows[] = {
        {"model: offline\n", false},
        {"model: offline\n" SERVER, true},
        {"model: offline\n" SERVER "builtins: {deny: [glob]}\n", true},
        {"model: offline\ntools: [{builtin: [grep]}]\n" SERVER, true},
        {"model: offline\ntools: [{builtin: [tool_search]}]\n" SERVER, true},
        {"model: offline\n" SERVER "builtins: {enabled: []}\n", false},
        {"model: offline\n" SERVER "builtins: {enabled: [glob]}\n", false},
        {"model: offline\n" SERVER "enabled_builtins: [glob]\n", false},
        {"model: offline\n" SERVER "builtins: {enabled: [glob, tool_search]}\n", true},
        {"model: offline\n" SERVER "builtins: {deny: [tool_search]}\n", false},
        {"model: offline\nmcp: {servers: {docs: {command: [x], enabled: false}}}\n", false},
        {LARGE, true},
        {LARGE "builtins: {enabled: [glob]}\n", false},
        {LARGE "max_tools_share: 90\n", false},
    };
#undef SERVER
#undef LARGE
    for (size_t i = 0; i < COUNT(rows); i++) {
        loaded f;
        load(&f, rows[i].text);
        CHECK(f.spec != NULL, "%s: %.*s", rows[i].text, HAFT__ARG(f.listing));
        size_t found = 0;
        for (size_t k = 0; f.spec != NULL && k < f.spec->tools.count; k++) {
            found += haft__str_equal(f.spec->tools.items[k]->name, HAFT__LIT("tool_search"));
        }
        CHECK_INT(found, rows[i].enabled ? 1 : 0, "%s", rows[i].text);
        unload(&f);
    }
}

static const problem_case cases[] = {
    {"tools:\n  - {name: a, " WORDS ", command: [x], http: {url: \"https://x\"}, headless: true}\n",
     "2:70: the tool has both \"command\" and \"http\" (a tool has one implementation; make two "
     "tools)\n"
     "2:96: the tool has both \"command\" and \"headless\" (a tool has one implementation; make "
     "two tools)"},
    {"tools:\n  - {name: a, " WORDS ", agent: b}\n",
     "2:63: there is no agent \"b\" (add it to `agents`, or name a file: NAME.yaml, relative to "
     "the spec)"},
    {"tools:\n  - {name: a, " WORDS "}\n", "2:5: warning: \"a\" has no implementation: its calls "
                                           "wait for an answer (give it a command or "
                                           "http, or write headless: true)"},
    {"tools:\n  - {name: a, " WORDS ", args: [x], input_schema: {type: object}, headless: true}\n",
     "2:56: the tool has both \"args\" and \"input_schema\" (args is the short form; keep "
     "input_schema)"},
    /* schemas that are not valid, with the exact place */
    {"tools:\n  - {name: a, " WORDS ", headless: true, input_schema: {type: object, properties: "
     "{q: {type: strng}}}}\n",
     "2:124: found the string \"strng\", expected null, boolean, number, integer, string, array or "
     "object (in quotes) (did you mean string?)"},
    {"tools:\n  - {name: a, " WORDS ", headless: true, input_schema: {type: array}}\n",
     "2:93: the arguments of a tool must be an object, but this schema does not have \"type\": "
     "\"object\" (put each argument into \"properties\" of an object)"},
    {"tools:\n  - {name: a, " WORDS ", headless: true, input_schema: {type: object, $ref: "
     "\"#/nowhere\"}}\n",
     "2:107: found the reference \"#/nowhere\", which does not exist"},
    /* traits */
    {"tools:\n  - {name: a, " WORDS ", command: [cat], traits: {retries: 2}}\n",
     "2:90: retries on a tool that is neither read_only nor idempotent (a second attempt could "
     "repeat the effect; set idempotent: true if it cannot, or remove retries)"},
    {"tools:\n  - {name: a, " WORDS ", headless: true, traits: {read_only: true, destructive: "
     "true}}\n",
     "2:111: a tool cannot be destructive and read_only"},
    {"tools:\n  - {name: a, " WORDS ", command: [cat], traits: {timeout: 40d}}\n",
     "2:90: a timeout can be at most 24 hours"},
    {"tools:\n  - {name: a, " WORDS ", command: [cat], traits: {timeout: soon}}\n",
     "2:90: does not match the pattern ^[0-9]+(\\.[0-9]+)?(ms|s|m|h|d)?$: found \"soon\" (write it "
     "like 250ms, 10s, 5m, 2h or 1d)"},
    /* names */
    {"tools:\n  - {name: a, " WORDS ", headless: true}\n  - {name: a, " WORDS ", headless: true}\n",
     "3:12: two tools have the name \"a\" (rename one of the two)"},
    {"tools:\n  - builtin: [grep]\n  - {name: grep, " WORDS ", headless: true}\n",
     "3:12: two tools have the name \"grep\" (rename one of the two)"},
    {"tools:\n  - {name: grep, " WORDS ", headless: true}\nbuiltins: {enabled: [read, grep]}\n",
     "3:28: two tools have the name \"grep\" (rename one of the two)"},
    {"tools:\n  - {name: grep, " WORDS ", headless: true}\n", ""},
    {"tools:\n  - {name: complete_workflow, " WORDS ", headless: true}\n",
     "2:12: the name \"complete_workflow\" is the name of a built-in tool (enable the built-in "
     "with - builtin: [complete_workflow], or choose another name)"},
    {"tools:\n  - {name: \"a b\", " WORDS ", headless: true}\n",
     "2:12: does not match the pattern ^[A-Za-z0-9_./-]+(:[A-Za-z0-9_./-]+)?$: found \"a b\" (use "
     "letters, digits and _ . / - or server:tool)"},
    {"tools:\n  - {name: a, " WORDS ", headless: true, args: [x, x]}\n",
     "2:78: expected items that differ, found items 0 and 1 equal: \"x\""},
    {"tools:\n  - {name: a, description: \"  \", headless: true}\n",
     "2:28: the tool has no description (say what it does and when to use it; the model reads "
     "that)"},
};

TEST(invalid_tools_are_rejected)
{
    check_problems(cases, COUNT(cases));
}

TEST(typed_schema_of_a_function_has_precedence)
{
    haft__arena arena;
    haft__arena_init(&arena, 0);
    haft__tool function = {.name = HAFT__LIT("count"),
                           .description = HAFT__LIT("Counts, says the program."),
                           .source = HAFT__TOOL_FUNCTION,
                           .typed = true};
    haft__traits_init(&function.traits);
    CHECK(haft__json_read(&arena, HAFT__LIT("{\"type\":\"object\",\"required\":[\"n\"]}"), NULL,
                          &function.input_schema, NULL, NULL)
              == HAFT_OK,
          "the schema is JSON");
    haft__tool other = function;
    other.name = HAFT__LIT("other");
    const haft__tool *functions[] = {&function, &other};
    haft__spec_options options = {.hash_key = {1, 2}, .functions = functions, .function_count = 2};
    loaded f;
    load_with(&f,
              HAFT__LIT("tools:\n  - {name: x, " WORDS ", headless: true}\n"
                        "  - {name: count, description: Counts what it is given., args: [n]}\n"),
              &options);
    CHECK_STR(f.listing, HAFT__LIT(""), "no problems");
    const haft__tool *tool = haft__tools_find(&f.spec->tools, HAFT__LIT("count"));
    CHECK_INT(f.spec->tools.count, 3, "number of tools");
    CHECK(tool != NULL && tool->typed && tool->source == HAFT__TOOL_FUNCTION,
          "the function implements the tool");
    CHECK_STR(tool->description, HAFT__LIT("Counts what it is given."),
              "the description is that of the spec");
    CHECK(haft__json_get(tool->input_schema, HAFT__LIT("properties")) == NULL,
          "the schema is that of the function");
    unload(&f);
    load_with(&f, HAFT__LIT("tools:\n  - {name: count, " WORDS ", input_schema: {type: object}}\n"),
              &options);
    CHECK_INT(f.report.errors, 1, "two typed tools of one name");
    unload(&f);
    /* A tool that a planner describes and a C function implements is not headless. */
    load_with(&f,
              HAFT__LIT("spec: {planner: {type: ReActPlanner, config: {tool_descriptions: [{name: "
                        "count, " WORDS ", args: [n]}]}}}\n"),
              &options);
    tool = haft__tools_find(&f.spec->tools, HAFT__LIT("count"));
    CHECK(tool != NULL && tool->source == HAFT__TOOL_FUNCTION,
          "the function implements the described tool");
    unload(&f);
    haft__arena_finish(&arena);
}

TEST(number_of_tools_is_limited)
{
    for (int more = 0; more <= 1; more++) {
        haft__buf text;
        haft__buf_init(&text, 4 << 20);
        haft__buf_addf(&text, "builtins: {enabled: [glob]}\ntools:\n");
        for (int i = 0; i < HAFT__LIMIT_SPEC_TOOLS - 1 + more; i++) {
            haft__buf_addf(&text, "  - {name: t%d, " WORDS ", headless: true}\n", i);
        }
        haft_str whole = keep(&text);
        CHECK_STR(problems_of(whole.ptr),
                  more == 0 ? HAFT__LIT("") : HAFT__LIT("1:22: the spec has more than 4096 tools"),
                  "%d more than the limit", more);
    }
}
