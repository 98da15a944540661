/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests for src/schema/checker.c: no schema or instance can make a validation run forever or use
 * all memory. The tests assert the number of steps, never the time.
 */
#include "base/limits.h"
#include "schema/schema_int.h"
#include "schema_helpers.h"

/* Writes "pieces[0] n pieces[1] n+1 pieces[2]" for n = 0, 1, ..., separated by commas. */
static char *repeat(const char *before, size_t count, const char *const pieces[3],
                    const char *after)
{
    haft__buf buf;
    haft__buf_init(&buf, 64 << 20);
    haft__buf_add_str(&buf, haft__str(before));
    for (size_t i = 0; i < count; i++) {
        haft__buf_addf(&buf, "%s%s%zu%s%zu%s", i > 0 ? "," : "", pieces[0], i, pieces[1], i + 1,
                       pieces[2]);
    }
    haft__buf_add_str(&buf, haft__str(after));
    haft__buf_add(&buf, "", 1);
    CHECK(buf.status == HAFT_OK, "the text is too long");
    char *text = test_alloc(buf.len);
    memcpy(text, buf.ptr, buf.len);
    haft__buf_finish(&buf);
    return text;
}

/* Steps used by the fast pass. */
static int64_t steps_of(fixture *f, haft__json instance, bool *ret_replacement)
{
    haft__checker_begin(f->checker, f->schema);
    *ret_replacement = haft__validate_node(f->checker, f->schema->root, &instance, NULL);
    return HAFT__LIMIT_SCHEMA_STEPS - f->checker->steps;
}

static void check_gives_up(const char *schema, const char *instance, const char *wanted)
{
    fixture f;
    fixture_init(&f, schema);
    haft__schema_report report = check_text(&f, instance);
    CHECK(!report.valid, "%.60s: valid", schema);
    CHECK(report.count > 0, "%.60s: no error was reported", schema);
    if (report.count > 0) {
        CHECK_STR(report.errors[report.count - 1].message, haft__str(wanted),
                  "%.60s: the last error", schema);
    }
    fixture_finish(&f);
}

#define GAVE_UP  "Gave up after 10000000 checks"
#define TOO_DEEP "Gave up: more than 512 nested subschemas; does a $ref refer to itself?"

TEST(exponential_alternatives_exceed_the_budget)
{
    /* A hundred lines of schema with 2^40 combinations, all of which fail. */
    haft__buf buf;
    haft__buf_init(&buf, 1 << 20);
    haft__buf_addf(&buf, "{\"$ref\":\"#/$defs/d0\",\"$defs\":{");
    for (int i = 0; i < 40; i++) {
        haft__buf_addf(&buf,
                       "\"d%d\":{\"anyOf\":[{\"$ref\":\"#/$defs/d%d\"},{\"$ref\":\"#/$defs/"
                       "d%d\"}]},",
                       i, i + 1, i + 1);
    }
    haft__buf_addf(&buf, "\"d40\":{\"type\":\"null\"}}}");
    haft__buf_add(&buf, "", 1);
    check_gives_up(buf.ptr, "1", GAVE_UP);
    CHECK(is_valid(buf.ptr, "null"), "the first alternative succeeds at once");
    haft__buf_finish(&buf);
}

/* A leaf below three levels of `fan` references each: fan^3 paths to it. */
static char *behind_references(const char *leaf, int fan, const char *keyword)
{
    haft__buf buf;
    haft__buf_init(&buf, 64 << 20);
    haft__buf_addf(&buf, "{\"$ref\":\"#/$defs/l3\",\"$defs\":{\"l0\":");
    haft__buf_add_str(&buf, haft__str(leaf));
    for (int level = 1; level <= 3; level++) {
        haft__buf_addf(&buf, ",\"l%d\":{\"%s\":[", level, keyword);
        for (int i = 0; i < fan; i++) {
            haft__buf_addf(&buf, "%s{\"$ref\":\"#/$defs/l%d\"}", i > 0 ? "," : "", level - 1);
        }
        haft__buf_addf(&buf, "]}");
    }
    haft__buf_addf(&buf, "}}");
    haft__buf_add(&buf, "", 1);
    char *text = test_alloc(buf.len);
    memcpy(text, buf.ptr, buf.len);
    haft__buf_finish(&buf);
    return text;
}

