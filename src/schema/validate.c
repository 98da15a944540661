/* SPDX-License-Identifier: Apache-2.0 */
/*
 * validate.c - the fast pass: whether the schema accepts the value.
 *
 * It allocates only the memory of checker.c, stops at the first failure and stores no reason:
 * explain.c checks again if a caller needs the reasons. HAFT__LIMIT_SCHEMA_NESTING bounds the
 * recursion, HAFT__LIMIT_SCHEMA_STEPS the work: a step for each node that is checked, even if it
 * has only a type, a step for each item and member, and steps by length for texts and numbers that
 * are compared or hashed. Tests: tests/schema/validate_test.c, tests/schema/suite_test.c.
 */
#include "base/limits.h"
#include "base/str.h"
#include "base/utf8.h"
#include "schema/schema_int.h"
#include "json/number.h"

bool haft__validate_type(uint8_t types, const haft__json *value)
{
    if (HAFT__LIKELY((types >> value->kind & 1) != 0)) {
        return true;
    }
    return value->kind == HAFT__JSON_NUMBER && (types & HAFT__TYPE_INTEGER) != 0
           && (value->integer || haft__number_is_integer(haft__json_text(*value)));
}

/* The value of a number that is written with at most 18 digits. Other numbers are compared as
 * text. */
static bool small_integer(const haft__json *value, int64_t *ret_number)
{
    if (!value->integer || value->count > 18) {
        return false;
    }
    bool negative = value->text[0] == '-';
    int64_t number = 0;
    for (uint32_t i = negative; i < value->count; i++) {
        number = number * 10 + (value->text[i] - '0');
    }
    *ret_number = negative ? -number : number;
    return true;
}

/* Whether a number is an integer. If it has a fraction or an exponent, this must be computed. */
static bool is_integer(haft__checker *checker, uint8_t types, const haft__json *value)
{
    return value->kind == HAFT__JSON_NUMBER && (types & HAFT__TYPE_INTEGER) != 0
           && (value->integer
               || (haft__checker_charge(checker, value->count / HAFT__NUMBER_STEP)
                   && haft__number_is_integer(haft__json_text(*value))));
}

static bool order_fits(haft__schema_bound_kind kind, int order)
{
    switch (kind) {
    case HAFT__BOUND_MINIMUM: return order >= 0;
    case HAFT__BOUND_MAXIMUM: return order <= 0;
    case HAFT__BOUND_EXCLUSIVE_MINIMUM: return order > 0;
    case HAFT__BOUND_EXCLUSIVE_MAXIMUM: return order < 0;
    case HAFT__BOUND_KINDS: break;
    }
    HAFT__UNREACHABLE();
}

bool haft__validate_bound(haft__checker *checker, haft__schema_bound_kind kind,
                          const haft__schema_bound *bound, const haft__json *value)
{
    return haft__checker_charge(checker, (value->count + bound->text.len) / HAFT__NUMBER_STEP)
           && order_fits(kind, haft__number_compare(haft__json_text(*value), bound->text));
}

bool haft__validate_multiple_of(haft__checker *checker, const haft__schema_bound *bound,
                                const haft__json *value)
{
    int64_t number;
    if (bound->fits && small_integer(value, &number)) {
        return number % bound->number == 0;
    }
    bool multiple;
    if (!haft__checker_charge(checker, value->count + bound->text.len)) {
        return false;
    }
    if (haft__number_is_multiple(haft__json_text(*value), bound->text, &multiple, NULL)
        != HAFT_OK) {
        return haft__checker_stop(checker, HAFT__EXCEEDED_DIGITS);
    }
    return multiple;
}

static bool number_fits(haft__checker *checker, const haft__number_rules *rules,
                        const haft__json *value)
{
    int64_t number = 0;
    bool small = small_integer(value, &number);
    for (haft__schema_bound_kind kind = 0; kind < HAFT__BOUND_KINDS; kind++) {
        const haft__schema_bound *bound = &rules->bounds[kind];
        if (bound->text.ptr == NULL) {
            continue;
        }
        if (small && bound->fits) {
            if (!order_fits(kind, (number > bound->number) - (number < bound->number))) {
                return false;
            }
        } else if (!haft__validate_bound(checker, kind, bound, value)) {
            return false;
        }
    }
    return rules->multiple_of.text.ptr == NULL
           || haft__validate_multiple_of(checker, &rules->multiple_of, value);
}

