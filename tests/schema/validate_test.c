/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/schema/validate.c: code paths that the official suite does not reach, and
 * allocations. */
#include "base/limits.h"
#include "schema/schema_int.h"
#include "schema_helpers.h"

static const char tool[] =
    "{\"type\":\"object\",\"properties\":{\"query\":{\"type\":\"string\",\"minLength\":1},"
    "\"limit\":{\"type\":\"integer\",\"minimum\":1,\"maximum\":100},\"sort\":{\"enum\":[\"asc\","
    "\"desc\"]},\"lang\":{\"type\":\"string\",\"pattern\":\"^[a-z]{2}$\"},\"tags\":{\"type\":"
    "\"array\",\"items\":{\"$ref\":\"#/$defs/tag\"},\"uniqueItems\":true},\"options\":{\"anyOf\":"
    "[{\"type\":\"null\"},{\"properties\":{\"deep\":{\"type\":\"boolean\"}},"
    "\"unevaluatedProperties\":false}]}},\"required\":[\"query\"],\"additionalProperties\":false,"
    "\"$defs\":{\"tag\":{\"type\":\"string\"}}}";

TEST(a_valid_instance_costs_no_allocation)
{
    fixture f;
    fixture_init(&f, tool);
    haft__json instance = parse(
        &f.arena, "{\"query\":\"w\",\"limit\":10,\"sort\":\"asc\",\"lang\":\"fr\",\"tags\":[\"a\","
                  "\"b\",\"c\",\"d\",\"e\",\"f\",\"g\",\"h\",\"i\",\"j\"],\"options\":{\"deep\":"
                  "true}}");
    CHECK(check_value(&f, instance).valid, "the first check, which may allocate");
    haft__arena arena = {0}; /* invalid, so any use of it would crash */
    size_t before = test_allocation_count();
    for (int i = 0; i < 100; i++) {
        haft__schema_report report = {0};
        CHECK_INT(haft__schema_check(f.schema, f.checker, instance, &arena, &report, NULL), HAFT_OK,
                  "check the instance");
        CHECK(report.valid && report.count == 0 && !report.more, "the instance is valid");
    }
    CHECK_INT(test_allocation_count() - before, 0, "number of allocations");
    fixture_finish(&f);
}

TEST(keys_of_every_length_are_distinguished)
{
    /* Each key differs from the allowed one in one byte; every position is tested. */
    for (size_t length = 1; length <= 24; length++) {
        char schema[128], instance[64], key[32];
        memset(key, 'k', length);
        key[length] = '\0';
        (void)snprintf(schema, sizeof(schema),
                       "{\"properties\":{\"%s\":true},\"additionalProperties\":false}", key);
        (void)snprintf(instance, sizeof(instance), "{\"%s\":1}", key);
        CHECK(is_valid(schema, instance), "%s", key);
        for (size_t at = 0; at < length; at++) {
            key[at] = 'x';
            (void)snprintf(instance, sizeof(instance), "{\"%s\":1}", key);
            CHECK(!is_valid(schema, instance), "%s", key);
            key[at] = 'k';
        }
    }
    CHECK(is_valid("{\"properties\":{\"\":true},\"additionalProperties\":false}", "{\"\":1}"),
          "the empty key is allowed");
    CHECK(!is_valid("{\"properties\":{\"\":true},\"additionalProperties\":false}", "{\"a\":1}"),
          "a key of one byte is not allowed");
}

/* Objects of `count` members k0, k1, ..., in order or in reverse. */
static const char *members(size_t count, bool backwards, const char *before, const char *value,
                           const char *after)
{
    haft__buf buf;
    haft__buf_init(&buf, 64 << 20);
    haft__buf_addf(&buf, "%s{", before);
    for (size_t i = 0; i < count; i++) {
        haft__buf_addf(&buf, "%s\"k%zu\":%s", i > 0 ? "," : "", backwards ? count - 1 - i : i,
                       value);
    }
    haft__buf_addf(&buf, "}%s", after);
    haft__buf_add(&buf, "", 1);
    char *text = test_alloc(buf.len);
    memcpy(text, buf.ptr, buf.len);
    haft__buf_finish(&buf);
    return text;
}

TEST(properties_are_found_in_any_number_and_order)
{
    static const size_t counts[] = {1, 2, 15, 16, 17, 63, 64, 65, 1000};
    for (size_t i = 0; i < COUNT(counts); i++) {
        fixture f;
        fixture_init(&f, members(counts[i], false, "{\"properties\":", "{\"type\":\"integer\"}",
                                 ",\"additionalProperties\":false}"));
        for (int backwards = 0; backwards < 2; backwards++) {
            CHECK(check_text(&f, members(counts[i], backwards, "", "1", "")).valid,
                  "%zu valid properties", counts[i]);
            CHECK(!check_text(&f, members(counts[i], backwards, "", "\"\"", "")).valid,
                  "%zu properties of the wrong type", counts[i]);
            CHECK(!check_text(&f, members(counts[i] + 1, backwards, "", "1", "")).valid,
                  "%zu properties and an additional one", counts[i]);
        }
        fixture_finish(&f);
    }
}

