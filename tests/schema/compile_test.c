/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/schema/compile.c, assertions.c and applicators.c: rejected schemas, and limits. */
#include "base/limits.h"
#include "schema_helpers.h"

static const struct {
    const char *schema, *where, *message;
} refused[] = {
    {"1", "", "found the number 1, expected a schema (an object or a boolean)"},
    {"null", "", "found null, expected a schema (an object or a boolean)"},
    {"{\"type\":\"text\"}", "/type",
     "found the string \"text\", expected null, boolean, number, integer, string, array or object "
     "(in quotes)"},
    {"{\"type\":[\"string\",1]}", "/type/1",
     "found the number 1, expected null, boolean, number, integer, string, array or object (in "
     "quotes)"},
    {"{\"type\":[]}", "/type", "found an empty array, expected at least one type"},
    {"{\"properties\":{\"a/b\":{\"minLength\":\"1\"}}}", "/properties/a~1b/minLength",
     "found the string \"1\", expected a non-negative integer"},
    {"{\"maxItems\":-1}", "/maxItems", "found the number -1, expected a non-negative integer"},
    {"{\"minProperties\":1.5}", "/minProperties",
     "found the number 1.5, expected a non-negative integer"},
    {"{\"maxContains\":true}", "/maxContains", "found true, expected a non-negative integer"},
    {"{\"minimum\":\"\"}", "/minimum", "found the string \"\", expected a number"},
    {"{\"exclusiveMaximum\":false}", "/exclusiveMaximum", "found false, expected a number"},
    {"{\"multipleOf\":0}", "/multipleOf", "found the number 0, expected a number greater than 0"},
    {"{\"multipleOf\":{}}", "/multipleOf", "found an object, expected a number"},
    {"{\"pattern\":1}", "/pattern", "found the number 1, expected a regular expression (a string)"},
    {"{\"uniqueItems\":1}", "/uniqueItems", "found the number 1, expected a boolean"},
    {"{\"enum\":1}", "/enum", "found the number 1, expected an array of values"},
    {"{\"required\":\"a\"}", "/required", "found the string \"a\", expected an array of names"},
    {"{\"required\":[1]}", "/required/0", "found the number 1, expected a name (a string)"},
    {"{\"dependentRequired\":1}", "/dependentRequired", "found the number 1, expected an object"},
    {"{\"dependentRequired\":{\"a\":1}}", "/dependentRequired/a",
     "found the number 1, expected an array of names"},
    {"{\"dependentSchemas\":{\"a\":[]}}", "/dependentSchemas/a",
     "found an empty array, expected a schema (an object or a boolean)"},
    {"{\"properties\":[1]}", "/properties",
     "found an array, expected an object whose members are schemas"},
    {"{\"properties\":{\"a\":1}}", "/properties/a",
     "found the number 1, expected a schema (an object or a boolean)"},
    {"{\"patternProperties\":1}", "/patternProperties",
     "found the number 1, expected an object whose members are schemas"},
    {"{\"patternProperties\":{\"a\":1}}", "/patternProperties/a",
     "found the number 1, expected a schema (an object or a boolean)"},
    {"{\"allOf\":[]}", "/allOf", "found an empty array, expected an array of at least one schema"},
    {"{\"anyOf\":{}}", "/anyOf", "found an object, expected an array of at least one schema"},
    {"{\"oneOf\":[true,3]}", "/oneOf/1",
     "found the number 3, expected a schema (an object or a boolean)"},
    {"{\"items\":[{}]}", "/items", "found an array, expected a schema (an object or a boolean)"},
    {"{\"$schema\":\"http://json-schema.org/draft-07/schema#\",\"items\":[{}],"
     "\"additionalItems\":1}",
     "/additionalItems", "found the number 1, expected a schema (an object or a boolean)"},
    {"{\"prefixItems\":1}", "/prefixItems",
     "found the number 1, expected an array of at least one schema"},
    {"{\"$ref\":1}", "/$ref", "found the number 1, expected a URI reference (a string)"},
    {"{\"$dynamicRef\":1}", "/$dynamicRef",
     "found the number 1, expected a URI reference (a string)"},
    {"{\"items\":{\"$ref\":\"#/$defs/a\"}}", "/items/$ref",
     "found the reference \"#/$defs/a\", which does not exist"},
    {"{\"$ref\":\"#a\"}", "/$ref", "found the reference \"#a\", which does not exist"},
    {"{\"$ref\":\"http://x/y\"}", "/$ref",
     "found the reference \"http://x/y\" to an unknown document"},
    {"{\"$ref\":\"#/enum/0\",\"enum\":[7]}", "/enum/0",
     "found the number 7, expected a schema (an object or a boolean)"},
    {"{\"$ref\":\"#/$defs/a\",\"$defs\":{\"a\":{\"minimum\":\"\"}}}", "/$defs/a/minimum",
     "found the string \"\", expected a number"},
    {"{\"$schema\":\"http://x/meta\"}", "",
     "found the $schema \"http://x/meta\", expected draft 2020-12, draft-07 or a known "
     "meta-schema"},
    {"{\"$ref\":\"#\"}", "",
     "found a $ref that refers to itself, expected one that leads to a schema"},
    {"{\"$defs\":{\"a\":{\"$ref\":\"#/$defs/b\"},\"b\":{\"$ref\":\"#/$defs/a\"}},"
     "\"items\":{\"$ref\":\"#/$defs/a\"}}",
     NULL, "found a $ref that refers to itself, expected one that leads to a schema"},
    {"{\"$id\":\"http://x/\",\"properties\":{\"a\":{\"$id\":\"y\"},\"b\":{\"$id\":\"y\"}}}",
     "/properties/b", "found a second schema with the $id http://x/y, expected only one"},
};

