/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/json/value.c. */
#include "json/value.h"

#include "json_help.h"

TEST(kinds_have_the_names_of_json_schema)
{
    static const char *const cases[][2] = {
        {"null", "null"},   {"true", "boolean"}, {"false", "boolean"}, {"1", "number"},
        {"\"\"", "string"}, {"[]", "array"},     {"{}", "object"},
    };
    haft__arena arena;
    haft__arena_init(&arena, 0);
    for (size_t i = 0; i < COUNT(cases); i++) {
        haft__json value = help_read(&arena, cases[i][0]);
        CHECK_STR(haft__str(haft__json_kind_name(value)), haft__str(cases[i][1]), "%s",
                  cases[i][0]);
    }
    haft__arena_finish(&arena);
}

TEST(wrong_type_is_reported_with_the_type_that_was_found)
{
    haft_error err;
    CHECK_INT(haft__json_fail_type(haft__json_bool(true), "/id", "a string", &err), HAFT_BAD_INPUT,
              "the status");
    CHECK_STR(haft__str(err.where), HAFT__LIT("/id"), "the place");
    CHECK_STR(haft__str(err.message), HAFT__LIT("expected a string, found boolean"), "the message");
    CHECK_INT(haft__json_fail_type(haft__json_null(), "", "a string", NULL), HAFT_BAD_INPUT,
              "without an error");
}

TEST(constructed_values_equal_parsed_values)
{
    haft__arena arena;
    haft__arena_init(&arena, 0);
    haft__json items[] = {
        haft__json_null(),         haft__json_bool(true),
        haft__json_bool(false),    haft__json_string(HAFT__LIT("x")),
        haft__json_int(&arena, 0), haft__json_int(&arena, INT64_MIN),
    };
    haft__json_member member = {haft__json_string(HAFT__LIT("a")),
                                haft__json_array(items, COUNT(items))};
    haft__json made = haft__json_object(&member, 1);
    haft__json read =
        help_read(&arena, "{\"a\": [null, true, false, \"x\", 0, -9223372036854775808]}");
    bool equal = false;
    CHECK_INT(haft__json_equal(made, read, &equal, NULL), HAFT_OK, "comparing");
    CHECK(equal, "the constructed value equals the parsed one");
    CHECK(items[5].integer, "an integer is marked as one");
    CHECK_STR(haft__json_text(items[5]), HAFT__LIT("-9223372036854775808"), "text of the integer");
    test_fail_allocation(0);
    haft__arena empty;
    haft__arena_init(&empty, 0);
    CHECK_INT(haft__json_int(&empty, 1).kind, HAFT__JSON_NULL, "an integer without memory is null");
    haft__arena_finish(&empty);
    haft__arena_finish(&arena);
}

TEST(get_finds_members)
{
    haft__arena arena;
    haft__arena_init(&arena, 0);
    haft__json object = help_read(&arena, "{\"a\":1,\"ab\":2,\"\":3,\"a\\u0000\":4}");
    static const struct {
        haft_str key;
        const char *number;
    } cases[] = {
        {HAFT__LIT("a"), "1"},   {HAFT__LIT("ab"), "2"}, {HAFT__LIT(""), "3"},
        {HAFT__LIT("a\0"), "4"}, {HAFT__LIT("b"), NULL}, {HAFT__LIT("abc"), NULL},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        const haft__json *found = haft__json_get(object, cases[i].key);
        CHECK((found != NULL) == (cases[i].number != NULL), "case %zu: whether a member is found",
              i);
        if (found != NULL && cases[i].number != NULL) {
            CHECK_STR(haft__json_text(*found), haft__str(cases[i].number), "case %zu", i);
        }
    }
    CHECK(haft__json_get(help_read(&arena, "[1]"), HAFT__LIT("a")) == NULL,
          "a member of an array was found");
    CHECK_INT(haft__json_text(help_read(&arena, "[1]")).len, 0, "an array has no text");
    haft__arena_finish(&arena);
}

static const haft__hash_key hash_key = {5, 6};

static void check_equal(haft__json a, haft__json b, bool wanted, const char *name)
{
    bool equal = !wanted;
    CHECK_INT(haft__json_equal(a, b, &equal, NULL), HAFT_OK, "comparing %s", name);
    CHECK_INT(equal, wanted, "%s", name);
    equal = !wanted;
    CHECK_INT(haft__json_equal(b, a, &equal, NULL), HAFT_OK, "comparing %s, swapped", name);
    CHECK_INT(equal, wanted, "%s, swapped", name);
    bool same_hash = haft__json_hash(hash_key, a) == haft__json_hash(hash_key, b);
    CHECK_INT(same_hash, wanted, "%s: equal hashes", name);
}

