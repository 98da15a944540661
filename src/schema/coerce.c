/* SPDX-License-Identifier: Apache-2.0 */
/*
 * coerce.c - converts values that the schema wants otherwise, where nothing is lost by it.
 *
 * Only what the schema does not accept as it is gets looked at, and only along the ways that say
 * what a value must be: $ref, allOf, properties and their kin, items and their kin, and the first
 * alternative of anyOf or oneOf that accepts what coercion by it made. Containers are copied when
 * something in them changes; the instance itself never does.
 * Tests: tests/schema/coerce_test.c.
 */
#include "base/error.h"
#include "base/limits.h"
#include "base/str.h"
#include "schema/schema_int.h"
#include "json/number.h"
#include "json/read.h"

typedef struct coercer {
    haft__checker *checker;
    haft__arena *arena;
    haft_status status;
} coercer;

static bool coerce_node(coercer *co, const haft__node *node, haft__json *value);

static bool no_memory(coercer *co)
{
    co->status = HAFT_NO_MEMORY;
    return false;
}

/* The value a string spells; false when it is no JSON text. */
static bool read_text(coercer *co, haft_str text, haft__json *ret_value)
{
    if (!haft__checker_charge(co->checker, 1 + text.len / 16)) {
        return false;
    }
    haft_status status = haft__json_read(co->arena, text, NULL, ret_value, NULL, NULL);
    if (status == HAFT_NO_MEMORY || co->arena->full) {
        return no_memory(co);
    }
    return status == HAFT_OK;
}

static bool from_string(coercer *co, uint8_t types, haft__json *value)
{
    haft_str text = haft__json_text(*value);
    haft_str start = haft__str_trim(text);
    char first = start.len > 0 ? start.ptr[0] : '\0';
    haft__json read;
    if ((types & HAFT__TYPE_BOOLEAN) == HAFT__TYPE_BOOLEAN) {
        bool is_true = haft__str_equal(text, HAFT__LIT("true"));
        if (is_true || haft__str_equal(text, HAFT__LIT("false"))) {
            *value = haft__json_bool(is_true);
            return true;
        }
    }
    bool number = (first == '-' || (first >= '0' && first <= '9')) && start.len == text.len
                  && (types & (HAFT__TYPE_INTEGER | HAFT__TYPE(HAFT__JSON_NUMBER))) != 0;
    bool container = (first == '{' && (types & HAFT__TYPE(HAFT__JSON_OBJECT)) != 0)
                     || (first == '[' && (types & HAFT__TYPE(HAFT__JSON_ARRAY)) != 0);
    if ((!number && !container) || !read_text(co, text, &read) || !haft__type_fits(types, &read)) {
        return false;
    }
    *value = read;
    return true;
}

/* A lone value where only an array may stand, if that makes it right. */
static bool wrap(coercer *co, const haft__node *node, haft__json *value)
{
    if (node->types != HAFT__TYPE(HAFT__JSON_ARRAY) || value->kind == HAFT__JSON_NULL
        || value->kind == HAFT__JSON_ARRAY) {
        return false;
    }
    haft__json *item = haft__arena_alloc(co->arena, sizeof(*item));
    if (item == NULL) {
        return no_memory(co);
    }
    *item = *value;
    haft__json array = haft__json_array(item, 1);
    (void)coerce_node(co, node, &array);
    if (!haft__accepts(co->checker, node, &array, NULL)) {
        return false;
    }
    *value = array;
    return true;
}

static bool convert(coercer *co, const haft__node *node, haft__json *value)
{
    if (value->kind == HAFT__JSON_STRING && from_string(co, node->types, value)) {
        return true;
    }
    if (value->kind == HAFT__JSON_NUMBER && (node->types & HAFT__TYPE(HAFT__JSON_STRING)) != 0) {
        *value = haft__json_string(haft__json_text(*value));
        return true;
    }
    return co->status == HAFT_OK && wrap(co, node, value);
}

/* Puts a changed part into an array of which *copy is the copy, made at the first change. */
static bool put_item(coercer *co, const haft__json *array, haft__json **copy, uint32_t index,
                     haft__json item)
{
    if (*copy == NULL) {
        *copy = haft__arena_alloc(co->arena, array->count * sizeof(**copy));
        if (*copy == NULL) {
            return no_memory(co);
        }
        memcpy(*copy, array->items, array->count * sizeof(**copy));
    }
    (*copy)[index] = item;
    return true;
}

static bool coerce_items(coercer *co, const haft__array_rules *rules, haft__json *value)
{
    haft__json *copy = NULL;
    for (uint32_t i = 0; i < value->count; i++) {
        const haft__node *node = i < rules->prefix.count ? rules->prefix.items[i] : rules->items;
        haft__json item = value->items[i];
        if (node == NULL || co->status != HAFT_OK) {
            break;
        }
        if (coerce_node(co, node, &item) && !put_item(co, value, &copy, i, item)) {
            break;
        }
    }
    if (copy == NULL || co->status != HAFT_OK) {
        return false;
    }
    *value = haft__json_array(copy, value->count);
    return true;
}

