/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/schema/resolve.c: cases that the official suite does not have. */
#include "base/limits.h"
#include "schema_helpers.h"

#define DRAFT_2020 "https://json-schema.org/draft/2020-12/"

typedef struct library {
    haft__arena arena;
    unsigned asked;
} library;

/* http://n/5 refers to http://n/4 and so on down to http://n/1; the $schema of http://m/1 is
 * http://m/2 and so on for ever. */
static const haft__json *numbered_document(library *l, haft_str uri, haft__json *value)
{
    uint64_t number;
    bool meta = haft__str_starts_with(uri, HAFT__LIT("http://m/"));
    if ((!meta && !haft__str_starts_with(uri, HAFT__LIT("http://n/")))
        || !haft__str_to_u64(haft__str_skip(uri, 9), &number)) {
        return NULL;
    }
    char *text = haft__arena_alloc(&l->arena, 100);
    unsigned long long next = meta ? number + 1 : number - 1;
    (void)snprintf(text, 100,
                   meta       ? "{\"$schema\":\"http://m/%llu\"}"
                   : next > 0 ? "{\"$ref\":\"%llu\"}"
                              : "{\"minimum\":%llu}",
                   next);
    *value = parse(&l->arena, text);
    return value;
}

/* Documents by URI. */
static const haft__json *find_document(void *context, haft_str uri)
{
    static const struct {
        const char *uri, *text;
    } documents[] = {
        {"http://x/int", "{\"type\":\"integer\"}"},
        {"http://x/bad", "{\"items\":{\"minimum\":\"\"}}"},
        {"http://x/other-name", "{\"$id\":\"http://x/real-name\",\"$ref\":\"int\"}"},
        {"http://x/boolean", "false"},
        {"http://x/needs",
         "{\"$schema\":\"" DRAFT_2020 "schema\",\"$vocabulary\":{\"http://v\":true}}"},
        {"http://x/format", "{\"$schema\":\"" DRAFT_2020 "schema\",\"$vocabulary\":{\"" DRAFT_2020
                            "vocab/format-assertion\":true}}"},
        {"http://x/meta", "{\"$schema\":\"" DRAFT_2020 "schema\",\"$vocabulary\":{\"" DRAFT_2020
                          "vocab/applicator\":true,\"http://v\":false}}"},
        {"http://x/meta-of-meta", "{\"$schema\":\"http://x/meta\"}"},
        {"http://x/old-meta", "{\"$schema\":\"http://json-schema.org/draft-07/schema#\"}"},
        {"http://x/self-meta", "{\"$schema\":\"http://x/self-meta\"}"},
        {"http://x/draft7", "{\"$schema\":\"http://json-schema.org/draft-07/schema\",\"items\":["
                            "{\"type\":\"string\"}],\"additionalItems\":false}"},
        {"http://x/takes-name", "{\"$id\":\"http://x/main\",\"type\":\"null\"}"},
    };
    library *l = context;
    l->asked++;
    haft__json *value = haft__arena_alloc(&l->arena, sizeof(*value));
    for (size_t i = 0; i < COUNT(documents); i++) {
        if (haft__str_equal(uri, haft__str(documents[i].uri))) {
            *value = parse(&l->arena, documents[i].text);
            return value;
        }
    }
    return numbered_document(l, uri, value);
}