uint64_t haft__checker_string_length(haft__checker *checker, const haft__json *string)
{
    (void)haft__checker_charge(checker, string->count / HAFT__TEXT_STEP);
    return haft__utf8_length(haft__json_text(*string));
}

/* Whether the length of a string is in the range. A character has one to four bytes, so often the
 * number of bytes is sufficient. */
static bool length_fits(haft__checker *checker, const haft__schema_count_range *range,
                        const haft__json *value)
{
    uint32_t bytes = value->count;
    if (bytes < range->min) {
        return false;
    }
    if (bytes <= range->max && (bytes + 3) / 4 >= range->min) {
        return true;
    }
    uint64_t length = haft__checker_string_length(checker, value);
    return length >= range->min && length <= range->max;
}

/* Starting a match takes longer than any other step. */
#define MATCH_STEPS 4U
#define MATCH_STEP  16U

bool haft__validate_pattern(haft__checker *checker, const haft__pattern *pattern, haft_str source,
                            haft_str text)
{
    if (!haft__checker_charge(checker, MATCH_STEPS + text.len / MATCH_STEP)) {
        return false;
    }
    haft__pattern_result result = haft__pattern_match(pattern, checker->scratch, text);
    if (!haft__checker_charge(checker, haft__pattern_steps(checker->scratch))) {
        return false;
    }
    switch (result) {
    case HAFT__PATTERN_NO: return false;
    case HAFT__PATTERN_YES: return true;
    case HAFT__PATTERN_LIMIT:
        checker->stop_pattern = source;
        return haft__checker_stop(checker, HAFT__EXCEEDED_PATTERN);
    case HAFT__PATTERN_NO_MEMORY: return haft__checker_stop(checker, HAFT__EXCEEDED_MEMORY);
    }
    HAFT__UNREACHABLE();
}

static bool string_fits(haft__checker *checker, const haft__string_rules *rules,
                        const haft__json *value)
{
    return length_fits(checker, &rules->length, value)
           && (rules->pattern == NULL
               || haft__validate_pattern(checker, rules->pattern, rules->source,
                                         haft__json_text(*value)));
}

/* Charges for comparing two values of the same kind. Values of different sizes cost no steps. */
static bool charge_compare(haft__checker *checker, const haft__json *a, const haft__json *b)
{
    if (a->kind == HAFT__JSON_NUMBER) {
        size_t digits = (size_t)a->count + b->count;
        return haft__checker_charge(checker, digits / HAFT__NUMBER_STEP);
    }
    return a->count == b->count && haft__checker_charge_value(checker, b);
}

/* Whether two values are equal as JSON. Charges the cost of the comparison. */
static bool equal(haft__checker *checker, const haft__json *a, const haft__json *b)
{
    if (a->kind != b->kind) {
        return false;
    }
    if (a->kind == HAFT__JSON_STRING) {
        return a->count == b->count && haft__checker_charge(checker, a->count / HAFT__TEXT_STEP)
               && (a->count == 0 || memcmp(a->text, b->text, a->count) == 0);
    }
    bool same;
    if (!charge_compare(checker, a, b)) {
        return false;
    }
    haft_status status = haft__json_equal(*a, *b, &same, NULL);
    if (status != HAFT_OK) {
        return haft__checker_stop(checker, status == HAFT_TOO_BIG ? HAFT__EXCEEDED_DEPTH
                                                                  : HAFT__EXCEEDED_MEMORY);
    }
    return same;
}

bool haft__validate_enum(haft__checker *checker, const haft__schema_values *values,
                         const haft__json *value)
{
    if (values->slots != NULL) {
        if (!haft__checker_charge_value(checker, value)) {
            return false;
        }
        uint64_t hash = haft__json_hash(checker->hash_key, *value);
        for (uint32_t at = (uint32_t)hash & values->mask; values->slots[at] != 0;
             at = (at + 1) & values->mask) {
            if (equal(checker, &values->items[values->slots[at] - 1], value)) {
                return true;
            }
        }
        return false;
    }
    for (uint32_t i = 0; i < values->count; i++) {
        if (equal(checker, &values->items[i], value)) {
            return true;
        }
    }
    return false;
}

#define FEW_ITEMS 8U

