/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/schema/explain.c and describe.c: the texts of errors. */
#include "base/limits.h"
#include "schema_helpers.h"

static const struct {
    const char *schema, *instance, *wanted;
} cases[] = {
    /* objects */
    {"{\"required\":[\"query\"]}", "{}", ": Missing required argument: query"},
    {"{\"properties\":{\"at\":{\"required\":[\"city\",\"zip\"]}}}", "{\"at\":{}}",
     "/at: Missing required argument: city\n/at: Missing required argument: zip"},
    {"{\"properties\":{\"limit\":{},\"query\":{}},\"additionalProperties\":false}", "{\"lmit\":1}",
     "/lmit: Unknown argument: lmit. Did you mean limit?"},
    {"{\"properties\":{\"limit\":{}},\"additionalProperties\":false}", "{\"wholly\":1}",
     "/wholly: Unknown argument: wholly"},
    {"{\"properties\":{\"maxResults\":{}},\"additionalProperties\":false}", "{\"max_results\":1}",
     "/max_results: Unknown argument: max_results. Did you mean maxResults?"},
    {"{\"additionalProperties\":{\"type\":\"string\"}}", "{\"a\":1}",
     "/a: Expected string, found integer 1"},
    {"{\"properties\":{\"a\":false}}", "{\"a\":1}", "/a: Argument not allowed: a"},
    {"{\"patternProperties\":{\"^x\":{\"type\":\"null\"}}}", "{\"x1\":true}",
     "/x1: Expected null, found boolean true"},
    {"{\"minProperties\":2,\"maxProperties\":3}", "{\"a\":1}",
     ": Expected at least 2 arguments, found 1"},
    {"{\"maxProperties\":1}", "{\"a\":1,\"b\":2}", ": Expected at most 1 argument, found 2"},
    {"{\"propertyNames\":{\"maxLength\":3}}", "{\"abcd\":1}",
     ": Bad argument name \"abcd\": Expected at most 3 characters, found 4"},
    {"{\"dependentRequired\":{\"a\":[\"b\"]}}", "{\"a\":1}",
     ": Missing required argument: b (needed with a)"},
    {"{\"dependentSchemas\":{\"a\":{\"required\":[\"b\"]}}}", "{\"a\":1}",
     ": Missing required argument: b"},
    {"{\"properties\":{\"a/b~\":{\"type\":\"null\"}}}", "{\"a/b~\":1}",
     "/a~1b~0: Expected null, found integer 1"},
    /* types and values */
    {"{\"type\":\"integer\"}", "\"abc\"", ": Expected integer, found string \"abc\""},
    {"{\"type\":\"integer\"}", "1.5", ": Expected integer, found number 1.5"},
    {"{\"type\":[\"string\",\"null\"]}", "[1]", ": Expected string or null, found array [1]"},
    {"{\"type\":[\"string\",\"null\",\"boolean\"]}", "{\"a\":{\"b\":[true,null]}}",
     ": Expected string, boolean or null, found object {\"a\":{\"b\":[true,null]}}"},
    {"false", "null", ": Expected nothing here, found null"},
    {"{\"type\":[\"integer\",\"number\"]}", "\"a\"", ": Expected number, found string \"a\""},
    /* control characters are escaped, in values and names */
    {"{\"type\":\"null\"}", "\"\\u001b[31m\\n\\u007f\\u0085\\u00a0\\\"\"",
     ": Expected null, found string \"\\u001b[31m\\u000a\\u007f\\u0085\xC2\xA0\\\"\""},
    {"{\"required\":[\"a\\u001b\\\"\"]}", "{}", ": Missing required argument: a\\u001b\""},
    {"{\"pattern\":\"^\\t$\"}", "\"\\t\\t\"",
     ": Does not match the pattern ^\\u0009$: found \"\\u0009\\u0009\""},
    /* if two alternatives are equally close, the first is reported */
    {"{\"anyOf\":[{\"minimum\":5},{\"minimum\":6}]}", "1",
     ": Matches none of the 2 alternatives; number 1 comes closest\n: Expected a number of at "
     "least "
     "5, found 1"},
    {"{\"enum\":[\"a\",\"b\"]}", "\"c\"", ": Expected one of \"a\", \"b\", found \"c\""},
    {"{\"enum\":[]}", "\"c\"", ": Expected one of nothing, found \"c\""},
    {"{\"enum\":[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21]}", "0",
     ": Expected one of 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20 ... "
     "(21 in all), found 0"},
    {"{\"const\":{\"a\":[1]}}", "{\"a\":[2]}", ": Expected {\"a\":[1]}, found {\"a\":[2]}"},
    {"{\"type\":\"null\"}",
     "\"0123456789012345678901234567890123456789012345678901234567\xC3\xA9\xC3\xA9\xC3\xA9\"",
     ": Expected null, found string "
     "\"0123456789012345678901234567890123456789012345678901234567\xC3\xA9\"..."},
    {"{\"type\":\"null\"}",
     "[\"012345678901234567890123456789\",\"012345678901234567890123456789\",3]",
     ": Expected null, found array "
     "[\"012345678901234567890123456789\",\"012345678901234567890123456789\",...]"},
    {"{\"type\":\"null\"}", "[[[[[]]]]]", ": Expected null, found array [[[[...]]]]"},
    {"{\"type\":\"null\"}",
     "1234567890123456789012345678901234567890123456789012345678901234567890",
     ": Expected null, found integer "
     "123456789012345678901234567890123456789012345678901234567890..."},
    /* strings and numbers */
    {"{\"minLength\":1}", "\"\"", ": Expected at least 1 character, found 0"},
    {"{\"maxLength\":2}", "\"\xC3\xA9\xC3\xA9\xC3\xA9\"",
     ": Expected at most 2 characters, found 3"},
    {"{\"pattern\":\"^a+$\"}", "\"b\"", ": Does not match the pattern ^a+$: found \"b\""},
    {"{\"minimum\":1}", "0", ": Expected a number of at least 1, found 0"},
    {"{\"maximum\":1.5}", "2e0", ": Expected a number of at most 1.5, found 2e0"},
    {"{\"exclusiveMinimum\":0}", "-3", ": Expected a number greater than 0, found -3"},
    {"{\"exclusiveMaximum\":0}", "0", ": Expected a number less than 0, found 0"},
    {"{\"multipleOf\":0.1}", "0.25", ": Expected a multiple of 0.1, found 0.25"},
    {"{\"minimum\":5,\"multipleOf\":2}", "3",
     ": Expected a number of at least 5, found 3\n: Expected a multiple of 2, found 3"},
    /* arrays */
    {"{\"minItems\":2}", "[1]", ": Expected at least 2 items, found 1"},
    {"{\"maxItems\":1}", "[1,2]", ": Expected at most 1 item, found 2"},
    {"{\"items\":{\"type\":\"string\"}}", "[\"a\",1,null]",
     "/1: Expected string, found integer 1\n/2: Expected string, found null"},
    {"{\"prefixItems\":[true],\"items\":false}", "[1,2,3]", ": Expected at most 1 item, found 3"},
    {"{\"prefixItems\":[{\"type\":\"string\"}]}", "[1]", "/0: Expected string, found integer 1"},
    {"{\"uniqueItems\":true}", "[\"a\",1,1.0]",
     ": Expected items that differ, found items 1 and 2 equal: 1.0"},
    {"{\"contains\":{\"type\":\"string\"}}", "[1]",
     ": Expected at least 1 item of the kind that \"contains\" describes, found 0"},
    {"{\"contains\":true,\"maxContains\":1}", "[1,2]",
     ": Expected at most 1 item of the kind that \"contains\" describes, found 2"},
    /* alternatives */
    {"{\"anyOf\":[{\"type\":\"string\"},{\"type\":\"null\"}]}", "5",
     ": Matches none of the 2 alternatives: expected string or null, found integer 5"},
    {"{\"anyOf\":[{\"type\":\"string\"},{\"minimum\":7}]}", "5",
     ": Matches none of the 2 alternatives; number 2 comes closest\n"
     ": Expected a number of at least 7, found 5"},
    {"{\"anyOf\":[{\"minimum\":7}]}", "5", ": Expected a number of at least 7, found 5"},
    {"{\"oneOf\":[{\"properties\":{\"kind\":{\"const\":\"circle\"},\"r\":{\"type\":\"number\"}},"
     "\"required\":[\"kind\",\"r\"]},{\"properties\":{\"kind\":{\"const\":\"box\"}},"
     "\"required\":[\"kind\",\"w\",\"h\"]}]}",
     "{\"kind\":\"box\"}",
     ": Matches none of the 2 alternatives; number 2 comes closest\n"
     ": Missing required argument: w\n: Missing required argument: h"},
    {"{\"oneOf\":[{\"type\":\"integer\"},{\"type\":\"string\"},{\"minimum\":2}]}", "3",
     ": Matches more than one of the 3 alternatives: 1, 3"},
    {"{\"anyOf\":[{\"anyOf\":[{\"minimum\":7},{\"minimum\":8,\"multipleOf\":3}]},"
     "{\"type\":\"null\"}]}",
     "5",
     ": Matches none of the 2 alternatives; number 1 comes closest\n"
     ": Matches none of the 2 alternatives; number 1 comes closest\n"
     ": Expected a number of at least 7, found 5"},
    {"{\"not\":{\"type\":\"string\"}}", "\"a\"",
     ": Expected anything but string, found string \"a\""},
    {"{\"not\":{\"enum\":[1,2]}}", "1", ": Expected anything but 1, 2, found integer 1"},
    {"{\"not\":{\"required\":[\"a\"]}}", "{\"a\":1}",
     ": Expected nothing that matches the schema under \"not\", found object {\"a\":1}"},
    {"{\"if\":{\"type\":\"integer\"},\"then\":{\"minimum\":1},\"else\":{\"minLength\":1}}", "0",
     ": Expected a number of at least 1, found 0"},
    {"{\"if\":{\"type\":\"integer\"},\"then\":{\"minimum\":1},\"else\":{\"minLength\":1}}", "\"\"",
     ": Expected at least 1 character, found 0"},
    {"{\"allOf\":[{\"$ref\":\"#/$defs/a\"},{\"multipleOf\":2}],\"$defs\":{\"a\":{\"minimum\":5}}}",
     "3", ": Expected a number of at least 5, found 3\n: Expected a multiple of 2, found 3"},
    /* unevaluated: reported if all else is valid */
    {"{\"properties\":{\"limit\":{\"type\":\"integer\"}},\"unevaluatedProperties\":false}",
     "{\"limit\":1,\"limits\":2}", "/limits: Unknown argument: limits. Did you mean limit?"},
    {"{\"properties\":{\"limit\":{\"type\":\"integer\"}},\"unevaluatedProperties\":false}",
     "{\"limit\":\"x\",\"limits\":2}", "/limit: Expected integer, found string \"x\""},
    {"{\"unevaluatedProperties\":{\"type\":\"null\"}}", "{\"a\":1}",
     "/a: Expected null, found integer 1"},
    {"{\"prefixItems\":[true],\"unevaluatedItems\":false}", "[1,2]",
     "/1: Expected nothing here, found integer 2"},
};

