/* SPDX-License-Identifier: Apache-2.0 */
/*
 * applicators.c - compiles the keywords that have subschemas.
 *
 * Tests: tests/schema/compile_test.c, tests/schema/suite_test.c.
 */
#include "base/error.h"
#include "base/limits.h"
#include "base/str.h"
#include "schema/compile_int.h"

#define FEW_PROPERTIES 16U

static haft_status compile_in(haft__compile_frame *frame, const haft__json *source,
                              const haft__schema_node **ret_node)
{
    return haft__compile_node(frame->c, source, frame->resource, frame->depth + 1, ret_node);
}

static haft_status compile_nodes(haft__compile_frame *frame, const haft__json *value,
                                 haft__schema_node_list *ret_list)
{
    if (value->kind != HAFT__JSON_ARRAY || value->count == 0) {
        return haft__compile_fail_expected(frame, value, "an array of at least one schema");
    }
    const haft__schema_node **items =
        haft__arena_array(frame->c->arena, value->count, sizeof(const haft__schema_node *));
    if (items == NULL) {
        return haft__compile_no_memory(frame->c);
    }
    for (uint32_t i = 0; i < value->count; i++) {
        haft_status status = compile_in(frame, &value->items[i], &items[i]);
        if (status != HAFT_OK) {
            return status;
        }
    }
    *ret_list = (haft__schema_node_list){items, value->count};
    return HAFT_OK;
}

haft_status haft__compile_subschema_list(haft__compile_frame *frame,
                                         const haft__schema_keyword *keyword,
                                         const haft__json *value)
{
    haft__general_rules *rules = haft__compile_frame_general(frame);
    if (rules == NULL) {
        return haft__compile_no_memory(frame->c);
    }
    switch ((haft__schema_list_kind)keyword->which) {
    case HAFT__LIST_ALL: return compile_nodes(frame, value, &rules->all);
    case HAFT__LIST_ANY: return compile_nodes(frame, value, &rules->any);
    case HAFT__LIST_ONE: return compile_nodes(frame, value, &rules->one);
    }
    HAFT__UNREACHABLE();
}

/* The slot of a keyword with one subschema; NULL when out of memory. */
static const haft__schema_node **child_of(haft__compile_frame *frame, haft__subschema_kind kind)
{
    bool of_array = kind == HAFT__SUBSCHEMA_CONTAINS;
    bool of_object = kind == HAFT__SUBSCHEMA_ADDITIONAL || kind == HAFT__SUBSCHEMA_PROPERTY_NAMES;
    haft__array_rules *array = of_array ? haft__compile_frame_array(frame) : NULL;
    haft__object_rules *object = of_object ? haft__compile_frame_object(frame) : NULL;
    haft__general_rules *rules =
        !of_array && !of_object ? haft__compile_frame_general(frame) : NULL;
    if (array == NULL && object == NULL && rules == NULL) {
        return NULL;
    }
    switch (kind) {
    case HAFT__SUBSCHEMA_NOT: return &rules->negated;
    case HAFT__SUBSCHEMA_IF: return &rules->test;
    case HAFT__SUBSCHEMA_THEN: return &rules->then;
    case HAFT__SUBSCHEMA_ELSE: return &rules->otherwise;
    case HAFT__SUBSCHEMA_UNEVALUATED_ITEMS: return &rules->unevaluated_items;
    case HAFT__SUBSCHEMA_UNEVALUATED_PROPERTIES: return &rules->unevaluated_properties;
    case HAFT__SUBSCHEMA_CONTAINS: return &array->contains;
    case HAFT__SUBSCHEMA_ADDITIONAL: return &object->additional;
    case HAFT__SUBSCHEMA_PROPERTY_NAMES: return &object->names;
    }
    HAFT__UNREACHABLE();
}

haft_status haft__compile_subschema(haft__compile_frame *frame, const haft__schema_keyword *keyword,
                                    const haft__json *value)
{
    const haft__schema_node **child = child_of(frame, keyword->which);
    return child != NULL ? compile_in(frame, value, child) : haft__compile_no_memory(frame->c);
}

static haft_status add_pending(haft__compile_frame *frame, const haft__json *value,
                               haft__dynamic_ref *dynamic)
{
    haft__compiler *c = frame->c;
    if (value->kind != HAFT__JSON_STRING) {
        return haft__compile_fail_expected(frame, value, "a URI reference (a string)");
    }
    haft__general_rules *rules = haft__compile_frame_general(frame);
    haft__pending_ref *pending = haft__arena_array(c->arena, 1, sizeof(*pending));
    if (rules == NULL || pending == NULL) {
        return haft__compile_no_memory(c);
    }
    *pending = (haft__pending_ref){c->pending, frame->resource, value, rules, dynamic};
    c->pending = pending;
    return HAFT_OK;
}

