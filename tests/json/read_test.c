/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/json/read.c, stack.c and syntax.c: accepted texts, their values, error texts.
 */
#include "json/read.h"

#include "base/error.h"
#include "json_help.h"
#include "test.h"
#include "json/write.h"

/* Reads `text` and writes it back without white space, or returns "STATUS where: message". */
static haft_str echo(haft_str text, const haft__json_options *options, haft__json_notes *ret_notes)
{
    haft__arena arena;
    haft__arena_init(&arena, 0);
    haft__json value;
    haft_error err;
    haft__buf buf;
    haft__buf_init(&buf, HAFT__LIMIT_JSON_BYTES);
    if (haft__json_read(&arena, text, options, &value, ret_notes, &err) == HAFT_OK) {
        haft__json_write(&buf, value);
    } else {
        haft__buf_addf(&buf, "%s %s: %s", haft_status_name(err.status), err.where, err.message);
    }
    CHECK_INT(buf.status, HAFT_OK, "writing");
    char *copy = test_alloc(buf.len + 1);
    memcpy(copy, buf.ptr, buf.len);
    haft_str result = {copy, buf.len};
    haft__buf_finish(&buf);
    haft__arena_finish(&arena);
    return result;
}

TEST(values_are_read_as_written)
{
    static const struct {
        const char *text, *wanted; /* wanted NULL: the text itself */
    } cases[] = {
        {"null", NULL},
        {"true", NULL},
        {"false", NULL},
        {"0", NULL},
        {"-0", NULL},
        {"-0.0e-0", NULL},
        {"9007199254740993", NULL},
        {"123456789012345678901234567890.5E+3", NULL},
        {"1e999999", NULL},
        {"\"\"", NULL},
        {"\"a\"", NULL},
        {"[]", NULL},
        {"{}", NULL},
        {" [ ] ", "[]"},
        {"\t{\n}\r ", "{}"},
        {"[1,[2,[3,[]],{}],\"x\"]", NULL},
        {"{\"a\":1,\"b\":{\"c\":[true,null]},\"\":\"\"}", NULL},
        {"{ \"a\" : 1 , \"b\" : [ 1 , 2 ] }", "{\"a\":1,\"b\":[1,2]}"},
        {"\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"", "\"\\\"\\\\/\\b\\f\\n\\r\\t\""},
        {"\"\\u0041\\u00e9\\u20AC\"", "\"A\xC3\xA9\xE2\x82\xAC\""},
        {"\"\\uD83D\\uDE00\"", "\"\xF0\x9F\x98\x80\""},
        {"\"\\u0000\"", "\"\\u0000\""},
        {"\"\\u001f\x7F\"", "\"\\u001f\x7F\""},
        {"\"\xE2\x82\xAC and \xF0\x9F\x98\x80, plain\"", NULL},
        {"\"eight by eight, and then some more\"", NULL},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        const char *wanted = cases[i].wanted != NULL ? cases[i].wanted : cases[i].text;
        CHECK_STR(echo(haft__str(cases[i].text), NULL, NULL), haft__str(wanted), "%s",
                  cases[i].text);
    }
}

