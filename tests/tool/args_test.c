/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/tool/args.c. */
#include "tool/args.h"

#include "base/limits.h"
#include "schema/schema.h"
#include "test.h"
#include "tool_help.h"

TEST(args_become_a_schema)
{
    static const struct {
        const char *args, *schema;
    } cases[] = {
        {"[]", "{\"type\":\"object\",\"properties\":{},\"required\":[],"
               "\"additionalProperties\":false}"},
        {"null", "{\"type\":\"object\",\"properties\":{},\"required\":[],"
                 "\"additionalProperties\":false}"},
        {"[\"city\"]", "{\"type\":\"object\",\"properties\":{\"city\":{\"type\":\"string\"}},"
                       "\"required\":[\"city\"],\"additionalProperties\":false}"},
        {"[\"b\",\"a-1\",\"c.d\"]",
         "{\"type\":\"object\",\"properties\":{\"b\":{\"type\":\"string\"},"
         "\"a-1\":{\"type\":\"string\"},\"c.d\":{\"type\":\"string\"}},"
         "\"required\":[\"b\",\"a-1\",\"c.d\"],\"additionalProperties\":false}"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        haft__arena arena;
        haft__arena_init(&arena, 0);
        haft__json schema = haft__json_null();
        const haft__schema *compiled = NULL;
        haft_error err = {0};
        haft_status status =
            haft__args_schema(&arena, help_json(&arena, cases[i].args), &schema, &err);
        CHECK_INT(status, HAFT_OK, "%s: %s", cases[i].args, err.message);
        CHECK_STR(help_text(schema), haft__str(cases[i].schema), "%s", cases[i].args);
        status = haft__schema_compile(&arena, schema, NULL, &compiled, &err);
        CHECK_INT(status, HAFT_OK, "%s: %s", cases[i].args, err.message);
        haft__arena_finish(&arena);
    }
}

TEST(invalid_args_are_rejected)
{
    static const struct {
        const char *args, *error;
    } cases[] = {
        {"{}", " | expected a list of argument names, found object | "},
        {"\"a\"", " | expected a list of argument names, found string | "},
        {"[\"a\",1]", "/1 | expected an argument's name, found number | "},
        {"[\"a\",\"b\",\"a\"]", "/2 | argument 'a' is listed twice | "},
        {"[\"\"]", "/0 | '' cannot be an argument's name | use 1 to 64 letters, digits and _ . -"},
        {"[\"a b\"]",
         "/0 | 'a b' cannot be an argument's name | use 1 to 64 letters, digits and _ . -"},
        {"[\"{\"]",
         "/0 | '{' cannot be an argument's name | use 1 to 64 letters, digits and _ . -"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        haft__arena arena;
        haft__arena_init(&arena, 0);
        haft__json schema = haft__json_null();
        haft_error err = {0};
        haft_status status =
            haft__args_schema(&arena, help_json(&arena, cases[i].args), &schema, &err);
        CHECK_INT(status, HAFT_BAD_INPUT, "%s", cases[i].args);
        CHECK_STR(help_error(&err), haft__str(cases[i].error), "%s", cases[i].args);
        CHECK_INT(schema.kind, HAFT__JSON_NULL, "%s: the output was written", cases[i].args);
        haft__arena_finish(&arena);
    }
}

TEST(args_have_limits_of_number_and_length)
{
    char names[HAFT__LIMIT_TOOL_ARGS + 1][65];
    haft__json items[HAFT__LIMIT_TOOL_ARGS + 1];
    for (size_t i = 0; i < COUNT(items); i++) {
        memset(names[i], 'a', sizeof(names[i]));
        names[i][0] = (char)('0' + i % 10);
        names[i][1] = (char)('0' + i / 10);
        items[i] = haft__json_string((haft_str){names[i], 64});
    }
    haft__arena arena;
    haft__arena_init(&arena, 0);
    haft__json schema = haft__json_null();
    haft_error err = {0};
    haft__json max = haft__json_array(items, HAFT__LIMIT_TOOL_ARGS);
    CHECK_INT(haft__args_schema(&arena, max, &schema, &err), HAFT_OK, "%s", err.message);
    haft__json more = haft__json_array(items, HAFT__LIMIT_TOOL_ARGS + 1);
    CHECK_INT(haft__args_schema(&arena, more, &schema, &err), HAFT_TOO_BIG,
              "one argument past the limit");
    CHECK_STR(haft__str(err.message), HAFT__LIT("65 arguments, more than 64"), "%s", err.message);
    items[0] = haft__json_string((haft_str){names[0], 65});
    CHECK_INT(haft__args_schema(&arena, max, &schema, &err), HAFT_BAD_INPUT,
              "a name past the limit");
    haft__arena_finish(&arena);
}

TEST(args_survive_every_failed_allocation)
{
    haft__json items[] = {haft__json_string(HAFT__LIT("a")), haft__json_string(HAFT__LIT("b"))};
    for (unsigned n = 0;; n++) {
        haft__arena arena;
        haft__arena_init(&arena, 0);
        haft__json schema = haft__json_null();
        test_fail_allocation(n);
        haft_status status = haft__args_schema(&arena, haft__json_array(items, 2), &schema, NULL);
        bool failed = test_allow_allocations();
        haft__arena_finish(&arena);
        CHECK_INT(status, failed ? HAFT_NO_MEMORY : HAFT_OK, "allocation %u", n);
        if (!failed) {
            CHECK(n > 0, "no allocation was made");
            break;
        }
    }
}