TEST(errors_say_how_to_repair_the_instance)
{
    for (size_t i = 0; i < COUNT(cases); i++) {
        fixture f;
        fixture_init(&f, cases[i].schema);
        haft__schema_report report = check_text(&f, cases[i].instance);
        haft__buf buf;
        haft__buf_init(&buf, 1 << 20);
        list_errors(&buf, &report);
        CHECK(!report.valid, "%s accepts %s", cases[i].schema, cases[i].instance);
        CHECK_STR(haft__buf_str(&buf), haft__str(cases[i].wanted), "%s on %s", cases[i].schema,
                  cases[i].instance);
        haft__buf_finish(&buf);
        fixture_finish(&f);
    }
}

/* An array of `count` wrong items. */
static haft__json wrong_items(fixture *f, uint32_t count)
{
    haft__json *items = haft__arena_alloc(&f->arena, count * sizeof(*items));
    for (uint32_t i = 0; i < count; i++) {
        items[i] = haft__json_null();
    }
    return haft__json_array(items, count);
}

TEST(failures_up_to_the_limit_are_reported)
{
    fixture f;
    fixture_init(&f, "{\"items\":{\"type\":\"string\"}}");
    haft__schema_report report = check_value(&f, wrong_items(&f, HAFT__LIMIT_SCHEMA_ERRORS));
    CHECK_INT(report.count, HAFT__LIMIT_SCHEMA_ERRORS, "errors at the limit");
    CHECK(!report.more, "no further errors");
    report = check_value(&f, wrong_items(&f, HAFT__LIMIT_SCHEMA_ERRORS + 1));
    CHECK_INT(report.count, HAFT__LIMIT_SCHEMA_ERRORS, "errors past the limit");
    CHECK(report.more, "further errors are reported");
    fixture_finish(&f);
}

