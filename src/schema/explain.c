/* SPDX-License-Identifier: Apache-2.0 */
/*
 * explain.c - the second pass: checks an invalid instance again and writes a message for every
 * failure.
 *
 * It walks the same nodes as validate.c and calls it for every decision (which alternative holds,
 * the result of `if`), so the two can differ only in the order of checks. If they differ
 * nevertheless, the report has an error for that, and an invalid instance is never reported as
 * valid. If all alternatives fail, the failures of the closest one are reported. Unevaluated parts
 * are reported only if everything else is valid, because only then it is known which parts are
 * unevaluated. Errors live in the checker's arena until the best are chosen. Each error costs
 * steps, which bounds their memory. Tests: tests/schema/explain_test.c.
 */
#include "base/error.h"
#include "base/limits.h"
#include "base/str.h"
#include "base/suggestion.h"
#include "schema/describe.h"
#include "schema/failures.h"

#define MESSAGE_MAX ((size_t)64 << 10)
#define WHERE_MAX   ((size_t)256 << 10)

static void explain_node(haft__explainer *ex, const haft__schema_node *node,
                         const haft__json *value, const haft__instance_path *at);

static void explain_type(haft__explainer *ex, uint8_t types, const haft__json *value,
                         const haft__instance_path *at)
{
    haft__buf *text = haft__explain_message(ex);
    if (types == 0) {
        haft__describe_add(text, "Expected nothing here, found ");
    } else {
        haft__describe_add(text, "Expected ");
        haft__describe_types(text, types);
        haft__describe_add(text, ", found ");
    }
    haft__describe_typed_value(text, value);
    haft__explain_add(ex, at,
                      at->depth == ex->into->depth ? HAFT__WEIGHT_TYPE : HAFT__WEIGHT_OTHER);
}

static void explain_values(haft__explainer *ex, const haft__schema_values *values,
                           const haft__json *value, const haft__instance_path *at)
{
    if (values == NULL || haft__validate_enum(ex->checker, values, value)
        || haft__explain_check_exceeded(ex, at)) {
        return;
    }
    haft__buf *text = haft__explain_message(ex);
    haft__describe_add(text, values->count == 1 ? "Expected " : "Expected one of ");
    haft__describe_list(text, values->items, values->count);
    haft__describe_add(text, values->count == 0 ? "nothing, found " : ", found ");
    haft__describe_value(text, value);
    bool discriminator = at->depth <= ex->into->depth + 1;
    haft__explain_add(ex, at, discriminator ? HAFT__WEIGHT_DISCRIMINATOR : HAFT__WEIGHT_OTHER);
}

static void explain_number(haft__explainer *ex, const haft__number_rules *rules,
                           const haft__json *value, const haft__instance_path *at)
{
    static const char *const words[HAFT__BOUND_KINDS] = {
        [HAFT__BOUND_MINIMUM] = "Expected a number of at least ",
        [HAFT__BOUND_MAXIMUM] = "Expected a number of at most ",
        [HAFT__BOUND_EXCLUSIVE_MINIMUM] = "Expected a number greater than ",
        [HAFT__BOUND_EXCLUSIVE_MAXIMUM] = "Expected a number less than ",
    };
    for (haft__schema_bound_kind kind = 0; kind <= HAFT__BOUND_KINDS; kind++) {
        bool multiple = kind == HAFT__BOUND_KINDS;
        const haft__schema_bound *bound = multiple ? &rules->multiple_of : &rules->bounds[kind];
        if (bound->text.ptr == NULL
            || (multiple ? haft__validate_multiple_of(ex->checker, bound, value)
                         : haft__validate_bound(ex->checker, kind, bound, value))
            || haft__explain_check_exceeded(ex, at)) {
            continue;
        }
        haft__buf *text = haft__explain_message(ex);
        haft__describe_add(text, multiple ? "Expected a multiple of " : words[kind]);
        haft__describe_text(text, bound->text);
        haft__describe_add(text, ", found ");
        haft__describe_value(text, value);
        haft__explain_add(ex, at, HAFT__WEIGHT_OTHER);
    }
}