TEST(errors_say_where_what_was_expected_and_what_was_found)
{
#define BAD(where, rest) "BAD_INPUT " where ": " rest
#define CASE(text, wanted)                                                                         \
    {                                                                                              \
        {(text), sizeof(text) - 1}, wanted                                                         \
    }
    static const struct {
        haft_str text;
        const char *wanted;
    } cases[] = {
        CASE("", BAD("1:1 (byte 0)", "expected a value, found the end of the text")),
        CASE(" \n ", BAD("2:2 (byte 3)", "expected a value, found the end of the text")),
        CASE("hello", BAD("1:1 (byte 0)", "expected a value, found 'h'")),
        CASE("\x01", BAD("1:1 (byte 0)", "expected a value, found byte 0x01")),
        CASE("[1,]", BAD("1:4 (byte 3)", "expected a value, found ']'")),
        CASE("[,1]", BAD("1:2 (byte 1)", "expected a value or ']', found ','")),
        CASE("[1 2]", BAD("1:4 (byte 3)", "expected ',' or ']' after the item, found '2'")),
        CASE("[1",
             BAD("1:3 (byte 2)", "expected ',' or ']' after the item, found the end of the text")),
        CASE("{\"a\":1,}", BAD("1:8 (byte 7)", "expected a key in double quotes, found '}'")),
        CASE("{a:1}", BAD("1:2 (byte 1)", "expected a key in double quotes or '}', found 'a'")),
        CASE("{\"a\"}", BAD("1:5 (byte 4)", "expected ':' after the key, found '}'")),
        CASE("{\"a\":}", BAD("1:6 (byte 5)", "expected a value, found '}'")),
        CASE("{\"a\":1 \"b\"",
             BAD("1:8 (byte 7)", "expected ',' or '}' after the member, found '\"'")),
        CASE("1 2", BAD("1:3 (byte 2)", "expected nothing after the value, found '2'")),
        CASE("[]]", BAD("1:3 (byte 2)", "expected nothing after the value, found ']'")),
        CASE("tru", BAD("1:4 (byte 3)", "expected true, false or null, found the end of the text")),
        CASE("nulL", BAD("1:4 (byte 3)", "expected true, false or null, found 'L'")),
        CASE("-", BAD("1:2 (byte 1)", "expected a digit in the number, found the end of the text")),
        CASE("-a", BAD("1:2 (byte 1)", "expected a digit in the number, found 'a'")),
        CASE("01", BAD("1:2 (byte 1)", "expected no digit after a leading 0, found '1'")),
        CASE("1.",
             BAD("1:3 (byte 2)", "expected a digit in the number, found the end of the text")),
        CASE("1.e5", BAD("1:3 (byte 2)", "expected a digit in the number, found 'e'")),
        CASE("1e+",
             BAD("1:4 (byte 3)", "expected a digit in the number, found the end of the text")),
        CASE("\"a",
             BAD("1:3 (byte 2)", "expected the end of the string, found the end of the text")),
        CASE("\"a\nb\"", BAD("1:3 (byte 2)",
                             "expected no raw control character in the string, found byte 0x0A")),
        CASE("\"\\x\"",
             BAD("1:3 (byte 2)", "expected one of \"\\/bfnrtu after a backslash, found 'x'")),
        CASE("\"\\",
             BAD("1:3 (byte 2)",
                 "expected one of \"\\/bfnrtu after a backslash, found the end of the text")),
        CASE("\"\\u12g4\"", BAD("1:6 (byte 5)", "expected four hex digits after \\u, found 'g'")),
        CASE("\"\\u12",
             BAD("1:6 (byte 5)", "expected four hex digits after \\u, found the end of the text")),
        CASE("\"\xC3(\"",
             BAD("1:2 (byte 1)", "expected valid UTF-8 in the string, found byte 0xC3")),
        CASE("\"\xE2\x82",
             BAD("1:4 (byte 3)", "expected the end of the string, found the end of the text")),
        CASE("\xEF\xBB\xBF{}", BAD("1:1 (byte 0)", "expected a value, found byte 0xEF")),
        CASE("[\n  1,\n  x\n]", BAD("3:3 (byte 9)", "expected a value, found 'x'")),
        CASE("[1]\0", BAD("1:4 (byte 3)", "expected nothing after the value, found byte 0x00")),
    };
#undef CASE
#undef BAD
    for (size_t i = 0; i < COUNT(cases); i++) {
        CHECK_STR(echo(cases[i].text, NULL, NULL), haft__str(cases[i].wanted), "%s",
                  cases[i].text.ptr);
    }
}

TEST(every_value_says_whether_it_was_written_as_an_integer)
{
    haft__arena arena;
    haft__arena_init(&arena, 0);
    haft__json value;
    CHECK_INT(haft__json_read(&arena, HAFT__LIT("[1,-20,1.0,1e2,0]"), NULL, &value, NULL, NULL),
              HAFT_OK, "reading");
    static const bool wanted[] = {true, true, false, false, true};
    for (size_t i = 0; i < COUNT(wanted); i++) {
        CHECK_INT(value.items[i].integer, wanted[i], "item %zu", i);
    }
    haft__arena_finish(&arena);
}

TEST(lone_surrogates_become_replacement_characters_and_are_noted)
{
    static const struct {
        const char *text, *wanted;
        unsigned lone;
    } cases[] = {
        {"\"\\uD800\"", "\"\xEF\xBF\xBD\"", 1},
        {"\"\\uDC00\"", "\"\xEF\xBF\xBD\"", 1},
        {"\"\\uD800\\uD800\\uDC00\"", "\"\xEF\xBF\xBD\xF0\x90\x80\x80\"", 1},
        {"\"\\uDC00\\uD800\"", "\"\xEF\xBF\xBD\xEF\xBF\xBD\"", 2},
        {"\"\\uD800\\n\"", "\"\xEF\xBF\xBD\\n\"", 1},
        {"\"\\uD800\\u0041\"", "\"\xEF\xBF\xBD\x41\"", 1},
        {"\"\\uD83D\\uDE00\"", "\"\xF0\x9F\x98\x80\"", 0},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        haft__json_notes notes = {0};
        CHECK_STR(echo(haft__str(cases[i].text), NULL, &notes), haft__str(cases[i].wanted), "%s",
                  cases[i].text);
        CHECK_INT(notes.lone_surrogates, cases[i].lone, "lone surrogates of %s", cases[i].text);
    }
}

