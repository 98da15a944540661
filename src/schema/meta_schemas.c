/* SPDX-License-Identifier: Apache-2.0 */
/*
 * meta_schemas.c - the meta-schemas of draft 2020-12 and draft-07, for schemas that refer to them.
 *
 * Their constraints are complete; titles, comments and defaults are left out. Each is parsed only
 * if a reference needs it. Tests: tests/schema/meta_schemas_test.c.
 */
#include "base/str.h"
#include "schema/compile_int.h"

#define DRAFT_2020 "https://json-schema.org/draft/2020-12/"

/* The head of each 2020-12 vocabulary meta-schema. */
#define HEAD(name)                                                                                 \
    "{\"$schema\":\"" DRAFT_2020 "schema\",\"$id\":\"" DRAFT_2020 "meta/" name                     \
    "\",\"$dynamicAnchor\":\"meta\",\"type\":[\"object\",\"boolean\"],"

#define META "{\"$dynamicRef\":\"#meta\"}"

#define SCHEMA_2020                                                                                \
    "{\"$schema\":\"" DRAFT_2020 "schema\",\"$id\":\"" DRAFT_2020 "schema\","                      \
    "\"$vocabulary\":{\"" DRAFT_2020 "vocab/core\":true,\"" DRAFT_2020                             \
    "vocab/applicator\":true,\"" DRAFT_2020 "vocab/unevaluated\":true,\"" DRAFT_2020               \
    "vocab/validation\":true,\"" DRAFT_2020 "vocab/meta-data\":true,\"" DRAFT_2020                 \
    "vocab/format-annotation\":true,\"" DRAFT_2020 "vocab/content\":true},"                        \
    "\"$dynamicAnchor\":\"meta\",\"allOf\":[{\"$ref\":\"meta/core\"},"                             \
    "{\"$ref\":\"meta/applicator\"},{\"$ref\":\"meta/unevaluated\"},"                              \
    "{\"$ref\":\"meta/validation\"},{\"$ref\":\"meta/meta-data\"},"                                \
    "{\"$ref\":\"meta/format-annotation\"},{\"$ref\":\"meta/content\"}],"                          \
    "\"type\":[\"object\",\"boolean\"],\"properties\":{"                                           \
    "\"definitions\":{\"type\":\"object\",\"additionalProperties\":" META "},"                     \
    "\"dependencies\":{\"type\":\"object\",\"additionalProperties\":{\"anyOf\":[" META ","         \
    "{\"$ref\":\"meta/validation#/$defs/stringArray\"}]}},"                                        \
    "\"$recursiveAnchor\":{\"$ref\":\"meta/core#/$defs/anchorString\"},"                           \
    "\"$recursiveRef\":{\"$ref\":\"meta/core#/$defs/uriReferenceString\"}}}"

#define CORE_2020                                                                                  \
    HEAD("core")                                                                                   \
    "\"properties\":{\"$id\":{\"$ref\":\"#/$defs/uriReferenceString\","                            \
    "\"pattern\":\"^[^#]*#?$\"},\"$schema\":{\"$ref\":\"#/$defs/uriString\"},"                     \
    "\"$ref\":{\"$ref\":\"#/$defs/uriReferenceString\"},"                                          \
    "\"$anchor\":{\"$ref\":\"#/$defs/anchorString\"},"                                             \
    "\"$dynamicRef\":{\"$ref\":\"#/$defs/uriReferenceString\"},"                                   \
    "\"$dynamicAnchor\":{\"$ref\":\"#/$defs/anchorString\"},"                                      \
    "\"$vocabulary\":{\"type\":\"object\",\"propertyNames\":{\"$ref\":\"#/$defs/uriString\"},"     \
    "\"additionalProperties\":{\"type\":\"boolean\"}},\"$comment\":{\"type\":\"string\"},"         \
    "\"$defs\":{\"type\":\"object\",\"additionalProperties\":" META "}},"                          \
    "\"$defs\":{\"anchorString\":{\"type\":\"string\","                                            \
    "\"pattern\":\"^[A-Za-z_][-A-Za-z0-9._]*$\"},"                                                 \
    "\"uriString\":{\"type\":\"string\",\"format\":\"uri\"},"                                      \
    "\"uriReferenceString\":{\"type\":\"string\",\"format\":\"uri-reference\"}}}"

#define APPLICATOR_2020                                                                            \
    HEAD("applicator")                                                                             \
    "\"properties\":{\"prefixItems\":{\"$ref\":\"#/$defs/schemaArray\"},\"items\":" META           \
    ",\"contains\":" META ",\"additionalProperties\":" META                                        \
    ",\"properties\":{\"type\":\"object\",\"additionalProperties\":" META "},"                     \
    "\"patternProperties\":{\"type\":\"object\",\"additionalProperties\":" META ","                \
    "\"propertyNames\":{\"format\":\"regex\"}},"                                                   \
    "\"dependentSchemas\":{\"type\":\"object\",\"additionalProperties\":" META "},"                \
    "\"propertyNames\":" META ",\"if\":" META ",\"then\":" META ",\"else\":" META ","              \
    "\"allOf\":{\"$ref\":\"#/$defs/schemaArray\"},\"anyOf\":{\"$ref\":\"#/$defs/schemaArray\"},"   \
    "\"oneOf\":{\"$ref\":\"#/$defs/schemaArray\"},\"not\":" META "},"                              \
    "\"$defs\":{\"schemaArray\":{\"type\":\"array\",\"minItems\":1,\"items\":" META "}}}"