/* "Expected at least 1 character, found 0" */
static void explain_range(haft__explainer *ex, const haft__schema_count_range *range,
                          uint64_t found, const char *noun, const haft__instance_path *at)
{
    if (found >= range->min && found <= range->max) {
        return;
    }
    haft__buf *text = haft__explain_message(ex);
    bool few = found < range->min;
    haft__describe_add(text, few ? "Expected at least " : "Expected at most ");
    haft__describe_count(text, few ? range->min : range->max, noun);
    haft__buf_addf(text, ", found %llu", (unsigned long long)found);
    haft__explain_add(ex, at, HAFT__WEIGHT_OTHER);
}

static void explain_string(haft__explainer *ex, const haft__string_rules *rules,
                           const haft__json *value, const haft__instance_path *at)
{
    explain_range(ex, &rules->length, haft__checker_string_length(ex->checker, value), "character",
                  at);
    if (rules->pattern == NULL
        || haft__validate_pattern(ex->checker, rules->pattern, rules->source,
                                  haft__json_text(*value))
        || haft__explain_check_exceeded(ex, at)) {
        return;
    }
    haft__buf *text = haft__explain_message(ex);
    haft__describe_add(text, "Does not match the pattern ");
    haft__describe_text(text, rules->source);
    haft__describe_add(text, ": found ");
    haft__describe_value(text, value);
    haft__explain_add(ex, at, HAFT__WEIGHT_OTHER);
}

static bool is_false(const haft__schema_node *node)
{
    return node->alias != NULL ? node->alias->types == 0 : node->types == 0;
}

static void explain_contains(haft__explainer *ex, const haft__array_rules *rules,
                             const haft__json *array, const haft__instance_path *at)
{
    uint64_t found = 0;
    for (uint32_t i = 0; i < array->count; i++) {
        found += haft__validate_node(ex->checker, rules->contains, &array->items[i], NULL);
    }
    if ((found >= rules->containing.min && found <= rules->containing.max)
        || haft__explain_is_done(ex)) {
        return;
    }
    bool few = found < rules->containing.min;
    haft__buf *text = haft__explain_message(ex);
    haft__describe_add(text, few ? "Expected at least " : "Expected at most ");
    haft__describe_count(text, few ? rules->containing.min : rules->containing.max, "item");
    haft__buf_addf(text, " of the kind that \"contains\" describes, found %llu",
                   (unsigned long long)found);
    haft__explain_add(ex, at, HAFT__WEIGHT_OTHER);
}

static void explain_unique(haft__explainer *ex, const haft__json *array,
                           const haft__instance_path *at)
{
    uint32_t pair[2] = {0, 0};
    if (haft__validate_unique_items(ex->checker, array, pair)
        || haft__explain_check_exceeded(ex, at)) {
        return;
    }
    haft__buf *text = haft__explain_message(ex);
    haft__buf_addf(text, "Expected items that differ, found items %u and %u equal: ", pair[0],
                   pair[1]);
    haft__describe_value(text, &array->items[pair[1]]);
    haft__explain_add(ex, at, HAFT__WEIGHT_OTHER);
}

static void explain_array(haft__explainer *ex, const haft__array_rules *rules,
                          const haft__json *array, const haft__instance_path *at)
{
    explain_range(ex, &rules->length, array->count, "item", at);
    (void)haft__checker_charge(ex->checker, array->count);
    for (uint32_t i = 0; i < array->count && !haft__explain_is_done(ex); i++) {
        const haft__schema_node *node =
            i < rules->prefix.count ? rules->prefix.items[i] : rules->items;
        if (node == NULL) {
            break;
        }
        if (i >= rules->prefix.count && is_false(node)) {
            haft__schema_count_range range = {0, rules->prefix.count};
            explain_range(ex, &range, array->count, "item", at);
            break;
        }
        haft__instance_path inside = haft__instance_path_index(at, i);
        explain_node(ex, node, &array->items[i], &inside);
    }
    if (rules->contains != NULL && !haft__explain_is_done(ex)) {
        explain_contains(ex, rules, array, at);
    }
    if (rules->unique && !haft__explain_is_done(ex)) {
        explain_unique(ex, array, at);
    }
}