static bool few_items_unique(haft__checker *checker, const haft__json *array, uint32_t ret_pair[2])
{
    for (uint32_t i = 1; i < array->count; i++) {
        for (uint32_t k = 0; k < i; k++) {
            if (equal(checker, &array->items[k], &array->items[i])) {
                ret_pair[0] = k;
                ret_pair[1] = i;
                return false;
            }
        }
    }
    return true;
}

/* A slot of the table: the upper half of an item's hash and 1 + its index. */
static bool put_item(haft__checker *checker, const haft__json *array, size_t table, size_t mask,
                     uint32_t index, uint32_t ret_pair[2])
{
    uint64_t hash = haft__json_hash(checker->hash_key, array->items[index]);
    uint64_t upper = hash & ~(uint64_t)UINT32_MAX;
    for (size_t at = (size_t)hash & mask;; at = (at + 1) & mask) {
        uint64_t slot = checker->words[table + at];
        if (slot == 0) {
            checker->words[table + at] = upper | (index + 1);
            return true;
        }
        uint32_t other = (uint32_t)slot - 1;
        if ((slot & ~(uint64_t)UINT32_MAX) == upper
            && equal(checker, &array->items[other], &array->items[index])) {
            ret_pair[0] = other;
            ret_pair[1] = index;
            return false;
        }
    }
}

bool haft__validate_unique_items(haft__checker *checker, const haft__json *array,
                                 uint32_t ret_pair[2])
{
    if (!haft__checker_charge_value(checker, array)) {
        return false;
    }
    if (array->count <= FEW_ITEMS) {
        return few_items_unique(checker, array, ret_pair);
    }
    size_t size = 4 * FEW_ITEMS;
    while (size < 2 * (size_t)array->count) {
        size *= 2;
    }
    size_t table;
    if (!haft__checker_push_words(checker, size, &table)) {
        return false;
    }
    bool unique = true;
    for (uint32_t i = 0; unique && i < array->count; i++) {
        unique = put_item(checker, array, table, size - 1, i, ret_pair);
    }
    checker->word_count = table;
    return unique && checker->stop == HAFT__EXCEEDED_NONE;
}

/* Checks `contains`: only as many items as needed, or all items if they must be marked. */
static bool contains_fits(haft__checker *checker, const haft__array_rules *rules,
                          const haft__json *array, const haft__evaluated *marks)
{
    uint64_t found = 0;
    const haft__evaluated *marking = rules->contains_evaluates ? marks : NULL;
    bool only_least = marking == NULL && rules->containing.max == UINT64_MAX;
    for (uint32_t i = 0; i < array->count && (!only_least || found < rules->containing.min); i++) {
        if (haft__validate_node(checker, rules->contains, &array->items[i], NULL)) {
            found++;
            if (marking != NULL) {
                haft__evaluated_add(checker, marking, i);
            }
        }
    }
    return found >= rules->containing.min && found <= rules->containing.max;
}

static bool array_fits(haft__checker *checker, const haft__array_rules *rules,
                       const haft__json *array, const haft__evaluated *marks)
{
    if (array->count < rules->length.min || array->count > rules->length.max
        || !haft__checker_charge(checker, array->count)) {
        return false;
    }
    for (uint32_t i = 0; i < array->count; i++) {
        const haft__schema_node *node =
            i < rules->prefix.count ? rules->prefix.items[i] : rules->items;
        if (node == NULL) {
            break;
        }
        if (!haft__validate_node(checker, node, &array->items[i], NULL)) {
            return false;
        }
        if (marks != NULL) {
            haft__evaluated_add(checker, marks, i);
        }
    }
    if (rules->contains != NULL && !contains_fits(checker, rules, array, marks)) {
        return false;
    }
    uint32_t pair[2];
    return !rules->unique || haft__validate_unique_items(checker, array, pair);
}

static inline bool is_property(haft__checker *checker, const haft__schema_property *property,
                               uint64_t prefix, const haft__json *key)
{
    return property->prefix == prefix && property->length == key->count
           && (key->count <= 8
               || (haft__checker_charge(checker, key->count / HAFT__TEXT_STEP)
                   && memcmp(property->name + 8, key->text + 8, key->count - 8) == 0));
}