#define UNEVALUATED_2020                                                                           \
    HEAD("unevaluated")                                                                            \
    "\"properties\":{\"unevaluatedItems\":" META ",\"unevaluatedProperties\":" META "}}"

#define VALIDATION_2020                                                                            \
    HEAD("validation")                                                                             \
    "\"properties\":{\"type\":{\"anyOf\":[{\"$ref\":\"#/$defs/simpleTypes\"},"                     \
    "{\"type\":\"array\",\"items\":{\"$ref\":\"#/$defs/simpleTypes\"},\"minItems\":1,"             \
    "\"uniqueItems\":true}]},\"const\":true,\"enum\":{\"type\":\"array\",\"items\":true},"         \
    "\"multipleOf\":{\"type\":\"number\",\"exclusiveMinimum\":0},"                                 \
    "\"maximum\":{\"type\":\"number\"},\"exclusiveMaximum\":{\"type\":\"number\"},"                \
    "\"minimum\":{\"type\":\"number\"},\"exclusiveMinimum\":{\"type\":\"number\"},"                \
    "\"maxLength\":{\"$ref\":\"#/$defs/nonNegativeInteger\"},"                                     \
    "\"minLength\":{\"$ref\":\"#/$defs/nonNegativeInteger\"},"                                     \
    "\"pattern\":{\"type\":\"string\",\"format\":\"regex\"},"                                      \
    "\"maxItems\":{\"$ref\":\"#/$defs/nonNegativeInteger\"},"                                      \
    "\"minItems\":{\"$ref\":\"#/$defs/nonNegativeInteger\"},"                                      \
    "\"uniqueItems\":{\"type\":\"boolean\"},"                                                      \
    "\"maxContains\":{\"$ref\":\"#/$defs/nonNegativeInteger\"},"                                   \
    "\"minContains\":{\"$ref\":\"#/$defs/nonNegativeInteger\"},"                                   \
    "\"maxProperties\":{\"$ref\":\"#/$defs/nonNegativeInteger\"},"                                 \
    "\"minProperties\":{\"$ref\":\"#/$defs/nonNegativeInteger\"},"                                 \
    "\"required\":{\"$ref\":\"#/$defs/stringArray\"},"                                             \
    "\"dependentRequired\":{\"type\":\"object\","                                                  \
    "\"additionalProperties\":{\"$ref\":\"#/$defs/stringArray\"}}},"                               \
    "\"$defs\":{\"nonNegativeInteger\":{\"type\":\"integer\",\"minimum\":0},"                      \
    "\"simpleTypes\":{\"enum\":[\"array\",\"boolean\",\"integer\",\"null\",\"number\","            \
    "\"object\",\"string\"]},\"stringArray\":{\"type\":\"array\","                                 \
    "\"items\":{\"type\":\"string\"},\"uniqueItems\":true}}}"

#define META_DATA_2020                                                                             \
    HEAD("meta-data")                                                                              \
    "\"properties\":{\"title\":{\"type\":\"string\"},\"description\":{\"type\":\"string\"},"       \
    "\"default\":true,\"deprecated\":{\"type\":\"boolean\"},\"readOnly\":{\"type\":\"boolean\"},"  \
    "\"writeOnly\":{\"type\":\"boolean\"},\"examples\":{\"type\":\"array\",\"items\":true}}}"

#define FORMAT_2020(name) HEAD(name) "\"properties\":{\"format\":{\"type\":\"string\"}}}"

#define CONTENT_2020                                                                               \
    HEAD("content")                                                                                \
    "\"properties\":{\"contentEncoding\":{\"type\":\"string\"},"                                   \
    "\"contentMediaType\":{\"type\":\"string\"},\"contentSchema\":" META "}}"

#define SELF     "{\"$ref\":\"#\"}"
#define SELF_MAP "{\"type\":\"object\",\"additionalProperties\":" SELF "}"
#define COUNT_07 "{\"$ref\":\"#/definitions/nonNegativeInteger\"}"
#define LIST_07  "{\"$ref\":\"#/definitions/schemaArray\"}"
#define NAMES_07 "{\"$ref\":\"#/definitions/stringArray\"}"

