/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/schema/lookup.c. */
#include "schema/lookup.h"

#include "test.h"
#include "json/read.h"

static const char schema_text[] =
    "{\"type\":\"object\",\"properties\":{"
    "\"n\":{\"type\":\"integer\"},"
    "\"a/b~\":{\"type\":[\"object\",\"null\"],\"properties\":{\"x\":{\"type\":\"string\"}}},"
    "\"list\":{\"type\":\"array\",\"prefixItems\":[{\"type\":\"string\"}],"
    "\"items\":{\"type\":\"number\"}},"
    "\"bag\":{\"type\":\"array\"},"
    "\"open\":{\"type\":\"object\",\"properties\":{},\"additionalProperties\":true},"
    "\"closed\":{\"type\":\"object\",\"additionalProperties\":false},"
    "\"free\":{\"type\":\"object\"},"
    "\"any\":{},"
    "\"ref\":{\"$ref\":\"#/x\"}}}";

TEST(places_are_looked_up_in_a_schema)
{
    static const struct {
        const char *at;
        haft__schema_lookup_result place;
        const char *until;
    } cases[] = {
        {"", HAFT__LOOKUP_KNOWN, ""},
        {"/n", HAFT__LOOKUP_KNOWN, "/n"},
        {"/m", HAFT__LOOKUP_IMPOSSIBLE, ""},
        {"/n/x", HAFT__LOOKUP_IMPOSSIBLE, "/n"},
        {"/a~1b~0", HAFT__LOOKUP_KNOWN, "/a~1b~0"},
        {"/a~1b~0/x", HAFT__LOOKUP_KNOWN, "/a~1b~0/x"},
        {"/a~1b~0/y", HAFT__LOOKUP_IMPOSSIBLE, "/a~1b~0"},
        {"/a/b~0", HAFT__LOOKUP_IMPOSSIBLE, ""},
        {"/list/0", HAFT__LOOKUP_KNOWN, "/list/0"},
        {"/list/7", HAFT__LOOKUP_KNOWN, "/list/7"},
        {"/list/x", HAFT__LOOKUP_IMPOSSIBLE, "/list"},
        {"/list/-", HAFT__LOOKUP_IMPOSSIBLE, "/list"},
        {"/bag/0", HAFT__LOOKUP_UNRESTRICTED, "/bag"},
        {"/open/x/y", HAFT__LOOKUP_UNRESTRICTED, "/open"},
        {"/closed/x", HAFT__LOOKUP_IMPOSSIBLE, "/closed"},
        {"/free/x", HAFT__LOOKUP_UNRESTRICTED, "/free"},
        {"/any/x", HAFT__LOOKUP_UNRESTRICTED, "/any"},
        {"/ref", HAFT__LOOKUP_UNRESTRICTED, "/ref"},
        {"/ref/x", HAFT__LOOKUP_UNRESTRICTED, "/ref"},
    };
    haft__arena arena;
    haft__arena_init(&arena, 0);
    haft__json schema = haft__json_null();
    CHECK_INT(haft__json_read(&arena, haft__str(schema_text), NULL, &schema, NULL, NULL), HAFT_OK,
              "the schema is JSON");
    for (size_t i = 0; i < COUNT(cases); i++) {
        haft_str until;
        haft__json found;
        CHECK_INT(haft__schema_lookup(schema, haft__str(cases[i].at), &until, &found),
                  cases[i].place, "%s", cases[i].at);
        CHECK_STR(until, haft__str(cases[i].until), "%s", cases[i].at);
    }
    haft__arena_finish(&arena);
}

TEST(values_are_compared_with_type_names)
{
    haft__json text = haft__json_string(HAFT__LIT("x")), none = haft__json_null();
    haft__json number = {.kind = HAFT__JSON_NUMBER};
    haft__json names[] = {haft__json_string(HAFT__LIT("integer")),
                          haft__json_string(HAFT__LIT("null"))};
    haft__json both = haft__json_array(names, COUNT(names));
    CHECK(haft__schema_type_accepts(names[0], number), "an integer is a number");
    CHECK(!haft__schema_type_accepts(names[0], text), "a text is not a number");
    CHECK(haft__schema_type_accepts(both, number) && haft__schema_type_accepts(both, none),
          "a list of two types accepts both");
    CHECK(!haft__schema_type_accepts(both, text), "a list of two types accepts no other");
    CHECK(!haft__schema_type_accepts(none, text), "null is not a type");
}
