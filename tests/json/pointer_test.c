/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/json/pointer.c. */
#include "json/pointer.h"

#include "json_help.h"
#include "json/canonical.h"

static void check_get(const haft__json *root, const char *pointer, const char *wanted)
{
    const haft__json *found = haft__pointer_get(root, haft__str(pointer));
    CHECK((found != NULL) == (wanted != NULL), "%s: %s", pointer,
          found != NULL ? "found" : "not found");
    if (found != NULL && wanted != NULL) {
        haft__buf buf;
        haft__buf_init(&buf, 4096);
        CHECK_INT(haft__json_write_canonical(&buf, *found, NULL), HAFT_OK, "%s", pointer);
        CHECK_STR(haft__buf_str(&buf), haft__str(wanted), "%s", pointer);
        haft__buf_finish(&buf);
    }
}

TEST(examples_of_rfc_6901_are_resolved)
{
    haft__arena arena;
    haft__arena_init(&arena, 0);
    haft__json root = help_read(&arena, "{\"foo\":[\"bar\",\"baz\"],\"\":0,\"a/b\":1,\"c%d\":2,"
                                        "\"e^f\":3,\"g|h\":4,\"i\\\\j\":5,\"k\\\"l\":6,\" \":7,"
                                        "\"m~n\":8}");
    static const char *const cases[][2] = {
        {"/foo", "[\"bar\",\"baz\"]"},
        {"/foo/0", "\"bar\""},
        {"/", "0"},
        {"/a~1b", "1"},
        {"/c%d", "2"},
        {"/e^f", "3"},
        {"/g|h", "4"},
        {"/i\\j", "5"},
        {"/k\"l", "6"},
        {"/ ", "7"},
        {"/m~0n", "8"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        check_get(&root, cases[i][0], cases[i][1]);
    }
    CHECK(haft__pointer_get(&root, HAFT__LIT("")) == &root,
          "the empty pointer is the whole document");
    haft__arena_finish(&arena);
}

TEST(pointers_find_a_value_or_nothing)
{
    haft__arena arena;
    haft__arena_init(&arena, 0);
    haft__json root = help_read(
        &arena, "{\"a\":[10,[20],{\"b\":30}],\"~1\":40,\"a/\":50,\"01\":60,\"x\":{\"\":{\"\":70}},"
                "\"~\":80}");
    static const struct {
        const char *pointer, *wanted;
    } cases[] = {
        {"/a/0", "10"},
        {"/a/1/0", "20"},
        {"/a/2/b", "30"},
        {"/~01", "40"},
        {"/a~1", "50"},
        {"/01", "60"},
        {"/x//", "70"},
        {"/~0", "80"},
        {"a", NULL},
        {"a/0", NULL},
        {"/b", NULL},
        {"/a/3", NULL},
        {"/a/-", NULL},
        {"/a/-1", NULL},
        {"/a/00", NULL},
        {"/a/01", NULL},
        {"/a/", NULL},
        {"/a/1e0", NULL},
        {"/a/ 1", NULL},
        {"/a/4294967296", NULL},
        {"/a/18446744073709551616", NULL},
        {"/a/0/x", NULL},
        {"/a/", NULL},
        {"/~", NULL},
        {"/~2", NULL},
        {"/a~", NULL},
        {"/~1", NULL},
        {"/a/2/b/", NULL},
        {"/aa", NULL},
        {"/x/", "{\"\":70}"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        check_get(&root, cases[i].pointer, cases[i].wanted);
    }
    haft__arena_finish(&arena);
}

TEST(a_built_pointer_finds_its_value)
{
    haft__arena arena;
    haft__arena_init(&arena, 0);
    static const char *const keys[] = {"", "a", "/", "~", "~1", "a/b~c/", "//", "~~0"};
    for (size_t i = 0; i < COUNT(keys); i++) {
        haft__json items[] = {haft__json_null(), haft__json_bool(true)};
        haft__json_member member = {haft__json_string(haft__str(keys[i])),
                                    haft__json_array(items, COUNT(items))};
        haft__json root = haft__json_object(&member, 1);
        haft__buf buf;
        haft__buf_init(&buf, 64);
        haft__pointer_add_key(&buf, haft__str(keys[i]));
        haft__pointer_add_index(&buf, 1);
        CHECK(haft__pointer_get(&root, haft__buf_str(&buf)) == &items[1], "%s: %.*s", keys[i],
              HAFT__ARG(haft__buf_str(&buf)));
        haft__buf_finish(&buf);
    }
    haft__buf buf;
    haft__buf_init(&buf, 64);
    haft__pointer_add_key(&buf, HAFT__LIT("a/b~c"));
    haft__pointer_add_index(&buf, 0);
    haft__pointer_add_index(&buf, SIZE_MAX);
    CHECK_STR(haft__buf_str(&buf), HAFT__LIT("/a~1b~0c/0/18446744073709551615"),
              "text of the pointer");
    haft__buf_finish(&buf);
    haft__arena_finish(&arena);
}
