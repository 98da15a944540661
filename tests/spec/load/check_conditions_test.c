/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/spec/load/check_conditions.c: conditions of approval rules. */
#include "run/pause/condition.h"
#include "spec/spec_help.h"
#include "json/read.h"

#define TOOL(name, rest)                                                                           \
    "{name: " name ", headless: true, description: Count the words of it., " rest "}"
#define SCHEMA(rest)     "input_schema: {type: object, properties: {" rest "}}"
#define RULE(rule, when) "approvals: [{" rule ", when: {" when "}}]\n"

#define WHEN(how)        RULE("tools: [a]", "at: /n, " how)
#define PAY(how)         "tools: [" TOOL("a", "args: [n]") "]\n" WHEN(how)
#define TYPED(type, how) "tools: [" TOOL("a", SCHEMA("n: {type: " type "}")) "]\n" WHEN(how)
#define AT(at, how)                                                                                \
    "tools: [" TOOL(                                                                               \
        "a",                                                                                       \
        SCHEMA("amount: {type: number}, to: {type: string}, 'a/b': {type: "                        \
               "integer}, tags: {type: array, items: {type: string}}, deep: "                      \
               "{type: object, additionalProperties: true}, any: {}")) "]\n" RULE("tools: [a]",    \
                                                                                  "at: " at        \
                                                                                  ", " how)

#define UNLIKE(type)                                                                               \
    "2:32: warning: /n of \"a\" has a type that cannot be compared this way: " type ASKED
#define ASKED                                                                                      \
    " (a call that cannot be compared needs approval; arguments under args are texts, "            \
    "input_schema "                                                                                \
    "gives them types)"
#define NEVER                                                                                      \
    "2:32: the schema of \"a\" excludes this value of /n: the condition never holds (no call of "  \
    "the tool would need approval by this rule)"
#define ABSENT(place, tool, at)                                                                    \
    place "the schema of \"" tool "\" has no argument " at ": the condition never holds"
#define MORE                                                                                       \
    " (if the tool accepts other arguments, write additionalProperties: true in its schema)"