TEST(a_bad_schema_is_refused_with_its_place)
{
    for (size_t i = 0; i < COUNT(refused); i++) {
        fixture f;
        fixture_init_with(&f, refused[i].schema, NULL);
        CHECK_INT(f.status, HAFT_BAD_INPUT, "%s", refused[i].schema);
        CHECK_STR(haft__str(f.error.message), haft__str(refused[i].message), "%s",
                  refused[i].schema);
        if (refused[i].where != NULL) {
            CHECK_STR(haft__str(f.error.where), haft__str(refused[i].where), "%s",
                      refused[i].schema);
        }
        CHECK(f.schema == NULL, "no schema is returned");
        fixture_finish(&f);
    }
}

TEST(a_bad_pattern_is_refused_with_its_place)
{
    fixture f;
    fixture_init_with(&f, "{\"properties\":{\"a\":{\"pattern\":\"a(\"}}}", NULL);
    CHECK_INT(f.status, HAFT_BAD_INPUT, "%s", f.error.message);
    CHECK(haft__str_starts_with(haft__str(f.error.where),
                                HAFT__LIT("/properties/a/pattern:character")),
          "%s", f.error.where);
    fixture_finish(&f);
    fixture_init_with(&f, "{\"patternProperties\":{\"a(\":{}}}", NULL);
    CHECK_INT(f.status, HAFT_BAD_INPUT, "%s", f.error.message);
    CHECK(haft__str_starts_with(haft__str(f.error.where),
                                HAFT__LIT("/patternProperties/a(:character")),
          "%s", f.error.where);
    fixture_finish(&f);
}

TEST(unused_schemas_are_not_compiled)
{
    /* Unknown keywords, keywords of another draft, and unused definitions. */
    fixture f;
    fixture_init(&f, "{\"$defs\":{\"a\":{\"minimum\":\"\"}},\"$comment\":1,\"additionalItems\":1,"
                     "\"x\":{\"minimum\":\"\"}}");
    CHECK(check_text(&f, "1").valid, "everything is valid");
    fixture_finish(&f);
}

TEST(draft_07_ignores_everything_next_to_a_ref)
{
    static const char *const schema = "{\"$schema\":\"http://json-schema.org/draft-07/schema#\","
                                      "\"properties\":{\"a\":{\"$ref\":\"#/definitions/n\","
                                      "\"maximum\":\"bad and ignored\"}},"
                                      "\"definitions\":{\"n\":{\"type\":\"number\"}}}";
    CHECK(is_valid(schema, "{\"a\":5}"), "a number is accepted");
    CHECK(!is_valid(schema, "{\"a\":\"5\"}"), "a string is rejected");
}

/* {"properties":{"k0":{},"k1":{},...}} has count + 1 subschemas. */
static const char *many_properties(size_t count)
{
    haft__buf buf;
    haft__buf_init(&buf, 64 << 20);
    haft__buf_addf(&buf, "{\"properties\":{");
    for (size_t i = 0; i < count; i++) {
        haft__buf_addf(&buf, "%s\"k%zu\":{}", i > 0 ? "," : "", i);
    }
    haft__buf_add(&buf, "}}", 3);
    char *text = test_alloc(buf.len);
    memcpy(text, buf.ptr, buf.len);
    haft__buf_finish(&buf);
    return text;
}

