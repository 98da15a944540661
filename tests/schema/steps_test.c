/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The exact cost of each keyword in steps: detects a cost that is missing or counted twice.
 * Tests for src/schema/validate.c, checker.c, explain.c, failures.c and coerce.c.
 */
#include "base/limits.h"
#include "schema/schema_int.h"
#include "schema_helpers.h"

/* In the texts below `@` stands for 640 letters and `%` for 320 digits. */
enum { LETTERS = 640, DIGITS = 320 };

static char *spell(const char *pattern)
{
    size_t size = 1;
    for (const char *p = pattern; *p != '\0'; p++) {
        size += *p == '@' ? LETTERS : *p == '%' ? DIGITS : 1;
    }
    char *text = test_alloc(size), *to = text;
    for (const char *p = pattern; *p != '\0'; p++) {
        size_t count = *p == '@' ? LETTERS : *p == '%' ? DIGITS : 1;
        memset(to, *p == '@' ? 'x' : *p == '%' ? '7' : *p, count);
        to += count;
    }
    *to = '\0';
    return text;
}

typedef enum pass {
    CHECK_FAST,
    EXPLAIN,
    COERCE,
} pass;

static int64_t steps_of(pass which, const char *schema, const char *instance)
{
    fixture f;
    fixture_init(&f, spell(schema));
    haft__json value = parse(&f.arena, spell(instance)), made;
    bool changed;
    haft__schema_report report;
    haft_status status = HAFT_OK;
    haft__checker_begin(f.checker, f.schema);
    switch (which) {
    case CHECK_FAST: (void)haft__validate_node(f.checker, f.schema->root, &value, NULL); break;
    case EXPLAIN:
        status = haft__schema_explain(f.schema, f.checker, &value, &f.arena, &report, NULL);
        break;
    case COERCE:
        status = haft__schema_coerce(f.schema, f.checker, value, &f.arena, &made, &changed, NULL);
        break;
    }
    CHECK_INT(status, HAFT_OK, "%s", schema);
    int64_t steps = HAFT__LIMIT_SCHEMA_STEPS - f.checker->steps;
    fixture_finish(&f);
    return steps;
}

typedef struct cost {
    const char *schema, *instance;
    int64_t steps;
} cost;

static void check_costs(pass which, const cost *costs, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        CHECK_INT(steps_of(which, costs[i].schema, costs[i].instance), costs[i].steps, "%s by %s",
                  costs[i].instance, costs[i].schema);
    }
}