static const struct {
    const char *schema, *good, *bad;
} cases[] = {
    /* documents */
    {"{\"$ref\":\"http://x/int\"}", "1", "\"\""},
    {"{\"$ref\":\"http://x/other-name\"}", "1", "\"\""},
    {"{\"$ref\":\"http://x/boolean\"}", NULL, "\"\""},
    {"{\"$ref\":\"http://x/draft7\"}", "[\"a\"]", "[\"a\",1]"},
    {"{\"$id\":\"http://x/dir/a\",\"$ref\":\"../int\"}", "1", "\"\""},
    {"{\"$id\":\"http://x/main\",\"type\":\"string\",\"anyOf\":[{\"$ref\":\"takes-name\"},"
     "{\"$ref\":\"main#/$defs/s\"}],\"$defs\":{\"s\":true}}",
     "\"a\"", "null"},
    /* names inside the schema, with and without a base */
    {"{\"$defs\":{\"a\":{\"$id\":\"a\",\"type\":\"null\"}},\"$ref\":\"a\"}", "null", "1"},
    {"{\"$defs\":{\"a\":{\"$anchor\":\"b\",\"type\":\"null\"}},\"$ref\":\"#b\"}", "null", "1"},
    {"{\"$defs\":{\"a\":{\"$id\":\"#ignored\",\"$anchor\":\"b\",\"type\":\"null\"}},"
     "\"$ref\":\"#b\"}",
     "null", "1"},
    {"{\"$defs\":{\"a~b/c%d\":{\"type\":\"null\"}},\"$ref\":\"#/$defs/a~0b~1c%25d\"}", "null", "1"},
    {"{\"prefixItems\":[{\"type\":\"null\"},{\"$ref\":\"#/prefixItems/0\"}]}", "[null,null]",
     "[null,1]"},
    /* a pointer that goes through an $id takes its base with it */
    {"{\"$id\":\"http://x/a/b\",\"$ref\":\"#/$defs/in/$defs/ref\",\"$defs\":{\"in\":{\"$id\":"
     "\"http://x/in/in\",\"$defs\":{\"ref\":{\"$ref\":\"../int\"}}}}}",
     "1", "\"\""},
    {"{\"$id\":\"http://x/a/b\",\"$ref\":\"#/not/not\",\"not\":{\"$id\":\"http://x/in/"
     "in\",\"not\":{\"$ref\":"
     "\"../int\"}}}",
     "1", "\"\""},
    /* an $id in data (below an unknown keyword) does not change the base */
    {"{\"$id\":\"http://x/a\",\"$ref\":\"#/x/y\",\"x\":{\"$id\":\"http://other/\",\"y\":{\"$ref\":"
     "\"int\"}}}",
     "1", "\"\""},
    /* draft-07: an $id of the document's own URI with a fragment defines an anchor */
    {"{\"$id\":\"http://x/r\",\"$schema\":\"http://json-schema.org/draft-07/schema#\",\"allOf\":[{"
     "\"$ref\":\"r#n\"}],\"definitions\":{\"a\":{\"$id\":\"http://x/r#n\",\"type\":\"null\"}}}",
     "null", "1"},
    /* large objects are searched through a map */
    {"{\"$ref\":\"#/$defs/z\",\"$defs\":{\"a\":0,\"b\":0,\"c\":0,\"d\":0,\"e\":0,\"f\":0,\"g\":0,"
     "\"h\":0,\"i\":0,\"j\":0,\"k\":0,\"l\":0,\"m\":0,\"n\":0,\"o\":0,\"p\":0,\"q\":0,\"r\":0,"
     "\"s\":"
     "0,\"t\":0,\"u\":0,\"v\":0,\"w\":0,\"x\":0,\"y\":0,\"z\":{\"$ref\":\"#/$defs/7\"},\"1\":0,"
     "\"2\":0,\"3\":0,\"4\":0,\"5\":0,\"6\":0,\"7\":{\"type\":\"null\"}}}",
     "null", "1"},
    /* vocabularies and dialects */
    {"{\"$schema\":\"http://x/meta\",\"minimum\":5,\"properties\":{\"a\":false}}", "3",
     "{\"a\":1}"},
    {"{\"$schema\":\"http://x/meta-of-meta\",\"not\":false,\"minimum\":5}", "7", "3"},
    {"{\"$schema\":\"http://x/old-meta\",\"items\":[{\"type\":\"null\"}]}", "[null]", "[1]"},
    {"{\"$schema\":\"http://x/self-meta\",\"type\":\"null\"}", "null", "1"},
    /* a subschema with its own $id may have its own draft */
    {"{\"properties\":{\"a\":{\"$id\":\"http://x/q\",\"$schema\":"
     "\"http://json-schema.org/draft-07/schema#\",\"items\":[{\"type\":\"null\"}]}}}",
     "{\"a\":[null]}", "{\"a\":[1]}"},
    /* dynamic references */
    {"{\"$id\":\"http://x/strict\",\"$dynamicAnchor\":\"n\",\"$ref\":\"tree\",\"$defs\":{\"t\":{"
     "\"$id\":\"tree\",\"$dynamicAnchor\":\"n\",\"properties\":{\"kid\":{\"$dynamicRef\":\"#n\"}}}}"
     ","
     "\"required\":[\"v\"]}",
     "{\"v\":1,\"kid\":{\"v\":1}}", "{\"v\":1,\"kid\":{}}"},
    {"{\"$defs\":{\"a\":{\"type\":\"null\"}},\"$dynamicRef\":\"#/$defs/a\"}", "null", "1"},
};