/* The cost of comparing two names letter by letter; long names are not compared. */
static size_t suggest_cost(haft_str name, haft_str known)
{
    bool longer =
        name.len > HAFT__LIMIT_SUGGESTION_BYTES || known.len > HAFT__LIMIT_SUGGESTION_BYTES;
    return 4 + (longer ? 0 : name.len * known.len / 64);
}

/* The declared name nearest to `name`; .ptr is NULL if none is near. */
static haft_str suggest(haft__explainer *ex, const haft__object_rules *rules, haft_str name)
{
    haft__suggestion near;
    haft__suggestion_init(&near, name);
    uint32_t count = rules != NULL ? rules->count : 0;
    for (uint32_t i = 0; i < count && near.left > 0; i++) {
        haft_str known = {rules->properties[i].name, rules->properties[i].length};
        if (!haft__checker_charge(ex->checker, suggest_cost(name, known))) {
            break;
        }
        if (rules->properties[i].declared) {
            haft__suggestion_offer(&near, known);
        }
    }
    return near.best;
}

static void explain_unknown(haft__explainer *ex, const haft__object_rules *rules,
                            const haft__json *key, const haft__instance_path *at)
{
    haft_str name = haft__json_text(*key);
    haft_str known = suggest(ex, rules, name);
    haft__buf *text = haft__explain_message(ex);
    haft__describe_add(text, "Unknown argument: ");
    haft__describe_text(text, name);
    if (known.ptr != NULL) {
        haft__describe_add(text, ". Did you mean ");
        haft__describe_text(text, known);
        haft__describe_add(text, "?");
    }
    haft__explain_add(ex, at, HAFT__WEIGHT_OTHER);
}

/* Explains a member with a node that applies only to it. If that node is the schema `false`, the
 * member is not allowed. */
static void explain_member(haft__explainer *ex, const haft__schema_node *node,
                           const haft__json_member *member, const haft__instance_path *at)
{
    if (!is_false(node)) {
        explain_node(ex, node, &member->value, at);
        return;
    }
    haft__buf *text = haft__explain_message(ex);
    haft__describe_add(text, "Argument not allowed: ");
    haft__describe_text(text, haft__json_text(member->key));
    haft__explain_add(ex, at, HAFT__WEIGHT_OTHER);
}

static void explain_other_member(haft__explainer *ex, const haft__object_rules *rules,
                                 const haft__json_member *member, bool declared,
                                 const haft__instance_path *at)
{
    bool known = declared;
    for (uint32_t i = 0; i < rules->pattern_count && !haft__explain_is_done(ex); i++) {
        const haft__schema_pattern_property *pattern = &rules->patterns[i];
        if (haft__validate_pattern(ex->checker, pattern->pattern, pattern->source,
                                   haft__json_text(member->key))) {
            known = true;
            explain_member(ex, pattern->node, member, at);
        } else if (haft__explain_check_exceeded(ex, at)) {
            return;
        }
    }
    if (known || rules->additional == NULL || haft__explain_is_done(ex)) {
        return;
    }
    if (is_false(rules->additional)) {
        explain_unknown(ex, rules, &member->key, at);
    } else {
        explain_node(ex, rules->additional, &member->value, at);
    }
}

static void explain_members(haft__explainer *ex, const haft__object_rules *rules,
                            const haft__json *object, const haft__instance_path *at)
{
    uint32_t hint = 0;
    for (uint32_t i = 0; i < object->count && !haft__explain_is_done(ex); i++) {
        const haft__json_member *member = &object->members[i];
        const haft__schema_property *property =
            haft__checker_find_property(ex->checker, rules, &member->key, &hint);
        haft__instance_path inside = haft__instance_path_key(at, &member->key);
        bool declared = property != NULL && property->declared;
        if (property != NULL && property->node != NULL) {
            explain_member(ex, property->node, member, &inside);
        }
        if (!declared || rules->pattern_count > 0) {
            explain_other_member(ex, rules, member, declared, &inside);
        }
    }
}