static const problem_case cases[] = {
    /* wrong for any tool */
    {PAY("op: eq"), "2:32: eq needs a value to compare with (add value: with the value to compare "
                    "with)"},
    {PAY("op: lt"), "2:32: lt needs a value to compare with (add value: with the value to compare "
                    "with)"},
    {PAY("op: in, value: []"), "2:56: expected a list of values for in, found an empty list"},
    {PAY("op: in, value: x"), "2:56: expected a list of values for in, found string"},
    {PAY("op: gt, value: true"), "2:56: expected a number or a text for gt, found boolean"},
    {PAY("op: matches, value: 5"), "2:61: expected a regular expression for matches, found number"},
    {PAY("op: matches, value: \"(\""), "2:61: character 1: unterminated group: `(` without `)`"},
    {PAY("op: exists, value: 'no'"), "2:60: expected true or false for exists, found string"},
    /* types that cannot be compared */
    {PAY("op: gt, value: 100"), UNLIKE("string")},
    {PAY("op: gt, value: \"1\""), ""},
    {PAY("op: eq, value: 100"), UNLIKE("string")},
    {PAY("op: eq, value: [x]"), UNLIKE("string")},
    {PAY("op: ne, value: true"), UNLIKE("string")},
    {PAY("op: in, value: [1, 2]"), UNLIKE("string")},
    {PAY("op: in, value: [1, \"2\"]"), ""},
    {PAY("op: contains, value: 1"), UNLIKE("string")},
    {PAY("op: contains, value: x"), ""},
    {PAY("op: matches, value: x"), ""},
    {PAY("op: exists"), ""},
    {PAY("op: exists, value: false"), ""},
    {TYPED("integer", "op: gt, value: 100"), ""},
    {TYPED("integer", "op: matches, value: x"), UNLIKE("integer")},
    {TYPED("number", "op: eq, value: abc"), UNLIKE("number")},
    {TYPED("number", "op: eq, value: {}"), UNLIKE("number")},
    {TYPED("[integer, string]", "op: gt, value: 100"), ""},
    {TYPED("[integer, string]", "op: eq, value: [1]"), UNLIKE("others")},
    {TYPED("[string, 'null']", "op: eq, value: null"), ""},
    {TYPED("array", "op: contains, value: 1"), ""},
    {TYPED("array, items: {type: string}", "op: contains, value: x"), ""},
    {TYPED("array, items: {type: string}", "op: contains, value: 1"), UNLIKE("array")},
    {TYPED("array, prefixItems: [{type: integer}]", "op: contains, value: 1"), ""},
    {TYPED("boolean", "op: eq, value: true"), ""},
    {TYPED("boolean", "op: gt, value: 1"), UNLIKE("boolean")},
    /* values that the schema excludes */
    {TYPED("number", "op: eq, value: null"), NEVER},
    {TYPED("number", "op: in, value: [null]"), NEVER},
    {TYPED("number", "op: ne, value: null"), ""},
    {TYPED("integer", "op: eq, value: 1.5"), NEVER},
    {TYPED("string, enum: [low, high]", "op: eq, value: hihg"), NEVER},
    {TYPED("string, enum: [low, high]", "op: in, value: [hihg, lwo]"), NEVER},
    {TYPED("string, enum: [low, high]", "op: in, value: [hihg, low]"), ""},
    {TYPED("integer, maximum: 10", "op: eq, value: 11"), NEVER},
    {TYPED("array, items: {type: string}", "op: contains, value: null"), NEVER},
    /* places that do not exist */
    {AT("/amont", "op: gt, value: 1"), ABSENT("2:37: ", "a", "/amont") " (did you mean /amount?)"},
    {AT("/amont", "op: exists"), ABSENT("2:37: ", "a", "/amont") " (did you mean /amount?)"},
    {AT("/amont", "op: ne, value: 1"),
     "2:37: warning: the schema of \"a\" has no argument /amont: the condition always holds (did "
     "you mean /amount?)"},
    {AT("/amont", "op: exists, value: false"),
     "2:37: warning: the schema of \"a\" has no argument /amont: the condition always holds (did "
     "you mean /amount?)"},
    {AT("/somebody", "op: eq, value: x"), ABSENT("2:37: ", "a", "/somebody") MORE},
    {AT("/a~1c", "op: eq, value: 1"), ABSENT("2:37: ", "a", "/a~1c") MORE},
    {AT("/a~1b", "op: eq, value: 1"), ""},
    {AT("/a~1b", "op: matches, value: x"),
     "2:32: warning: /a~1b of \"a\" has a type that cannot be compared this way: integer" ASKED},
    {AT("/to/name", "op: eq, value: x"), ABSENT("2:37: ", "a", "/to/name")},
    {AT("/to/name", "op: exists"), ABSENT("2:37: ", "a", "/to/name")},
    {AT("/tags/x", "op: eq, value: x"), ABSENT("2:37: ", "a", "/tags/x")},
    {AT("/tags/0", "op: eq, value: x"), ""},
    {AT("/tags/0", "op: gt, value: 5"),
     "2:32: warning: /tags/0 of \"a\" has a type that cannot be compared this way: string" ASKED},
    {AT("/deep/a/b", "op: eq, value: x"), ""},
    {AT("/any/a", "op: eq, value: x"), ""},
    {AT("\"\"", "op: exists"), ""},
    {AT("/a~2b", "op: exists"),
     "2:37: does not match the pattern ^(/([^~]|~[01])*)?$: found \"/a~2b\""},
    {"tools: [" TOOL("a", "input_schema: {type: object}") "]\n" WHEN("op: eq, value: 1"), ""},
    {"tools: [" TOOL(
         "a",
         "input_schema: {type: object, $ref: '#/$defs/x', $defs: {x: {}}}") "]\n" WHEN("op: eq, "
                                                                                       "value: 1"),
     ""},
    /* a function with that name may have other arguments */
    {"tools: [{name: a, description: Count the words of it., args: [m]}]\n" WHEN(
         "op: eq, value: x"),
     "1:9: warning: \"a\" has no implementation: its calls wait for an answer (give it a command "
     "or http, or write headless: true)"},
    /* rules for several tools */
    {"tools: [" TOOL("a", "args: [n]") ", " TOOL("ab", "args: [m]") "]\n" RULE(
         "tools: [a*]", "at: /n, op: eq, value: x"),
     ""},
    {"tools: [" TOOL("a", "args: [n]") ", " TOOL("ab", "args: [m]") "]\n" RULE(
         "tools: [a, ab]", "at: /n, op: eq, value: x"),
     ABSENT("2:41: warning: ", "ab", "/n") MORE},
    {"tools: [" TOOL("a", "args: [n]") ", " TOOL("ab", "args: [m]") "]\n" RULE(
         "tools: [a*]", "at: /k, op: eq, value: x"),
     ABSENT("2:38: ", "a", "/k") MORE},
    {"tools: [" TOOL("a", "args: [n]") "]\nmcp: {servers: {s: {command: [x]}}}\n"
                                       "builtins: {enabled: [tool_search]}\n" RULE(
                                           "tools: ['*']", "at: /k, op: eq, value: x"),
     ""},
    /* rules with a trait */
    {"tools: [" TOOL("a", "traits: {destructive: true}, " SCHEMA("n: {type: number}")) "]\n" RULE(
         "traits: [destructive]", "at: /n, op: in, value: [a]"),
     "2:43: warning: /n of \"a\" has a type that cannot be compared this way: number" ASKED},
    {"tools: [" TOOL("a", "traits: {destructive: true}, args: [n]") "]\n" RULE(
         "traits: [destructive]", "at: /amount, op: gt, value: x"),
     ABSENT("2:48: ", "a", "/amount") MORE},
};

