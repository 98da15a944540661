/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/schema/coerce.c. */
#include "base/limits.h"
#include "schema_helpers.h"

#define INTEGER "{\"type\":\"integer\"}"
#define NUMBER  "{\"type\":\"number\"}"
#define BOOLEAN "{\"type\":\"boolean\"}"
#define STRING  "{\"type\":\"string\"}"

/* `wanted` is NULL if the value stays as it is. */
static const struct {
    const char *schema, *instance, *wanted;
} cases[] = {
    /* strings to numbers: exactly JSON's numbers, spelled as they were */
    {INTEGER, "\"10\"", "10"},
    {INTEGER, "\"-0\"", "-0"},
    {INTEGER, "\"1e3\"", "1e3"},
    {INTEGER, "\"1.0\"", "1.0"},
    {INTEGER, "\"123456789012345678901234567890\"", "123456789012345678901234567890"},
    {INTEGER, "\"1.5\"", NULL},
    {INTEGER, "\"010\"", NULL},
    {INTEGER, "\"+1\"", NULL},
    {INTEGER, "\" 1\"", NULL},
    {INTEGER, "\"1 \"", NULL},
    {INTEGER, "\"0x10\"", NULL},
    {INTEGER, "\"ten\"", NULL},
    {INTEGER, "\"\"", NULL},
    {INTEGER, "\"-\"", NULL},
    {INTEGER, "\"NaN\"", NULL},
    {INTEGER, "1.0", NULL}, /* is an integer already */
    {INTEGER, "1.5", NULL},
    {INTEGER, "true", NULL},
    {INTEGER, "null", NULL},
    {NUMBER, "\"1.50\"", "1.50"},
    {NUMBER, "\"10\"", "10"},
    {"{\"type\":\"integer\",\"minimum\":50}", "\"10\"",
     "10"}, /* converted, and not valid afterwards */
    /* booleans and null */
    {BOOLEAN, "\"true\"", "true"},
    {BOOLEAN, "\"false\"", "false"},
    {BOOLEAN, "\"True\"", NULL},
    {BOOLEAN, "\"yes\"", NULL},
    {BOOLEAN, "1", NULL},
    {"{\"type\":\"null\"}", "\"null\"", NULL},
    /* numbers to strings */
    {STRING, "10", "\"10\""},
    {STRING, "1.50", "\"1.50\""},
    {STRING, "true", NULL},
    {STRING, "null", NULL},
    {STRING, "[1]", NULL},
    /* texts that contain an object or array */
    {"{\"type\":\"object\",\"properties\":{\"a\":" INTEGER "}}", "\"{\\\"a\\\":\\\"1\\\"}\"",
     "{\"a\":1}"},
    {"{\"type\":\"array\"}", "\" [1,2] \"", "[1,2]"},
    {"{\"type\":\"object\"}", "\"[1]\"", NULL},
    {"{\"type\":\"object\"}", "\"{broken\"", NULL},
    {"{\"type\":\"array\",\"items\":" INTEGER "}", "\"[broken\"", NULL},
    /* a single value where an array is required */
    {"{\"type\":\"array\",\"items\":" STRING "}", "\"a\"", "[\"a\"]"},
    {"{\"type\":\"array\",\"items\":" INTEGER "}", "\"5\"", "[5]"},
    {"{\"type\":\"array\",\"items\":" INTEGER "}", "\"a\"", NULL},
    {"{\"type\":\"array\",\"items\":{\"type\":\"object\"}}", "{\"a\":1}", "[{\"a\":1}]"},
    {"{\"type\":[\"array\",\"null\"],\"items\":" STRING "}", "\"a\"", NULL},
    {"{\"type\":\"array\"}", "null", NULL},
    {"{\"type\":\"array\",\"minItems\":2}", "1", NULL},
    /* several types: a matching value is unchanged */
    {"{\"type\":[\"integer\",\"string\"]}", "\"10\"", NULL},
    {"{\"type\":[\"integer\",\"boolean\"]}", "\"10\"", "10"},
    {"{\"type\":[\"integer\",\"boolean\"]}", "\"true\"", "true"},
    /* below every kind of keyword */
    {"{\"properties\":{\"a\":" INTEGER ",\"b\":" STRING "}}",
     "{\"a\":\"1\",\"b\":\"1\",\"c\":\"1\"}", "{\"a\":1,\"b\":\"1\",\"c\":\"1\"}"},
    {"{\"additionalProperties\":" INTEGER "}", "{\"x\":\"1\",\"y\":2}", "{\"x\":1,\"y\":2}"},
    {"{\"patternProperties\":{\"^n\":" INTEGER "},\"additionalProperties\":" STRING "}",
     "{\"n\":\"1\",\"s\":2}", "{\"n\":1,\"s\":\"2\"}"},
    {"{\"items\":" INTEGER "}", "[1,\"2\",3,\"4\"]", "[1,2,3,4]"},
    {"{\"prefixItems\":[" INTEGER "],\"items\":" STRING "}", "[\"1\",2]", "[1,\"2\"]"},
    {"{\"prefixItems\":[" INTEGER "]}", "[\"1\",\"2\"]", "[1,\"2\"]"},
    {"{\"$ref\":\"#/$defs/n\",\"$defs\":{\"n\":" INTEGER "}}", "\"1\"", "1"},
    {"{\"title\":\"t\",\"$ref\":\"#/$defs/n\",\"minimum\":0,\"$defs\":{\"n\":" INTEGER "}}",
     "\"1\"", "1"},
    {"{\"allOf\":[{\"properties\":{\"a\":" INTEGER "}},{\"properties\":{\"b\":" INTEGER "}}]}",
     "{\"a\":\"1\",\"b\":\"2\"}", "{\"a\":1,\"b\":2}"},
    {"{\"$dynamicAnchor\":\"n\",\"properties\":{\"v\":" INTEGER ",\"kid\":{\"$dynamicRef\":"
     "\"#n\"}}}",
     "{\"v\":1,\"kid\":{\"v\":\"2\"}}", "{\"v\":1,\"kid\":{\"v\":2}}"},
    {"{\"anyOf\":[" INTEGER ",{\"type\":\"null\"}]}", "\"7\"", "7"},
    {"{\"anyOf\":[" INTEGER "," STRING "]}", "\"7\"", NULL},
    {"{\"oneOf\":[{\"type\":\"integer\",\"minimum\":50},{\"type\":\"number\",\"maximum\":40}]}",
     "\"7\"", "7"},
    {"{\"oneOf\":[{\"type\":\"integer\",\"minimum\":50},{\"type\":\"null\"}]}", "\"7\"", NULL},
    {"{\"anyOf\":[{\"properties\":{\"k\":{\"const\":\"a\"},\"v\":" INTEGER "}},{\"properties\":{"
     "\"k\":{\"const\":\"b\"},\"v\":" STRING "}}]}",
     "{\"k\":\"b\",\"v\":5}", "{\"k\":\"b\",\"v\":\"5\"}"},
    /* valid as a whole: no part is converted */
    {"{\"anyOf\":[{\"properties\":{\"a\":" INTEGER "}},true]}", "{\"a\":\"1\"}", NULL},
    {"false", "\"1\"", NULL},
    /* conversions that cancel each other out */
    {"{\"allOf\":[" INTEGER "," STRING "]}", "\"5\"", NULL},
    {"{\"properties\":{\"a\":{\"allOf\":[" INTEGER "," STRING "]}}}", "{\"a\":\"5\",\"b\":1}",
     NULL},
    {"{\"items\":{\"allOf\":[" STRING "," INTEGER "]}}", "[1,5]", NULL},
    {"{\"prefixItems\":[{\"allOf\":[" STRING "," INTEGER "]}," INTEGER "]}", "[1,\"5\"]", "[1,5]"},
    /* a conversion would lose a part of the text */
    {"{\"type\":\"object\"}", "\"{\\\"a\\\":1,\\\"a\\\":2}\"", NULL},
    {"{\"type\":\"object\"}", "\"{\\\"a\\\":\\\"\\\\ud800\\\"}\"", NULL},
    /* JSON that was probably truncated */
    {"{\"type\":\"array\"}", "\"[1,2\"", NULL},
    {"{\"type\":\"array\"}", "\" {\\\"a\\\":1\"", NULL},
    {"{\"type\":\"array\"}", "\"1,2]\"", "[\"1,2]\"]"},
    /* one alternative accepts it as it is: no other is tried */
    {"{\"properties\":{\"b\":" INTEGER "},\"anyOf\":[{\"properties\":{\"a\":" INTEGER
     "}},{\"properties\":{\"a\":" STRING "}}]}",
     "{\"a\":\"1\",\"b\":\"2\"}", "{\"a\":\"1\",\"b\":2}"},
};