TEST(the_last_of_duplicate_keys_wins_and_is_noted)
{
    static const struct {
        const char *text, *wanted;
        unsigned duplicates;
    } cases[] = {
        {"{\"a\":1,\"b\":2}", "{\"a\":1,\"b\":2}", 0},
        {"{\"a\":1,\"a\":2}", "{\"a\":2}", 1},
        {"{\"a\":1,\"b\":0,\"a\":{\"x\":1,\"x\":2},\"a\":3}", "{\"b\":0,\"a\":3}", 3},
        {"{\"\":1,\"\\u0061\":2,\"a\":3,\"\":4}", "{\"a\":3,\"\":4}", 2},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        haft__json_notes notes = {0};
        CHECK_STR(echo(haft__str(cases[i].text), NULL, &notes), haft__str(cases[i].wanted), "%s",
                  cases[i].text);
        CHECK_INT(notes.duplicate_keys, cases[i].duplicates, "duplicate keys of %s", cases[i].text);
    }
}

TEST(duplicate_keys_are_rejected_on_request)
{
    haft__json_options options = HAFT__JSON_OPTIONS_INIT;
    options.reject_duplicates = true;
    CHECK_STR(echo(HAFT__LIT("{\"a\":1,\n\"a\":2}"), &options, NULL),
              HAFT__LIT("BAD_INPUT 1:2 (byte 1): "
                        "expected each key once in an object, found \"a\" more than once"),
              "plain key");
    CHECK_STR(echo(HAFT__LIT("{\"\\u0061\":2,\"a\":1}"), &options, NULL),
              HAFT__LIT("BAD_INPUT 1:18 (byte 17): "
                        "expected each key once in an object, found \"a\" more than once"),
              "escaped key");
    CHECK_STR(echo(HAFT__LIT("{\"a\":{\"a\":1}}"), &options, NULL), HAFT__LIT("{\"a\":{\"a\":1}}"),
              "the same key on different levels");
}

static void read_too_deep(void)
{
    haft__json_options options = HAFT__JSON_OPTIONS_INIT;
    options.max_depth++;
    (void)echo(HAFT__LIT("1"), &options, NULL);
}

static void read_too_long(void)
{
    haft__json_options options = HAFT__JSON_OPTIONS_INIT;
    options.max_bytes++;
    (void)echo(HAFT__LIT("1"), &options, NULL);
}

static void read_too_many(void)
{
    haft__json_options options = HAFT__JSON_OPTIONS_INIT;
    options.max_values++;
    (void)echo(HAFT__LIT("1"), &options, NULL);
}

TEST(options_past_the_limits_are_asserted)
{
    CHECK(test_aborts(read_too_deep), "a depth past the limit");
    CHECK(test_aborts(read_too_long), "a length past the limit");
    CHECK(test_aborts(read_too_many), "a number of values past the limit");
}

/* An object of `count` members whose keys repeat after `distinct`. */
static haft_str many_members(unsigned count, unsigned distinct)
{
    haft__buf buf;
    haft__buf_init(&buf, HAFT__LIMIT_JSON_BYTES);
    for (unsigned i = 0; i < count; i++) {
        haft__buf_addf(&buf, "%c\"a long shared prefix %u\":%u", i == 0 ? '{' : ',', i % distinct,
                       i);
    }
    haft__buf_add_char(&buf, '}');
    char *copy = test_alloc(buf.len);
    memcpy(copy, buf.ptr, buf.len);
    haft_str text = {copy, buf.len};
    haft__buf_finish(&buf);
    return text;
}

TEST(duplicates_are_found_in_objects_of_every_size)
{
    for (unsigned count = 2; count < 200; count += count < 40 ? 1 : 13) {
        for (unsigned distinct = 1; distinct <= count; distinct += 1 + count / 7) {
            haft__json_notes notes = {0};
            haft_str found = echo(many_members(count, distinct), NULL, &notes);
            CHECK_INT(notes.duplicate_keys, count - distinct,
                      "duplicates noted, %u keys in %u members", distinct, count);
            haft__json_notes again = {0};
            CHECK_STR(echo(found, NULL, &again), found, "the result reads the same");
            CHECK_INT(again.duplicate_keys, 0, "duplicates in the result");
            /* The last `distinct` members are kept, in their order. */
            char first[16];
            (void)snprintf(first, sizeof(first), ":%u", count - distinct);
            const char *at = memchr(found.ptr, ':', found.len);
            CHECK(at != NULL && strncmp(at, first, strlen(first)) == 0,
                  "first key kept, %u keys in %u members", distinct, count);
        }
    }
}