static void library_init(library *l, haft__schema_options *options)
{
    *l = (library){.asked = 0};
    haft__arena_init(&l->arena, 0);
    *options = (haft__schema_options){.find = find_document, .context = l};
}

TEST(references_resolve_to_their_target)
{
    library l;
    haft__schema_options options;
    library_init(&l, &options);
    for (size_t i = 0; i < COUNT(cases); i++) {
        fixture f;
        fixture_init_with(&f, cases[i].schema, &options);
        CHECK(f.status == HAFT_OK, "%s: %s", cases[i].schema, f.error.message);
        if (f.status == HAFT_OK) {
            CHECK(cases[i].good == NULL || check_text(&f, cases[i].good).valid, "%s refuses %s",
                  cases[i].schema, cases[i].good);
            CHECK(!check_text(&f, cases[i].bad).valid, "%s accepts %s", cases[i].schema,
                  cases[i].bad);
        }
        fixture_finish(&f);
    }
    haft__arena_finish(&l.arena);
}

TEST(invalid_references_and_metaschemas_are_rejected)
{
    static const struct {
        const char *schema, *where;
        haft_status status;
    } bad[] = {
        {"{\"$ref\":\"http://x/none\"}", "/$ref", HAFT_BAD_INPUT},
        {"{\"$ref\":\"http://x/bad\"}", "http://x/bad#/items/minimum", HAFT_BAD_INPUT},
        {"{\"$ref\":\"http://x/int#/type/0\"}", "/$ref", HAFT_BAD_INPUT},
        {"{\"$ref\":\"#/prefixItems/01\",\"prefixItems\":[true,true]}", "/$ref", HAFT_BAD_INPUT},
        {"{\"$ref\":\"#/prefixItems/2\",\"prefixItems\":[true,true]}", "/$ref", HAFT_BAD_INPUT},
        {"{\"$ref\":\"#/prefixItems/-\",\"prefixItems\":[true,true]}", "/$ref", HAFT_BAD_INPUT},
        {"{\"$schema\":\"http://x/needs\"}", "", HAFT_UNSUPPORTED},
        {"{\"$schema\":\"http://x/format\"}", "", HAFT_UNSUPPORTED},
        {"{\"$schema\":\"http://m/1\"}", "http://m/8#", HAFT_BAD_INPUT},
    };
    library l;
    haft__schema_options options;
    library_init(&l, &options);
    for (size_t i = 0; i < COUNT(bad); i++) {
        fixture f;
        fixture_init_with(&f, bad[i].schema, &options);
        CHECK_INT(f.status, bad[i].status, "%s: %s", bad[i].schema, f.error.message);
        CHECK_STR(haft__str(f.error.where), haft__str(bad[i].where), "%s: %s", bad[i].schema,
                  f.error.message);
        fixture_finish(&f);
    }
    haft__arena_finish(&l.arena);
}

TEST(documents_are_limited)
{
    library l;
    haft__schema_options options;
    library_init(&l, &options);
    for (int more = 0; more < 2; more++) {
        char schema[64];
        /* The schema itself is a document too. */
        (void)snprintf(schema, sizeof(schema), "{\"$ref\":\"http://n/%d\"}",
                       HAFT__LIMIT_SCHEMA_DOCUMENTS - 1 + more);
        fixture f;
        fixture_init_with(&f, schema, &options);
        CHECK_INT(f.status, more ? HAFT_TOO_BIG : HAFT_OK, "%s", f.error.message);
        fixture_finish(&f);
    }
    haft__arena_finish(&l.arena);
}