/* "before", then `count` times `letter`, then "after". */
static char *run_of(const char *before, char letter, size_t count, const char *after)
{
    size_t head = strlen(before), tail = strlen(after) + 1;
    char *text = test_alloc(head + count + tail);
    memcpy(text, before, head);
    memset(text + head, letter, count);
    memcpy(text + head + count, after, tail);
    return text;
}

TEST(lists_of_plain_subschemas_count_as_steps)
{
    haft__buf buf;
    haft__buf_init(&buf, 1 << 20);
    haft__buf_addf(&buf, "{\"allOf\":[true");
    for (int i = 0; i < 20000; i++) {
        haft__buf_addf(&buf, ",true");
    }
    haft__buf_addf(&buf, "]}");
    haft__buf_add(&buf, "", 1);
    check_gives_up(behind_references(buf.ptr, 20, "allOf"), "1", GAVE_UP);
    haft__buf_finish(&buf);
}

TEST(comparing_long_texts_and_numbers_counts_as_steps)
{
    enum { BYTES = 100000, LONG = 4000 };
    check_gives_up(behind_references(run_of("{\"const\":\"", 'x', BYTES, "a\"}"), 30, "anyOf"),
                   run_of("\"", 'x', BYTES, "b\""), GAVE_UP);
    check_gives_up(behind_references(run_of("{\"const\":", '1', LONG, "1}"), 40, "anyOf"),
                   run_of("", '1', LONG, "2"), GAVE_UP);
    check_gives_up(behind_references("{\"not\":{\"type\":\"integer\"}}", 60, "anyOf"),
                   run_of("", '1', LONG, ".0"), GAVE_UP);
    /* Names that are declared, required and looked up. */
    check_gives_up(
        behind_references(run_of("{\"properties\":{\"", 'k', 60000, "a\":true}}"), 30, "allOf"),
        run_of("{\"", 'k', 60000, "b\":1}"), GAVE_UP);
    check_gives_up(behind_references(run_of("{\"dependentRequired\":{\"", 'k', 60000, "a\":[]}}"),
                                     30, "allOf"),
                   run_of("{\"", 'k', 60000, "b\":1}"), GAVE_UP);
}

TEST(values_nested_too_deep_to_compare_are_reported)
{
    /* Built by hand: the reader rejects such depth. */
    fixture f;
    fixture_init(&f, "{\"uniqueItems\":true}");
    haft__json pair[2] = {haft__json_array(NULL, 0), haft__json_array(NULL, 0)};
    for (int i = 0; i <= HAFT__LIMIT_JSON_DEPTH; i++) {
        for (int k = 0; k < 2; k++) {
            haft__json *item = haft__arena_alloc(&f.arena, sizeof(*item));
            *item = pair[k];
            pair[k] = haft__json_array(item, 1);
        }
    }
    haft__schema_report report = check_value(&f, haft__json_array(pair, 2));
    CHECK_INT(report.count, 1, "number of errors");
    if (report.count > 0) {
        CHECK_STR(report.errors[0].message,
                  HAFT__LIT("Gave up: the values compared are nested more than 256 deep"),
                  "error message");
    }
    fixture_finish(&f);
}

TEST(circular_references_exceed_the_nesting_limit)
{
    check_gives_up("{\"allOf\":[{\"$ref\":\"#\"}]}", "1", TOO_DEEP);
    check_gives_up("{\"type\":\"integer\",\"$ref\":\"#\"}", "1", TOO_DEEP);
    check_gives_up("{\"anyOf\":[{\"$ref\":\"#\"},true]}", "1", TOO_DEEP);
    check_gives_up("{\"not\":{\"$ref\":\"#\"}}", "1", TOO_DEEP);
    check_gives_up("{\"if\":{\"$ref\":\"#\"}}", "1", TOO_DEEP);
    check_gives_up("{\"$dynamicAnchor\":\"a\",\"$dynamicRef\":\"#a\"}", "1", TOO_DEEP);
    check_gives_up("{\"dependentSchemas\":{\"a\":{\"$ref\":\"#\"}}}", "{\"a\":1}", TOO_DEEP);
    CHECK(is_valid("{\"dependentSchemas\":{\"a\":{\"$ref\":\"#\"}}}", "{\"b\":1}"),
          "a circular reference that is not applied");
}