TEST(subschemas_are_limited)
{
    fixture f;
    fixture_init_with(&f, many_properties(HAFT__LIMIT_SCHEMA_NODES - 1), NULL);
    CHECK_INT(f.status, HAFT_OK, "at the limit: %s", f.error.message);
    fixture_finish(&f);
    fixture_init_with(&f, many_properties(HAFT__LIMIT_SCHEMA_NODES), NULL);
    CHECK_INT(f.status, HAFT_TOO_BIG, "past the limit");
    CHECK_STR(haft__str(f.error.message), HAFT__LIT("the schema has more than 100000 subschemas"),
              "error message");
    fixture_finish(&f);
}

TEST(nesting_of_a_schema_is_limited)
{
    /* Built by hand: the reader rejects such depth. */
    haft__arena arena;
    haft__arena_init(&arena, 0);
    haft__json schema = haft__json_bool(true);
    for (int i = 0; i <= HAFT__LIMIT_JSON_DEPTH; i++) {
        haft__json_member *member = haft__arena_alloc(&arena, sizeof(*member));
        member->key = haft__json_string(HAFT__LIT("not"));
        member->value = schema;
        schema = haft__json_object(member, 1);
        const haft__schema *compiled = NULL;
        haft_error error = {0};
        haft_status status = haft__schema_compile(&arena, schema, NULL, &compiled, &error);
        CHECK_INT(status, i < HAFT__LIMIT_JSON_DEPTH ? HAFT_OK : HAFT_TOO_BIG, "depth %d", i);
    }
    haft__arena_finish(&arena);
}

static const char everything[] =
    "{\"$id\":\"http://x/y\",\"$schema\":\"https://json-schema.org/draft/2020-12/schema\","
    "\"$dynamicAnchor\":\"n\",\"type\":\"object\",\"properties\":{\"a\":{\"minimum\":1,"
    "\"multipleOf\":2},\"b\":{\"pattern\":\"^a\",\"minLength\":1},\"c\":{\"items\":{\"$ref\":"
    "\"#/$defs/d\"},\"uniqueItems\":true,\"contains\":{\"const\":1}},\"e\":{\"enum\":[1,2,3,4,5,6,"
    "7,8,9,10]},\"f\":{\"$dynamicRef\":\"#n\"},\"g\":{\"$id\":\"z\",\"$anchor\":\"q\"},\"h\":{"
    "\"$ref\":\"z#q\"},\"i\":{\"$ref\":\"https://json-schema.org/draft/2020-12/meta/content\"}},"
    "\"patternProperties\":{\"^p\":{\"not\":true}},\"dependentRequired\":{\"a\":[\"b\"]},"
    "\"dependentSchemas\":{\"b\":{}},\"required\":[\"a\",\"zz\"],\"allOf\":[{\"if\":true}],"
    "\"unevaluatedProperties\":false,\"$defs\":{\"d\":{\"prefixItems\":[{}]}}}";

TEST(compiling_survives_every_failed_allocation)
{
    haft__arena source;
    haft__arena_init(&source, 0);
    haft__json schema = parse(&source, everything);
    for (unsigned n = 0;; n++) {
        haft__arena arena;
        haft__arena_init(&arena, 0);
        const haft__schema *compiled = NULL;
        haft_error error = {0};
        test_fail_allocation(n);
        haft_status status = haft__schema_compile(&arena, schema, NULL, &compiled, &error);
        bool failed = test_allow_allocations();
        CHECK(status == (failed ? HAFT_NO_MEMORY : HAFT_OK), "allocation %u: %s %s", n,
              haft_status_name(status), error.message);
        CHECK((compiled != NULL) == !failed, "allocation %u", n);
        haft__arena_finish(&arena);
        if (!failed) {
            CHECK(n > 3, "only %u allocations", n);
            break;
        }
    }
    haft__arena_finish(&source);
}

/* An arena allocates in chunks, so the test above makes few allocations fail. Here the maximum of
 * the arena grows in small steps, so that each allocation from the arena fails once. */
TEST(compiling_survives_every_full_arena)
{
    haft__arena source;
    haft__arena_init(&source, 0);
    haft__json schema = parse(&source, everything);
    haft_status status = HAFT_TOO_BIG;
    size_t max = 16;
    for (; status == HAFT_TOO_BIG && max < 1 << 20; max += 16) {
        haft__arena arena;
        haft__arena_init(&arena, max);
        const haft__schema *compiled = NULL;
        haft_error error = {0};
        status = haft__schema_compile(&arena, schema, NULL, &compiled, &error);
        CHECK(status == HAFT_TOO_BIG || status == HAFT_OK, "%zu bytes: %s %s", max,
              haft_status_name(status), error.message);
        CHECK((compiled != NULL) == (status == HAFT_OK),
              "%zu bytes: a schema if and only if it succeeds", max);
        haft__arena_finish(&arena);
    }
    CHECK_INT(status, HAFT_OK, "status with a large arena");
    CHECK(max > 4096, "only %zu bytes", max);
    haft__arena_finish(&source);
}

