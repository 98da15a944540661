/* SPDX-License-Identifier: Apache-2.0 */
/*
 * coerce.c - converts values to the type that the schema requires, if nothing is lost.
 *
 * Only values that the schema rejects are converted, and only along keywords that define the type
 * of a value: $ref, allOf, the keywords of properties and items, and the first alternative of anyOf
 * or oneOf that accepts the value after coercing it. A container is copied when one of its values
 * changes; the instance itself never changes. Invariants:
 *   1. Values that are not part of the result are released to the arena immediately, so the memory
 * depends on the size of the result and not on the number of attempts.
 *   2. No new value is nested deeper than HAFT__LIMIT_JSON_DEPTH, so it can be written and compared
 *      like any value from a reader.
 * Tests: tests/schema/coerce_test.c.
 */
#include "base/ascii.h"
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
    uint32_t depth; /* of the arrays and objects around the value */
} coercer;

/* The cost of copying an item or a member: one step per eight bytes. */
#define ITEM_STEPS   (sizeof(haft__json) / 8)
#define MEMBER_STEPS (sizeof(haft__json_member) / 8)

static bool coerce_node(coercer *co, const haft__schema_node *node, haft__json *value);

static bool no_memory(coercer *co)
{
    co->status = HAFT_NO_MEMORY;
    return false;
}

/* Releases all memory that was allocated after `mark`. Not used after a failure, because the arena
 * then contains the reason of the failure. */
static void release_since(coercer *co, haft__arena_mark mark)
{
    if (co->status == HAFT_OK) {
        haft__arena_restore(co->arena, mark);
    }
}

/* Parses the value in a string; false if it is not JSON, or would lose information: a duplicate
 * key, or half a surrogate pair. A byte costs a step, because it may become eight bytes. */
static bool read_text(coercer *co, haft_str text, haft__json *ret_value)
{
    if (!haft__checker_charge(co->checker, 1 + text.len)) {
        return false;
    }
    haft__json_options options = HAFT__JSON_OPTIONS_INIT;
    options.hash_key = co->checker->hash_key;
    options.max_depth -= co->depth < options.max_depth ? co->depth : options.max_depth;
    haft__json_notes notes = {0};
    /* Restoring clears an earlier failure of the arena. */
    haft__arena_restore(co->arena, haft__arena_save(co->arena));
    haft_status status = haft__json_read(co->arena, text, &options, ret_value, &notes, NULL);
    if (status == HAFT_NO_MEMORY || co->arena->full) {
        return no_memory(co);
    }
    return status == HAFT_OK && notes.duplicate_keys == 0 && notes.lone_surrogates == 0;
}

/* Whether `value` nests at most `room` arrays and objects. */
static bool nests_within(coercer *co, const haft__json *value, uint32_t room)
{
    if (value->kind < HAFT__JSON_ARRAY) {
        return true;
    }
    bool within = room > 0 && haft__checker_charge(co->checker, 1 + (size_t)value->count);
    for (uint32_t i = 0; within && i < value->count; i++) {
        within = nests_within(
            co, value->kind == HAFT__JSON_ARRAY ? &value->items[i] : &value->members[i].value,
            room - 1);
    }
    return within;
}

/* The first character that is not white space. */
static char first_of(haft_str text)
{
    haft_str start = haft__str_trim(text);
    return start.len > 0 ? start.ptr[0] : '\0';
}

static bool from_string(coercer *co, uint8_t types, haft__json *value)
{
    haft_str text = haft__json_text(*value);
    char first = first_of(text);
    haft__json read;
    if (!haft__checker_charge(co->checker, text.len / HAFT__TEXT_STEP)) {
        return false;
    }
    if ((types & HAFT__TYPE_BOOLEAN) == HAFT__TYPE_BOOLEAN) {
        bool is_true = haft__str_equal(text, HAFT__LIT("true"));
        if (is_true || haft__str_equal(text, HAFT__LIT("false"))) {
            *value = haft__json_bool(is_true);
            return true;
        }
    }
    bool number = (first == '-' || haft__ascii_is_digit(first))
                  && haft__str_trim(text).len == text.len
                  && (types & (HAFT__TYPE_INTEGER | HAFT__TYPE(HAFT__JSON_NUMBER))) != 0;
    bool container = (first == '{' && (types & HAFT__TYPE(HAFT__JSON_OBJECT)) != 0)
                     || (first == '[' && (types & HAFT__TYPE(HAFT__JSON_ARRAY)) != 0);
    if ((!number && !container) || !read_text(co, text, &read)
        || !haft__validate_type(types, &read)) {
        return false;
    }
    *value = read;
    return true;
}