haft_status haft__compile_ref(haft__compile_frame *frame, const haft__schema_keyword *keyword,
                              const haft__json *value)
{
    (void)keyword;
    return add_pending(frame, value, NULL);
}

haft_status haft__compile_dynamic_ref(haft__compile_frame *frame,
                                      const haft__schema_keyword *keyword, const haft__json *value)
{
    (void)keyword;
    haft__dynamic_ref *dynamic = haft__arena_array(frame->c->arena, 1, sizeof(*dynamic));
    if (dynamic == NULL) {
        return haft__compile_no_memory(frame->c);
    }
    return add_pending(frame, value, dynamic);
}

haft_status haft__compile_items(haft__compile_frame *frame, const haft__schema_keyword *keyword,
                                const haft__json *value)
{
    haft__array_rules *rules = haft__compile_frame_array(frame);
    if (rules == NULL) {
        return haft__compile_no_memory(frame->c);
    }
    if (value->kind != HAFT__JSON_ARRAY || keyword->shape == HAFT__SHAPE_SCHEMA) {
        return compile_in(frame, value, &rules->items);
    }
    frame->items = value;
    return value->count > 0 ? compile_nodes(frame, value, &rules->prefix) : HAFT_OK;
}

/* Stores additionalItems, which has an effect only if `items` is a list. */
haft_status haft__compile_additional_items(haft__compile_frame *frame,
                                           const haft__schema_keyword *keyword,
                                           const haft__json *value)
{
    (void)keyword;
    frame->additional_items = value;
    return HAFT_OK;
}

haft_status haft__compile_prefix_items(haft__compile_frame *frame,
                                       const haft__schema_keyword *keyword, const haft__json *value)
{
    (void)keyword;
    haft__array_rules *rules = haft__compile_frame_array(frame);
    return rules != NULL ? compile_nodes(frame, value, &rules->prefix)
                         : haft__compile_no_memory(frame->c);
}

haft_status haft__compile_properties(haft__compile_frame *frame,
                                     const haft__schema_keyword *keyword, const haft__json *value)
{
    (void)keyword;
    frame->properties = value;
    return value->kind == HAFT__JSON_OBJECT
               ? HAFT_OK
               : haft__compile_fail_expected(frame, value, "an object whose members are schemas");
}

haft_status haft__compile_pattern_properties(haft__compile_frame *frame,
                                             const haft__schema_keyword *keyword,
                                             const haft__json *value)
{
    (void)keyword;
    haft__compiler *c = frame->c;
    if (value->kind != HAFT__JSON_OBJECT) {
        return haft__compile_fail_expected(frame, value, "an object whose members are schemas");
    }
    haft__object_rules *rules = haft__compile_frame_object(frame);
    haft__schema_pattern_property *patterns =
        haft__arena_array(c->arena, value->count, sizeof(*patterns));
    if (rules == NULL || patterns == NULL) {
        return haft__compile_no_memory(c);
    }
    for (uint32_t i = 0; i < value->count; i++) {
        const haft__json_member *member = &value->members[i];
        patterns[i].source = haft__json_text(member->key);
        haft_status status =
            haft__compile_regex(frame, patterns[i].source, &member->value, &patterns[i].pattern);
        if (status == HAFT_OK) {
            status = compile_in(frame, &member->value, &patterns[i].node);
        }
        if (status != HAFT_OK) {
            return status;
        }
    }
    rules->patterns = patterns;
    rules->pattern_count = value->count;
    return HAFT_OK;
}

/* Compiles one of dependencies, dependentSchemas and dependentRequired; each call adds to the same
 * list. */
haft_status haft__compile_dependencies(haft__compile_frame *frame,
                                       const haft__schema_keyword *keyword, const haft__json *value)
{
    haft__compiler *c = frame->c;
    if (value->kind != HAFT__JSON_OBJECT) {
        return haft__compile_fail_expected(frame, value, "an object");
    }
    haft__object_rules *rules = haft__compile_frame_object(frame);
    uint32_t before = rules != NULL ? rules->dependency_count : 0;
    haft__schema_dependency *all =
        haft__arena_array(c->arena, (size_t)before + value->count, sizeof(*all));
    if (rules == NULL || all == NULL) {
        return haft__compile_no_memory(c);
    }
    if (before > 0) {
        memcpy(all, rules->dependencies, before * sizeof(*all));
    }
    bool may_be_names = !haft__str_equal(keyword->name, HAFT__LIT("dependentSchemas"));
    for (uint32_t i = 0; i < value->count; i++) {
        const haft__json_member *member = &value->members[i];
        haft__schema_dependency *dependency = &all[before + i];
        dependency->name = haft__json_text(member->key);
        haft_status status = HAFT_OK;
        if (may_be_names && member->value.kind == HAFT__JSON_ARRAY) {
            dependency->names = &member->value;
        } else {
            status = compile_in(frame, &member->value, &dependency->node);
        }
        if (status != HAFT_OK) {
            return status;
        }
    }
    rules->dependencies = all;
    rules->dependency_count = before + value->count;
    return HAFT_OK;
}