static void coerce_text(fixture *f, const char *instance, haft__buf *ret_text, bool *ret_changed)
{
    haft__json value;
    haft_error error = {0};
    haft_status status = haft__schema_coerce(f->schema, f->checker, parse(&f->arena, instance),
                                             &f->arena, &value, ret_changed, &error);
    CHECK(status == HAFT_OK, "%s", error.message);
    haft__json_write(ret_text, value);
}

TEST(only_lossless_conversions_are_made)
{
    for (size_t i = 0; i < COUNT(cases); i++) {
        fixture f;
        fixture_init(&f, cases[i].schema);
        haft__buf found, same;
        haft__buf_init(&found, 1 << 20);
        haft__buf_init(&same, 1 << 20);
        bool changed = false;
        coerce_text(&f, cases[i].instance, &found, &changed);
        haft__json_write(&same, parse(&f.arena, cases[i].instance));
        haft_str wanted =
            cases[i].wanted != NULL ? haft__str(cases[i].wanted) : haft__buf_str(&same);
        CHECK_STR(haft__buf_str(&found), wanted, "%s by %s", cases[i].instance, cases[i].schema);
        CHECK_INT(changed, cases[i].wanted != NULL, "%s by %s", cases[i].instance, cases[i].schema);
        haft__buf_finish(&found);
        haft__buf_finish(&same);
        fixture_finish(&f);
    }
}