/* Whether the value is a string that begins like an array or object but is not JSON, because it was
 * probably truncated. */
static bool may_be_cut_off(const haft__json *value)
{
    char first = value->kind == HAFT__JSON_STRING ? first_of(haft__json_text(*value)) : '\0';
    return first == '[' || first == '{';
}

/* Wraps a single value in an array if only an array is allowed and the result is valid. */
static bool wrap(coercer *co, const haft__schema_node *node, haft__json *value)
{
    if (node->types != HAFT__TYPE(HAFT__JSON_ARRAY) || value->kind == HAFT__JSON_NULL
        || value->kind == HAFT__JSON_ARRAY || may_be_cut_off(value)
        || co->depth >= HAFT__LIMIT_JSON_DEPTH
        || !nests_within(co, value, HAFT__LIMIT_JSON_DEPTH - co->depth - 1)) {
        return false;
    }
    haft__json *item = haft__arena_alloc(co->arena, sizeof(*item));
    if (item == NULL) {
        return no_memory(co);
    }
    *item = *value;
    haft__json array = haft__json_array(item, 1);
    (void)coerce_node(co, node, &array); /* values that are not used are released with the array */
    if (!haft__validate_node(co->checker, node, &array, NULL)) {
        return false;
    }
    *value = array;
    return true;
}

static bool convert(coercer *co, const haft__schema_node *node, haft__json *value)
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

/* Replaces an item in *copy, a copy of the array that is made at the first change. */
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
    if (!haft__checker_charge(co->checker, ITEM_STEPS * value->count)) {
        return false;
    }
    co->depth++;
    for (uint32_t i = 0; i < value->count; i++) {
        const haft__schema_node *node =
            i < rules->prefix.count ? rules->prefix.items[i] : rules->items;
        haft__json item = value->items[i];
        if (node == NULL || co->status != HAFT_OK) {
            break;
        }
        if (coerce_node(co, node, &item) && !put_item(co, value, &copy, i, item)) {
            break;
        }
    }
    co->depth--;
    if (copy == NULL || co->status != HAFT_OK) {
        return false;
    }
    *value = haft__json_array(copy, value->count);
    return true;
}