TEST(duplicates_are_refused_in_objects_of_every_size)
{
    haft__json_options options = HAFT__JSON_OPTIONS_INIT;
    options.reject_duplicates = true;
    for (unsigned count = 2; count < 40; count++) {
        haft_str whole = many_members(count, count);
        CHECK_STR(echo(whole, &options, NULL), whole, "%u members", count);
        haft_str found = echo(many_members(count, count - 1), &options, NULL);
        CHECK(haft__str_starts_with(found,
                                    HAFT__LIT("BAD_INPUT 1:2 (byte 1): expected each key once")),
              "%u members, one twice: %.*s", count, HAFT__ARG(found));
    }
}

TEST(large_objects_are_read_in_linear_time)
{
    haft__json_notes notes = {0};
    haft_str found = echo(many_members(100000, 100000), NULL, &notes);
    CHECK(found.len > 2000000 && notes.duplicate_keys == 0, "%zu bytes", found.len);
}

static haft_str nested(unsigned depth, char open, char close)
{
    char *text = test_alloc(2 * depth);
    memset(text, open, depth);
    memset(text + depth, close, depth);
    return (haft_str){text, 2 * depth};
}

TEST(texts_at_a_limit_are_read_and_past_it_are_rejected)
{
    haft__json_options options = HAFT__JSON_OPTIONS_INIT;
    haft_str deep = nested(HAFT__LIMIT_JSON_DEPTH, '[', ']');
    CHECK_STR(echo(deep, NULL, NULL), deep, "depth at the limit");
    CHECK_STR(echo(nested(HAFT__LIMIT_JSON_DEPTH + 1, '[', ']'), NULL, NULL),
              HAFT__LIT("TOO_BIG 1:257 (byte 256): "
                        "expected at most 256 levels of nesting, found more"),
              "depth past the limit");
    options.max_depth = 1;
    CHECK_STR(echo(HAFT__LIT("{\"a\":1}"), &options, NULL), HAFT__LIT("{\"a\":1}"), "depth 1");
    CHECK_STR(echo(HAFT__LIT("{\"a\":{}}"), &options, NULL),
              HAFT__LIT("TOO_BIG 1:6 (byte 5): expected at most 1 levels of nesting, found more"),
              "depth 2");

    options = (haft__json_options)HAFT__JSON_OPTIONS_INIT;
    options.max_bytes = 4;
    CHECK_STR(echo(HAFT__LIT("1234"), &options, NULL), HAFT__LIT("1234"), "4 bytes");
    CHECK_STR(echo(HAFT__LIT("12345"), &options, NULL),
              HAFT__LIT("TOO_BIG 1:1 (byte 0): expected at most 4 bytes, found more"), "5 bytes");

    options = (haft__json_options)HAFT__JSON_OPTIONS_INIT;
    options.max_key_bytes = 3;
    CHECK_STR(echo(HAFT__LIT("{\"abc\":\"long enough\"}"), &options, NULL),
              HAFT__LIT("{\"abc\":\"long enough\"}"), "key of 3 bytes");
    CHECK_STR(echo(HAFT__LIT("{\"abcd\":1}"), &options, NULL),
              HAFT__LIT("TOO_BIG 1:2 (byte 1): expected at most 3 bytes in a key, found more"),
              "key of 4 bytes");

    options = (haft__json_options)HAFT__JSON_OPTIONS_INIT;
    options.max_number_bytes = 3;
    CHECK_STR(echo(HAFT__LIT("[-12]"), &options, NULL), HAFT__LIT("[-12]"),
              "number of 3 characters");
    CHECK_STR(echo(HAFT__LIT("[-123]"), &options, NULL),
              HAFT__LIT("TOO_BIG 1:2 (byte 1): "
                        "expected at most 3 characters in a number, found more"),
              "number of 4 characters");
}

