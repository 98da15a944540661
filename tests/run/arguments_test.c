/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/run/arguments.c: the model's text becomes the arguments of a tool. */
#include "run/arguments.h"

#include "base/limits.h"
#include "run_help.h"
#include "json/write.h"

typedef struct arguments_case {
    haft__arena arena;
    haft__tools tools;
    const haft__tool *tool;
    haft__checker *checker;
    haft__buf why;
} arguments_case;

/* A tool with parameters of every type. */
static const char schema[] =
    "{\"type\":\"object\",\"required\":[\"q\"],\"additionalProperties\":false,\"properties\":{"
    "\"q\":{\"type\":\"string\"},\"n\":{\"type\":\"integer\",\"default\":7},"
    "\"on\":{\"type\":\"boolean\"},\"tags\":{\"type\":\"array\",\"items\":{\"type\":\"string\"}},"
    "\"at\":{\"type\":\"object\",\"properties\":{\"x\":{\"type\":\"number\",\"default\":1}}},"
    "\"any\":{\"default\":null}}}";

static void arguments_init(arguments_case *c, const char *text)
{
    haft_error err = {0};
    haft__arena_init(&c->arena, 0);
    haft__tools_init(&c->tools, &c->arena, HELP_KEY);
    haft__buf_init(&c->why, 1 << 20);
    haft__tool tool = {.name = HAFT__LIT("look"),
                       .description = HAFT__LIT("Looks for something."),
                       .input_schema = help_json(&c->arena, text),
                       .typed = true};
    CHECK_INT(haft__tools_add(&c->tools, &tool, &err), HAFT_OK, "%s", err.message);
    c->tool = haft__tools_find(&c->tools, HAFT__LIT("look"));
    c->checker = haft__checker_create();
}

static void arguments_finish(arguments_case *c)
{
    haft__checker_destroy(c->checker);
    haft__buf_finish(&c->why);
    haft__arena_finish(&c->arena);
}

/* `bad` is part of the text for the model; NULL if the arguments are valid. */
static const struct {
    const char *name, *raw, *value, *bad;
    bool repaired;
} cases[] = {
    {"plain", "{\"q\":\"x\",\"n\":1}", "{\"q\":\"x\",\"n\":1,\"any\":null}", NULL, false},
    {"white space", " \n{\"q\":\"x\"}\t", "{\"q\":\"x\",\"n\":7,\"any\":null}", NULL, false},
    {"a default does not replace a given value", "{\"q\":\"x\",\"any\":2,\"n\":8}",
     "{\"q\":\"x\",\"any\":2,\"n\":8}", NULL, false},
    {"defaults of nested objects stay out", "{\"q\":\"x\",\"at\":{}}",
     "{\"q\":\"x\",\"at\":{},\"n\":7,\"any\":null}", NULL, false},
    {"texts become numbers and booleans", "{\"q\":5,\"n\":\"12\",\"on\":\"true\"}",
     "{\"q\":\"5\",\"n\":12,\"on\":true,\"any\":null}", NULL, false},
    {"a value becomes a list of one", "{\"q\":\"x\",\"tags\":\"a\"}",
     "{\"q\":\"x\",\"tags\":[\"a\"],\"n\":7,\"any\":null}", NULL, false},
    {"a nested object as text", "{\"q\":\"x\",\"at\":\"{\\\"x\\\":2}\"}",
     "{\"q\":\"x\",\"at\":{\"x\":2},\"n\":7,\"any\":null}", NULL, false},
    {"a key twice: the last counts", "{\"q\":\"x\",\"n\":1,\"n\":2}",
     "{\"q\":\"x\",\"n\":2,\"any\":null}", NULL, false},
    {"repaired: quotes and commas", "{'q': 'x', 'n': 1,}", "{\"q\":\"x\",\"n\":1,\"any\":null}",
     NULL, true},
    {"repaired: a code fence", "```json\n{\"q\":\"x\"}\n```", "{\"q\":\"x\",\"n\":7,\"any\":null}",
     NULL, true},
    {"an object as text", "\"{\\\"q\\\":\\\"x\\\"}\"", "{\"q\":\"x\",\"n\":7,\"any\":null}", NULL,
     true},
    {"a number too large for any type", "{\"q\":\"x\",\"n\":123456789012345678901234567890}",
     "{\"q\":\"x\",\"n\":123456789012345678901234567890,\"any\":null}", NULL, false},
    {"nothing", "", NULL, "Missing required argument: q", false},
    {"only white space", " \t\n", NULL, "Missing required argument: q", false},
    {"null", "null", NULL, "Missing required argument: q", false},
    {"an empty text", "\"\"", NULL, "The arguments must be a JSON object, found string.", false},
    {"null as text", "\"null\"", NULL, "Missing required argument: q", true},
    {"a text of words", "\"hello\"", NULL, "The arguments are not valid JSON", false},
    {"a text in a text in a text", "\"\\\"\\\\\\\"x\\\\\\\"\\\"\"", NULL,
     "The arguments must be a JSON object, found string.", false},
    {"an array", "[1]", NULL, "The arguments must be a JSON object, found array.", false},
    {"a number", "7", NULL, "The arguments must be a JSON object, found number.", false},
    {"true", "true", NULL, "The arguments must be a JSON object, found boolean.", false},
    {"cut", "{\"q\":\"x", NULL, "The arguments are not valid JSON: ", false},
    {"two values", "{\"q\":\"x\"}{}", NULL, "The arguments are not valid JSON: ", false},
    {"words", "look for it", NULL, "The arguments are not valid JSON: ", false},
    {"an unknown argument", "{\"q\":\"x\",\"m\":1}", NULL, "/m: ", false},
    {"every problem at once", "{\"n\":\"many\",\"tags\":[1,{}]}", NULL,
     "Missing required argument: q", false},
    {"a list instead of a text", "{\"q\":[\"x\"]}", NULL, "/q: Expected string", false},
};