TEST(required_names_are_checked_in_any_number)
{
    for (size_t count = 1; count < 200; count += 33) {
        haft__buf buf;
        haft__buf_init(&buf, 1 << 20);
        haft__buf_addf(&buf, "{\"required\":[\"k0\"");
        for (size_t i = 0; i < count; i++) {
            haft__buf_addf(&buf, ",\"k%zu\"", i);
        }
        haft__buf_add(&buf, "]}", 3);
        fixture f;
        fixture_init(&f, buf.ptr);
        CHECK(check_text(&f, members(count, true, "", "1", "")).valid, "all %zu required names",
              count);
        CHECK(check_text(&f, members(count + 5, false, "", "1", "")).valid,
              "%zu required names and five others", count);
        haft__schema_report report = check_text(&f, members(count - 1, false, "", "1", ""));
        CHECK(!report.valid && report.count == 1, "%zu: %zu errors", count, report.count);
        fixture_finish(&f);
        haft__buf_finish(&buf);
    }
}

TEST(numbers_are_compared_exactly)
{
    static const struct {
        const char *schema, *good, *bad;
    } cases[] = {
        {"{\"minimum\":-5}", "-5", "-6"},
        {"{\"maximum\":999999999999999999}", "999999999999999999", "1000000000000000000"},
        {"{\"maximum\":9223372036854775807}", "9223372036854775807", "9223372036854775808"},
        {"{\"minimum\":-9223372036854775808}", "-9223372036854775808", "-9223372036854775809"},
        {"{\"exclusiveMinimum\":9007199254740992}", "9007199254740993", "9007199254740992"},
        {"{\"exclusiveMaximum\":0.3}", "0.29999999999999999999", "0.3"},
        {"{\"minimum\":1e400}", "1e401", "1e399"},
        {"{\"multipleOf\":3}", "-9", "10"},
        {"{\"multipleOf\":0.01}", "19.99", "19.999"},
        {"{\"multipleOf\":1e20}", "3e20", "100"},
        {"{\"const\":1}", "1.0", "1.1"},
        {"{\"enum\":[9007199254740993]}", "9007199254740993", "9007199254740992"},
        {"{\"type\":\"integer\"}", "1e2", "1e-2"},
        {"{\"maxLength\":2.0}", "\"ab\"", "\"abc\""},
        {"{\"maxItems\":1e0}", "[1]", "[1,2]"},
        {"{\"minLength\":99999999999999999999}", "1", "\"abc\""},
        {"{\"maxLength\":99999999999999999999,\"type\":\"string\"}", "\"abc\"", "1"},
        {"{\"uniqueItems\":true}", "[1,true,\"1\",[1],{\"a\":1},null,0,false,\"\"]",
         "[1,2,3,4,5,6,7,8,9,10,1.0]"},
        {"{\"enum\":[1,2,3,4,5,6,7,8,9,{\"a\":[10]}]}", "{\"a\":[10.0]}", "{\"a\":[11]}"},
        {"{\"enum\":[1,2,3,4,5,6,7,8,9,10]}", "10.0", "11"},
        {"{\"minLength\":2}", "\"\xF0\x9F\x98\x80\xF0\x9F\x98\x80\"", "\"\xF0\x9F\x98\x80\""},
        {"{\"maxLength\":1}", "\"\xF0\x9F\x98\x80\"", "\"\xF0\x9F\x98\x80\xF0\x9F\x98\x80\""},
        {"{\"minContains\":2,\"contains\":{\"const\":1}}", "[1,2,1]", "[1,2]"},
        {"{\"contains\":{\"const\":1},\"unevaluatedItems\":{\"const\":2}}", "[1,2]", "[1,3]"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        CHECK(is_valid(cases[i].schema, cases[i].good), "%s %s", cases[i].schema, cases[i].good);
        CHECK(!is_valid(cases[i].schema, cases[i].bad), "%s %s", cases[i].schema, cases[i].bad);
    }
}

TEST(long_chains_of_references_do_not_count_as_nesting)
{
    /* Far longer than the nesting limit: a $ref and nothing else is not a step of its own. */
    haft__buf buf;
    haft__buf_init(&buf, 1 << 20);
    haft__buf_addf(&buf, "{\"$ref\":\"#/$defs/a0\",\"$defs\":{");
    int count = 4 * HAFT__LIMIT_SCHEMA_NESTING;
    for (int i = 0; i < count; i++) {
        haft__buf_addf(&buf, "\"a%d\":{\"$ref\":\"#/$defs/a%d\"},", i, i + 1);
    }
    haft__buf_addf(&buf, "\"a%d\":{\"type\":\"null\"}}}", count);
    haft__buf_add(&buf, "", 1);
    CHECK(is_valid(buf.ptr, "null"), "a valid instance");
    CHECK(!is_valid(buf.ptr, "1"), "an invalid instance");
    haft__buf_finish(&buf);
}

TEST(a_deep_instance_fits_a_recursive_schema)
{
    /* The maximum depth of the reader, and a schema with two nodes for each level. */
    char instance[2 * HAFT__LIMIT_JSON_DEPTH + 1];
    memset(instance, '[', HAFT__LIMIT_JSON_DEPTH);
    memset(instance + HAFT__LIMIT_JSON_DEPTH, ']', HAFT__LIMIT_JSON_DEPTH);
    instance[2 * HAFT__LIMIT_JSON_DEPTH] = '\0';
    CHECK(is_valid("{\"type\":\"array\",\"items\":{\"$ref\":\"#\"}}", instance), "a $ref alone");
    CHECK(is_valid("{\"type\":\"array\",\"items\":{\"$ref\":\"#\",\"minItems\":0}}", instance),
          "a $ref and more");
}