TEST(each_keyword_costs_this_many_steps)
{
    static const cost costs[] = {
        /* a step for every subschema that is applied */
        {"true", "1", 1},
        {"{\"type\":\"string\"}", "1", 1},
        {"{\"type\":\"integer\"}", "7", 1},
        {"{\"type\":\"integer\"}", "%.0", 21},
        {"{\"allOf\":[true,true,true]}", "1", 4},
        {"{\"anyOf\":[false,false,true,true]}", "1", 4},
        {"{\"oneOf\":[false,true,false]}", "1", 4},
        {"{\"not\":false}", "1", 2},
        {"{\"if\":true,\"then\":true}", "1", 3},
        {"{\"$ref\":\"#/$defs/a\",\"$defs\":{\"a\":true}}", "1", 2},
        {"{\"$dynamicAnchor\":\"@\",\"prefixItems\":[true,{\"$dynamicRef\":\"#@\"}]}", "[1,2]", 18},
        /* numbers */
        {"{\"minimum\":1}", "7", 1},
        {"{\"minimum\":1}", "%", 21},
        {"{\"maximum\":%}", "%", 41},
        {"{\"multipleOf\":7}", "7", 1},
        {"{\"multipleOf\":7}", "%", 322},
        {"{\"const\":1}", "1", 1},
        {"{\"const\":%}", "%", 41},
        {"{\"enum\":[1,2,3,4,5,6,7,8,%]}", "%", 81},
        /* strings */
        {"{\"minLength\":200}", "\"@\"", 11},
        {"{\"pattern\":\"^y\"}", "\"x\"", 5},
        {"{\"pattern\":\"^y\"}", "\"@\"", 45},
        {"{\"const\":\"@\"}", "\"@\"", 11},
        {"{\"const\":\"@\"}", "\"@x\"", 1},
        {"{\"enum\":[\"@a\",\"@b\",\"@c\"]}", "\"@d\"", 31},
        {"{\"enum\":[1,2,3,4,5,6,7,8,\"@\"]}", "\"@\"", 21},
        /* arrays */
        {"{\"maxItems\":9}", "[1,2,3]", 4},
        {"{\"items\":true}", "[1,2,3]", 7},
        {"{\"prefixItems\":[true,true]}", "[1,2,3]", 6},
        {"{\"contains\":{\"const\":3}}", "[1,2,3]", 7},
        {"{\"uniqueItems\":true}", "[\"@a\",\"@b\",\"@\"]", 48},
        {"{\"uniqueItems\":true}", "[1,2,3,4,5,6,7,8,9]", 52},
        {"{\"const\":[1,\"@\"]}", "[1,\"@\"]", 14},
        {"{\"const\":[1,\"@\"]}", "[1]", 1},
        {"{\"enum\":[[1],[2],[3]]}", "[4]", 7},
        {"{\"unevaluatedItems\":true}", "[1,2,3]", 8},
        /* objects */
        {"{\"maxProperties\":9}", "{\"a\":1,\"b\":2}", 3},
        {"{\"properties\":{\"a\":true}}", "{\"a\":1,\"b\":2}", 4},
        {"{\"properties\":{\"@\":true}}", "{\"@\":1}", 13},
        {"{\"properties\":{\"@a\":true,\"@b\":true}}", "{\"@c\":1}", 32},
        {"{\"required\":[\"0\",\"1\",\"2\",\"3\",\"4\",\"5\",\"6\",\"7\",\"8\",\"9\",\"10\","
         "\"11\",\"12\",\"13\",\"14\",\"15\",\"16\"]}",
         "{\"@\":1}", 12},
        {"{\"patternProperties\":{\"^x\":true}}", "{\"@\":1,\"b\":2}", 53},
        {"{\"additionalProperties\":true}", "{\"a\":1,\"b\":2}", 5},
        {"{\"propertyNames\":true}", "{\"a\":1,\"b\":2}", 5},
        {"{\"dependentRequired\":{\"@a\":[\"@b\"]}}", "{\"@c\":1,\"@a\":2,\"@b\":3}", 56},
        {"{\"const\":{\"@\":1}}", "{\"@\":1}", 13},
        {"{\"enum\":[{\"a\":1},{\"a\":2}]}", "{\"a\":3}", 5},
        {"{\"unevaluatedProperties\":true}", "{\"a\":1,\"b\":2}", 6},
    };
    check_costs(CHECK_FAST, costs, COUNT(costs));
}

TEST(explaining_costs_this_many_steps)
{
    static const cost costs[] = {
        {"{\"type\":\"string\"}", "1", 73},
        {"{\"type\":\"string\"}", "%", 108},
        {"{\"properties\":{\"@\":{\"type\":\"null\"}}}", "{\"@\":1}", 254},
        {"{\"minimum\":%}", "-%", 166},
        {"{\"pattern\":\"^y\"}", "\"@\"", 144},
        {"{\"properties\":{\"query\":true,\"limit\":true},\"additionalProperties\":false}",
         "{\"lmit\":1}", 85},
        {"{\"properties\":{\"@\":true},\"additionalProperties\":false}", "{\"lmit\":1}", 76},
        {"{\"properties\":{\"a\":true,\"b\":true},\"required\":[\"c\"]}", "{\"a\":1}", 78},
        {"{\"anyOf\":[{\"type\":\"string\"},{\"type\":\"null\"}]}", "1", 231},
        {"{\"unevaluatedProperties\":false}", "{\"a\":1,\"b\":2}", 140},
        {"{\"unevaluatedItems\":false}", "[1,2,3]", 227},
    };
    check_costs(EXPLAIN, costs, COUNT(costs));
}

TEST(coercing_costs_this_many_steps)
{
    static const cost costs[] = {
        {"{\"type\":\"integer\"}", "\"10\"", 5},
        {"{\"type\":\"integer\"}", "\"x\"", 2},
        {"{\"type\":\"integer\"}", "\"@\"", 12},
        {"{\"type\":\"array\"}", "\"[1,2,3]\"", 10},
        {"{\"type\":\"array\"}", "1", 5},
        {"{\"type\":\"array\"}", "{\"a\":[1]}", 9},
        {"{\"items\":{\"type\":\"integer\"}}", "[\"1\",2,3]", 20},
        {"{\"properties\":{\"a\":{\"type\":\"integer\"}}}", "{\"a\":\"1\",\"b\":2}", 17},
        {"{\"anyOf\":[{\"type\":\"integer\"},{\"type\":\"null\"}]}", "\"7\"", 11},
    };
    check_costs(COERCE, costs, COUNT(costs));
}
