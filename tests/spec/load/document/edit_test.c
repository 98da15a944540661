/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/spec/load/document/edit.c. */
#include "spec/load/document/edit.h"
#include "spec/spec_help.h"
#include "json/object.h"
#include "json/read.h"

static haft__json parse(haft__arena *arena, const char *text)
{
    haft__json value;
    haft_status status = haft__json_read(arena, haft__str(text), NULL, &value, NULL, NULL);
    CHECK(status == HAFT_OK, "%s", text);
    return value;
}

static haft_str written(haft__json value)
{
    haft__buf buf;
    haft__buf_init(&buf, 1 << 16);
    haft__json_write(&buf, value);
    return keep(&buf);
}

TEST(members_are_set_added_and_removed)
{
    haft__arena arena;
    haft__arena_init(&arena, 0);
    haft__json object = parse(&arena, "{\"a\":1,\"b\":2,\"c\":3}"), same = object;
    CHECK(haft__edit_put(&arena, &object, HAFT__LIT("b"), haft__json_null()), "replace a member");
    CHECK(haft__edit_put(&arena, &object, HAFT__LIT("d"), haft__json_bool(true)), "add a member");
    CHECK(haft__edit_remove(&arena, &object, HAFT__LIT("a")), "remove a member");
    CHECK(haft__edit_remove(&arena, &object, HAFT__LIT("x")), "remove a missing member");
    CHECK_STR(written(object), HAFT__LIT("{\"b\":null,\"c\":3,\"d\":true}"), "the new object");
    CHECK_STR(written(same), HAFT__LIT("{\"a\":1,\"b\":2,\"c\":3}"), "the old object is unchanged");
    haft__json array = parse(&arena, "[1,2,3]");
    CHECK(haft__edit_put_item(&arena, &array, 1, object), "replace an item");
    CHECK_STR(written(array), HAFT__LIT("[1,{\"b\":null,\"c\":3,\"d\":true},3]"), "the new array");
    haft__json empty = haft__json_object(NULL, 0);
    CHECK(haft__edit_put(&arena, &empty, HAFT__LIT("k"), haft__json_null()),
          "add to an empty object");
    CHECK_STR(written(empty), HAFT__LIT("{\"k\":null}"), "the object with one member");
    haft__arena_finish(&arena);
}

TEST(members_of_another_type_count_as_missing)
{
    haft__arena arena;
    haft__arena_init(&arena, 0);
    haft__json object = parse(&arena, "{\"o\":{\"x\":1},\"a\":[1],\"s\":\"t\",\"n\":5}");
    CHECK_INT(haft__object_object(object, "o").count, 1, "a member that is an object");
    CHECK_INT(haft__object_object(object, "a").count, 0, "an array is not an object");
    CHECK_INT(haft__object_array(object, "a").count, 1, "a member that is an array");
    CHECK_INT(haft__object_array(object, "o").count, 0, "an object is not an array");
    CHECK_STR(haft__object_string(object, "s"), HAFT__LIT("t"), "a member that is a text");
    CHECK_STR(haft__object_string(object, "n"), HAFT__LIT(""), "a number is not a text");
    CHECK_INT(haft__object_get(object, "z").kind, HAFT__JSON_NULL, "a missing member");
    CHECK_INT(haft__object_get(haft__json_null(), "z").kind, HAFT__JSON_NULL, "a member of null");
    haft__arena_finish(&arena);
}

TEST(out_of_memory_leaves_the_value_unchanged)
{
    haft__arena arena, none;
    haft__arena_init(&arena, 0);
    haft__json object = parse(&arena, "{\"a\":1}"), array = parse(&arena, "[1]");
    haft__arena_init(&none, 1);
    CHECK(!haft__edit_put(&none, &object, HAFT__LIT("b"), array), "put without memory");
    CHECK(!haft__edit_remove(&none, &object, HAFT__LIT("a")), "remove without memory");
    CHECK(!haft__edit_put_item(&none, &array, 0, object), "put an item without memory");
    CHECK_STR(written(object), HAFT__LIT("{\"a\":1}"), "the object is unchanged");
    haft__arena_finish(&none);
    haft__arena_finish(&arena);
}