static void explain_missing(haft__explainer *ex, haft_str name,
                            const haft__schema_dependency *because, const haft__instance_path *at)
{
    haft__buf *text = haft__explain_message(ex);
    haft__describe_add(text, "Missing required argument: ");
    haft__describe_text(text, name);
    if (because != NULL) {
        haft__describe_add(text, " (needed with ");
        haft__describe_text(text, because->name);
        haft__describe_add(text, ")");
    }
    haft__explain_add(ex, at, HAFT__WEIGHT_OTHER);
}

static bool has_required(haft__explainer *ex, const haft__object_rules *rules,
                         const haft__json *object)
{
    uint32_t met = 0;
    uint32_t hint = 0;
    for (uint32_t i = 0; i < object->count; i++) {
        const haft__schema_property *property =
            haft__checker_find_property(ex->checker, rules, &object->members[i].key, &hint);
        met += property != NULL && property->required;
    }
    return met >= rules->required;
}

static void explain_required(haft__explainer *ex, const haft__object_rules *rules,
                             const haft__json *object, const haft__instance_path *at)
{
    if (!haft__checker_charge(ex->checker, object->count) || has_required(ex, rules, object)
        || !haft__checker_charge(ex->checker, rules->count)) {
        return;
    }
    for (uint32_t i = 0; i < rules->count && !haft__explain_is_done(ex); i++) {
        const haft__schema_property *property = &rules->properties[i];
        haft_str name = {property->name, property->length};
        if (property->required && haft__checker_find_member(ex->checker, object, name) == NULL
            && ex->checker->stop == HAFT__EXCEEDED_NONE) {
            explain_missing(ex, name, NULL, at);
        }
    }
}

static void explain_dependency(haft__explainer *ex, const haft__schema_dependency *dependency,
                               const haft__json *object, const haft__instance_path *at)
{
    if (haft__checker_find_member(ex->checker, object, dependency->name) == NULL) {
        return;
    }
    if (dependency->node != NULL) {
        explain_node(ex, dependency->node, object, at);
    }
    uint32_t count = dependency->names != NULL ? dependency->names->count : 0;
    for (uint32_t i = 0; i < count && !haft__explain_is_done(ex); i++) {
        haft_str name = haft__json_text(dependency->names->items[i]);
        if (haft__checker_find_member(ex->checker, object, name) == NULL
            && ex->checker->stop == HAFT__EXCEEDED_NONE) {
            explain_missing(ex, name, dependency, at);
        }
    }
}

/* Explains an invalid name, at the object that has it. */
static void explain_name(haft__explainer *ex, const haft__schema_node *names, const haft__json *key,
                         const haft__instance_path *at)
{
    if (haft__validate_node(ex->checker, names, key, NULL)) {
        return;
    }
    haft__schema_failures own;
    haft__schema_failures_init(&own, at->depth);
    haft__schema_failures *before = haft__explain_redirect(ex, &own);
    explain_node(ex, names, key, at);
    (void)haft__explain_redirect(ex, before);
    if (haft__explain_is_done(ex)) {
        haft__explain_add_all(ex, &own);
    }
    for (const haft__schema_failure *inner = own.first; inner != NULL && !haft__explain_is_done(ex);
         inner = inner->next) {
        haft__buf *text = haft__explain_message(ex);
        haft__describe_add(text, "Bad argument name ");
        haft__describe_value(text, key);
        haft__describe_add(text, ": ");
        haft__buf_add_str(text, inner->message);
        haft__explain_add(ex, at, HAFT__WEIGHT_OTHER);
    }
}