#define SCHEMA_07                                                                                  \
    "{\"$schema\":\"http://json-schema.org/draft-07/schema#\","                                    \
    "\"$id\":\"http://json-schema.org/draft-07/schema#\",\"definitions\":{"                        \
    "\"schemaArray\":{\"type\":\"array\",\"minItems\":1,\"items\":" SELF "},"                      \
    "\"nonNegativeInteger\":{\"type\":\"integer\",\"minimum\":0},"                                 \
    "\"simpleTypes\":{\"enum\":[\"array\",\"boolean\",\"integer\",\"null\",\"number\","            \
    "\"object\",\"string\"]},\"stringArray\":{\"type\":\"array\","                                 \
    "\"items\":{\"type\":\"string\"},\"uniqueItems\":true}},"                                      \
    "\"type\":[\"object\",\"boolean\"],\"properties\":{"                                           \
    "\"$id\":{\"type\":\"string\",\"format\":\"uri-reference\"},"                                  \
    "\"$schema\":{\"type\":\"string\",\"format\":\"uri\"},"                                        \
    "\"$ref\":{\"type\":\"string\",\"format\":\"uri-reference\"},"                                 \
    "\"$comment\":{\"type\":\"string\"},\"title\":{\"type\":\"string\"},"                          \
    "\"description\":{\"type\":\"string\"},\"default\":true,\"readOnly\":{\"type\":\"boolean\"},"  \
    "\"writeOnly\":{\"type\":\"boolean\"},\"examples\":{\"type\":\"array\",\"items\":true},"       \
    "\"multipleOf\":{\"type\":\"number\",\"exclusiveMinimum\":0},"                                 \
    "\"maximum\":{\"type\":\"number\"},\"exclusiveMaximum\":{\"type\":\"number\"},"                \
    "\"minimum\":{\"type\":\"number\"},\"exclusiveMinimum\":{\"type\":\"number\"},"                \
    "\"maxLength\":" COUNT_07 ",\"minLength\":" COUNT_07 ","                                       \
    "\"pattern\":{\"type\":\"string\",\"format\":\"regex\"},\"additionalItems\":" SELF ","         \
    "\"items\":{\"anyOf\":[" SELF "," LIST_07 "]},\"maxItems\":" COUNT_07                          \
    ",\"minItems\":" COUNT_07 ",\"uniqueItems\":{\"type\":\"boolean\"},\"contains\":" SELF         \
    ",\"maxProperties\":" COUNT_07 ",\"minProperties\":" COUNT_07 ",\"required\":" NAMES_07        \
    ",\"additionalProperties\":" SELF ",\"definitions\":" SELF_MAP ",\"properties\":" SELF_MAP     \
    ",\"patternProperties\":{\"type\":\"object\",\"additionalProperties\":" SELF ","               \
    "\"propertyNames\":{\"format\":\"regex\"}},\"dependencies\":{\"type\":\"object\","             \
    "\"additionalProperties\":{\"anyOf\":[" SELF "," NAMES_07 "]}},\"propertyNames\":" SELF ","    \
    "\"const\":true,\"enum\":{\"type\":\"array\",\"items\":true},"                                 \
    "\"type\":{\"anyOf\":[{\"$ref\":\"#/definitions/simpleTypes\"},{\"type\":\"array\","           \
    "\"items\":{\"$ref\":\"#/definitions/simpleTypes\"},\"minItems\":1,\"uniqueItems\":true}]},"   \
    "\"format\":{\"type\":\"string\"},\"contentMediaType\":{\"type\":\"string\"},"                 \
    "\"contentEncoding\":{\"type\":\"string\"},\"if\":" SELF ",\"then\":" SELF ",\"else\":" SELF   \
    ",\"allOf\":" LIST_07 ",\"anyOf\":" LIST_07 ",\"oneOf\":" LIST_07 ",\"not\":" SELF "}}"

static const struct meta {
    haft_str uri, text;
} metas[] = {
#define ROW(uri, text)                                                                             \
    {                                                                                              \
        {uri, sizeof(uri) - 1},                                                                    \
        {                                                                                          \
            text, sizeof(text) - 1                                                                 \
        }                                                                                          \
    }
    ROW(DRAFT_2020 "schema", SCHEMA_2020),
    ROW(DRAFT_2020 "meta/core", CORE_2020),
    ROW(DRAFT_2020 "meta/applicator", APPLICATOR_2020),
    ROW(DRAFT_2020 "meta/unevaluated", UNEVALUATED_2020),
    ROW(DRAFT_2020 "meta/validation", VALIDATION_2020),
    ROW(DRAFT_2020 "meta/meta-data", META_DATA_2020),
    ROW(DRAFT_2020 "meta/format-annotation", FORMAT_2020("format-annotation")),
    ROW(DRAFT_2020 "meta/format-assertion", FORMAT_2020("format-assertion")),
    ROW(DRAFT_2020 "meta/content", CONTENT_2020),
    ROW("http://json-schema.org/draft-07/schema", SCHEMA_07),
#undef ROW
};

haft_str haft__meta_schema_text(haft_str uri)
{
    for (size_t i = 0; i < COUNT(metas); i++) {
        if (haft__str_equal(metas[i].uri, uri)) {
            return metas[i].text;
        }
    }
    return (haft_str){NULL, 0};
}
