/* SPDX-License-Identifier: Apache-2.0 */
/*
 * keywords.c - every supported keyword, one row each.
 *
 * The table is sorted by name (a test checks the order) and searched by binary search. A name may
 * have two rows for different drafts. All other keywords are annotations or unknown, and are
 * ignored. Tests: tests/schema/keywords_test.c.
 */
#include "base/str.h"
#include "schema/compile_int.h"

#define ROW(name, drafts, vocabulary, shape, which, compile)                                       \
    {                                                                                              \
        {name, sizeof(name) - 1}, drafts, HAFT__VOCABULARY_##vocabulary, HAFT__SHAPE_##shape,      \
            which, compile                                                                         \
    }
#define ALL   HAFT__DRAFTS_ALL
#define OLD   (HAFT__DRAFT_07 | HAFT__DRAFT_2019)
#define NEW   (HAFT__DRAFT_2019 | HAFT__DRAFT_2020)
#define NEWER HAFT__DRAFT_2020

static const haft__schema_keyword keywords[] = {
    ROW("$defs", NEW, CORE, MAP, 0, NULL),
    ROW("$dynamicRef", NEWER, CORE, NONE, 0, haft__compile_dynamic_ref),
    ROW("$ref", ALL, CORE, NONE, 0, haft__compile_ref),
    ROW("additionalItems", OLD, APPLICATOR, SCHEMA, 0, haft__compile_additional_items),
    ROW("additionalProperties", ALL, APPLICATOR, SCHEMA, HAFT__SUBSCHEMA_ADDITIONAL,
        haft__compile_subschema),
    ROW("allOf", ALL, APPLICATOR, LIST, HAFT__LIST_ALL, haft__compile_subschema_list),
    ROW("anyOf", ALL, APPLICATOR, LIST, HAFT__LIST_ANY, haft__compile_subschema_list),
    ROW("const", ALL, VALIDATION, NONE, 0, haft__compile_const),
    ROW("contains", ALL, APPLICATOR, SCHEMA, HAFT__SUBSCHEMA_CONTAINS, haft__compile_subschema),
    ROW("definitions", ALL, CORE, MAP, 0, NULL),
    /* Split in two after draft-07; later drafts permit support for it. */
    ROW("dependencies", ALL, APPLICATOR, MAP, 0, haft__compile_dependencies),
    ROW("dependentRequired", NEW, VALIDATION, NONE, 0, haft__compile_dependent_required),
    ROW("dependentSchemas", NEW, APPLICATOR, MAP, 0, haft__compile_dependencies),
    ROW("else", ALL, APPLICATOR, SCHEMA, HAFT__SUBSCHEMA_ELSE, haft__compile_subschema),
    ROW("enum", ALL, VALIDATION, NONE, 0, haft__compile_enum),
    ROW("exclusiveMaximum", ALL, VALIDATION, NONE, HAFT__BOUND_EXCLUSIVE_MAXIMUM,
        haft__compile_bound),
    ROW("exclusiveMinimum", ALL, VALIDATION, NONE, HAFT__BOUND_EXCLUSIVE_MINIMUM,
        haft__compile_bound),
    ROW("if", ALL, APPLICATOR, SCHEMA, HAFT__SUBSCHEMA_IF, haft__compile_subschema),
    ROW("items", OLD, APPLICATOR, SCHEMA_OR_LIST, 0, haft__compile_items),
    ROW("items", NEWER, APPLICATOR, SCHEMA, 0, haft__compile_items),
    ROW("maxContains", NEW, VALIDATION, NONE, HAFT__RANGE_CONTAINS, haft__compile_max),
    ROW("maxItems", ALL, VALIDATION, NONE, HAFT__RANGE_ITEMS, haft__compile_max),
    ROW("maxLength", ALL, VALIDATION, NONE, HAFT__RANGE_LENGTH, haft__compile_max),
    ROW("maxProperties", ALL, VALIDATION, NONE, HAFT__RANGE_PROPERTIES, haft__compile_max),
    ROW("maximum", ALL, VALIDATION, NONE, HAFT__BOUND_MAXIMUM, haft__compile_bound),
    ROW("minContains", NEW, VALIDATION, NONE, HAFT__RANGE_CONTAINS, haft__compile_min),
    ROW("minItems", ALL, VALIDATION, NONE, HAFT__RANGE_ITEMS, haft__compile_min),
    ROW("minLength", ALL, VALIDATION, NONE, HAFT__RANGE_LENGTH, haft__compile_min),
    ROW("minProperties", ALL, VALIDATION, NONE, HAFT__RANGE_PROPERTIES, haft__compile_min),
    ROW("minimum", ALL, VALIDATION, NONE, HAFT__BOUND_MINIMUM, haft__compile_bound),
    ROW("multipleOf", ALL, VALIDATION, NONE, 0, haft__compile_multiple_of),
    ROW("not", ALL, APPLICATOR, SCHEMA, HAFT__SUBSCHEMA_NOT, haft__compile_subschema),
    ROW("oneOf", ALL, APPLICATOR, LIST, HAFT__LIST_ONE, haft__compile_subschema_list),
    ROW("pattern", ALL, VALIDATION, NONE, 0, haft__compile_pattern),
    ROW("patternProperties", ALL, APPLICATOR, MAP, 0, haft__compile_pattern_properties),
    ROW("prefixItems", NEWER, APPLICATOR, LIST, 0, haft__compile_prefix_items),
    ROW("properties", ALL, APPLICATOR, MAP, 0, haft__compile_properties),
    ROW("propertyNames", ALL, APPLICATOR, SCHEMA, HAFT__SUBSCHEMA_PROPERTY_NAMES,
        haft__compile_subschema),
    ROW("required", ALL, VALIDATION, NONE, 0, haft__compile_required),
    ROW("then", ALL, APPLICATOR, SCHEMA, HAFT__SUBSCHEMA_THEN, haft__compile_subschema),
    ROW("type", ALL, VALIDATION, NONE, 0, haft__compile_type),
    ROW("unevaluatedItems", NEW, UNEVALUATED, SCHEMA, HAFT__SUBSCHEMA_UNEVALUATED_ITEMS,
        haft__compile_subschema),
    ROW("unevaluatedProperties", NEW, UNEVALUATED, SCHEMA, HAFT__SUBSCHEMA_UNEVALUATED_PROPERTIES,
        haft__compile_subschema),
    ROW("uniqueItems", ALL, VALIDATION, NONE, 0, haft__compile_unique),
};

const haft__schema_keyword *haft__keywords(size_t *ret_count)
{
    *ret_count = COUNT(keywords);
    return keywords;
}

const haft__schema_keyword *haft__keyword_find(haft_str name, unsigned draft)
{
    size_t low = 0, high = COUNT(keywords);
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (haft__str_compare(keywords[middle].name, name) < 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    for (; low < COUNT(keywords) && haft__str_equal(keywords[low].name, name); low++) {
        if ((keywords[low].drafts & draft) != 0) {
            return &keywords[low];
        }
    }
    return NULL;
}