/* A table of properties under construction. */
typedef struct property_table {
    haft__schema_property *properties;
    uint32_t count;
    uint32_t mask;
    uint32_t *slots; /* NULL if the table has few properties */
    haft__hash_key key;
} property_table;

static bool has_name(const haft__schema_property *property, haft_str name)
{
    return property->length == name.len
           && (name.len == 0 || memcmp(property->name, name.ptr, name.len) == 0);
}

static haft__schema_property *find_or_add(property_table *table, haft_str name)
{
    uint32_t at = 0;
    if (table->slots != NULL) {
        at = (uint32_t)haft__hash(table->key, name) & table->mask;
        for (; table->slots[at] != 0; at = (at + 1) & table->mask) {
            haft__schema_property *known = &table->properties[table->slots[at] - 1];
            if (has_name(known, name)) {
                return known;
            }
        }
        table->slots[at] = table->count + 1;
    } else {
        for (uint32_t i = 0; i < table->count; i++) {
            if (has_name(&table->properties[i], name)) {
                return &table->properties[i];
            }
        }
    }
    haft__schema_property *property = &table->properties[table->count++];
    *property = (haft__schema_property){.prefix = haft__key_prefix(name.ptr, name.len),
                                        .name = name.ptr,
                                        .length = (uint32_t)name.len};
    return property;
}

/* False when out of memory. */
static bool make_table(haft__compile_frame *frame, size_t capacity, property_table *ret_table)
{
    haft__arena *arena = frame->c->arena;
    property_table made = {.key = frame->c->options.hash_key};
    made.properties = haft__arena_array(arena, capacity, sizeof(*made.properties));
    size_t size = 0;
    if (capacity > FEW_PROPERTIES) {
        for (size = 4 * FEW_PROPERTIES; size < 2 * capacity; size *= 2) {
        }
        made.slots = haft__arena_array(arena, size, sizeof(*made.slots));
        made.mask = (uint32_t)(size - 1);
    }
    if (made.properties == NULL || (size > 0 && made.slots == NULL)) {
        return false;
    }
    *ret_table = made;
    return true;
}

/* Merges `properties` and `required` into one table, so that validation looks up each member only
 * once. */
static haft_status merge_properties(haft__compile_frame *frame)
{
    const haft__json *declared = frame->properties, *required = frame->required;
    size_t capacity =
        (declared != NULL ? declared->count : 0) + (size_t)(required != NULL ? required->count : 0);
    haft__object_rules *rules = haft__compile_frame_object(frame);
    property_table table;
    if (rules == NULL || capacity > UINT32_MAX / 8 || !make_table(frame, capacity, &table)) {
        return haft__compile_no_memory(frame->c);
    }
    haft_status status = HAFT_OK;
    for (uint32_t i = 0; status == HAFT_OK && declared != NULL && i < declared->count; i++) {
        const haft__json_member *member = &declared->members[i];
        haft__schema_property *property = find_or_add(&table, haft__json_text(member->key));
        property->declared = true;
        status = compile_in(frame, &member->value, &property->node);
    }
    if (status != HAFT_OK) {
        return status;
    }
    for (uint32_t i = 0; required != NULL && i < required->count; i++) {
        haft__schema_property *property = find_or_add(&table, haft__json_text(required->items[i]));
        rules->required += !property->required;
        property->required = true;
    }
    rules->properties = table.properties;
    rules->count = table.count;
    rules->slots = table.slots;
    rules->mask = table.mask;
    return HAFT_OK;
}

haft_status haft__compile_combined_keywords(haft__compile_frame *frame)
{
    haft_status status = HAFT_OK;
    if (frame->properties != NULL || frame->required != NULL) {
        status = merge_properties(frame);
    }
    if (status == HAFT_OK && frame->items != NULL && frame->additional_items != NULL) {
        status = compile_in(frame, frame->additional_items, &frame->array->items);
    }
    return status;
}