TEST(the_error_pointer_may_be_null)
{
    haft__arena arena;
    haft__arena_init(&arena, 0);
    const haft__schema *compiled = NULL;
    for (size_t i = 0; i < COUNT(refused); i++) {
        CHECK_INT(
            haft__schema_compile(&arena, parse(&arena, refused[i].schema), NULL, &compiled, NULL),
            HAFT_BAD_INPUT, "%s", refused[i].schema);
    }
    haft__arena_finish(&arena);
}

/* A schema with `count` regular expressions. */
static char *many_patterns(int count)
{
    haft__buf buf;
    haft__buf_init(&buf, 1 << 20);
    haft__buf_addf(&buf, "{\"pattern\":\"a\",\"patternProperties\":{");
    for (int i = 1; i < count; i++) {
        haft__buf_addf(&buf, "%s\"%d\":true", i > 1 ? "," : "", i);
    }
    haft__buf_addf(&buf, "}}");
    haft__buf_add(&buf, "", 1);
    char *text = test_alloc(buf.len);
    memcpy(text, buf.ptr, buf.len);
    haft__buf_finish(&buf);
    return text;
}

TEST(the_number_of_regular_expressions_is_limited)
{
    fixture f;
    fixture_init(&f, many_patterns(HAFT__LIMIT_SCHEMA_PATTERNS));
    fixture_finish(&f);
    fixture_init_with(&f, many_patterns(HAFT__LIMIT_SCHEMA_PATTERNS + 1), NULL);
    CHECK_INT(f.status, HAFT_TOO_BIG, "past the limit");
    CHECK_STR(haft__str(f.error.message),
              HAFT__LIT("the schema has more than 10000 regular expressions"), "error message");
    fixture_finish(&f);
}

/* Compiles `count` required names that are all equal; each name takes the same number of bytes. */
static haft_status require_many(uint32_t count, size_t *ret_used, haft_error *ret_error)
{
    fixture f;
    fixture_init(&f, "true");
    haft__json *names = test_alloc(count * sizeof(*names));
    for (uint32_t i = 0; i < count; i++) {
        names[i] = haft__json_string(HAFT__LIT("a"));
    }
    haft__json_member member = {haft__json_string(HAFT__LIT("required")),
                                haft__json_array(names, count)};
    const haft__schema *schema;
    haft__arena arena;
    haft__arena_init(&arena, 0);
    haft_status status =
        haft__schema_compile(&arena, haft__json_object(&member, 1), NULL, &schema, ret_error);
    *ret_used = arena.total;
    CHECK_INT(arena.max, HAFT__LIMIT_ARENA_BYTES, "the arena keeps its own limit");
    haft__arena_finish(&arena);
    fixture_finish(&f);
    return status;
}

TEST(the_memory_of_a_compiled_schema_is_limited)
{
    /* Finds about the longest accepted list by bisection: a name takes about fifty bytes. */
    uint32_t fits = HAFT__LIMIT_SCHEMA_BYTES / 128, past = HAFT__LIMIT_SCHEMA_BYTES / 32;
    size_t used = 0;
    haft_error error = {0};
    while (past - fits > 4096) {
        uint32_t middle = fits + (past - fits) / 2;
        if (require_many(middle, &used, &error) == HAFT_OK) {
            fits = middle;
        } else {
            past = middle;
        }
    }
    CHECK_INT(require_many(past, &used, &error), HAFT_TOO_BIG, "too many names");
    CHECK_STR(haft__str(error.message),
              HAFT__LIT("the compiled schema takes more than 67108864 bytes"), "error message");
    CHECK_INT(require_many(fits, &used, &error), HAFT_OK, "the longest accepted list");
    CHECK(used <= HAFT__LIMIT_SCHEMA_BYTES && used > HAFT__LIMIT_SCHEMA_BYTES / 2, "%zu bytes",
          used);
}