TEST(text_of_the_model_becomes_arguments)
{
    arguments_case c;
    arguments_init(&c, schema);
    for (size_t i = 0; i < COUNT(cases); i++) {
        haft__arguments found;
        haft_error err = {0};
        haft__buf text;
        haft__buf_init(&text, 1 << 16);
        haft__buf_clear(&c.why);
        CHECK_INT(haft__arguments_read(c.tool, haft__str(cases[i].raw), c.checker, &c.arena,
                                       HELP_KEY, &found, &c.why, &err),
                  HAFT_OK, "%s: %s", cases[i].name, err.message);
        haft_str why = haft__buf_str(&c.why);
        CHECK_INT(found.good, cases[i].bad == NULL, "%s: %.*s", cases[i].name, HAFT__ARG(why));
        if (cases[i].bad == NULL) {
            haft__json_write(&text, found.value);
            CHECK_STR(haft__buf_str(&text), haft__str(cases[i].value), "%s", cases[i].name);
            CHECK_INT(found.repaired, cases[i].repaired, "%s", cases[i].name);
            CHECK_INT(why.len, 0, "%s", cases[i].name);
        } else {
            CHECK(strstr(help_keep(why).ptr, cases[i].bad) != NULL, "%s: %.*s", cases[i].name,
                  HAFT__ARG(why));
        }
        haft__buf_finish(&text);
    }
    arguments_finish(&c);
}

TEST(every_problem_has_its_place_and_its_line)
{
    arguments_case c;
    arguments_init(&c, schema);
    haft__arguments found;
    CHECK_INT(haft__arguments_read(c.tool, HAFT__LIT("{\"n\":\"many\",\"tags\":[{}]}"), c.checker,
                                   &c.arena, HELP_KEY, &found, &c.why, NULL),
              HAFT_OK, "read the arguments");
    CHECK_STR(haft__buf_str(&c.why),
              HAFT__LIT("Missing required argument: q\n/n: Expected integer, found string "
                        "\"many\"\n/tags/0: Expected string, found object {}"),
              "every problem on its line");
    arguments_finish(&c);
}

/* `[[[...]]]` in an argument, at the limit and past it. */
TEST(depth_is_bounded)
{
    for (size_t depth = HAFT__LIMIT_JSON_DEPTH - 2; depth <= HAFT__LIMIT_JSON_DEPTH; depth++) {
        arguments_case c;
        arguments_init(&c, "{\"type\":\"object\"}");
        haft__buf raw;
        haft__buf_init(&raw, 1 << 16);
        haft__buf_addf(&raw, "{\"x\":");
        for (size_t i = 0; i < depth; i++) {
            haft__buf_add_char(&raw, '[');
        }
        for (size_t i = 0; i < depth; i++) {
            haft__buf_add_char(&raw, ']');
        }
        haft__buf_add_char(&raw, '}');
        haft__arguments found;
        CHECK_INT(haft__arguments_read(c.tool, haft__buf_str(&raw), c.checker, &c.arena, HELP_KEY,
                                       &found, &c.why, NULL),
                  HAFT_OK, "depth %zu", depth);
        CHECK_INT(found.good, depth + 1 <= HAFT__LIMIT_JSON_DEPTH, "depth %zu: %.*s", depth,
                  HAFT__ARG(haft__buf_str(&c.why)));
        haft__buf_finish(&raw);
        arguments_finish(&c);
    }
}

/* The stored form of invalid bytes, as JSON; NULL if they are rejected. */
static const struct {
    haft_str raw;
    const char *value;
} bytes[] = {
    {HAFT__LIT("{\"q\":\"\xFF\"}"), NULL},
    {HAFT__LIT("{\"q\":\"a\0b\"}"), "{\"q\":\"a\\u0000b\",\"n\":7,\"any\":null}"},
    {HAFT__LIT("{\"q\":\"\\u0000\"}"), "{\"q\":\"\\u0000\",\"n\":7,\"any\":null}"},
    {HAFT__LIT("{\"q\":\"\\ud800\"}"), "{\"q\":\"\xEF\xBF\xBD\",\"n\":7,\"any\":null}"},
    {HAFT__LIT("\0"), NULL},
    {HAFT__LIT("{\"q\":\"\xE2\x82"), NULL},
};

