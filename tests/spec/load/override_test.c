/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/spec/load/override.c, and for --set through the loader. */
#include "spec/load/load.h"

#include "spec/spec_help.h"
#include "json/read.h"
#include "json/write.h"

#define BEFORE "{\"limits\":{\"turns\":3},\"tools\":[{\"name\":\"a\"}],\"x\":null,\"s\":\"t\"}"

static const struct {
    const char *path, *value, *wanted;
} cases[] = {
    {"limits.turns", "5",
     "{\"limits\":{\"turns\":5},\"tools\":[{\"name\":\"a\"}],\"x\":null,\"s\":\"t\"}"},
    {"limits.calls", "5",
     "{\"limits\":{\"turns\":3,\"calls\":5},\"tools\":[{\"name\":\"a\"}],\"x\":null,\"s\":\"t\"}"},
    {"tools.0.name", "b",
     "{\"limits\":{\"turns\":3},\"tools\":[{\"name\":\"b\"}],\"x\":null,\"s\":\"t\"}"},
    {"/tools/0/a~1b~0c", "true",
     "{\"limits\":{\"turns\":3},\"tools\":[{\"name\":\"a\",\"a/b~c\":true}],\"x\":null,\"s\":"
     "\"t\"}"},
    {"tools.0", "{\"k\": [1, 2]}",
     "{\"limits\":{\"turns\":3},\"tools\":[{\"k\":[1,2]}],\"x\":null,\"s\":\"t\"}"},
    /* missing and null objects on the path are created */
    {"x.y.z", "null",
     "{\"limits\":{\"turns\":3},\"tools\":[{\"name\":\"a\"}],\"x\":{\"y\":{\"z\":null}},\"s\":\"t\""
     "}"},
    {"new.key", "",
     "{\"limits\":{\"turns\":3},\"tools\":[{\"name\":\"a\"}],\"x\":null,\"s\":\"t\",\"new\":{"
     "\"key\":\"\"}}"},
    /* a value that is not JSON is a text */
    {"s", "a = b, {c}",
     "{\"limits\":{\"turns\":3},\"tools\":[{\"name\":\"a\"}],\"x\":null,\"s\":\"a = b, {c}\"}"},
    {"s", "\"5\"",
     "{\"limits\":{\"turns\":3},\"tools\":[{\"name\":\"a\"}],\"x\":null,\"s\":\"5\"}"},
};

static const struct {
    const char *path, *message, *hint;
} rejected[] = {
    {"", "found the part '' in the path, expected a key",
     "write keys separated by dots: limits.turns"},
    {"a..b", "found the part '' in the path, expected a key",
     "write keys separated by dots: limits.turns"},
    {"a.", "found the part '' in the path, expected a key",
     "write keys separated by dots: limits.turns"},
    {"tools.1", "there is no item '1' in this list", "it has 1 items; the first is 0"},
    {"tools.name", "found 'name', expected the index of a list item", ""},
    {"s.x", "there is nothing to set at 'x'", "the value before it is string, not an object"},
    {"limits.turns.x", "there is nothing to set at 'x'",
     "the value before it is number, not an object"},
    {"a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a."
     "a."
     "a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a",
     "the path is too long at 'a'", ""},
};

static const struct {
    const char *before, *path, *wanted; /* the value is always "v" */
} models[] = {
    {"{\"model\":\"openai:gpt\"}", "model.base_url",
     "{\"model\":{\"provider\":\"openai\",\"model\":\"gpt\",\"base_url\":\"v\"}}"},
    {"{\"model\":\"openai:a:b\"}", "/model/model",
     "{\"model\":{\"provider\":\"openai\",\"model\":\"v\"}}"},
    {"{\"model\":\"offline\"}", "model.options.seed",
     "{\"model\":{\"provider\":\"offline\",\"options\":{\"seed\":\"v\"}}}"},
    {"{\"model\":\"offline\"}", "model", "{\"model\":\"v\"}"},
};

TEST(a_model_that_is_a_text_becomes_an_object)
{
    for (size_t i = 0; i < COUNT(models); i++) {
        haft__arena arena;
        haft__arena_init(&arena, 0);
        haft__json value = haft__json_null();
        haft__buf text;
        haft__buf_init(&text, 4096);
        CHECK_INT(haft__json_read(&arena, haft__str(models[i].before), NULL, &value, NULL, NULL),
                  HAFT_OK, "case %zu", i);
        CHECK_INT(haft__spec_set(&arena, &value, haft__str(models[i].path), HAFT__LIT("v"), NULL),
                  HAFT_OK, "case %zu", i);
        haft__json_write(&text, value);
        CHECK_STR(haft__buf_str(&text), haft__str(models[i].wanted), "case %zu", i);
        haft__buf_finish(&text);
        haft__arena_finish(&arena);
    }
}