TEST(recursion_stops_exactly_at_the_nesting_limit)
{
    fixture f;
    fixture_init(&f, "{\"type\":\"array\",\"items\":{\"$ref\":\"#\"}}");
    for (int depth = HAFT__LIMIT_SCHEMA_NESTING; depth <= HAFT__LIMIT_SCHEMA_NESTING + 1; depth++) {
        haft__json instance = haft__json_array(NULL, 0);
        for (int i = 1; i < depth; i++) {
            haft__json *item = haft__arena_alloc(&f.arena, sizeof(*item));
            *item = instance;
            instance = haft__json_array(item, 1);
        }
        haft__schema_report report = check_value(&f, instance);
        CHECK_INT(report.valid, depth <= HAFT__LIMIT_SCHEMA_NESTING, "%d arrays", depth);
        if (!report.valid) {
            CHECK_STR(report.errors[0].message, HAFT__LIT(TOO_DEEP), "error message");
        }
    }
    fixture_finish(&f);
}

/* The number of steps for an array of `count` different numbers. */
static int64_t unique_steps(uint32_t count)
{
    fixture f;
    fixture_init(&f, "{\"uniqueItems\":true}");
    haft__json *items = haft__arena_alloc(&f.arena, count * sizeof(*items));
    for (uint32_t i = 0; i < count; i++) {
        items[i] = haft__json_int(&f.arena, i);
    }
    bool accepted;
    int64_t steps = steps_of(&f, haft__json_array(items, count), &accepted);
    CHECK(accepted, "%u items", count);
    items[count - 1] = items[0];
    CHECK(!check_value(&f, haft__json_array(items, count)).valid, "a duplicate among %u", count);
    fixture_finish(&f);
    return steps;
}

TEST(unique_items_cost_linear_work)
{
    int64_t one = unique_steps(25000), two = unique_steps(50000), four = unique_steps(100000);
    CHECK(one <= 25000 * 8 && two <= 2 * one + one / 2 && four <= 2 * two + two / 2,
          "%lld, %lld, %lld steps", (long long)one, (long long)two, (long long)four);
}

TEST(a_huge_enum_takes_few_steps)
{
    static const char *const piece[] = {"", "e-5,\"", "\""};
    fixture f;
    fixture_init(&f, repeat("{\"items\":{\"enum\":[", 50000, piece, "]}}"));
    bool accepted;
    haft__json instance = parse(&f.arena, "[1e-5,10e-6,49999e-5,\"1\",\"50000\"]");
    CHECK(steps_of(&f, instance, &accepted) < 100 && accepted, "all values are in the enum");
    instance = parse(&f.arena, "[1e-5,50000e-5]");
    CHECK(steps_of(&f, instance, &accepted) < 100 && !accepted, "one value is not in the enum");
    fixture_finish(&f);
}

TEST(many_patterns_for_many_keys_exceed_the_budget)
{
    static const char *const pattern[] = {"\"^x", "y", "$\":true"};
    static const char *const member[] = {"\"x", "z", "\":1"};
    char *schema = repeat("{\"patternProperties\":{", 10000, pattern, "}}");
    char *instance = repeat("{", 10000, member, "}");
    check_gives_up(schema, instance, GAVE_UP);
}

TEST(slow_patterns_use_the_budget_of_the_check)
{
    /* Each match stays just within its own limit; a thousand of them exceed the budget of the
     * check. */
    char *instance = test_alloc(1 << 20);
    size_t length = 0;
    instance[length++] = '[';
    for (int i = 0; i < 2000; i++) {
        length += (size_t)snprintf(instance + length, 64, "%s\"aaaaaaaaaaaab\"", i > 0 ? "," : "");
    }
    (void)snprintf(instance + length, 2, "]");
    fixture f;
    fixture_init(&f, "{\"items\":{\"not\":{\"pattern\":\"^(a+)+$\"}}}");
    bool accepted;
    int64_t steps = steps_of(&f, parse(&f.arena, instance), &accepted);
    CHECK(!accepted && steps > HAFT__LIMIT_SCHEMA_STEPS, "%lld steps", (long long)steps);
    CHECK_INT(f.checker->stop, HAFT__EXCEEDED_STEPS, "the exceeded limit");
    fixture_finish(&f);
}