TEST(coercing_twice_changes_nothing_more)
{
    for (size_t i = 0; i < COUNT(cases); i++) {
        if (cases[i].wanted == NULL) {
            continue;
        }
        fixture f;
        fixture_init(&f, cases[i].schema);
        haft__buf found;
        haft__buf_init(&found, 1 << 20);
        bool changed = true;
        coerce_text(&f, cases[i].wanted, &found, &changed);
        CHECK(!changed, "%s by %s", cases[i].wanted, cases[i].schema);
        haft__buf_finish(&found);
        fixture_finish(&f);
    }
}

TEST(the_instance_itself_is_never_changed)
{
    fixture f;
    fixture_init(&f, "{\"items\":{\"properties\":{\"a\":" INTEGER "}}}");
    haft__json instance = parse(&f.arena, "[{\"a\":\"1\"}]"), made;
    bool changed;
    CHECK_INT(haft__schema_coerce(f.schema, f.checker, instance, &f.arena, &made, &changed, NULL),
              HAFT_OK, "coerce the instance");
    CHECK(changed && made.items[0].members[0].value.kind == HAFT__JSON_NUMBER,
          "the copy is converted");
    CHECK_INT(instance.items[0].members[0].value.kind, HAFT__JSON_STRING,
              "the original is unchanged");
    fixture_finish(&f);
}