static const haft__schema_property *search_property(haft__checker *checker,
                                                    const haft__object_rules *rules,
                                                    const haft__json *key, uint64_t prefix,
                                                    uint32_t *hint)
{
    if (rules->slots != NULL) {
        if (!haft__checker_charge(checker, key->count / HAFT__TEXT_STEP)) {
            return NULL;
        }
        uint32_t at = (uint32_t)haft__hash(checker->hash_key, haft__json_text(*key)) & rules->mask;
        for (; rules->slots[at] != 0; at = (at + 1) & rules->mask) {
            uint32_t index = rules->slots[at] - 1;
            if (is_property(checker, &rules->properties[index], prefix, key)) {
                *hint = index + 1;
                return &rules->properties[index];
            }
        }
        return NULL;
    }
    for (uint32_t i = 0; i < rules->count; i++) {
        if (is_property(checker, &rules->properties[i], prefix, key)) {
            *hint = i + 1;
            return &rules->properties[i];
        }
    }
    return NULL;
}

/* Finds a property. *hint is the property to try first, because most objects have their members in
 * the order of the schema. */
static inline const haft__schema_property *find_property(haft__checker *checker,
                                                         const haft__object_rules *rules,
                                                         const haft__json *key, uint32_t *hint)
{
    uint64_t prefix = haft__key_prefix(key->text, key->count);
    if (*hint < rules->count && is_property(checker, &rules->properties[*hint], prefix, key)) {
        return &rules->properties[(*hint)++];
    }
    return search_property(checker, rules, key, prefix, hint);
}

const haft__schema_property *haft__checker_find_property(haft__checker *checker,
                                                         const haft__object_rules *rules,
                                                         const haft__json *key, uint32_t *hint)
{
    return find_property(checker, rules, key, hint);
}

const haft__json *haft__checker_find_member(haft__checker *checker, const haft__json *object,
                                            haft_str key)
{
    if (!haft__checker_charge(checker, 1 + object->count / 16)) {
        return NULL;
    }
    for (uint32_t i = 0; i < object->count; i++) {
        const haft__json_member *member = &object->members[i];
        if (member->key.count == key.len && haft__checker_charge(checker, key.len / HAFT__TEXT_STEP)
            && haft__str_equal(haft__json_text(member->key), key)) {
            return &member->value;
        }
    }
    return NULL;
}

/* Checks a member that is not in `properties`, or that patternProperties may apply to. */
static bool other_member_fits(haft__checker *checker, const haft__object_rules *rules,
                              const haft__json_member *member, bool declared, bool *ret_evaluated)
{
    bool known = declared;
    for (uint32_t i = 0; i < rules->pattern_count; i++) {
        const haft__schema_pattern_property *pattern = &rules->patterns[i];
        if (haft__validate_pattern(checker, pattern->pattern, pattern->source,
                                   haft__json_text(member->key))) {
            known = true;
            if (!haft__validate_node(checker, pattern->node, &member->value, NULL)) {
                return false;
            }
        }
    }
    *ret_evaluated = known || rules->additional != NULL;
    return known || rules->additional == NULL
           || haft__validate_node(checker, rules->additional, &member->value, NULL);
}

static bool members_fit(haft__checker *checker, const haft__object_rules *rules,
                        const haft__json *object, const haft__evaluated *marks)
{
    /* Keys are distinct, so counting the required keys that occur is enough. */
    uint32_t missing = rules->required;
    uint32_t hint = 0;
    for (uint32_t i = 0; i < object->count; i++) {
        const haft__json_member *member = &object->members[i];
        const haft__schema_property *property = find_property(checker, rules, &member->key, &hint);
        bool evaluated = false;
        if (property != NULL) {
            missing -= property->required;
            if (property->node != NULL
                && !haft__validate_node(checker, property->node, &member->value, NULL)) {
                return false;
            }
            evaluated = property->declared;
        }
        if ((!evaluated || rules->pattern_count > 0)
            && !other_member_fits(checker, rules, member, evaluated, &evaluated)) {
            return false;
        }
        if (evaluated && marks != NULL) {
            haft__evaluated_add(checker, marks, i);
        }
    }
    return missing == 0;
}

static bool names_fit(haft__checker *checker, const haft__schema_node *names,
                      const haft__json *object)
{
    for (uint32_t i = 0; i < object->count; i++) {
        if (!haft__validate_node(checker, names, &object->members[i].key, NULL)) {
            return false;
        }
    }
    return true;
}