TEST(a_pattern_past_its_limit_is_reported_with_its_place)
{
    fixture f;
    fixture_init(&f, "{\"properties\":{\"a\":{\"pattern\":\"^(a+)+$\"}}}");
    haft__schema_report report =
        check_text(&f, "{\"a\":\"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab\"}");
    CHECK(!report.valid && report.count == 1, "%zu errors", report.count);
    CHECK_STR(report.errors[0].where, HAFT__LIT("/a"), "place of the error");
    CHECK_STR(report.errors[0].message,
              HAFT__LIT("Gave up matching the pattern ^(a+)+$: more than 100000 steps"),
              "error message");
    fixture_finish(&f);
    /* The same inside alternatives and names, where it is found by the fast pass. */
    check_gives_up("{\"anyOf\":[{\"pattern\":\"^(a+)+$\"},{\"pattern\":\"b\"}]}",
                   "\"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab\"",
                   "Gave up matching the pattern ^(a+)+$: more than 100000 steps");
    check_gives_up("{\"propertyNames\":{\"pattern\":\"^(a+)+$\"}}",
                   "{\"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab\":1}",
                   "Gave up matching the pattern ^(a+)+$: more than 100000 steps");
}

TEST(too_many_digits_exceed_the_limit_of_multipleof)
{
    /* Built by hand: the reader rejects such a long number. */
    enum { DIGITS = HAFT__LIMIT_JSON_DIGITS + 1 };
    char *digits = test_alloc(DIGITS);
    memset(digits, '7', DIGITS);
    fixture f;
    fixture_init(&f, "{\"items\":{\"multipleOf\":3.5}}");
    for (uint32_t count = DIGITS - 1; count <= DIGITS; count++) {
        haft__json number = {.kind = HAFT__JSON_NUMBER, .count = count, .text = digits};
        haft__schema_report report = check_value(&f, haft__json_array(&number, 1));
        CHECK_INT(report.valid, count < DIGITS, "%u digits", count);
        if (!report.valid) {
            CHECK_STR(report.errors[0].where, HAFT__LIT("/0"), "place of the error");
            CHECK_STR(report.errors[0].message,
                      HAFT__LIT("Gave up: more than 4096 digits are needed for \"multipleOf\""),
                      "error message");
        }
    }
    fixture_finish(&f);
}

TEST(large_objects_cost_linear_work)
{
    static const char *const member[] = {"\"k", "\":\"", "\""};
    static const char *const schema[] = {"\"k", "\":{\"type\":\"string\",\"minLength\":1},\"x",
                                         "\":{}"};
    fixture f;
    fixture_init(&f,
                 repeat("{\"properties\":{", 40000, schema, "},\"additionalProperties\":false}"));
    bool accepted;
    int64_t steps[2];
    for (size_t i = 0; i < 2; i++) {
        haft__json instance = parse(&f.arena, repeat("{", 20000 << i, member, "}"));
        steps[i] = steps_of(&f, instance, &accepted);
        CHECK(accepted, "%d members", 20000 << i);
    }
    CHECK(steps[0] <= 20000 * 3 && steps[1] <= 2 * steps[0] + 10, "%lld, %lld steps",
          (long long)steps[0], (long long)steps[1]);
    fixture_finish(&f);
}

TEST(many_dependencies_for_many_members_exceed_the_budget)
{
    static const char *const dependency[] = {"\"k", "\":[\"k", "\"]"};
    static const char *const member[] = {"\"k", "\":", ""};
    char *schema = repeat("{\"dependentRequired\":{", 40000, dependency, "}}");
    char *instance = repeat("{", 40001, member, "}");
    check_gives_up(schema, instance, GAVE_UP);
}