TEST(the_instance_is_unchanged_if_the_budget_is_used_up)
{
    fixture f;
    fixture_init(&f, "{\"type\":\"integer\",\"allOf\":[{\"$ref\":\"#\"}]}");
    haft__buf found;
    haft__buf_init(&found, 1 << 20);
    bool changed = false;
    coerce_text(&f, "5", &found, &changed);
    CHECK(!changed, "a recursive schema changes nothing");
    haft__buf_finish(&found);
    fixture_finish(&f);
}

TEST(coercing_survives_every_failed_allocation)
{
    fixture f;
    fixture_init(&f, "{\"properties\":{\"a\":{\"type\":\"array\",\"items\":" INTEGER "},\"b\":{"
                     "\"type\":\"object\"},\"c\":{\"anyOf\":[{\"type\":\"array\",\"items\":{"
                     "\"unevaluatedProperties\":false}},{\"type\":\"null\"}]}}}");
    haft__json instance =
        parse(&f.arena, "{\"a\":[\"1\"],\"b\":\"{\\\"x\\\":\\\"\\\\n\\\"}\",\"c\":{}}");
    bool done = false;
    for (unsigned n = 0; !done; n++) {
        haft__checker *checker = haft__checker_create();
        haft__arena arena;
        haft__arena_init(&arena, 0);
        haft__json made;
        bool changed = false;
        test_fail_allocation(n);
        haft_status status =
            haft__schema_coerce(f.schema, checker, instance, &arena, &made, &changed, NULL);
        bool failed = test_allow_allocations();
        CHECK(status == (failed ? HAFT_NO_MEMORY : HAFT_OK), "allocation %u: %d", n, status);
        CHECK(changed == !failed, "allocation %u", n);
        done = !failed;
        haft__arena_finish(&arena);
        haft__checker_destroy(checker);
    }
    fixture_finish(&f);
}

TEST(coercing_survives_every_full_arena)
{
    fixture f;
    fixture_init(&f, "{\"properties\":{\"a\":{\"type\":\"array\",\"items\":" INTEGER "},\"b\":{"
                     "\"type\":\"object\"},\"c\":{\"type\":\"array\"}}}");
    haft__json instance = parse(&f.arena, "{\"a\":[\"1\"],\"b\":\"{\\\"x\\\":1}\",\"c\":1}");
    haft_status status = HAFT_TOO_BIG;
    for (size_t max = 8; status != HAFT_OK && max < 1 << 16; max += 8) {
        haft__arena arena;
        haft__arena_init(&arena, max);
        haft__json made;
        bool changed = false;
        status = haft__schema_coerce(f.schema, f.checker, instance, &arena, &made, &changed, NULL);
        CHECK(status == HAFT_OK || status == HAFT_TOO_BIG, "%zu bytes: %d", max, status);
        CHECK(changed == (status == HAFT_OK), "%zu bytes", max);
        haft__arena_finish(&arena);
    }
    CHECK_INT(status, HAFT_OK, "status with a large arena");
    fixture_finish(&f);
}

/* `depth` arrays around `inside`. */
static char *nested(int depth, const char *inside)
{
    size_t length = strlen(inside);
    char *text = test_alloc(2 * (size_t)depth + length + 1);
    memset(text, '[', (size_t)depth);
    memcpy(text + depth, inside, length);
    memset(text + (size_t)depth + length, ']', (size_t)depth);
    text[2 * (size_t)depth + length] = '\0';
    return text;
}