static bool dependency_fits(haft__checker *checker, const haft__schema_dependency *dependency,
                            const haft__json *object, const haft__evaluated *marks)
{
    if (haft__checker_find_member(checker, object, dependency->name) == NULL) {
        return true;
    }
    if (dependency->node != NULL
        && !haft__validate_node(checker, dependency->node, object, marks)) {
        return false;
    }
    for (uint32_t i = 0; dependency->names != NULL && i < dependency->names->count; i++) {
        haft_str name = haft__json_text(dependency->names->items[i]);
        if (haft__checker_find_member(checker, object, name) == NULL) {
            return false;
        }
    }
    return true;
}

static bool object_fits(haft__checker *checker, const haft__object_rules *rules,
                        const haft__json *object, const haft__evaluated *marks)
{
    if (object->count < rules->size.min || object->count > rules->size.max
        || !haft__checker_charge(checker, object->count)
        || !members_fit(checker, rules, object, marks)
        || (rules->names != NULL && !names_fit(checker, rules->names, object))) {
        return false;
    }
    for (uint32_t i = 0; i < rules->dependency_count; i++) {
        if (!dependency_fits(checker, &rules->dependencies[i], object, marks)) {
            return false;
        }
    }
    return true;
}

/* Whether `node` accepts the value. Only if it does, marks the parts that it evaluates. */
static bool accepts_marking(haft__checker *checker, const haft__schema_node *node,
                            const haft__json *value, const haft__evaluated *marks)
{
    if (marks == NULL) {
        return haft__validate_node(checker, node, value, NULL);
    }
    haft__evaluated own;
    if (!haft__evaluated_push(checker, marks->count, &own)) {
        return false;
    }
    bool accepted = haft__validate_node(checker, node, value, &own);
    if (accepted) {
        haft__evaluated_merge(checker, marks, &own);
    }
    haft__evaluated_pop(checker, &own);
    return accepted;
}

/* The number of nodes in `list` that accept the value. May stop at `enough` if no parts are
 * marked. */
static uint32_t count_accepting(haft__checker *checker, const haft__schema_node_list *list,
                                const haft__json *value, const haft__evaluated *marks,
                                uint32_t enough)
{
    uint32_t found = 0;
    for (uint32_t i = 0; i < list->count && (marks != NULL || found < enough); i++) {
        found += accepts_marking(checker, list->items[i], value, marks);
    }
    return found;
}

const haft__schema_node *haft__checker_resolve_dynamic_ref(haft__checker *checker,
                                                           const haft__dynamic_ref *dynamic)
{
    const haft__schema_node *target = dynamic->node;
    if (dynamic->name.len == 0) {
        return target;
    }
    /* The outermost scope wins, and the list starts with the innermost. */
    for (const haft__dynamic_scope *scope = checker->scope; scope != NULL; scope = scope->outer) {
        const haft__dynamic_anchor *anchor = haft__resource_anchors(scope->resource);
        if (!haft__checker_charge(checker, 1)) {
            break;
        }
        size_t cost = 1 + dynamic->name.len / HAFT__TEXT_STEP;
        for (; anchor != NULL && haft__checker_charge(checker, cost); anchor = anchor->next) {
            if (anchor->node != NULL && haft__str_equal(anchor->name, dynamic->name)) {
                target = anchor->node;
            }
        }
    }
    return target;
}

static bool conditional_fits(haft__checker *checker, const haft__general_rules *rules,
                             const haft__json *value, const haft__evaluated *marks)
{
    bool test = accepts_marking(checker, rules->test, value, marks);
    const haft__schema_node *next = test ? rules->then : rules->otherwise;
    return next == NULL || haft__validate_node(checker, next, value, marks);
}

static bool general_fits(haft__checker *checker, const haft__general_rules *rules,
                         const haft__json *value, const haft__evaluated *marks)
{
    if (rules->ref != NULL && !haft__validate_node(checker, rules->ref, value, marks)) {
        return false;
    }
    if (rules->dynamic != NULL
        && !haft__validate_node(checker, haft__checker_resolve_dynamic_ref(checker, rules->dynamic),
                                value, marks)) {
        return false;
    }
    for (uint32_t i = 0; i < rules->all.count; i++) {
        if (!haft__validate_node(checker, rules->all.items[i], value, marks)) {
            return false;
        }
    }
    if (rules->any.count > 0 && count_accepting(checker, &rules->any, value, marks, 1) == 0) {
        return false;
    }
    if (rules->one.count > 0 && count_accepting(checker, &rules->one, value, marks, 2) != 1) {
        return false;
    }
    if (rules->negated != NULL && haft__validate_node(checker, rules->negated, value, NULL)) {
        return false;
    }
    return rules->test == NULL || conditional_fits(checker, rules, value, marks);
}