TEST(known_documents_are_not_requested)
{
    static const char *const schemas[] = {
        "{\"$ref\":\"#/$defs/a\",\"$defs\":{\"a\":true}}",
        "{\"$id\":\"http://x/main\",\"$ref\":\"main#/$defs/a\",\"$defs\":{\"a\":true}}",
        ("{\"$ref\":\"" DRAFT_2020 "schema\"}"),
        "{\"$ref\":\"http://json-schema.org/draft-07/schema#\"}",
        "{\"$defs\":{\"a\":{\"$ref\":\"http://x/int\"}}}",
    };
    library l;
    haft__schema_options options;
    library_init(&l, &options);
    for (size_t i = 0; i < COUNT(schemas); i++) {
        fixture f;
        fixture_init_with(&f, schemas[i], &options);
        CHECK_INT(f.status, HAFT_OK, "%s: %s", schemas[i], f.error.message);
        CHECK_INT(l.asked, 0, "%s", schemas[i]);
        fixture_finish(&f);
    }
    haft__arena_finish(&l.arena);
}

TEST(uris_above_the_limit_are_rejected)
{
    static const struct {
        const char *before, *after, *where;
    } longest[] = {
        {"{\"$id\":\"http://", "\"}", "/$id"},
        {"{\"$id\":\"http:\",\"$ref\":\"a\",\"$defs\":{\"a\":{\"$id\":\"a\"},\"b\":{"
         "\"$id\":\"http://",
         "\"}}}", "/$defs/b"},
        {"{\"allOf\":[{\"$ref\":\"http://", "\"}]}", "/allOf/0/$ref"},
    };
    for (size_t i = 0; i < COUNT(longest); i++) {
        for (size_t length = HAFT__LIMIT_SCHEMA_URI_BYTES;
             length <= HAFT__LIMIT_SCHEMA_URI_BYTES + 1; length++) {
            char schema[HAFT__LIMIT_SCHEMA_URI_BYTES + 256];
            size_t at = (size_t)snprintf(schema, sizeof(schema), "%s", longest[i].before);
            memset(schema + at, 'x', length - 7);
            (void)snprintf(schema + at + length - 7, 64, "%s", longest[i].after);
            fixture f;
            fixture_init_with(&f, schema, NULL);
            bool too_long = length > HAFT__LIMIT_SCHEMA_URI_BYTES;
            CHECK_INT(f.status == HAFT_TOO_BIG, too_long, "%zu bytes in %.40s: %s", length,
                      longest[i].before, f.error.message);
            if (too_long) {
                CHECK_STR(haft__str(f.error.message),
                          HAFT__LIT("found a URI of 4097 bytes, expected at most 4096"),
                          "error message");
                CHECK_STR(haft__str(f.error.where), haft__str(longest[i].where),
                          "place of the error");
            }
            fixture_finish(&f);
        }
    }
}

TEST(many_references_through_a_large_schema_are_fast)
{
    /* 20,000 references through an object of 20,000 members. A linear search for each reference
     * would take 4 * 10^8 steps. */
    enum { MEMBERS = 20000 };
    haft__buf buf;
    haft__buf_init(&buf, 8 << 20);
    haft__buf_addf(&buf, "{\"$defs\":{\"big\":{\"not\":{}");
    for (int i = 0; i < MEMBERS; i++) {
        haft__buf_addf(&buf, ",\"x%d\":1", i);
    }
    haft__buf_addf(&buf, "}},\"allOf\":[true");
    for (int i = 0; i < MEMBERS; i++) {
        haft__buf_addf(&buf, ",{\"$ref\":\"#/$defs/big/not\"}");
    }
    haft__buf_addf(&buf, "]}");
    haft__buf_add(&buf, "", 1);
    fixture f;
    fixture_init(&f, buf.ptr);
    CHECK(check_text(&f, "1").valid, "valid");
    fixture_finish(&f);
    haft__buf_finish(&buf);
}