TEST(invalid_utf8_in_arguments_is_replaced_or_rejected)
{
    arguments_case c;
    arguments_init(&c, schema);
    for (size_t i = 0; i < COUNT(bytes); i++) {
        haft__arguments found;
        haft__buf text;
        haft__buf_init(&text, 4096);
        haft__buf_clear(&c.why);
        CHECK_INT(haft__arguments_read(c.tool, bytes[i].raw, c.checker, &c.arena, HELP_KEY, &found,
                                       &c.why, NULL),
                  HAFT_OK, "case %zu", i);
        CHECK_INT(found.good, bytes[i].value != NULL, "%zu: %.*s", i,
                  HAFT__ARG(haft__buf_str(&c.why)));
        if (found.good && bytes[i].value != NULL) {
            haft__json_write(&text, found.value);
            CHECK_STR(haft__buf_str(&text), haft__str(bytes[i].value), "case %zu", i);
        }
        haft__buf_finish(&text);
    }
    arguments_finish(&c);
}

TEST(reading_arguments_survives_every_failed_allocation)
{
    for (size_t i = 0; i < COUNT(cases); i++) {
        for (unsigned n = 0;; n++) {
            arguments_case c;
            arguments_init(&c, schema);
            haft__arena arena;
            haft__arena_init(&arena, 0);
            haft__arguments found;
            test_fail_allocation(n);
            haft_status status = haft__arguments_read(c.tool, haft__str(cases[i].raw), c.checker,
                                                      &arena, HELP_KEY, &found, &c.why, NULL);
            bool failed = test_allow_allocations();
            bool reported = status == HAFT_NO_MEMORY || c.why.status == HAFT_NO_MEMORY;
            CHECK_INT(reported, failed, "%s, allocation %u", cases[i].name, n);
            haft__arena_finish(&arena);
            arguments_finish(&c);
            if (!failed) {
                break;
            }
        }
    }
}

static const struct {
    const char *raw, *value, *strict; /* NULL if they are invalid */
} nullable[] = {
    {"{\"q\":\"x\",\"n\":null,\"on\":null,\"tags\":null,\"at\":null,\"any\":null}",
     "{\"q\":\"x\",\"any\":null,\"n\":7}", NULL},
    {"{\"q\":\"x\",\"at\":{\"x\":null}}", "{\"q\":\"x\",\"at\":{},\"n\":7,\"any\":null}", NULL},
    {"{\"q\":null}", NULL, NULL},
    {"{", NULL, NULL},
    {"{\"q\":\"x\",\"n\":1}", "{\"q\":\"x\",\"n\":1,\"any\":null}",
     "{\"q\":\"x\",\"n\":1,\"any\":null}"},
};

TEST(nulls_are_left_out_if_a_strict_schema_was_sent)
{
    arguments_case c;
    arguments_init(&c, schema);
    for (size_t i = 0; i < COUNT(nullable); i++) {
        for (int strict = 0; strict < 2; strict++) {
            const char *wanted = strict == 0 ? nullable[i].value : nullable[i].strict;
            haft__arguments found = {0};
            haft__buf text;
            haft__buf_init(&text, 1 << 16);
            CHECK_INT((strict == 0 ? haft__arguments_read_nullable : haft__arguments_read)(
                          c.tool, haft__str(nullable[i].raw), c.checker, &c.arena, HELP_KEY, &found,
                          &c.why, NULL),
                      HAFT_OK, "%s", nullable[i].raw);
            CHECK_INT(found.good, wanted != NULL, "%s", nullable[i].raw);
            if (found.good && wanted != NULL) {
                haft__json_write(&text, found.value);
                CHECK_STR(haft__buf_str(&text), haft__str(wanted), "%s", nullable[i].raw);
            }
            haft__buf_finish(&text);
        }
    }
    arguments_finish(&c);
}

TEST(leaving_nulls_out_survives_every_failed_allocation)
{
    arguments_case c;
    arguments_init(&c, schema);
    for (unsigned n = 0;; n++) {
        haft__arena arena;
        haft__arguments found;
        haft__arena_init(&arena, 0);
        haft__buf_clear(&c.why);
        test_fail_allocation(n);
        haft_status status = haft__arguments_read_nullable(
            c.tool, haft__str(nullable[0].raw), c.checker, &arena, HELP_KEY, &found, &c.why, NULL);
        bool failed = test_allow_allocations();
        CHECK_INT(status, failed ? HAFT_NO_MEMORY : HAFT_OK, "allocation %u", n);
        haft__arena_finish(&arena);
        if (!failed) {
            break;
        }
    }
    arguments_finish(&c);
}