TEST(misleading_conditions_are_reported)
{
    check_problems(cases, COUNT(cases));
}

/* ---- the loader predicts the result for a call ---- */

static haft__json parse(haft__arena *arena, const char *text)
{
    haft__json value = haft__json_null();
    CHECK_INT(haft__json_read(arena, haft__str(text), NULL, &value, NULL, NULL), HAFT_OK, "%s",
              text);
    return value;
}

static bool says(haft_str listing, const char *words)
{
    return strstr(listing.ptr, words) != NULL;
}

static const char spec_text[] =
    "tools: [{name: a, headless: true, description: Count the words of it., input_schema: {type: "
    "object, properties: {n: {type: %s}}}}]\napprovals: [{tools: [a], when: %s}]\n";

static void check_agreement(const char *type, const char *when, const char *value)
{
    haft__arena arena;
    haft__arena_init(&arena, 0);
    char text[512], arguments[128];
    (void)snprintf(text, sizeof(text), spec_text, type, when);
    (void)snprintf(arguments, sizeof(arguments), "{\"n\":%s}", value);
    haft_str listing = problems_of(text);
    haft__json values = parse(&arena, arguments);
    bool asks = haft__condition_needs_approval(&arena, parse(&arena, when), &values);
    if (says(listing, "needs approval; ")) {
        CHECK(asks, "needs approval: %s %s", when, arguments);
    } else if (says(listing, "never holds")) {
        CHECK(!asks, "never holds: %s %s", when, arguments);
    }
    haft__arena_finish(&arena);
}

TEST(the_loader_and_a_run_agree_on_what_can_be_compared)
{
    static const char *const ops[] = {"eq", "ne", "lt",       "le",      "gt",
                                      "ge", "in", "contains", "matches", "exists"};
    static const struct {
        const char *type, *value;
    } arguments[] = {
        {"string", "\"x\""},    {"number", "7"},         {"boolean", "true"},
        {"array", "[\"x\",7]"}, {"object", "{\"x\":7}"}, {"'null'", "null"},
    };
    static const char *const values[] = {"\"y\"", "8",  "false",    "[\"y\"]", "[8]",
                                         "[]",    "{}", "[[8],{}]", "null",    "[null]"};
    for (size_t op = 0; op < COUNT(ops); op++) {
        for (size_t i = 0; i < COUNT(arguments); i++) {
            for (size_t k = 0; k < COUNT(values); k++) {
                char when[128];
                (void)snprintf(when, sizeof(when), "{\"at\":\"/n\",\"op\":\"%s\",\"value\":%s}",
                               ops[op], values[k]);
                check_agreement(arguments[i].type, when, arguments[i].value);
            }
        }
    }
}