TEST(comparing_large_values_counts_as_steps)
{
    /* uniqueItems at every level of a deep instance hashes the rest of it again at each level. */
    fixture f;
    fixture_init(&f, "{\"uniqueItems\":true,\"items\":{\"$ref\":\"#\"}}");
    static const char *const item[] = {"", "e5,", ""};
    haft__json instance = parse(&f.arena, repeat("[", 50000, item, "]"));
    for (int i = 0; i < 200; i++) {
        haft__json *items = haft__arena_alloc(&f.arena, sizeof(*items));
        items[0] = instance;
        instance = haft__json_array(items, 1);
    }
    bool accepted;
    (void)steps_of(&f, instance, &accepted);
    CHECK_INT(f.checker->stop, HAFT__EXCEEDED_STEPS, "the exceeded limit");
    fixture_finish(&f);
}

TEST(evaluated_members_need_little_memory)
{
    static const char *const member[] = {"\"k", "\":", ""};
    fixture f;
    fixture_init(&f, "{\"patternProperties\":{\"^k\":true},\"unevaluatedProperties\":false}");
    haft__json instance = parse(&f.arena, repeat("{", 100000, member, "}"));
    CHECK(check_value(&f, instance).valid, "a hundred thousand members");
    CHECK(f.checker->word_capacity * 8 < 100000, "%zu words", f.checker->word_capacity);
    size_t before = test_allocation_count();
    CHECK(check_value(&f, instance).valid, "the same members a second time");
    CHECK_INT(test_allocation_count() - before, 0, "the second check allocates nothing");
    fixture_finish(&f);
}

TEST(explaining_has_the_same_budget)
{
    /* The fast pass fails at once; to find the closest of 2^30 alternatives would take too long. */
    haft__buf buf;
    haft__buf_init(&buf, 1 << 20);
    haft__buf_addf(&buf,
                   "{\"properties\":{\"a\":{\"type\":\"null\"},\"b\":{\"$ref\":\"#/$defs/d0\"}},"
                   "\"$defs\":{");
    for (int i = 0; i < 30; i++) {
        haft__buf_addf(&buf,
                       "\"d%d\":{\"anyOf\":[{\"$ref\":\"#/$defs/d%d\"},{\"$ref\":\"#/$defs/"
                       "d%d\"}]},",
                       i, i + 1, i + 1);
    }
    haft__buf_addf(&buf, "\"d30\":{\"type\":\"null\"}}}");
    haft__buf_add(&buf, "", 1);
    fixture f;
    fixture_init(&f, buf.ptr);
    haft__schema_report report = check_text(&f, "{\"a\":1,\"b\":1}");
    CHECK_INT(report.count, 2, "number of errors");
    CHECK_STR(report.errors[0].message, HAFT__LIT("Expected null, found integer 1"),
              "the error before the budget was used up");
    CHECK_STR(report.errors[1].message, HAFT__LIT(GAVE_UP), "the error about the budget");
    fixture_finish(&f);
    haft__buf_finish(&buf);
}

TEST(a_checker_is_not_created_without_memory)
{
    for (unsigned n = 0;; n++) {
        test_fail_allocation(n);
        haft__checker *checker = haft__checker_create();
        bool failed = test_allow_allocations();
        CHECK((checker == NULL) == failed, "allocation %u", n);
        haft__checker_destroy(checker);
        if (!failed) {
            break;
        }
    }
}

TEST(checking_survives_every_failed_allocation)
{
    /* Sets of evaluated members, a hash table, and equality of large objects take memory. */
    static const char *const member[] = {"\"k", "\":", ""};
    fixture f;
    fixture_init(&f, repeat("{\"properties\":{\"u\":{\"uniqueItems\":true},\"e\":{\"const\":{", 300,
                            member, "}}},\"unevaluatedProperties\":false}"));
    haft__json instance =
        parse(&f.arena, repeat("{\"u\":[1,2,3,4,5,6,7,8,9,10],\"e\":{", 300, member, "}}"));
    for (unsigned n = 0;; n++) {
        haft__checker *checker = haft__checker_create();
        haft__schema_report report = {0};
        test_fail_allocation(n);
        haft_status status =
            haft__schema_check(f.schema, checker, instance, &f.arena, &report, NULL);
        bool failed = test_allow_allocations();
        CHECK(status == (failed ? HAFT_NO_MEMORY : HAFT_OK), "allocation %u: %d", n, status);
        CHECK(report.valid == !failed, "allocation %u", n);
        haft__checker_destroy(checker);
        if (!failed) {
            CHECK(n > 0, "only %u allocations", n);
            break;
        }
    }
    fixture_finish(&f);
}