static void explain_object(haft__explainer *ex, const haft__object_rules *rules,
                           const haft__json *object, const haft__instance_path *at)
{
    explain_range(ex, &rules->size, object->count, "argument", at);
    explain_required(ex, rules, object, at);
    explain_members(ex, rules, object, at);
    for (uint32_t i = 0; rules->names != NULL && i < object->count && !haft__explain_is_done(ex);
         i++) {
        explain_name(ex, rules->names, &object->members[i].key, at);
    }
    for (uint32_t i = 0; i < rules->dependency_count && !haft__explain_is_done(ex); i++) {
        explain_dependency(ex, &rules->dependencies[i], object, at);
    }
}

/* The types that the alternatives allow together; 0 if one of them does not restrict the type. */
static uint8_t types_of(const haft__schema_node_list *list)
{
    uint8_t types = 0;
    for (uint32_t i = 0; i < list->count; i++) {
        const haft__schema_node *node =
            list->items[i]->alias != NULL ? list->items[i]->alias : list->items[i];
        if (node->types == HAFT__TYPES_ALL) {
            return 0;
        }
        types |= node->types;
    }
    return types;
}

static void explain_none_of(haft__explainer *ex, const haft__schema_node_list *list,
                            const haft__json *value, const haft__instance_path *at,
                            const haft__schema_failures *closest, uint32_t which)
{
    if (list->count == 1) {
        haft__explain_add_all(ex, closest);
        return;
    }
    haft__buf *text = haft__explain_message(ex);
    haft__buf_addf(text, "Matches none of the %u alternatives", list->count);
    uint8_t types = closest->weight >= HAFT__WEIGHT_TYPE ? types_of(list) : 0;
    if (types != 0) {
        haft__describe_add(text, ": expected ");
        haft__describe_types(text, types);
        haft__describe_add(text, ", found ");
        haft__describe_typed_value(text, value);
    } else {
        haft__buf_addf(text, "; number %u comes closest", which + 1);
    }
    haft__explain_add(ex, at, types != 0 ? closest->weight : 0);
    if (types == 0) {
        haft__explain_add_all(ex, closest);
    }
}

/* Explains every alternative and keeps the failures of the closest one. */
static void explain_alternatives(haft__explainer *ex, const haft__schema_node_list *list,
                                 const haft__json *value, const haft__instance_path *at)
{
    haft__schema_failures best = {.weight = UINT64_MAX};
    uint32_t which = 0;
    haft__schema_failures *before = ex->into;
    for (uint32_t i = 0; i < list->count; i++) {
        haft__arena_mark mark = haft__arena_save(ex->arena);
        haft__schema_failures own;
        haft__schema_failures_init(&own, at->depth);
        (void)haft__explain_redirect(ex, &own);
        explain_node(ex, list->items[i], value, at);
        (void)haft__explain_redirect(ex, before);
        if (haft__explain_is_done(ex)) {
            haft__explain_add_all(ex, &own); /* the list has the reason why the check ended */
            return;
        }
        if (own.weight < best.weight) {
            best = own;
            which = i;
        } else {
            haft__arena_restore(ex->arena, mark);
        }
    }
    explain_none_of(ex, list, value, at, &best, which);
}

static void explain_any(haft__explainer *ex, const haft__schema_node_list *list,
                        const haft__json *value, const haft__instance_path *at)
{
    for (uint32_t i = 0; i < list->count; i++) {
        if (haft__validate_node(ex->checker, list->items[i], value, NULL)) {
            return;
        }
    }
    if (!haft__explain_is_done(ex)) {
        explain_alternatives(ex, list, value, at);
    }
}

static void explain_one(haft__explainer *ex, const haft__schema_node_list *list,
                        const haft__json *value, const haft__instance_path *at)
{
    uint32_t found = 0;
    haft__buf *text = haft__explain_message(ex);
    haft__buf_addf(text, "Matches more than one of the %u alternatives: ", list->count);
    for (uint32_t i = 0; i < list->count && found < 8; i++) {
        if (haft__validate_node(ex->checker, list->items[i], value, NULL)) {
            haft__buf_addf(text, "%s%u", found == 0 ? "" : ", ", i + 1);
            found++;
        }
    }
    if (haft__explain_is_done(ex) || found == 1) {
        return;
    }
    if (found > 1) {
        haft__explain_add(ex, at, HAFT__WEIGHT_OTHER);
    } else {
        explain_alternatives(ex, list, value, at);
    }
}

