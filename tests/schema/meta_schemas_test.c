/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/schema/meta_schemas.c: the built-in meta-schemas accept themselves and reject wrong
 * values. */
#include "schema/compile_int.h"
#include "schema_helpers.h"

#define DRAFT_2020 "https://json-schema.org/draft/2020-12/"
#define DRAFT_07   "http://json-schema.org/draft-07/schema"

static const char *const uris[] = {
    DRAFT_2020 "schema",
    DRAFT_2020 "meta/core",
    DRAFT_2020 "meta/applicator",
    DRAFT_2020 "meta/unevaluated",
    DRAFT_2020 "meta/validation",
    DRAFT_2020 "meta/meta-data",
    DRAFT_2020 "meta/format-annotation",
    DRAFT_2020 "meta/format-assertion",
    DRAFT_2020 "meta/content",
    DRAFT_07,
};

static void init_by_uri(fixture *f, const char *uri)
{
    char schema[128];
    (void)snprintf(schema, sizeof(schema), "{\"$ref\":\"%s\"}", uri);
    fixture_init(f, schema);
}

TEST(every_meta_schema_is_a_valid_schema)
{
    for (size_t i = 0; i < COUNT(uris); i++) {
        fixture f;
        init_by_uri(&f, strcmp(uris[i], DRAFT_07) == 0 ? DRAFT_07 : DRAFT_2020 "schema");
        haft_str text = haft__meta_schema_text(haft__str(uris[i]));
        CHECK(text.ptr != NULL, "%s is not built in", uris[i]);
        haft__schema_report report = check_text(&f, text.ptr);
        CHECK(report.valid, "%s: %s", uris[i],
              report.count > 0 ? report.errors[0].message.ptr : "");
        CHECK(check_text(&f, "true").valid, "booleans are schemas");
        CHECK(!check_text(&f, "1").valid, "numbers are not schemas");
        fixture_finish(&f);
    }
    CHECK(haft__meta_schema_text(HAFT__LIT("http://x/")).ptr == NULL,
          "an unknown URI is not built in");
}

/* One wrong value for each keyword. */
TEST(the_meta_schemas_refuse_wrong_values)
{
    static const struct {
        const char *schema;
        bool both; /* wrong in draft-07, too */
    } wrong[] = {
        {"{\"$id\":1}", true},
        {"{\"$id\":\"a#b\"}", false},
        {"{\"$schema\":1}", true},
        {"{\"$ref\":1}", true},
        {"{\"$anchor\":\"1a\"}", false},
        {"{\"$dynamicRef\":1}", false},
        {"{\"$dynamicAnchor\":1}", false},
        {"{\"$vocabulary\":{\"a\":1}}", false},
        {"{\"$comment\":1}", true},
        {"{\"$defs\":{\"a\":1}}", false},
        {"{\"definitions\":{\"a\":1}}", true},
        {"{\"dependencies\":{\"a\":[1]}}", true},
        {"{\"prefixItems\":[]}", false},
        {"{\"items\":1}", true},
        {"{\"contains\":1}", true},
        {"{\"additionalProperties\":1}", true},
        {"{\"properties\":{\"a\":{\"properties\":{\"b\":1}}}}", true},
        {"{\"patternProperties\":{\"a\":1}}", true},
        {"{\"dependentSchemas\":{\"a\":1}}", false},
        {"{\"propertyNames\":1}", true},
        {"{\"if\":1}", true},
        {"{\"then\":1}", true},
        {"{\"else\":1}", true},
        {"{\"allOf\":[]}", true},
        {"{\"anyOf\":[1]}", true},
        {"{\"oneOf\":1}", true},
        {"{\"not\":1}", true},
        {"{\"unevaluatedItems\":1}", false},
        {"{\"unevaluatedProperties\":1}", false},
        {"{\"type\":\"text\"}", true},
        {"{\"type\":[\"null\",\"null\"]}", true},
        {"{\"enum\":1}", true},
        {"{\"multipleOf\":0}", true},
        {"{\"maximum\":\"\"}", true},
        {"{\"exclusiveMaximum\":true}", true},
        {"{\"minimum\":\"\"}", true},
        {"{\"exclusiveMinimum\":true}", true},
        {"{\"maxLength\":-1}", true},
        {"{\"minLength\":-1}", true},
        {"{\"pattern\":1}", true},
        {"{\"maxItems\":-1}", true},
        {"{\"minItems\":-1}", true},
        {"{\"uniqueItems\":1}", true},
        {"{\"maxContains\":-1}", false},
        {"{\"minContains\":-1}", false},
        {"{\"maxProperties\":-1}", true},
        {"{\"minProperties\":-1}", true},
        {"{\"required\":[\"a\",\"a\"]}", true},
        {"{\"dependentRequired\":{\"a\":1}}", false},
        {"{\"title\":1}", true},
        {"{\"description\":1}", true},
        {"{\"deprecated\":1}", false},
        {"{\"readOnly\":1}", true},
        {"{\"writeOnly\":1}", true},
        {"{\"examples\":1}", true},
        {"{\"format\":1}", true},
        {"{\"contentEncoding\":1}", true},
        {"{\"contentMediaType\":1}", true},
        {"{\"contentSchema\":1}", false},
    };
    fixture new, old;
    init_by_uri(&new, DRAFT_2020 "schema");
    init_by_uri(&old, DRAFT_07);
    for (size_t i = 0; i < COUNT(wrong); i++) {
        CHECK(!check_text(&new, wrong[i].schema).valid, "2020-12: %s", wrong[i].schema);
        CHECK_INT(check_text(&old, wrong[i].schema).valid, !wrong[i].both, "draft-07: %s",
                  wrong[i].schema);
    }
    fixture_finish(&new);
    fixture_finish(&old);
}