TEST(part_of_the_spec_is_replaced)
{
    haft__arena arena;
    haft__arena_init(&arena, 0);
    for (size_t i = 0; i < COUNT(cases); i++) {
        haft__json value;
        haft_error err = {.status = HAFT_OK};
        CHECK(haft__json_read(&arena, HAFT__LIT(BEFORE), NULL, &value, NULL, NULL) == HAFT_OK,
              "the text is JSON");
        haft_status status = haft__spec_set(&arena, &value, haft__str(cases[i].path),
                                            haft__str(cases[i].value), &err);
        CHECK(status == HAFT_OK, "%s: %s", cases[i].path, err.message);
        haft__buf buf;
        haft__buf_init(&buf, 1 << 16);
        haft__json_write(&buf, value);
        CHECK_STR(keep(&buf), haft__str(cases[i].wanted), "%s", cases[i].path);
    }
    haft__arena_finish(&arena);
}

TEST(unknown_path_is_rejected)
{
    haft__arena arena;
    haft__arena_init(&arena, 0);
    for (size_t i = 0; i < COUNT(rejected); i++) {
        haft__json value;
        haft_error err = {.status = HAFT_OK};
        CHECK(haft__json_read(&arena, HAFT__LIT(BEFORE), NULL, &value, NULL, NULL) == HAFT_OK,
              "the text is JSON");
        haft_status status =
            haft__spec_set(&arena, &value, haft__str(rejected[i].path), HAFT__LIT("1"), &err);
        CHECK_INT(status, HAFT_BAD_INPUT, "%s", rejected[i].path);
        CHECK_STR(haft__str(err.message), haft__str(rejected[i].message), "%s", rejected[i].path);
        CHECK_STR(haft__str(err.hint), haft__str(rejected[i].hint), "%s", rejected[i].path);
        CHECK_INT(haft__spec_set(&arena, &value, haft__str(rejected[i].path), HAFT__LIT("1"), NULL),
                  HAFT_BAD_INPUT, "without an error to fill in");
    }
    haft__arena_finish(&arena);
}

TEST(overrides_are_applied_in_order_and_named_in_their_problems)
{
    static const char *const sets[] = {"limits.turns=7", "limits.turns=5", "limits.cals=3",
                                       "name",           "tools.3.name=x", "/limits/calls=abc"};
    haft__spec_options options = {.hash_key = {1, 2}, .sets = sets, .set_count = 2};
    loaded f;
    load_with(&f, HAFT__LIT("model: offline\nlimits: {turns: 3}\n"), &options);
    CHECK_STR(f.listing, HAFT__LIT(""), "no problems");
    CHECK(f.spec != NULL && f.spec->limits.turns == 5, "the last override counts");
    unload(&f);
    options.set_count = COUNT(sets);
    load_with(&f, HAFT__LIT("model: offline\ntools: []\n"), &options);
    CHECK_STR(
        f.listing,
        HAFT__LIT("0:0: from --set name: found no '=' (write --set path=value)\n"
                  "0:0: from --set tools.3.name=x: there is no item '3' in this list (it has 0 "
                  "items; the first is 0)\n"
                  "0:0: from --set limits.cals=3: there is no key \"cals\" here (did you mean "
                  "calls?)\n"
                  "0:0: from --set /limits/calls=abc: expected integer, found string "
                  "\"abc\""),
        "each problem names its override");
    unload(&f);
}

TEST(setting_a_value_survives_every_failed_allocation)
{
    for (unsigned n = 0;; n++) {
        haft__arena arena;
        haft__arena_init(&arena, 0);
        haft__json value = haft__json_null();
        test_fail_allocation(n);
        haft_status status =
            haft__spec_set(&arena, &value, HAFT__LIT("/a/b~1c"), HAFT__LIT("[1]"), NULL);
        bool failed = test_allow_allocations();
        CHECK_INT(status, failed ? HAFT_NO_MEMORY : HAFT_OK, "allocation %u", n);
        haft__arena_finish(&arena);
        if (!failed) {
            break;
        }
    }
}
