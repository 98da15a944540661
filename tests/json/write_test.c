/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/json/write.c. */
#include "json/write.h"

#include "base/limits.h"
#include "test.h"
#include "json/read.h"

TEST(strings_are_always_valid_json_in_valid_utf8)
{
#define CASE(text, wanted)                                                                         \
    {                                                                                              \
        {(text), sizeof(text) - 1},                                                                \
        {                                                                                          \
            (wanted), sizeof(wanted) - 1                                                           \
        }                                                                                          \
    }
    static const struct {
        haft_str text, wanted;
    } cases[] = {
        CASE("", "\"\""),
        CASE("plain text of more than eight bytes", "\"plain text of more than eight bytes\""),
        CASE("\"\\/", "\"\\\"\\\\/\""),
        CASE("\b\f\n\r\t", "\"\\b\\f\\n\\r\\t\""),
        CASE("\0\x01\x1f\x7f", "\"\\u0000\\u0001\\u001f\x7f\""),
        CASE("\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80", "\"\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80\""),
        CASE("a\xFFz", "\"a\xEF\xBF\xBDz\""),
        CASE("\xC3\xA9\xC3", "\"\xC3\xA9\xEF\xBF\xBD\""),
        CASE("\xED\xA0\x80", "\"\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\""),
    };
#undef CASE
    for (size_t i = 0; i < COUNT(cases); i++) {
        haft__buf buf;
        haft__buf_init(&buf, 1000);
        haft__json_write_string(&buf, cases[i].text);
        CHECK_STR(haft__buf_str(&buf), cases[i].wanted, "string %zu", i);
        haft__buf_finish(&buf);
    }
}

static void check_pretty(const char *text, unsigned indent, const char *wanted)
{
    haft__arena arena;
    haft__arena_init(&arena, 0);
    haft__json value;
    CHECK_INT(haft__json_read(&arena, haft__str(text), NULL, &value, NULL, NULL), HAFT_OK, "%s",
              text);
    haft__buf buf;
    haft__buf_init(&buf, 1000);
    haft__json_write_pretty(&buf, value, indent);
    CHECK_STR(haft__buf_str(&buf), haft__str(wanted), "%s", text);
    haft__buf_finish(&buf);
    haft__arena_finish(&arena);
}

TEST(pretty_text_has_a_line_for_each_value)
{
    check_pretty("1", 2, "1");
    check_pretty("[]", 2, "[]");
    check_pretty("{\"a\":[]}", 2, "{\n  \"a\": []\n}");
    check_pretty("{\"a\":[1,{\"b\":2}],\"c\":null}", 2,
                 "{\n  \"a\": [\n    1,\n    {\n      \"b\": 2\n    }\n  ],\n  \"c\": null\n}");
    check_pretty("[1,2]", 0, "[\n1,\n2\n]");
}

TEST(the_writer_adds_commas_and_colons)
{
    haft__buf buf;
    haft__buf_init(&buf, 1000);
    haft__json_writer w;
    haft__json_writer_init(&w, &buf);
    haft__json_begin_object(&w);
    haft__json_key(&w, "a");
    haft__json_add_int(&w, INT64_MIN);
    haft__json_key(&w, "b");
    haft__json_begin_array(&w);
    haft__json_add_bool(&w, true);
    haft__json_add_bool(&w, false);
    haft__json_add_null(&w);
    haft__json_begin_object(&w);
    haft__json_end_object(&w);
    haft__json_begin_array(&w);
    haft__json_end_array(&w);
    haft__json_add_str(&w, HAFT__LIT("x\n"));
    haft__json_end_array(&w);
    haft__json_key_str(&w, HAFT__LIT("c\""));
    haft__json_add(&w, (haft__json){.kind = HAFT__JSON_NUMBER, .count = 3, .text = "1.0"});
    haft__json_end_object(&w);
    CHECK_STR(haft__buf_str(&buf),
              HAFT__LIT("{\"a\":-9223372036854775808,\"b\":[true,false,null,{},[],\"x\\n\"],"
                        "\"c\\\"\":1.0}"),
              "all kinds");
    haft__buf_finish(&buf);
}

TEST(the_writer_handles_sixty_four_levels)
{
    haft__buf buf;
    haft__buf_init(&buf, 1000);
    haft__json_writer w;
    haft__json_writer_init(&w, &buf);
    for (int i = 0; i < 64; i++) {
        haft__json_begin_array(&w);
    }
    for (int i = 0; i < 64; i++) {
        haft__json_add_null(&w);
        haft__json_end_array(&w);
    }
    haft_str text = haft__buf_str(&buf);
    CHECK(haft__str_starts_with(haft__str_skip(text, 63), HAFT__LIT("[null],null],null]")), "%.*s",
          HAFT__ARG(text));
    haft__buf_finish(&buf);
}