/* Coerces a member by every subschema that applies to it. */
static bool coerce_member(coercer *co, const haft__object_rules *rules,
                          const haft__json_member *member, uint32_t *hint, haft__json *value)
{
    const haft__schema_property *property =
        haft__checker_find_property(co->checker, rules, &member->key, hint);
    bool known = property != NULL && property->declared;
    bool changed =
        property != NULL && property->node != NULL && coerce_node(co, property->node, value);
    for (uint32_t i = 0; i < rules->pattern_count; i++) {
        const haft__schema_pattern_property *pattern = &rules->patterns[i];
        if (haft__validate_pattern(co->checker, pattern->pattern, pattern->source,
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
    if (!haft__checker_charge(co->checker, MEMBER_STEPS * value->count)) {
        return false;
    }
    co->depth++;
    for (uint32_t i = 0; i < value->count && co->status == HAFT_OK; i++) {
        haft__json part = value->members[i].value;
        if (!coerce_member(co, rules, &value->members[i], &hint, &part)) {
            continue;
        }
        if (copy == NULL) {
            copy = haft__arena_alloc(co->arena, value->count * sizeof(*copy));
            if (copy == NULL) {
                (void)no_memory(co);
                break;
            }
            memcpy(copy, value->members, value->count * sizeof(*copy));
        }
        copy[i].value = part;
    }
    co->depth--;
    if (copy == NULL || co->status != HAFT_OK) {
        return false;
    }
    *value = haft__json_object(copy, value->count);
    return true;
}

static bool coerce_by_first(coercer *co, const haft__schema_node_list *list, haft__json *value)
{
    for (uint32_t i = 0; i < list->count; i++) {
        if (haft__validate_node(co->checker, list->items[i], value, NULL)) {
            return false;
        }
    }
    for (uint32_t i = 0; i < list->count && co->status == HAFT_OK; i++) {
        haft__json made = *value;
        haft__arena_mark mark = haft__arena_save(co->arena);
        if (coerce_node(co, list->items[i], &made)
            && haft__validate_node(co->checker, list->items[i], &made, NULL)) {
            *value = made;
            return true;
        }
        release_since(co, mark);
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
        changed |=
            coerce_node(co, haft__checker_resolve_dynamic_ref(co->checker, rules->dynamic), value);
    }
    for (uint32_t i = 0; i < rules->all.count; i++) {
        changed |= coerce_node(co, rules->all.items[i], value);
    }
    changed |= coerce_by_first(co, &rules->any, value);
    changed |= coerce_by_first(co, &rules->one, value);
    return changed;
}

static bool coerce_parts(coercer *co, const haft__schema_node *node, haft__json *value)
{
    bool changed = false;
    if (!haft__validate_type(node->types, value)) {
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

/* Returns whether *value changed. If a budget is used up, the rest is unchanged. */
static bool coerce_node(coercer *co, const haft__schema_node *node, haft__json *value)
{
    haft__checker *checker = co->checker;
    node = node->alias != NULL ? node->alias : node;
    if (co->status != HAFT_OK || !haft__checker_charge(checker, 1)
        || haft__validate_node(checker, node, value, NULL)
        || !haft__checker_enter(checker, HAFT__LIMIT_SCHEMA_NESTING)) {
        return false;
    }
    haft__dynamic_scope scope = {checker->scope, node->resource};
    if (checker->dynamic
        && (checker->scope == NULL || checker->scope->resource != node->resource)) {
        checker->scope = &scope;
    }
    haft__arena_mark mark = haft__arena_save(co->arena);
    bool changed = coerce_parts(co, node, value);
    if (!changed) {
        release_since(co, mark);
    }
    checker->scope = scope.outer;
    haft__checker_leave(checker);
    return changed;
}

/* Whether both values have the same JSON text. A value may be converted and converted back: "5" to
 * 5 to "5". Parts that were not copied have the same address. The recursion is bounded by invariant
 * 2 and by the nesting of the instance. */
static bool same_text(const haft__json *a, const haft__json *b)
{
    if (a->kind != b->kind || a->count != b->count) {
        return false;
    }
    if (a->kind < HAFT__JSON_ARRAY) {
        return haft__str_equal(haft__json_text(*a), haft__json_text(*b));
    }
    bool array = a->kind == HAFT__JSON_ARRAY;
    bool same = true;
    bool shared = array ? a->items == b->items : a->members == b->members;
    for (uint32_t i = 0; !shared && same && i < a->count; i++) {
        /* Copies keep their keys. */
        same = array ? same_text(&a->items[i], &b->items[i])
                     : same_text(&a->members[i].value, &b->members[i].value);
    }
    return same;
}

haft_status haft__schema_coerce(const haft__schema *schema, haft__checker *checker,
                                haft__json instance, haft__arena *arena, haft__json *ret_instance,
                                bool *ret_changed, haft_error *err)
{
    coercer co = {.checker = checker, .arena = arena, .status = HAFT_OK};
    haft__json value = instance;
    haft__checker_begin(checker, schema);
    bool changed = coerce_node(&co, schema->root, &value);
    if (co.status != HAFT_OK || checker->stop == HAFT__EXCEEDED_MEMORY) {
        return haft__arena_fail(arena, err);
    }
    changed = changed && !same_text(&value, &instance);
    *ret_instance = changed ? value : instance;
    *ret_changed = changed;
    return HAFT_OK;
}
