/* SPDX-License-Identifier: Apache-2.0 */
/*
 * assertions.c - compiles the keywords that constrain a value without subschemas.
 *
 * The schema is not checked against the meta-schema: each function checks the value of its keyword,
 * and an error names the value found and the expected one. Tests: tests/schema/compile_test.c.
 */
#include "base/error.h"
#include "base/limits.h"
#include "base/str.h"
#include "base/suggestion.h"
#include "schema/compile_int.h"
#include "json/number.h"

#define FEW_VALUES 8U

static const struct type_name {
    haft_str name;
    uint8_t types;
} type_names[] = {
    {{"null", 4}, HAFT__TYPE(HAFT__JSON_NULL)},     {{"boolean", 7}, HAFT__TYPE_BOOLEAN},
    {{"number", 6}, HAFT__TYPE(HAFT__JSON_NUMBER)}, {{"integer", 7}, HAFT__TYPE_INTEGER},
    {{"string", 6}, HAFT__TYPE(HAFT__JSON_STRING)}, {{"array", 5}, HAFT__TYPE(HAFT__JSON_ARRAY)},
    {{"object", 6}, HAFT__TYPE(HAFT__JSON_OBJECT)},
};

static haft_status add_type(haft__compile_frame *frame, const haft__json *name, uint8_t *types)
{
    haft_str text = haft__json_text(*name);
    haft__suggestion near;
    haft__suggestion_init(&near, text);
    for (size_t i = 0; name->kind == HAFT__JSON_STRING && i < COUNT(type_names); i++) {
        if (haft__str_equal(type_names[i].name, text)) {
            *types |= type_names[i].types;
            return HAFT_OK;
        }
        haft__suggestion_offer(&near, type_names[i].name);
    }
    haft_status status = haft__compile_fail_expected(
        frame, name, "null, boolean, number, integer, string, array or object (in quotes)");
    return near.best.ptr != NULL && status == HAFT_BAD_INPUT
               ? haft__hint(frame->c->err, status, "did you mean %.*s?", HAFT__ARG(near.best))
               : status;
}

haft_status haft__compile_type(haft__compile_frame *frame, const haft__schema_keyword *keyword,
                               const haft__json *value)
{
    (void)keyword;
    uint8_t types = 0;
    if (value->kind != HAFT__JSON_ARRAY) {
        haft_status status = add_type(frame, value, &types);
        frame->node->types = types;
        return status;
    }
    for (uint32_t i = 0; i < value->count; i++) {
        haft_status status = add_type(frame, &value->items[i], &types);
        if (status != HAFT_OK) {
            return status;
        }
    }
    if (types == 0) {
        return haft__compile_fail_expected(frame, value, "at least one type");
    }
    if ((types & HAFT__TYPE(HAFT__JSON_NUMBER)) != 0) {
        types &= (uint8_t)~HAFT__TYPE_INTEGER;
    }
    frame->node->types = types;
    return HAFT_OK;
}

static haft_status read_bound(haft__compile_frame *frame, const haft__json *value,
                              haft__schema_bound *ret_bound)
{
    if (value->kind != HAFT__JSON_NUMBER) {
        return haft__compile_fail_expected(frame, value, "a number");
    }
    haft__schema_bound bound = {.text = haft__json_text(*value)};
    bound.fits = haft__number_to_int64(bound.text, &bound.number);
    *ret_bound = bound;
    return HAFT_OK;
}

haft_status haft__compile_bound(haft__compile_frame *frame, const haft__schema_keyword *keyword,
                                const haft__json *value)
{
    haft__number_rules *rules = haft__compile_frame_number(frame);
    return rules != NULL ? read_bound(frame, value, &rules->bounds[keyword->which])
                         : haft__compile_no_memory(frame->c);
}