bool haft__validate_node_before_unevaluated(haft__checker *checker, const haft__schema_node *node,
                                            const haft__json *value, const haft__evaluated *marks)
{
    if (value->kind == HAFT__JSON_OBJECT && node->object != NULL
        && !object_fits(checker, node->object, value, marks)) {
        return false;
    }
    if (value->kind == HAFT__JSON_ARRAY && node->array != NULL
        && !array_fits(checker, node->array, value, marks)) {
        return false;
    }
    return node->general == NULL || general_fits(checker, node->general, value, marks);
}

static const haft__schema_node *unevaluated_of(const haft__schema_node *node,
                                               const haft__json *value)
{
    if (node->general == NULL) {
        return NULL;
    }
    return value->kind == HAFT__JSON_ARRAY    ? node->general->unevaluated_items
           : value->kind == HAFT__JSON_OBJECT ? node->general->unevaluated_properties
                                              : NULL;
}

static bool accepts_all_parts(haft__checker *checker, const haft__schema_node *node,
                              const haft__json *value, const haft__evaluated *marks)
{
    const haft__schema_node *unevaluated = unevaluated_of(node, value);
    if (unevaluated == NULL) {
        return haft__validate_node_before_unevaluated(checker, node, value, marks);
    }
    haft__evaluated own;
    if (!haft__checker_charge(checker, value->count)
        || !haft__evaluated_push(checker, value->count, &own)) {
        return false;
    }
    bool accepted = haft__validate_node_before_unevaluated(checker, node, value, &own);
    for (uint32_t i = 0; accepted && i < value->count; i++) {
        const haft__json *part =
            value->kind == HAFT__JSON_ARRAY ? &value->items[i] : &value->members[i].value;
        accepted = haft__evaluated_has(checker, &own, i)
                   || haft__validate_node(checker, unevaluated, part, NULL);
    }
    haft__evaluated_pop(checker, &own);
    if (accepted && marks != NULL) {
        haft__evaluated_add_all(checker, marks);
    }
    return accepted;
}

/* Checks an array, an object, or a node with keywords that refer to other nodes. */
static bool accepts_deep(haft__checker *checker, const haft__schema_node *node,
                         const haft__json *value, const haft__evaluated *marks)
{
    if (!haft__checker_enter(checker, HAFT__LIMIT_SCHEMA_NESTING)) {
        return false;
    }
    bool accepted;
    if (checker->dynamic
        && (checker->scope == NULL || checker->scope->resource != node->resource)) {
        haft__dynamic_scope scope = {checker->scope, node->resource};
        checker->scope = &scope;
        accepted = accepts_all_parts(checker, node, value, marks);
        checker->scope = scope.outer;
    } else {
        accepted = accepts_all_parts(checker, node, value, marks);
    }
    haft__checker_leave(checker);
    return accepted;
}

bool haft__validate_node(haft__checker *checker, const haft__schema_node *node,
                         const haft__json *value, const haft__evaluated *marks)
{
    if (node->alias != NULL) {
        node = node->alias;
    }
    if (!haft__checker_charge(checker, 1)) {
        return false;
    }
    if (HAFT__UNLIKELY((node->types >> value->kind & 1) == 0)
        && !is_integer(checker, node->types, value)) {
        return false;
    }
    if (node->plain) {
        return true;
    }
    bool deep = node->general != NULL;
    switch ((haft__json_kind)value->kind) {
    case HAFT__JSON_NULL:
    case HAFT__JSON_FALSE:
    case HAFT__JSON_TRUE: break;
    case HAFT__JSON_NUMBER:
        if (node->number != NULL && !number_fits(checker, node->number, value)) {
            return false;
        }
        break;
    case HAFT__JSON_STRING:
        if (node->string != NULL && !string_fits(checker, node->string, value)) {
            return false;
        }
        break;
    case HAFT__JSON_ARRAY: deep |= node->array != NULL; break;
    case HAFT__JSON_OBJECT: deep |= node->object != NULL; break;
    }
    if (node->enumeration != NULL && !haft__validate_enum(checker, node->enumeration, value)) {
        return false;
    }
    if (node->constant != NULL && !haft__validate_enum(checker, node->constant, value)) {
        return false;
    }
    return !deep || accepts_deep(checker, node, value, marks);
}