TEST(errors_of_an_alternative_count_for_the_limit)
{
    fixture f;
    fixture_init(&f, "{\"anyOf\":[{\"items\":{\"type\":\"string\"}},{\"maxItems\":1,\"items\":"
                     "{\"type\":\"string\"}}]}");
    haft__schema_report report = check_value(&f, wrong_items(&f, HAFT__LIMIT_SCHEMA_ERRORS));
    CHECK_INT(report.count, HAFT__LIMIT_SCHEMA_ERRORS,
              "number of errors, with the line that introduces them");
    CHECK(report.more, "further errors are reported");
    fixture_finish(&f);
}

TEST(a_report_survives_every_failed_allocation)
{
    fixture f;
    fixture_init(&f, "{\"properties\":{\"a\":{\"anyOf\":[{\"type\":\"string\"},{\"minimum\":7,"
                     "\"multipleOf\":2}]}},\"required\":[\"b\"],\"unevaluatedProperties\":false,"
                     "\"propertyNames\":{\"maxLength\":3}}");
    haft__json instance = parse(&f.arena, "{\"a\":5,\"long-name\":[1,2]}");
    for (unsigned n = 0;; n++) {
        haft__schema_report report = {0};
        haft__checker *checker = haft__checker_create();
        haft__arena arena;
        haft__arena_init(&arena, 0);
        test_fail_allocation(n);
        haft_status status = haft__schema_check(f.schema, checker, instance, &arena, &report, NULL);
        bool failed = test_allow_allocations();
        CHECK(status == (failed ? HAFT_NO_MEMORY : HAFT_OK), "allocation %u: %d", n, status);
        haft__arena_finish(&arena);
        haft__checker_destroy(checker);
        if (!failed) {
            CHECK_INT(report.count, 5, "number of errors");
            CHECK(n > 3, "only %u allocations", n);
            break;
        }
    }
    fixture_finish(&f);
}

TEST(long_places_are_truncated_after_a_whole_name)
{
    /* Each name takes a quarter of the limit of a place: of five names, three and the mark fit. */
    enum { NAME = 64000, LEVELS = 5 };
    fixture f;
    fixture_init(&f, "{\"additionalProperties\":{\"$ref\":\"#\"},\"type\":\"object\"}");
    char *name = test_alloc(NAME);
    memset(name, 'k', NAME);
    haft__json value = haft__json_null();
    for (int i = 0; i < LEVELS; i++) {
        haft__json_member *member = haft__arena_alloc(&f.arena, sizeof(*member));
        *member = (haft__json_member){haft__json_string((haft_str){name, NAME}), value};
        value = haft__json_object(member, 1);
    }
    haft__schema_report report = check_value(&f, value);
    CHECK_INT(report.count, 1, "number of errors");
    haft_str where = report.errors[0].where;
    CHECK(haft__str_ends_with(where, HAFT__LIT("k/...")), "%zu bytes", where.len);
    CHECK_INT(where.len % (NAME + 1), 4, "the place has only whole names");
    CHECK(where.len > NAME && where.len < 256 << 10, "%zu bytes", where.len);
    fixture_finish(&f);
}