TEST(keys_count_towards_the_maximum_number_of_values)
{
    static const struct {
        const char *text;
        unsigned values;
    } cases[] = {
        {"1", 1},
        {"[]", 1},
        {"[1,2,3]", 4},
        {"[[],[1,[2]],3]", 7},
        {"{\"a\":1,\"b\":[2]}", 6},
        {"{\"a\":1,\"a\":1}", 5},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        for (unsigned max = 1; max <= cases[i].values + 1; max++) {
            haft__json_options options = HAFT__JSON_OPTIONS_INIT;
            options.max_values = max;
            haft_str found = echo(haft__str(cases[i].text), &options, NULL);
            CHECK_INT(!haft__str_starts_with(found, HAFT__LIT("TOO_BIG")), max >= cases[i].values,
                      "%s with at most %u: %.*s", cases[i].text, max, HAFT__ARG(found));
        }
    }
}

TEST(more_values_than_fit_on_the_stack_are_kept)
{
    haft__buf buf;
    haft__buf_init(&buf, 1 << 20);
    for (int i = 0; i < 1000; i++) {
        haft__buf_addf(&buf, "%c%d", i == 0 ? '[' : ',', i);
    }
    haft__buf_add_char(&buf, ']');
    CHECK_STR(echo(haft__buf_str(&buf), NULL, NULL), haft__buf_str(&buf), "1000 items");
    haft__buf_finish(&buf);
}

TEST(every_failed_allocation_is_reported)
{
    haft_str texts[] = {
        HAFT__LIT("{\"a\\n\":[1,2,{\"b\":\"\\u0041\"}],\"c\":[]}"),
        many_members(70, 70),
    };
    for (size_t i = 0; i < COUNT(texts); i++) {
        for (unsigned n = 0;; n++) {
            haft__arena arena;
            haft__arena_init(&arena, 0);
            haft__json value;
            haft_error err = {0};
            test_fail_allocation(n);
            haft_status status = haft__json_read(&arena, texts[i], NULL, &value, NULL, &err);
            bool failed = test_allow_allocations();
            CHECK_INT(status, failed ? HAFT_NO_MEMORY : HAFT_OK, "text %zu, allocation %u", i, n);
            CHECK_INT(err.status, status, "text %zu, allocation %u", i, n);
            haft__arena_finish(&arena);
            if (!failed) {
                CHECK(n > 0, "only %u allocations were tried", n);
                break;
            }
        }
    }
}

TEST(a_full_arena_is_reported_as_too_big)
{
    haft__arena arena;
    haft__arena_init(&arena, 64);
    haft__json value;
    haft_error err;
    CHECK_INT(haft__json_read(&arena, HAFT__LIT("[1,2,3,4,5,6]"), NULL, &value, NULL, &err),
              HAFT_TOO_BIG, "96 bytes of values");
    CHECK_STR(haft__str(err.message), HAFT__LIT("needs more than the limit of 64 bytes"),
              "message");
    haft__arena_finish(&arena);
}

/* Whether haft accepts this i_ file of the suite, for which the standard allows both. A table in
 * docs/json.md has the decision for each file. */
static bool accepts_optional(const char *file)
{
    haft_str page = test_read_file("docs/json.md");
    haft_str name = {file, strlen(file) - strlen(".json")};
    while (page.len > 0) {
        haft_str row = haft__str_split(&page, '\n');
        (void)haft__str_split(&row, '|');
        if (haft__str_equal(haft__str_trim(haft__str_split(&row, '|')), name)) {
            haft_str decision = haft__str_trim(haft__str_split(&row, '|'));
            bool accept = haft__str_equal(decision, HAFT__LIT("accept"));
            CHECK(accept || haft__str_equal(decision, HAFT__LIT("refuse")), "decision about %s",
                  file);
            return accept;
        }
    }
    CHECK(false, "%s is not in docs/json.md", file);
    return false;
}

static void check_suite_file(const char *name)
{
    char path[512];
    (void)snprintf(path, sizeof(path), "%s/%s", HELP_SUITE, name);
    haft_str text = test_read_file(path);
    CHECK(text.ptr != NULL, "cannot read %s", path);
    bool wanted = name[0] == 'y' || (name[0] == 'i' && accepts_optional(name));
    haft__arena arena;
    haft__arena_init(&arena, 0);
    haft__json value;
    haft_error err = {0};
    haft_status status = haft__json_read(&arena, text, NULL, &value, NULL, &err);
    CHECK_INT(status == HAFT_OK, wanted, "%s: %s %s", name, err.where, err.message);
    haft__arena_finish(&arena);
}

TEST(the_json_test_suite_agrees)
{
    char **names;
    size_t count = test_list_folder(HELP_SUITE, &names);
    if (count == 0) {
        test_skip_suite(HELP_SUITE);
        return;
    }
    for (size_t i = 0; i < count; i++) {
        check_suite_file(names[i]);
    }
    CHECK(count > 300, "only %zu files", count);
}