haft_status haft__compile_multiple_of(haft__compile_frame *frame,
                                      const haft__schema_keyword *keyword, const haft__json *value)
{
    (void)keyword;
    haft__number_rules *rules = haft__compile_frame_number(frame);
    if (rules == NULL) {
        return haft__compile_no_memory(frame->c);
    }
    if (value->kind == HAFT__JSON_NUMBER
        && haft__number_compare(haft__json_text(*value), HAFT__LIT("0")) <= 0) {
        return haft__compile_fail_expected(frame, value, "a number greater than 0");
    }
    return read_bound(frame, value, &rules->multiple_of);
}

static haft__schema_count_range *range_of(haft__compile_frame *frame, haft__schema_count_kind kind)
{
    switch (kind) {
    case HAFT__RANGE_LENGTH: {
        haft__string_rules *rules = haft__compile_frame_string(frame);
        return rules != NULL ? &rules->length : NULL;
    }
    case HAFT__RANGE_ITEMS: {
        haft__array_rules *rules = haft__compile_frame_array(frame);
        return rules != NULL ? &rules->length : NULL;
    }
    case HAFT__RANGE_CONTAINS: {
        haft__array_rules *rules = haft__compile_frame_array(frame);
        return rules != NULL ? &rules->containing : NULL;
    }
    case HAFT__RANGE_PROPERTIES: {
        haft__object_rules *rules = haft__compile_frame_object(frame);
        return rules != NULL ? &rules->size : NULL;
    }
    }
    HAFT__UNREACHABLE();
}

/* Reads a count. A count that does not fit into 64 bits means no limit. */
static haft_status read_count(haft__compile_frame *frame, const haft__json *value,
                              uint64_t *ret_count)
{
    haft_str text = haft__json_text(*value);
    if (value->kind != HAFT__JSON_NUMBER || !haft__number_is_integer(text)
        || haft__number_compare(text, HAFT__LIT("0")) < 0) {
        return haft__compile_fail_expected(frame, value, "a non-negative integer");
    }
    int64_t number;
    *ret_count = haft__number_to_int64(text, &number) ? (uint64_t)number : UINT64_MAX;
    return HAFT_OK;
}

haft_status haft__compile_min(haft__compile_frame *frame, const haft__schema_keyword *keyword,
                              const haft__json *value)
{
    haft__schema_count_range *range = range_of(frame, keyword->which);
    return range != NULL ? read_count(frame, value, &range->min)
                         : haft__compile_no_memory(frame->c);
}

haft_status haft__compile_max(haft__compile_frame *frame, const haft__schema_keyword *keyword,
                              const haft__json *value)
{
    haft__schema_count_range *range = range_of(frame, keyword->which);
    return range != NULL ? read_count(frame, value, &range->max)
                         : haft__compile_no_memory(frame->c);
}

haft_status haft__compile_regex(haft__compile_frame *frame, haft_str source, const haft__json *at,
                                const haft__pattern **ret_pattern)
{
    haft__compiler *c = frame->c;
    if (c->pattern_count >= HAFT__LIMIT_SCHEMA_PATTERNS) {
        return haft__fail(c->err, HAFT_TOO_BIG, "",
                          "the schema has more than %d regular expressions",
                          HAFT__LIMIT_SCHEMA_PATTERNS);
    }
    c->pattern_count++;
    haft_status status = haft__pattern_compile(c->arena, source, ret_pattern, c->err);
    if (status != HAFT_OK && status != HAFT_NO_MEMORY && c->err != NULL) {
        haft__error_prepend_location(c->err, haft__compile_location(c, frame->resource, at));
    }
    return status;
}

haft_status haft__compile_pattern(haft__compile_frame *frame, const haft__schema_keyword *keyword,
                                  const haft__json *value)
{
    (void)keyword;
    haft__compiler *c = frame->c;
    haft__string_rules *rules = haft__compile_frame_string(frame);
    if (rules == NULL) {
        return haft__compile_no_memory(c);
    }
    if (value->kind != HAFT__JSON_STRING) {
        return haft__compile_fail_expected(frame, value, "a regular expression (a string)");
    }
    rules->source = haft__json_text(*value);
    return haft__compile_regex(frame, rules->source, value, &rules->pattern);
}

