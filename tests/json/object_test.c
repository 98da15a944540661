/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/json/object.c. */
#include "json/object.h"

#include "base/arena.h"
#include "base/buf.h"
#include "test.h"
#include "json/read.h"

TEST(text_of_a_member_is_empty_unless_it_is_a_string_or_number)
{
    static const struct {
        const char *key, *wanted;
    } rows[] = {{"s", "abc"}, {"n", "1.50"}, {"z", ""}, {"o", ""}, {"missing", ""}};
    haft__arena arena;
    haft__json object = haft__json_null();
    haft__arena_init(&arena, 0);
    haft_str text = haft__str("{\"s\":\"abc\",\"n\":1.50,\"z\":null,\"o\":{}}");
    CHECK_INT(haft__json_read(&arena, text, NULL, &object, NULL, NULL), HAFT_OK, "reading");
    for (size_t i = 0; i < COUNT(rows); i++) {
        haft_str found = haft__object_text(object, rows[i].key);
        CHECK_STR(found, haft__str(rows[i].wanted), "text of %s", rows[i].key);
        CHECK(found.ptr != NULL, "text of %s is NULL", rows[i].key);
    }
    haft__arena_finish(&arena);
}

static const char members[] = "{\"s\":\"abc\",\"n\":7,\"f\":1.5,\"m\":-1,\"t\":true,\"u\":false,"
                              "\"z\":null,\"o\":{\"k\":1},\"a\":[\"x\",3]}";

static haft__json read_members(haft__arena *arena)
{
    haft__json object = haft__json_null();
    CHECK_INT(haft__json_read(arena, haft__str(members), NULL, &object, NULL, NULL), HAFT_OK,
              "reading");
    return object;
}

TEST(members_are_found_by_key_and_kind)
{
    haft__arena arena;
    haft__arena_init(&arena, 0);
    haft__json object = read_members(&arena);
    CHECK(haft__object_find(object, "z") != NULL, "null is a member");
    CHECK(haft__object_find(object, "missing") == NULL, "a missing member was found");
    CHECK(haft__object_find(haft__json_null(), "s") == NULL, "a member of null was found");
    CHECK(haft__object_find_kind(object, "s", HAFT__JSON_STRING) != NULL, "a string");
    CHECK(haft__object_find_kind(object, "s", HAFT__JSON_NUMBER) == NULL,
          "the string was found as a number");
    CHECK_INT(haft__object_get(object, "n").kind, HAFT__JSON_NUMBER, "kind of n");
    CHECK_INT(haft__object_get(object, "missing").kind, HAFT__JSON_NULL,
              "kind of a missing member");
    CHECK_INT(haft__object_array(object, "a").count, 2, "items of the array");
    CHECK_INT(haft__object_array(object, "o").kind, HAFT__JSON_ARRAY,
              "kind of an array that is an object");
    CHECK_INT(haft__object_array(object, "o").count, 0, "items of an array that is an object");
    CHECK_INT(haft__object_object(object, "o").count, 1, "members of the object");
    CHECK_INT(haft__object_object(object, "a").kind, HAFT__JSON_OBJECT,
              "kind of an object that is an array");
    CHECK_INT(haft__object_object(object, "a").count, 0, "members of an object that is an array");
    haft__arena_finish(&arena);
}

TEST(members_of_another_type_give_the_default)
{
    haft__arena arena;
    haft__arena_init(&arena, 0);
    haft__json object = read_members(&arena);
    CHECK_STR(haft__object_string(object, "s"), haft__str("abc"), "a string");
    CHECK_STR(haft__object_string(object, "n"), haft__str(""), "a number is no string");
    CHECK_INT(haft__object_number(object, "n", 5), 7, "a number");
    CHECK_INT(haft__object_number(object, "f", 5), 5, "not an integer");
    CHECK_INT(haft__object_number(object, "m", 5), 5, "negative");
    CHECK_INT(haft__object_number(object, "s", 5), 5, "a string");
    CHECK(haft__object_flag(object, "t", false), "true");
    CHECK(!haft__object_flag(object, "u", true), "false");
    CHECK(haft__object_flag(object, "s", true), "a string");
    CHECK(!haft__object_flag(object, "missing", false), "missing");
    CHECK(haft__array_has_text(haft__object_get(object, "a"), haft__str("x")), "an item is found");
    CHECK(!haft__array_has_text(haft__object_get(object, "a"), haft__str("y")),
          "a text that is not an item is found");
    CHECK(!haft__array_has_text(haft__object_get(object, "s"), haft__str("abc")),
          "an item of a string is found");
    haft__arena_finish(&arena);
}

TEST(fields_are_written_with_their_keys)
{
    haft__buf buf;
    haft__json_writer w;
    haft__buf_init(&buf, 1024);
    haft__json_writer_init(&w, &buf);
    haft__json_begin_object(&w);
    haft__field_text(&w, "a", haft__str("\"x\""));
    haft__field_text_or_null(&w, "b", haft__str(""));
    haft__field_text_or_null(&w, "c", haft__str("y"));
    haft__field_number(&w, "d", 7);
    haft__field_flag(&w, "e", true);
    haft__field_null(&w, "f");
    haft__field_string(&w, "h", "z");
    haft__field_string(&w, "i", NULL);
    haft__field_value(&w, "g", haft__json_array(NULL, 0));
    haft__json_end_object(&w);
    CHECK_STR(haft__buf_str(&buf),
              haft__str("{\"a\":\"\\\"x\\\"\",\"b\":null,\"c\":\"y\",\"d\":7,\"e\":true,\"f\":null,"
                        "\"h\":\"z\",\"i\":null,"
                        "\"g\":[]}"),
              "all kinds");
    haft__buf_finish(&buf);
}