static void explain_not(haft__explainer *ex, const haft__schema_node *node, const haft__json *value,
                        const haft__instance_path *at)
{
    if (!haft__validate_node(ex->checker, node, value, NULL) || haft__explain_is_done(ex)) {
        return;
    }
    node = node->alias != NULL ? node->alias : node;
    haft__buf *text = haft__explain_message(ex);
    const haft__schema_values *values = node->constant != NULL ? node->constant : node->enumeration;
    if (node->plain && node->types != HAFT__TYPES_ALL) {
        haft__describe_add(text, "Expected anything but ");
        haft__describe_types(text, node->types);
    } else if (values != NULL) {
        haft__describe_add(text, "Expected anything but ");
        haft__describe_list(text, values->items, values->count);
    } else {
        haft__describe_add(text, "Expected nothing that matches the schema under \"not\"");
    }
    haft__describe_add(text, ", found ");
    haft__describe_typed_value(text, value);
    haft__explain_add(ex, at, HAFT__WEIGHT_OTHER);
}

static void explain_general(haft__explainer *ex, const haft__general_rules *rules,
                            const haft__json *value, const haft__instance_path *at)
{
    if (rules->ref != NULL) {
        explain_node(ex, rules->ref, value, at);
    }
    if (rules->dynamic != NULL) {
        explain_node(ex, haft__checker_resolve_dynamic_ref(ex->checker, rules->dynamic), value, at);
    }
    for (uint32_t i = 0; i < rules->all.count; i++) {
        explain_node(ex, rules->all.items[i], value, at);
    }
    if (rules->any.count > 0 && !haft__explain_is_done(ex)) {
        explain_any(ex, &rules->any, value, at);
    }
    if (rules->one.count > 0 && !haft__explain_is_done(ex)) {
        explain_one(ex, &rules->one, value, at);
    }
    if (rules->negated != NULL && !haft__explain_is_done(ex)) {
        explain_not(ex, rules->negated, value, at);
    }
    if (rules->test != NULL && !haft__explain_is_done(ex)) {
        bool test = haft__validate_node(ex->checker, rules->test, value, NULL);
        const haft__schema_node *next = test ? rules->then : rules->otherwise;
        if (next != NULL) {
            explain_node(ex, next, value, at);
        }
    }
}

/* Explains the unevaluated parts of `value`, which is valid for all other keywords of `node`. */
static void explain_unevaluated(haft__explainer *ex, const haft__schema_node *node,
                                const haft__json *value, const haft__instance_path *at)
{
    bool array = value->kind == HAFT__JSON_ARRAY;
    const haft__schema_node *rest =
        array ? node->general->unevaluated_items : node->general->unevaluated_properties;
    haft__evaluated marks;
    if (rest == NULL || !haft__checker_charge(ex->checker, value->count)
        || !haft__evaluated_push(ex->checker, value->count, &marks)) {
        return;
    }
    (void)haft__validate_node_before_unevaluated(ex->checker, node, value, &marks);
    for (uint32_t i = 0; i < value->count && !haft__explain_is_done(ex); i++) {
        if (haft__evaluated_has(ex->checker, &marks, i)) {
            continue;
        }
        haft__instance_path inside = array ? haft__instance_path_index(at, i)
                                           : haft__instance_path_key(at, &value->members[i].key);
        const haft__json *part = array ? &value->items[i] : &value->members[i].value;
        if (array || !is_false(rest)) {
            explain_node(ex, rest, part, &inside);
        } else {
            explain_unknown(ex, node->object, &value->members[i].key, &inside);
        }
    }
    haft__evaluated_pop(ex->checker, &marks);
}