/* By every subschema that speaks of this member. */
static bool coerce_member(coercer *co, const haft__object_rules *rules,
                          const haft__json_member *member, uint32_t *hint, haft__json *value)
{
    const haft__property *property = haft__property_find(co->checker, rules, &member->key, hint);
    bool known = property != NULL && property->declared;
    bool changed =
        property != NULL && property->node != NULL && coerce_node(co, property->node, value);
    for (uint32_t i = 0; i < rules->pattern_count; i++) {
        const haft__pattern_property *pattern = &rules->patterns[i];
        if (haft__pattern_fits(co->checker, pattern->pattern, pattern->source,
                               haft__json_text(member->key))) {
            known = true;
            changed |= coerce_node(co, pattern->node, value);
        }
    }
    if (!known && rules->additional != NULL) {
        changed |= coerce_node(co, rules->additional, value);
    }
    return changed;
}

static bool coerce_members(coercer *co, const haft__object_rules *rules, haft__json *value)
{
    haft__json_member *copy = NULL;
    uint32_t hint = 0;
    for (uint32_t i = 0; i < value->count && co->status == HAFT_OK; i++) {
        haft__json part = value->members[i].value;
        if (!coerce_member(co, rules, &value->members[i], &hint, &part)) {
            continue;
        }
        if (copy == NULL) {
            copy = haft__arena_alloc(co->arena, value->count * sizeof(*copy));
            if (copy == NULL) {
                return no_memory(co);
            }
            memcpy(copy, value->members, value->count * sizeof(*copy));
        }
        copy[i].value = part;
    }
    if (copy == NULL || co->status != HAFT_OK) {
        return false;
    }
    *value = haft__json_object(copy, value->count);
    return true;
}

static bool coerce_by_first(coercer *co, const haft__node_list *list, haft__json *value)
{
    for (uint32_t i = 0; i < list->count; i++) {
        if (haft__accepts(co->checker, list->items[i], value, NULL)) {
            return false;
        }
    }
    for (uint32_t i = 0; i < list->count && co->status == HAFT_OK; i++) {
        haft__json made = *value;
        if (coerce_node(co, list->items[i], &made)
            && haft__accepts(co->checker, list->items[i], &made, NULL)) {
            *value = made;
            return true;
        }
    }
    return false;
}

static bool coerce_general(coercer *co, const haft__general_rules *rules, haft__json *value)
{
    bool changed = false;
    if (rules->ref != NULL) {
        changed |= coerce_node(co, rules->ref, value);
    }
    if (rules->dynamic != NULL) {
        changed |= coerce_node(co, haft__dynamic_target(co->checker, rules->dynamic), value);
    }
    for (uint32_t i = 0; i < rules->all.count; i++) {
        changed |= coerce_node(co, rules->all.items[i], value);
    }
    changed |= coerce_by_first(co, &rules->any, value);
    changed |= coerce_by_first(co, &rules->one, value);
    return changed;
}

static bool coerce_parts(coercer *co, const haft__node *node, haft__json *value)
{
    bool changed = false;
    if (!haft__type_fits(node->types, value)) {
        changed = convert(co, node, value);
        if (!changed) {
            return false;
        }
    }
    if (node->array != NULL && value->kind == HAFT__JSON_ARRAY) {
        changed |= coerce_items(co, node->array, value);
    }
    if (node->object != NULL && value->kind == HAFT__JSON_OBJECT) {
        changed |= coerce_members(co, node->object, value);
    }
    if (node->general != NULL) {
        changed |= coerce_general(co, node->general, value);
    }
    return changed;
}

/* Whether *value was changed. What a budget cuts short is left as it is. */
static bool coerce_node(coercer *co, const haft__node *node, haft__json *value)
{
    haft__checker *checker = co->checker;
    node = node->alias != NULL ? node->alias : node;
    if (co->status != HAFT_OK || !haft__checker_charge(checker, 1)
        || haft__accepts(checker, node, value, NULL)
        || !haft__checker_enter(checker, HAFT__LIMIT_SCHEMA_NESTING)) {
        return false;
    }
    haft__scope scope = {checker->scope, node->resource};
    if (checker->dynamic
        && (checker->scope == NULL || checker->scope->resource != node->resource)) {
        checker->scope = &scope;
    }
    bool changed = coerce_parts(co, node, value);
    checker->scope = scope.outer;
    haft__checker_leave(checker);
    return changed;
}

haft_status haft__schema_coerce(const haft__schema *schema, haft__checker *checker,
                                haft__json instance, haft__arena *arena, haft__json *ret_instance,
                                bool *ret_changed, haft_error *err)
{
    coercer co = {.checker = checker, .arena = arena, .status = HAFT_OK};
    haft__json value = instance;
    haft__checker_begin(checker, schema);
    bool changed = coerce_node(&co, schema->root, &value);
    if (co.status != HAFT_OK || checker->stop == HAFT__STOP_MEMORY) {
        return haft__arena_fail(arena, err);
    }
    *ret_instance = changed ? value : instance;
    *ret_changed = changed;
    return HAFT_OK;
}