TEST(a_smaller_arena_reports_its_own_limit)
{
    haft__arena arena;
    haft__arena_init(&arena, 256);
    haft_error error = {0};
    const haft__schema *schema;
    arena.full = true;
    CHECK_INT(haft__schema_compile(&arena, haft__json_bool(true), NULL, &schema, &error),
              HAFT_TOO_BIG, "compile in a small arena");
    CHECK_STR(haft__str(error.message), HAFT__LIT("needs more than the limit of 256 bytes"),
              "error message");
    haft__arena_finish(&arena);
}

TEST(equal_values_of_an_enum_are_stored_once)
{
    /* Otherwise each value would be compared with all equal values before it: 10^10 steps. */
    enum { VALUES = 200000 };
    haft__json *values = test_alloc(VALUES * sizeof(*values));
    for (uint32_t i = 0; i < VALUES; i++) {
        values[i] = haft__json_bool(true);
    }
    values[VALUES - 1] = haft__json_null();
    haft__json_member member = {haft__json_string(HAFT__LIT("enum")),
                                haft__json_array(values, VALUES)};
    fixture f;
    fixture_init(&f, "true");
    CHECK_INT(haft__schema_compile(&f.arena, haft__json_object(&member, 1), NULL, &f.schema, NULL),
              HAFT_OK, "compile the schema");
    CHECK(check_text(&f, "true").valid, "the first value of the enum");
    CHECK(check_text(&f, "null").valid, "the last value of the enum");
    CHECK(!check_text(&f, "false").valid, "a value that is not in the enum");
    fixture_finish(&f);
}

TEST(long_locations_of_errors_are_truncated_at_the_start)
{
    /* A name of 64 letters, then one of 1, 2 or 3: with 2 letters the location just fits. */
    static const char *const names[] = {"b", "bc", "bcd"};
    enum { LONG_NAME = 64 };
    char a[LONG_NAME + 1];
    memset(a, 'a', LONG_NAME);
    a[LONG_NAME] = '\0';
    for (size_t i = 0; i < COUNT(names); i++) {
        char schema[256], where[256];
        (void)snprintf(schema, sizeof(schema),
                       "{\"properties\":{\"%s\":{\"properties\":{\"%s\":{\"type\":1}}}}}", a,
                       names[i]);
        fixture f;
        fixture_init_with(&f, schema, NULL);
        (void)snprintf(where, sizeof(where), "%s/%s/properties/%s/type",
                       i < 2 ? "/properties" : "...", a, names[i]);
        CHECK_STR(haft__str(f.error.where), haft__str(where), "%s", names[i]);
        CHECK_INT(strlen(where) == sizeof(f.error.where) - 1, i == 1, "%s", where);
        fixture_finish(&f);
    }
    /* One name that is too long by itself, with characters of two bytes. */
    char schema[1024] = "{\"properties\":{\"";
    for (int i = 0; i < 100; i++) {
        (void)snprintf(schema + strlen(schema), 3, "\xC3\xA9");
    }
    (void)snprintf(schema + strlen(schema), 16, "\":1}}");
    fixture f;
    fixture_init_with(&f, schema, NULL);
    CHECK(haft__str_starts_with(haft__str(f.error.where), HAFT__LIT("...\xC3\xA9")), "%s",
          f.error.where);
    CHECK_INT(strlen(f.error.where), 3 + 92, "%s", f.error.where);
    fixture_finish(&f);
}

TEST(errors_of_schemas_contain_no_control_characters)
{
    static const char *const schemas[] = {
        "{\"type\":\"\\u001b[31m\\u0085\\u007f\"}",
        "{\"$ref\":\"\\u001b[31m\\u0085\\u007f\"}",
        "{\"$ref\":\"#\\u001b[31m\\u0085\\u007f\"}",
        "{\"$schema\":\"\\u001b[31m\\u0085\\u007f\"}",
        "{\"properties\":{\"\\u001b[31m\\u0085\\u007f\":1}}",
        "{\"pattern\":\"\\\\p{\\u001b[31m\\u0085\\u007f}\"}",
    };
    for (size_t i = 0; i < COUNT(schemas); i++) {
        fixture f;
        fixture_init_with(&f, schemas[i], NULL);
        CHECK_INT(f.status, HAFT_BAD_INPUT, "%s", schemas[i]);
        const char *const texts[] = {f.error.where, f.error.message, f.error.hint};
        for (size_t k = 0; k < COUNT(texts); k++) {
            for (const unsigned char *p = (const unsigned char *)texts[k]; *p != '\0'; p++) {
                CHECK(*p >= 0x20 && *p != 0x7F && (*p != 0xC2 || p[1] >= 0xA0), "%s", schemas[i]);
            }
        }
        fixture_finish(&f);
    }
}