static void explain_parts(haft__explainer *ex, const haft__schema_node *node,
                          const haft__json *value, const haft__instance_path *at)
{
    uint64_t weight = ex->into->weight;
    if (node->array != NULL && value->kind == HAFT__JSON_ARRAY) {
        explain_array(ex, node->array, value, at);
    }
    if (node->object != NULL && value->kind == HAFT__JSON_OBJECT) {
        explain_object(ex, node->object, value, at);
    }
    if (node->general != NULL) {
        explain_general(ex, node->general, value, at);
        if (value->kind >= HAFT__JSON_ARRAY && ex->into->weight == weight
            && !haft__explain_is_done(ex)) {
            explain_unevaluated(ex, node, value, at);
        }
    }
}

static void explain_deep(haft__explainer *ex, const haft__schema_node *node,
                         const haft__json *value, const haft__instance_path *at)
{
    haft__checker *checker = ex->checker;
    if (!haft__checker_enter(checker, HAFT__LIMIT_SCHEMA_NESTING)) {
        return;
    }
    haft__dynamic_scope scope = {checker->scope, node->resource};
    if (checker->dynamic
        && (checker->scope == NULL || checker->scope->resource != node->resource)) {
        checker->scope = &scope;
    }
    explain_parts(ex, node, value, at);
    checker->scope = scope.outer;
    haft__checker_leave(checker);
}

static void explain_node(haft__explainer *ex, const haft__schema_node *node,
                         const haft__json *value, const haft__instance_path *at)
{
    node = node->alias != NULL ? node->alias : node;
    if (haft__explain_is_done(ex) || !haft__checker_charge(ex->checker, 1)) {
        return;
    }
    if (value->kind == HAFT__JSON_NUMBER
        && !haft__checker_charge(ex->checker, value->count / HAFT__NUMBER_STEP)) {
        return;
    }
    if (!haft__validate_type(node->types, value)) {
        explain_type(ex, node->types, value, at);
        return;
    }
    if (node->plain) {
        return;
    }
    explain_values(ex, node->enumeration, value, at);
    explain_values(ex, node->constant, value, at);
    if (node->number != NULL && value->kind == HAFT__JSON_NUMBER) {
        explain_number(ex, node->number, value, at);
    }
    if (node->string != NULL && value->kind == HAFT__JSON_STRING) {
        explain_string(ex, node->string, value, at);
    }
    if (value->kind >= HAFT__JSON_ARRAY || node->general != NULL) {
        explain_deep(ex, node, value, at);
    }
}

haft_status haft__schema_explain(const haft__schema *schema, haft__checker *checker,
                                 const haft__json *instance, haft__arena *arena,
                                 haft__schema_report *ret_report, haft_error *err)
{
    haft__schema_failures list;
    haft__schema_failures_init(&list, 0);
    haft__explainer ex = {.checker = checker, .arena = &checker->arena, .into = &list};
    haft__instance_path root = {0};
    haft__buf_init(&ex.text, MESSAGE_MAX);
    haft__buf_init(&ex.where, WHERE_MAX);
    haft__exceeded stop = checker->stop;
    /* If a budget of the whole validation is used up, a second pass would only use it up again. */
    if (stop == HAFT__EXCEEDED_NONE || stop == HAFT__EXCEEDED_PATTERN
        || stop == HAFT__EXCEEDED_DIGITS) {
        haft__checker_begin(checker, schema);
        explain_node(&ex, schema->root, instance, &root);
        stop = checker->stop != HAFT__EXCEEDED_NONE ? checker->stop : stop;
    }
    if (ex.status == HAFT_OK && !ex.exceeded_reported
        && (stop != HAFT__EXCEEDED_NONE || list.count == 0)) {
        haft__explain_add_exceeded(&ex, stop, &root);
    }
    haft_status status = ex.status == HAFT_OK
                             ? haft__schema_failures_report(&list, arena, ret_report, err)
                             : haft__fail_no_memory(err);
    haft__buf_finish(&ex.text);
    haft__buf_finish(&ex.where);
    haft__arena_reset(&checker->arena);
    return status;
}