TEST(equality_is_by_meaning)
{
    static const struct {
        const char *a, *b;
        bool equal;
    } cases[] = {
        {"null", "null", true},
        {"null", "false", false},
        {"true", "false", false},
        {"0", "false", false},
        {"\"1\"", "1", false},
        {"1", "1.0", true},
        {"1", "10e-1", true},
        {"1", "1.00000000000000000000000000000000000001", false},
        {"9007199254740992", "9007199254740993", false},
        {"\"a\"", "\"\\u0061\"", true},
        {"\"a\"", "\"b\"", false},
        {"\"a\"", "\"aa\"", false},
        {"\"\"", "\"\"", true},
        {"[]", "{}", false},
        {"[]", "[]", true},
        {"[1,2]", "[1.0,2e0]", true},
        {"[1,2]", "[2,1]", false},
        {"[1,2]", "[1]", false},
        {"[[1],2]", "[[1,2]]", false},
        {"[[],[[]]]", "[[[]],[]]", false},
        {"{}", "{}", true},
        {"{\"a\":1}", "{\"a\":1}", true},
        {"{\"a\":1}", "{\"a\":2}", false},
        {"{\"a\":1}", "{\"b\":1}", false},
        {"{\"a\":1}", "{\"a\":1,\"b\":1}", false},
        {"{\"a\":1,\"b\":2}", "{\"b\":2,\"a\":1}", true},
        {"{\"a\":1,\"b\":2}", "{\"b\":1,\"a\":2}", false},
        {"{\"a\":1,\"b\":2,\"c\":3}", "{\"a\":1,\"c\":3,\"b\":2}", true},
        {"{\"a\":1,\"b\":2,\"c\":3}", "{\"a\":1,\"c\":3,\"d\":2}", false},
        {"{\"a\":{\"b\":1,\"c\":[{\"d\":2,\"e\":3}]}}",
         "{\"a\":{\"c\":[{\"e\":3,\"d\":2}],\"b\":1}}", true},
        {"{\"a\":\"b\"}", "{\"b\":\"a\"}", false},
        {"[[1,2],[3]]", "[[1],[2,3]]", false},
        {"{\"a\":null}", "{\"a\":false}", false},
    };
    haft__arena arena;
    haft__arena_init(&arena, 0);
    for (size_t i = 0; i < COUNT(cases); i++) {
        haft__json a = help_read(&arena, cases[i].a), b = help_read(&arena, cases[i].b);
        char name[128];
        (void)snprintf(name, sizeof(name), "%s = %s", cases[i].a, cases[i].b);
        check_equal(a, b, cases[i].equal, name);
    }
    haft__arena_finish(&arena);
}

/* The same object with one value, and one key, that is different. */
static haft__json with_other(haft__json object, unsigned at, bool key)
{
    haft__json_member *members = test_alloc(object.count * sizeof(*members));
    memcpy(members, object.members, object.count * sizeof(*members));
    *(key ? &members[at].key : &members[at].value) = haft__json_string(HAFT__LIT("other"));
    return haft__json_object(members, object.count);
}

TEST(the_order_of_members_does_not_matter_for_equality)
{
    static const unsigned sizes[] = {0, 1, 2, 15, 16, 17, 18, 100, 1000, 100000};
    for (size_t i = 0; i < COUNT(sizes); i++) {
        unsigned count = sizes[i];
        char name[32];
        (void)snprintf(name, sizeof(name), "%u members", count);
        haft__json forth = help_object(count, false), back = help_object(count, true);
        check_equal(forth, back, true, name);
        check_equal(forth, forth, true, name);
        for (unsigned at = 0; at < count; at += count / 2 + 1) {
            check_equal(forth, with_other(back, at, false), false, name);
            check_equal(forth, with_other(back, at, true), false, name);
            check_equal(forth, with_other(forth, at, false), false, name);
            check_equal(forth, with_other(forth, at, true), false, name);
        }
    }
}

TEST(comparing_allocates_only_for_many_members_in_another_order)
{
    haft__json forth = help_object(17, false), back = help_object(17, true);
    size_t before = test_allocation_count();
    bool equal = false;
    CHECK_INT(haft__json_equal(forth, help_object(17, false), &equal, NULL), HAFT_OK,
              "comparing members in the same order");
    CHECK_INT(haft__json_equal(help_object(16, true), help_object(16, false), &equal, NULL),
              HAFT_OK, "comparing few members");
    CHECK_INT(test_allocation_count(), before, "allocations");
    for (unsigned n = 0;; n++) {
        test_fail_allocation(n);
        equal = false;
        haft_error err = {0};
        haft_status status = haft__json_equal(forth, back, &equal, &err);
        if (!test_allow_allocations()) {
            CHECK(status == HAFT_OK && equal && n == 2, "after %u failures", n);
            break;
        }
        CHECK(status == HAFT_NO_MEMORY && err.status == HAFT_NO_MEMORY && !equal, "allocation %u",
              n);
    }
}

