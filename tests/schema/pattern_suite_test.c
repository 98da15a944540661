/* SPDX-License-Identifier: Apache-2.0 */
/* The regular expressions of the JSON Schema test suite, for src/schema/regex/pattern.c. */
#include "schema/ecma_help.h"
#include "schema/regex/pattern.h"
#include "json/read.h"

#define SUITE "shared/data/json-schema-test-suite/tests/"

static unsigned checked;

static haft_status compile(haft__arena *arena, haft_str source, const haft__pattern **ret_pattern)
{
    haft_error err = {0};
    haft_status status = haft__pattern_compile(arena, source, ret_pattern, &err);
    CHECK(status == HAFT_OK || err.message[0] != '\0', "%.*s: no message", HAFT__ARG(source));
    return status;
}

static bool matches(haft__arena *arena, haft_str source, haft_str text)
{
    const haft__pattern *pattern = NULL;
    CHECK_INT(compile(arena, source, &pattern), HAFT_OK, "%.*s", HAFT__ARG(source));
    haft__pattern_scratch *scratch = haft__pattern_scratch_create();
    haft__pattern_result result =
        pattern != NULL ? haft__pattern_match(pattern, scratch, text) : HAFT__PATTERN_NO;
    haft__pattern_scratch_destroy(scratch);
    CHECK(result == HAFT__PATTERN_YES || result == HAFT__PATTERN_NO, "%.*s: a limit was exceeded",
          HAFT__ARG(source));
    return result == HAFT__PATTERN_YES;
}

static void check_pattern(haft__arena *arena, haft_str source, haft__json data, bool valid)
{
    if (data.kind == HAFT__JSON_STRING) {
        checked++;
        CHECK_INT(matches(arena, source, haft__json_text(data)), valid, "%.*s on %.*s",
                  HAFT__ARG(source), HAFT__ARG(haft__json_text(data)));
    }
}

/* With "additionalProperties": false and no constraint on the values, an object is valid if every
 * key matches. */
static void check_keys(haft__arena *arena, haft__json patterns, haft__json data, bool valid)
{
    bool all = true;
    for (uint32_t i = 0; i < data.count; i++) {
        haft_str key = haft__json_text(data.members[i].key);
        bool any = false;
        for (uint32_t j = 0; j < patterns.count; j++) {
            any = any || matches(arena, haft__json_text(patterns.members[j].key), key);
        }
        all = all && any;
    }
    checked++;
    CHECK_INT(all, valid, "whether all keys match");
}

/* "format": "regex" checks the syntax of an expression, not whether haft supports it. */
static void check_format(haft__arena *arena, haft__json data, bool valid)
{
    const haft__pattern *pattern = NULL;
    if (data.kind == HAFT__JSON_STRING) {
        checked++;
        haft_str source = haft__json_text(data);
        CHECK_INT(compile(arena, source, &pattern) != HAFT_BAD_INPUT, valid, "%.*s",
                  HAFT__ARG(source));
    }
}

static void check_test(haft__arena *arena, haft__json schema, haft__json test)
{
    haft__json data = *haft__json_get(test, HAFT__LIT("data"));
    bool valid = haft__json_get(test, HAFT__LIT("valid"))->kind == HAFT__JSON_TRUE;
    const haft__json *pattern = haft__json_get(schema, HAFT__LIT("pattern"));
    const haft__json *patterns = haft__json_get(schema, HAFT__LIT("patternProperties"));
    const haft__json *others = haft__json_get(schema, HAFT__LIT("additionalProperties"));
    if (pattern != NULL) {
        check_pattern(arena, haft__json_text(*pattern), data, valid);
    } else if (patterns != NULL && others != NULL && others->kind == HAFT__JSON_FALSE) {
        check_keys(arena, *patterns, data, valid);
    } else if (haft__json_get(schema, HAFT__LIT("format")) != NULL) {
        check_format(arena, data, valid);
    }
}

static void check_file(haft__arena *arena, haft_str text)
{
    haft__json groups = haft__json_null();
    CHECK_INT(haft__json_read(arena, text, NULL, &groups, NULL, NULL), HAFT_OK, "the file is JSON");
    for (uint32_t i = 0; i < groups.count; i++) {
        haft__json schema = *haft__json_get(groups.items[i], HAFT__LIT("schema"));
        haft__json tests = *haft__json_get(groups.items[i], HAFT__LIT("tests"));
        for (uint32_t j = 0; j < tests.count; j++) {
            check_test(arena, schema, tests.items[j]);
        }
    }
}

TEST(expressions_of_the_json_schema_suite_match_as_expected)
{
    static const char *const files[] = {
        SUITE "draft2020-12/pattern.json",
        SUITE "draft2020-12/patternProperties.json",
        SUITE "draft2020-12/optional/ecmascript-regex.json",
        SUITE "draft2020-12/optional/non-bmp-regex.json",
        SUITE "draft2020-12/optional/format/ecmascript-regex.json",
        SUITE "draft2020-12/optional/format/regex.json",
        SUITE "draft7/optional/ecmascript-regex.json",
        SUITE "draft7/optional/non-bmp-regex.json",
        SUITE "draft7/optional/format/ecmascript-regex.json",
        SUITE "draft7/optional/format/regex.json",
    };
    checked = 0;
    for (size_t i = 0; i < COUNT(files); i++) {
        haft_str text = test_read_file(files[i]);
        if (text.ptr == NULL) {
            test_skip_suite(files[i]);
            return;
        }
        haft__arena arena;
        haft__arena_init(&arena, 0);
        check_file(&arena, text);
        haft__arena_finish(&arena);
    }
    CHECK(checked > 150, "only %u checks", checked);
}