haft_status haft__compile_unique(haft__compile_frame *frame, const haft__schema_keyword *keyword,
                                 const haft__json *value)
{
    (void)keyword;
    if (value->kind != HAFT__JSON_TRUE && value->kind != HAFT__JSON_FALSE) {
        return haft__compile_fail_expected(frame, value, "a boolean");
    }
    if (value->kind == HAFT__JSON_FALSE) {
        return HAFT_OK;
    }
    haft__array_rules *rules = haft__compile_frame_array(frame);
    if (rules == NULL) {
        return haft__compile_no_memory(frame->c);
    }
    rules->unique = true;
    return HAFT_OK;
}

/* The hash table of a long list of values. A repeated value is added only once; otherwise adding a
 * list of equal values would take quadratic time. */
static haft_status add_slots(haft__compiler *c, haft__schema_values *values)
{
    size_t size = 4 * FEW_VALUES;
    while (size < 2 * (size_t)values->count) {
        size *= 2;
    }
    uint32_t *slots = haft__arena_array(c->arena, size, sizeof(*slots));
    if (slots == NULL) {
        return haft__compile_no_memory(c);
    }
    values->mask = (uint32_t)(size - 1);
    for (uint32_t i = 0; i < values->count; i++) {
        uint64_t hash = haft__json_hash(c->options.hash_key, values->items[i]);
        uint32_t at = (uint32_t)hash & values->mask;
        bool known = false;
        while (slots[at] != 0 && !known) {
            haft_status status =
                haft__json_equal(values->items[slots[at] - 1], values->items[i], &known, c->err);
            if (status != HAFT_OK) {
                return status;
            }
            at = (at + 1) & values->mask;
        }
        if (!known) {
            slots[at] = i + 1;
        }
    }
    values->slots = slots;
    return HAFT_OK;
}

static haft_status make_values(haft__compiler *c, const haft__json *items, uint32_t count,
                               const haft__schema_values **ret_values)
{
    haft__schema_values *values = haft__arena_array(c->arena, 1, sizeof(*values));
    if (values == NULL) {
        return haft__compile_no_memory(c);
    }
    values->items = items;
    values->count = count;
    *ret_values = values;
    return count > FEW_VALUES ? add_slots(c, values) : HAFT_OK;
}

haft_status haft__compile_enum(haft__compile_frame *frame, const haft__schema_keyword *keyword,
                               const haft__json *value)
{
    (void)keyword;
    if (value->kind != HAFT__JSON_ARRAY) {
        return haft__compile_fail_expected(frame, value, "an array of values");
    }
    return make_values(frame->c, value->items, value->count, &frame->node->enumeration);
}

haft_status haft__compile_const(haft__compile_frame *frame, const haft__schema_keyword *keyword,
                                const haft__json *value)
{
    (void)keyword;
    return make_values(frame->c, value, 1, &frame->node->constant);
}

static haft_status check_names(haft__compile_frame *frame, const haft__json *value)
{
    if (value->kind != HAFT__JSON_ARRAY) {
        return haft__compile_fail_expected(frame, value, "an array of names");
    }
    for (uint32_t i = 0; i < value->count; i++) {
        if (value->items[i].kind != HAFT__JSON_STRING) {
            return haft__compile_fail_expected(frame, &value->items[i], "a name (a string)");
        }
    }
    return HAFT_OK;
}

haft_status haft__compile_required(haft__compile_frame *frame, const haft__schema_keyword *keyword,
                                   const haft__json *value)
{
    (void)keyword;
    frame->required = value;
    return check_names(frame, value);
}

haft_status haft__compile_dependent_required(haft__compile_frame *frame,
                                             const haft__schema_keyword *keyword,
                                             const haft__json *value)
{
    for (uint32_t i = 0; value->kind == HAFT__JSON_OBJECT && i < value->count; i++) {
        haft_status status = check_names(frame, &value->members[i].value);
        if (status != HAFT_OK) {
            return status;
        }
    }
    return haft__compile_dependencies(frame, keyword, value);
}