TEST(converted_values_nest_no_deeper_than_the_reader_allows)
{
    enum { OUTER = 200, ROOM = HAFT__LIMIT_JSON_DEPTH - OUTER };
    fixture f;
    fixture_init(&f, "{\"type\":\"array\",\"items\":{\"$ref\":\"#\"}}");
    for (int inner = ROOM; inner <= ROOM + 1; inner++) {
        char quoted[2 * ROOM + 8];
        (void)snprintf(quoted, sizeof(quoted), "\"%s\"", nested(inner, ""));
        haft__json made, instance = parse(&f.arena, nested(OUTER, quoted));
        bool changed = false;
        haft_status status =
            haft__schema_coerce(f.schema, f.checker, instance, &f.arena, &made, &changed, NULL);
        CHECK_INT(status, HAFT_OK, "a text of %d arrays", inner);
        CHECK_INT(changed, inner == ROOM, "a text of %d arrays", inner);
    }
    fixture_finish(&f);
    /* An array around a value makes it one level deeper. */
    fixture_init(&f, "{\"type\":\"array\",\"items\":{\"type\":\"object\"}}");
    for (int inner = HAFT__LIMIT_JSON_DEPTH - 2; inner <= HAFT__LIMIT_JSON_DEPTH - 1; inner++) {
        haft__json_member member = {haft__json_string(HAFT__LIT("a")),
                                    parse(&f.arena, nested(inner, ""))};
        haft__json made;
        bool changed = false;
        haft_status status = haft__schema_coerce(f.schema, f.checker, haft__json_object(&member, 1),
                                                 &f.arena, &made, &changed, NULL);
        CHECK_INT(status, HAFT_OK, "%d arrays in an object", inner);
        CHECK_INT(changed, inner == HAFT__LIMIT_JSON_DEPTH - 2, "%d arrays in an object", inner);
    }
    fixture_finish(&f);
}

TEST(memory_of_discarded_conversions_is_released)
{
    /* A hundred alternatives parse the text, and each rejects its value. */
    haft__buf buf;
    haft__buf_init(&buf, 1 << 20);
    haft__buf_addf(&buf, "{\"anyOf\":[{\"type\":\"null\"}");
    for (int i = 0; i < 100; i++) {
        haft__buf_addf(&buf, ",{\"type\":\"array\",\"maxItems\":%d}", i % 2);
    }
    haft__buf_addf(&buf, "]}");
    haft__buf_add(&buf, "", 1);
    fixture f;
    fixture_init(&f, buf.ptr);
    haft__buf_finish(&buf);
    haft__json made, instance = parse(&f.arena, "\"[1,2,3,4,5,6,7,8,9,10]\"");
    haft__arena arena;
    haft__arena_init(&arena, 8192); /* not enough for a hundred */
    bool changed = true;
    haft_status status =
        haft__schema_coerce(f.schema, f.checker, instance, &arena, &made, &changed, NULL);
    CHECK_INT(status, HAFT_OK, "coerce the instance");
    CHECK(!changed, "no schema accepts ten items");
    CHECK_INT(arena.total, 0, "bytes that are kept");
    haft__arena_finish(&arena);
    fixture_finish(&f);
}

TEST(an_earlier_failure_of_the_arena_does_not_count)
{
    fixture f;
    fixture_init(&f, "{\"type\":\"integer\"}");
    haft__json made, instance = parse(&f.arena, "\"5\"");
    bool changed = false;
    f.arena.full = true;
    CHECK_INT(haft__schema_coerce(f.schema, f.checker, instance, &f.arena, &made, &changed, NULL),
              HAFT_OK, "coerce the instance");
    CHECK(changed, "the value is converted");
    fixture_finish(&f);
}

TEST(memory_of_an_unused_array_is_released)
{
    fixture f;
    fixture_init(&f, "{\"items\":{\"type\":\"array\",\"minItems\":2}}");
    haft__json made, instance = parse(&f.arena, "[1,2,3]");
    haft__arena arena;
    haft__arena_init(&arena, 0);
    bool changed = true;
    haft_status status =
        haft__schema_coerce(f.schema, f.checker, instance, &arena, &made, &changed, NULL);
    CHECK_INT(status, HAFT_OK, "coerce the instance");
    CHECK(!changed, "an array of one is too short");
    CHECK_INT(arena.total, 0, "bytes that are kept");
    haft__arena_finish(&arena);
    fixture_finish(&f);
}