TEST(nesting_is_handled_up_to_the_limit)
{
    const unsigned max = HAFT__LIMIT_JSON_DEPTH;
    haft__json one = haft__json_bool(true), other = haft__json_bool(false);
    check_equal(help_nest(one, max), help_nest(one, max), true, "equal at the limit");
    check_equal(help_nest(one, max), help_nest(other, max), false, "different at the limit");
    bool equal = false;
    haft_error err = {0};
    CHECK_INT(haft__json_equal(help_nest(one, max + 1), help_nest(one, max + 1), &equal, &err),
              HAFT_TOO_BIG, "one level past the limit");
    CHECK_STR(haft__str(err.message), HAFT__LIT("the values nest more than 256 levels deep"),
              "message");
    CHECK(!equal, "the result was written");
    haft__json_member member = {haft__json_string(HAFT__LIT("a")), help_nest(one, max)};
    haft__json object = haft__json_object(&member, 1);
    CHECK_INT(haft__json_equal(object, object, &equal, &err), HAFT_TOO_BIG,
              "one level past the limit, in an object");
    CHECK(haft__json_hash(hash_key, help_nest(one, max + 9))
              == haft__json_hash(hash_key, help_nest(other, max + 9)),
          "the hash ignores levels past the limit");
}

TEST(a_copy_shares_only_texts)
{
    const char *texts[] = {
        "null", "[]", "{}", "1", "[1,[2,{\"a\":[]}],\"b\"]", "{\"a\":{\"b\":[true]}}"};
    for (size_t i = 0; i < COUNT(texts); i++) {
        haft__arena from, to;
        haft__json value, copy;
        bool equal = false;
        haft__arena_init(&from, 0);
        haft__arena_init(&to, 0);
        haft__json_options options = HAFT__JSON_OPTIONS_INIT;
        haft__arena trees;
        haft__arena_init(&trees, 0);
        options.trees = &trees;
        CHECK_INT(haft__json_read(&from, haft__str(texts[i]), &options, &value, NULL, NULL),
                  HAFT_OK, "reading %s", texts[i]);
        CHECK_INT(haft__json_copy(&to, value, &copy, NULL), HAFT_OK, "copying %s", texts[i]);
        CHECK(value.count == 0 || haft__json_text(value).len > 0 || value.items != copy.items, "%s",
              texts[i]);
        haft__arena_finish(&trees);
        CHECK(from.total == 0, "%s: texts without escapes take no memory", texts[i]);
        CHECK_INT(haft__json_read(&from, haft__str(texts[i]), NULL, &value, NULL, NULL), HAFT_OK,
                  "reading %s again", texts[i]);
        CHECK_INT(haft__json_equal(value, copy, &equal, NULL), HAFT_OK, "comparing %s", texts[i]);
        CHECK(equal, "the copy of %s differs", texts[i]);
        haft__arena_finish(&from);
        haft__arena_finish(&to);
    }
}

TEST(a_deep_copy_shares_nothing)
{
    char text[] = "{\"a\":[1.50,\"b\",{\"c\":true}]}";
    haft__arena from, to;
    haft__json value, copy, again;
    bool equal = false;
    haft__arena_init(&from, 0);
    haft__arena_init(&to, 0);
    CHECK_INT(haft__json_read(&from, haft__str(text), NULL, &value, NULL, NULL), HAFT_OK,
              "reading");
    CHECK_INT(haft__json_copy_deep(&to, value, &copy, NULL), HAFT_OK, "copying");
    haft__arena_finish(&from);
    memset(text, 'x', sizeof(text) - 1);
    CHECK_INT(haft__json_read(&to, HAFT__LIT("{\"a\":[1.50,\"b\",{\"c\":true}]}"), NULL, &again,
                              NULL, NULL),
              HAFT_OK, "reading the same text again");
    CHECK_INT(haft__json_equal(copy, again, &equal, NULL), HAFT_OK, "comparing");
    CHECK(equal, "the copy differs");
    haft__arena_finish(&to);
}

TEST(copying_reports_the_depth_limit_and_failed_allocations)
{
    const unsigned max = HAFT__LIMIT_JSON_DEPTH;
    haft__json copy, one = haft__json_bool(true);
    haft_error err = {0};
    haft__arena arena;
    haft__arena_init(&arena, 0);
    CHECK_INT(haft__json_copy(&arena, help_nest(one, max), &copy, &err), HAFT_OK, "at the limit");
    CHECK_INT(haft__json_copy(&arena, help_nest(one, max + 1), &copy, &err), HAFT_TOO_BIG,
              "one level past the limit");
    haft__arena_finish(&arena);
    haft__json nested = help_nest(one, 2);
    test_fail_allocation(0);
    haft_status status = haft__json_copy(&arena, nested, &copy, &err);
    CHECK(test_allow_allocations() && status == HAFT_NO_MEMORY, "copying without memory");
    haft__arena_finish(&arena);
}