static haft__json_writer start(haft__buf *buf, char bracket)
{
    haft__json_writer w;
    haft__buf_init(buf, 1000);
    haft__json_writer_init(&w, buf);
    if (bracket == '{') {
        haft__json_begin_object(&w);
    } else if (bracket == '[') {
        haft__json_begin_array(&w);
    }
    return w;
}

static void object_ended_as_array(void)
{
    haft__buf buf;
    haft__json_writer w = start(&buf, '{');
    haft__json_end_array(&w);
}

static void array_ended_as_object(void)
{
    haft__buf buf;
    haft__json_writer w = start(&buf, '[');
    haft__json_end_object(&w);
}

static void value_without_key(void)
{
    haft__buf buf;
    haft__json_writer w = start(&buf, '{');
    haft__json_add_null(&w);
}

static void container_without_key(void)
{
    haft__buf buf;
    haft__json_writer w = start(&buf, '{');
    haft__json_begin_array(&w);
}

static void key_in_an_array(void)
{
    haft__buf buf;
    haft__json_writer w = start(&buf, '[');
    haft__json_key_str(&w, HAFT__LIT("a"));
}

static void key_without_value(void)
{
    haft__buf buf;
    haft__json_writer w = start(&buf, '{');
    haft__json_key(&w, "a");
    haft__json_end_object(&w);
}

static void end_without_begin(void)
{
    haft__buf buf;
    haft__json_writer w = start(&buf, ' ');
    haft__json_end_array(&w);
}

TEST(misuse_of_the_writer_is_asserted)
{
    static const struct {
        const char *name;
        void (*run)(void);
    } cases[] = {
        {"object ended as array", object_ended_as_array},
        {"array ended as object", array_ended_as_object},
        {"value without key", value_without_key},
        {"container without key", container_without_key},
        {"key in an array", key_in_an_array},
        {"key without value", key_without_value},
        {"end without begin", end_without_begin},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        CHECK(test_aborts(cases[i].run), "%s", cases[i].name);
    }
}

TEST(values_deeper_than_the_limit_are_too_big)
{
    for (size_t depth = HAFT__LIMIT_JSON_DEPTH; depth <= HAFT__LIMIT_JSON_DEPTH + 1; depth++) {
        haft__json items[HAFT__LIMIT_JSON_DEPTH + 2];
        items[0] = (haft__json){.kind = HAFT__JSON_NULL};
        for (size_t i = 1; i <= depth; i++) {
            items[i] = (haft__json){.kind = HAFT__JSON_ARRAY, .count = 1, .items = &items[i - 1]};
        }
        haft__buf buf;
        haft__buf_init(&buf, 10000);
        haft__json_write(&buf, items[depth]);
        haft_error err = {0};
        bool past = depth > HAFT__LIMIT_JSON_DEPTH;
        CHECK_INT(haft__buf_check(&buf, &err), past ? HAFT_TOO_BIG : HAFT_OK, "%zu levels", depth);
        CHECK_STR(haft__str(err.message),
                  haft__str(past ? "a value is nested deeper than json.depth allows" : ""),
                  "%zu levels", depth);
        haft__buf_finish(&buf);
    }
}

TEST(writing_reports_every_failed_allocation_and_the_maximum)
{
    haft__json text = {.kind = HAFT__JSON_STRING, .count = 2, .text = "\n\x01"};
    haft__json items[] = {text, text, text};
    haft__json value = {.kind = HAFT__JSON_ARRAY, .count = 3, .items = items};
    for (size_t max = 0; max <= 40; max++) {
        haft__buf buf;
        haft__buf_init(&buf, max);
        haft__json_write_pretty(&buf, value, 0);
        /* 3 strings of 10, 2 commas, 2 brackets, 4 line ends */
        CHECK_INT(haft__buf_check(&buf, NULL), max >= 38 ? HAFT_OK : HAFT_TOO_BIG, "max %zu", max);
        haft__buf_finish(&buf);
    }
    haft__buf buf;
    haft__buf_init(&buf, 1000);
    test_fail_allocations_from(0);
    haft__json_write_pretty(&buf, value, 2);
    CHECK(test_allow_allocations(), "writing allocates no memory");
    CHECK_INT(haft__buf_check(&buf, NULL), HAFT_NO_MEMORY, "status when out of memory");
    haft__buf_finish(&buf);
}
