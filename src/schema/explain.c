/* SPDX-License-Identifier: Apache-2.0 */
/*
 * explain.c - the second pass: checks an instance that is not valid again and words every failure.
 *
 * It walks the same nodes as validate.c and asks it for every yes or no (which alternative holds,
 * what `if` says), so the two cannot differ in more than the order of looking; should they, the
 * report says so instead of calling an invalid instance valid. Of alternatives that all fail, the
 * failures of the one that comes closest are told. What is unevaluated is told only once all else
 * is right, because only then it is known.
 * Errors live in the checker's arena until the best are chosen; each costs steps, which bounds it.
 * Tests: tests/schema/explain_test.c.
 */
#include "base/error.h"
#include "base/limits.h"
#include "base/nearest.h"
#include "base/str.h"
#include "schema/words.h"
#include "json/pointer.h"

#define ERROR_STEPS  64U
#define MESSAGE_MAX  ((size_t)64 << 10)
#define WHERE_MAX    ((size_t)1 << 20)
#define MOST_SUGGEST 1000U

/* How much a failure says against an alternative. A wrong type rules it out, a wrong constant in
 * one of its members (a discriminator) nearly so; any other failure is just one more. */
#define WEIGHT_TYPE          100000U
#define WEIGHT_DISCRIMINATOR 1000U
#define WEIGHT_OTHER         1U

/* Where in the instance we are, from the inside out. */
typedef struct place {
    const struct place *outer; /* NULL at the root */
    const haft__json *key;     /* NULL in an array */
    uint32_t index;
    uint32_t depth;
} place;

typedef struct failure {
    struct failure *next;
    haft_str where, message;
} failure;

typedef struct failures {
    failure *first, **last;
    uint32_t count;
    uint64_t weight;
    uint32_t depth; /* of the value that the alternatives are for */
    bool more;
} failures;

typedef struct explainer {
    haft__checker *checker;
    haft__arena *arena;
    failures *into;
    haft__buf text, where;
    haft_status status;
    bool stop_told; /* where the budget was used up is known and has been said */
} explainer;

static void explain_node(explainer *ex, const haft__node *node, const haft__json *value,
                         const place *at);

static void failures_init(failures *list, uint32_t depth)
{
    *list = (failures){.depth = depth};
    list->last = &list->first;
}

/* Enough is enough, and a budget that is used up ends everything. */
static bool is_over(const explainer *ex)
{
    return ex->into->more || ex->status != HAFT_OK || ex->checker->stop != HAFT__STOP_NOT;
}

static void write_place(haft__buf *buf, const place *at)
{
    /* From the outside in: nesting is bounded, and so is this. */
    const place *path[HAFT__LIMIT_SCHEMA_NESTING + 1];
    size_t count = 0;
    for (; at != NULL && at->outer != NULL && count < COUNT(path); at = at->outer) {
        path[count++] = at;
    }
    while (count > 0) {
        const place *step = path[--count];
        if (step->key != NULL) {
            haft__pointer_add_key(buf, haft__json_text(*step->key));
        } else {
            haft__pointer_add_index(buf, step->index);
        }
    }
}

/* Starts a message; the next add_failure takes it. */
static haft__buf *message(explainer *ex)
{
    haft__buf_clear(&ex->text);
    return &ex->text;
}

static void add_str(haft__buf *buf, const char *text)
{
    haft__buf_add(buf, text, strlen(text));
}

static void add_failure(explainer *ex, const place *at, uint64_t weight)
{
    failures *list = ex->into;
    list->weight += weight;
    if (list->count >= HAFT__LIMIT_SCHEMA_ERRORS) {
        list->more = true;
        return;
    }
    haft__buf_clear(&ex->where);
    write_place(&ex->where, at);
    (void)haft__checker_charge(ex->checker, ERROR_STEPS + ex->where.len / 16);
    failure *made = haft__arena_alloc(ex->arena, sizeof(*made));
    if (made == NULL || ex->text.status == HAFT_NO_MEMORY || ex->where.status == HAFT_NO_MEMORY) {
        ex->status = HAFT_NO_MEMORY;
        return;
    }
    *made = (failure){NULL, haft__arena_copy(ex->arena, haft__buf_str(&ex->where)),
                      haft__arena_copy(ex->arena, haft__buf_str(&ex->text))};
    if (made->where.ptr == NULL || made->message.ptr == NULL) {
        ex->status = HAFT_NO_MEMORY;
        return;
    }
    *list->last = made;
    list->last = &made->next;
    list->count++;
}

/* Runs over a list of its own. Returns the list that was in use. */
static failures *swap_list(explainer *ex, failures *list)
{
    failures *before = ex->into;
    ex->into = list;
    return before;
}

/* Takes the failures of a list over, as they are. */
static void append(explainer *ex, const failures *list)
{
    for (failure *each = list->first; each != NULL;) {
        failure *next = each->next;
        each->next = NULL;
        if (ex->into->count >= HAFT__LIMIT_SCHEMA_ERRORS) {
            ex->into->more = true;
            return;
        }
        *ex->into->last = each;
        ex->into->last = &each->next;
        ex->into->count++;
        each = next;
    }
    ex->into->more |= list->more;
}

static place inside_key(const place *at, const haft__json *key)
{
    return (place){at, key, 0, at->depth + 1};
}

static place inside_index(const place *at, uint32_t index)
{
    return (place){at, NULL, index, at->depth + 1};
}

static void explain_type(explainer *ex, uint8_t types, const haft__json *value, const place *at)
{
    haft__buf *text = message(ex);
    if (types == 0) {
        add_str(text, "Expected nothing here, found ");
    } else {
        add_str(text, "Expected ");
        haft__words_types(text, types);
        add_str(text, ", found ");
    }
    haft__words_found(text, value);
    add_failure(ex, at, at->depth == ex->into->depth ? WEIGHT_TYPE : WEIGHT_OTHER);
}

static void explain_values(explainer *ex, const haft__values *values, const haft__json *value,
                           const place *at)
{
    if (values == NULL || haft__values_have(ex->checker, values, value)) {
        return;
    }
    haft__buf *text = message(ex);
    add_str(text, values->count == 1 ? "Expected " : "Expected one of ");
    haft__words_list(text, values->items, values->count);
    add_str(text, values->count == 0 ? "nothing, found " : ", found ");
    haft__words_value(text, value);
    bool discriminator = at->depth <= ex->into->depth + 1;
    add_failure(ex, at, discriminator ? WEIGHT_DISCRIMINATOR : WEIGHT_OTHER);
}

/* Why the checker gave up. */
static void explain_stop(explainer *ex, haft__stop stop, const place *at)
{
    haft__buf *text = message(ex);
    switch (stop) {
    case HAFT__STOP_NOT:
        /* Only if the two passes differed, which the suite and the fuzzer look for. */
        add_str(text, "Not what the schema wants");
        break;
    case HAFT__STOP_STEPS:
        haft__buf_addf(text, "Gave up after %d checks", HAFT__LIMIT_SCHEMA_STEPS);
        break;
    case HAFT__STOP_NESTING:
        haft__buf_addf(text,
                       "Gave up: more than %d subschemas inside each other; does a $ref lead "
                       "back to itself?",
                       HAFT__LIMIT_SCHEMA_NESTING);
        break;
    case HAFT__STOP_PATTERN:
        add_str(text, "Gave up matching the pattern ");
        haft__words_text(text, ex->checker->stop_pattern);
        haft__buf_addf(text, ": more than %d steps", HAFT__LIMIT_PATTERN_MATCH);
        break;
    case HAFT__STOP_DIGITS:
        haft__buf_addf(text, "Gave up: more than %d digits are needed for \"multipleOf\"",
                       HAFT__LIMIT_JSON_DIGITS);
        break;
    case HAFT__STOP_MEMORY: ex->status = HAFT_NO_MEMORY; return;
    }
    ex->stop_told = true;
    add_failure(ex, at, WEIGHT_OTHER);
}

/* After a check that said no: because a budget is used up? Then that is the failure. */
static bool has_stopped(explainer *ex, const place *at)
{
    if (ex->checker->stop == HAFT__STOP_NOT) {
        return false;
    }
    if (!ex->stop_told) {
        explain_stop(ex, ex->checker->stop, at);
    }
    return true;
}

static void explain_number(explainer *ex, const haft__number_rules *rules, const haft__json *value,
                           const place *at)
{
    static const char *const words[HAFT__BOUND_KINDS] = {
        [HAFT__BOUND_MINIMUM] = "Expected a number of at least ",
        [HAFT__BOUND_MAXIMUM] = "Expected a number of at most ",
        [HAFT__BOUND_ABOVE] = "Expected a number greater than ",
        [HAFT__BOUND_BELOW] = "Expected a number less than ",
    };
    for (haft__bound_kind kind = 0; kind <= HAFT__BOUND_KINDS; kind++) {
        bool multiple = kind == HAFT__BOUND_KINDS;
        const haft__bound *bound = multiple ? &rules->multiple_of : &rules->bounds[kind];
        if (bound->text.ptr == NULL
            || (multiple ? haft__multiple_fits(ex->checker, bound, value)
                         : haft__bound_fits(kind, bound, value))
            || has_stopped(ex, at)) {
            continue;
        }
        haft__buf *text = message(ex);
        add_str(text, multiple ? "Expected a multiple of " : words[kind]);
        haft__words_text(text, bound->text);
        add_str(text, ", found ");
        haft__words_value(text, value);
        add_failure(ex, at, WEIGHT_OTHER);
    }
}

/* "Expected at least 1 character, found 0" */
static void explain_range(explainer *ex, const haft__range *range, uint64_t found,
                          const char *thing, const place *at)
{
    if (found >= range->min && found <= range->max) {
        return;
    }
    haft__buf *text = message(ex);
    bool few = found < range->min;
    add_str(text, few ? "Expected at least " : "Expected at most ");
    haft__words_count(text, few ? range->min : range->max, thing);
    haft__buf_addf(text, ", found %llu", (unsigned long long)found);
    add_failure(ex, at, WEIGHT_OTHER);
}

static void explain_string(explainer *ex, const haft__string_rules *rules, const haft__json *value,
                           const place *at)
{
    explain_range(ex, &rules->length, haft__string_length(ex->checker, value), "character", at);
    if (rules->pattern == NULL
        || haft__pattern_fits(ex->checker, rules->pattern, rules->source, haft__json_text(*value))
        || has_stopped(ex, at)) {
        return;
    }
    haft__buf *text = message(ex);
    add_str(text, "Does not match the pattern ");
    haft__words_text(text, rules->source);
    add_str(text, ": found ");
    haft__words_value(text, value);
    add_failure(ex, at, WEIGHT_OTHER);
}

static bool is_false(const haft__node *node)
{
    return node->alias != NULL ? node->alias->types == 0 : node->types == 0;
}

static void explain_contains(explainer *ex, const haft__array_rules *rules, const haft__json *array,
                             const place *at)
{
    uint64_t found = 0;
    for (uint32_t i = 0; i < array->count; i++) {
        found += haft__accepts(ex->checker, rules->contains, &array->items[i], NULL);
    }
    if ((found >= rules->containing.min && found <= rules->containing.max) || is_over(ex)) {
        return;
    }
    bool few = found < rules->containing.min;
    haft__buf *text = message(ex);
    add_str(text, few ? "Expected at least " : "Expected at most ");
    haft__words_count(text, few ? rules->containing.min : rules->containing.max, "item");
    haft__buf_addf(text, " of the kind that \"contains\" describes, found %llu",
                   (unsigned long long)found);
    add_failure(ex, at, WEIGHT_OTHER);
}

static void explain_unique(explainer *ex, const haft__json *array, const place *at)
{
    uint32_t pair[2] = {0, 0};
    if (haft__items_unique(ex->checker, array, pair) || has_stopped(ex, at)) {
        return;
    }
    haft__buf *text = message(ex);
    haft__buf_addf(text, "Expected items that differ, found items %u and %u equal: ", pair[0],
                   pair[1]);
    haft__words_value(text, &array->items[pair[1]]);
    add_failure(ex, at, WEIGHT_OTHER);
}

static void explain_array(explainer *ex, const haft__array_rules *rules, const haft__json *array,
                          const place *at)
{
    explain_range(ex, &rules->length, array->count, "item", at);
    for (uint32_t i = 0; i < array->count && !is_over(ex); i++) {
        const haft__node *node = i < rules->prefix.count ? rules->prefix.items[i] : rules->items;
        if (node == NULL) {
            break;
        }
        if (i >= rules->prefix.count && is_false(node)) {
            haft__range range = {0, rules->prefix.count};
            explain_range(ex, &range, array->count, "item", at);
            break;
        }
        place inside = inside_index(at, i);
        explain_node(ex, node, &array->items[i], &inside);
    }
    if (rules->contains != NULL && !is_over(ex)) {
        explain_contains(ex, rules, array, at);
    }
    if (rules->unique && !is_over(ex)) {
        explain_unique(ex, array, at);
    }
}

/* The declared name nearest to `name`; .ptr is NULL when there is none. */
static haft_str suggest(explainer *ex, const haft__object_rules *rules, haft_str name)
{
    haft_str best = {NULL, 0};
    size_t reach = haft__name_reach(name);
    uint32_t count = rules == NULL ? 0 : rules->count > MOST_SUGGEST ? MOST_SUGGEST : rules->count;
    for (uint32_t i = 0; i < count && haft__checker_charge(ex->checker, 4); i++) {
        haft_str known = {rules->properties[i].name, rules->properties[i].length};
        size_t distance = haft__name_distance(name, known, reach);
        if (rules->properties[i].declared && distance <= reach) {
            best = known;
            if (distance == 0) {
                break;
            }
            reach = distance - 1;
        }
    }
    return best;
}

static void explain_unknown(explainer *ex, const haft__object_rules *rules, const haft__json *key,
                            const place *at)
{
    haft_str name = haft__json_text(*key);
    haft_str known = suggest(ex, rules, name);
    haft__buf *text = message(ex);
    add_str(text, "Unknown argument: ");
    haft__words_text(text, name);
    if (known.ptr != NULL) {
        add_str(text, ". Did you mean ");
        haft__words_text(text, known);
        add_str(text, "?");
    }
    add_failure(ex, at, WEIGHT_OTHER);
}

/* A member by a node that is for it alone: there `false` means that it must not be there. */
static void explain_member(explainer *ex, const haft__node *node, const haft__json_member *member,
                           const place *at)
{
    if (!is_false(node)) {
        explain_node(ex, node, &member->value, at);
        return;
    }
    haft__buf *text = message(ex);
    add_str(text, "Argument not allowed: ");
    haft__words_text(text, haft__json_text(member->key));
    add_failure(ex, at, WEIGHT_OTHER);
}

static void explain_other_member(explainer *ex, const haft__object_rules *rules,
                                 const haft__json_member *member, bool declared, const place *at)
{
    bool known = declared;
    for (uint32_t i = 0; i < rules->pattern_count && !is_over(ex); i++) {
        const haft__pattern_property *pattern = &rules->patterns[i];
        if (haft__pattern_fits(ex->checker, pattern->pattern, pattern->source,
                               haft__json_text(member->key))) {
            known = true;
            explain_member(ex, pattern->node, member, at);
        }
    }
    if (known || rules->additional == NULL || is_over(ex)) {
        return;
    }
    if (is_false(rules->additional)) {
        explain_unknown(ex, rules, &member->key, at);
    } else {
        explain_node(ex, rules->additional, &member->value, at);
    }
}

static void explain_members(explainer *ex, const haft__object_rules *rules,
                            const haft__json *object, const place *at)
{
    uint32_t hint = 0;
    for (uint32_t i = 0; i < object->count && !is_over(ex); i++) {
        const haft__json_member *member = &object->members[i];
        const haft__property *property =
            haft__property_find(ex->checker, rules, &member->key, &hint);
        place inside = inside_key(at, &member->key);
        bool declared = property != NULL && property->declared;
        if (property != NULL && property->node != NULL) {
            explain_member(ex, property->node, member, &inside);
        }
        if (!declared || rules->pattern_count > 0) {
            explain_other_member(ex, rules, member, declared, &inside);
        }
    }
}

static void explain_missing(explainer *ex, haft_str name, const haft__dependency *because,
                            const place *at)
{
    haft__buf *text = message(ex);
    add_str(text, "Missing required argument: ");
    haft__words_text(text, name);
    if (because != NULL) {
        add_str(text, " (needed with ");
        haft__words_text(text, because->name);
        add_str(text, ")");
    }
    add_failure(ex, at, WEIGHT_OTHER);
}

static void explain_required(explainer *ex, const haft__object_rules *rules,
                             const haft__json *object, const place *at)
{
    for (uint32_t i = 0; i < rules->count && !is_over(ex); i++) {
        const haft__property *property = &rules->properties[i];
        haft_str name = {property->name, property->length};
        if (property->required && haft__member_find(ex->checker, object, name) == NULL
            && ex->checker->stop == HAFT__STOP_NOT) {
            explain_missing(ex, name, NULL, at);
        }
    }
}

static void explain_dependency(explainer *ex, const haft__dependency *dependency,
                               const haft__json *object, const place *at)
{
    if (haft__member_find(ex->checker, object, dependency->name) == NULL) {
        return;
    }
    if (dependency->node != NULL) {
        explain_node(ex, dependency->node, object, at);
    }
    uint32_t count = dependency->names != NULL ? dependency->names->count : 0;
    for (uint32_t i = 0; i < count && !is_over(ex); i++) {
        haft_str name = haft__json_text(dependency->names->items[i]);
        if (haft__member_find(ex->checker, object, name) == NULL
            && ex->checker->stop == HAFT__STOP_NOT) {
            explain_missing(ex, name, dependency, at);
        }
    }
}

/* What is wrong with a name, told at the object that has it. */
static void explain_name(explainer *ex, const haft__node *names, const haft__json *key,
                         const place *at)
{
    if (haft__accepts(ex->checker, names, key, NULL)) {
        return;
    }
    failures own;
    failures_init(&own, at->depth);
    failures *before = swap_list(ex, &own);
    explain_node(ex, names, key, at);
    (void)swap_list(ex, before);
    if (is_over(ex)) {
        append(ex, &own);
    }
    for (const failure *inner = own.first; inner != NULL && !is_over(ex); inner = inner->next) {
        haft__buf *text = message(ex);
        add_str(text, "Bad argument name ");
        haft__words_value(text, key);
        add_str(text, ": ");
        haft__buf_add_str(text, inner->message);
        add_failure(ex, at, WEIGHT_OTHER);
    }
}

static void explain_object(explainer *ex, const haft__object_rules *rules, const haft__json *object,
                           const place *at)
{
    explain_range(ex, &rules->size, object->count, "argument", at);
    explain_required(ex, rules, object, at);
    explain_members(ex, rules, object, at);
    for (uint32_t i = 0; rules->names != NULL && i < object->count && !is_over(ex); i++) {
        explain_name(ex, rules->names, &object->members[i].key, at);
    }
    for (uint32_t i = 0; i < rules->dependency_count && !is_over(ex); i++) {
        explain_dependency(ex, &rules->dependencies[i], object, at);
    }
}

/* The types that alternatives allow together; 0 when one of them does not say. */
static uint8_t types_of(const haft__node_list *list)
{
    uint8_t types = 0;
    for (uint32_t i = 0; i < list->count; i++) {
        const haft__node *node =
            list->items[i]->alias != NULL ? list->items[i]->alias : list->items[i];
        if (node->types == HAFT__TYPES_ALL) {
            return 0;
        }
        types |= node->types;
    }
    return types;
}

static void explain_none_of(explainer *ex, const haft__node_list *list, const haft__json *value,
                            const place *at, const failures *closest, uint32_t which)
{
    if (list->count == 1) {
        append(ex, closest);
        return;
    }
    haft__buf *text = message(ex);
    haft__buf_addf(text, "Matches none of the %u alternatives", list->count);
    uint8_t types = closest->weight >= WEIGHT_TYPE ? types_of(list) : 0;
    if (types != 0) {
        add_str(text, ": expected ");
        haft__words_types(text, types);
        add_str(text, ", found ");
        haft__words_found(text, value);
    } else {
        haft__buf_addf(text, "; number %u comes closest", which + 1);
    }
    add_failure(ex, at, closest->weight);
    if (types == 0) {
        append(ex, closest);
    }
}

/* Explains every alternative and keeps what the closest says. */
static void explain_alternatives(explainer *ex, const haft__node_list *list,
                                 const haft__json *value, const place *at)
{
    failures best = {.weight = UINT64_MAX};
    uint32_t which = 0;
    failures *before = ex->into;
    for (uint32_t i = 0; i < list->count; i++) {
        haft__arena_mark mark = haft__arena_save(ex->arena);
        failures own;
        failures_init(&own, at->depth);
        (void)swap_list(ex, &own);
        explain_node(ex, list->items[i], value, at);
        (void)swap_list(ex, before);
        if (is_over(ex)) {
            append(ex, &own); /* the reason why it ended is in there */
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

static void explain_any(explainer *ex, const haft__node_list *list, const haft__json *value,
                        const place *at)
{
    for (uint32_t i = 0; i < list->count; i++) {
        if (haft__accepts(ex->checker, list->items[i], value, NULL)) {
            return;
        }
    }
    if (!is_over(ex)) {
        explain_alternatives(ex, list, value, at);
    }
}

static void explain_one(explainer *ex, const haft__node_list *list, const haft__json *value,
                        const place *at)
{
    uint32_t found = 0;
    haft__buf *text = message(ex);
    haft__buf_addf(text, "Matches more than one of the %u alternatives: ", list->count);
    for (uint32_t i = 0; i < list->count && found < 8; i++) {
        if (haft__accepts(ex->checker, list->items[i], value, NULL)) {
            haft__buf_addf(text, "%s%u", found == 0 ? "" : ", ", i + 1);
            found++;
        }
    }
    if (is_over(ex) || found == 1) {
        return;
    }
    if (found > 1) {
        add_failure(ex, at, WEIGHT_OTHER);
    } else {
        explain_alternatives(ex, list, value, at);
    }
}

static void explain_not(explainer *ex, const haft__node *node, const haft__json *value,
                        const place *at)
{
    if (!haft__accepts(ex->checker, node, value, NULL) || is_over(ex)) {
        return;
    }
    node = node->alias != NULL ? node->alias : node;
    haft__buf *text = message(ex);
    const haft__values *values = node->constant != NULL ? node->constant : node->enumeration;
    if (node->plain && node->types != HAFT__TYPES_ALL) {
        add_str(text, "Expected anything but ");
        haft__words_types(text, node->types);
    } else if (values != NULL) {
        add_str(text, "Expected anything but ");
        haft__words_list(text, values->items, values->count);
    } else {
        add_str(text, "Expected nothing that matches the schema under \"not\"");
    }
    add_str(text, ", found ");
    haft__words_found(text, value);
    add_failure(ex, at, WEIGHT_OTHER);
}

static void explain_general(explainer *ex, const haft__general_rules *rules,
                            const haft__json *value, const place *at)
{
    if (rules->ref != NULL) {
        explain_node(ex, rules->ref, value, at);
    }
    if (rules->dynamic != NULL) {
        explain_node(ex, haft__dynamic_target(ex->checker, rules->dynamic), value, at);
    }
    for (uint32_t i = 0; i < rules->all.count; i++) {
        explain_node(ex, rules->all.items[i], value, at);
    }
    if (rules->any.count > 0 && !is_over(ex)) {
        explain_any(ex, &rules->any, value, at);
    }
    if (rules->one.count > 0 && !is_over(ex)) {
        explain_one(ex, &rules->one, value, at);
    }
    if (rules->none != NULL && !is_over(ex)) {
        explain_not(ex, rules->none, value, at);
    }
    if (rules->test != NULL && !is_over(ex)) {
        bool test = haft__accepts(ex->checker, rules->test, value, NULL);
        const haft__node *next = test ? rules->then : rules->otherwise;
        if (next != NULL) {
            explain_node(ex, next, value, at);
        }
    }
}

/* The parts of `value` that nothing has evaluated. All else in `node` holds. */
static void explain_unevaluated(explainer *ex, const haft__node *node, const haft__json *value,
                                const place *at)
{
    bool array = value->kind == HAFT__JSON_ARRAY;
    const haft__node *rest =
        array ? node->general->unevaluated_items : node->general->unevaluated_properties;
    haft__marks marks;
    if (rest == NULL || !haft__marks_push(ex->checker, value->count, &marks)) {
        return;
    }
    (void)haft__accepts_before_unevaluated(ex->checker, node, value, &marks);
    for (uint32_t i = 0; i < value->count && !is_over(ex); i++) {
        if (haft__marked(ex->checker, &marks, i)) {
            continue;
        }
        place inside = array ? inside_index(at, i) : inside_key(at, &value->members[i].key);
        const haft__json *part = array ? &value->items[i] : &value->members[i].value;
        if (array || !is_false(rest)) {
            explain_node(ex, rest, part, &inside);
        } else {
            explain_unknown(ex, node->object, &value->members[i].key, &inside);
        }
    }
    haft__marks_pop(ex->checker, &marks);
}

static void explain_parts(explainer *ex, const haft__node *node, const haft__json *value,
                          const place *at)
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
        if (value->kind >= HAFT__JSON_ARRAY && ex->into->weight == weight && !is_over(ex)) {
            explain_unevaluated(ex, node, value, at);
        }
    }
}

static void explain_deep(explainer *ex, const haft__node *node, const haft__json *value,
                         const place *at)
{
    haft__checker *checker = ex->checker;
    if (!haft__checker_enter(checker, HAFT__LIMIT_SCHEMA_NESTING)) {
        return;
    }
    haft__scope scope = {checker->scope, node->resource};
    if (checker->dynamic
        && (checker->scope == NULL || checker->scope->resource != node->resource)) {
        checker->scope = &scope;
    }
    explain_parts(ex, node, value, at);
    checker->scope = scope.outer;
    haft__checker_leave(checker);
}

static void explain_node(explainer *ex, const haft__node *node, const haft__json *value,
                         const place *at)
{
    node = node->alias != NULL ? node->alias : node;
    if (is_over(ex) || !haft__checker_charge(ex->checker, 1)) {
        return;
    }
    if (!haft__type_fits(node->types, value)) {
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

static haft_status copy_report(const failures *list, haft__arena *arena,
                               haft__schema_report *ret_report, haft_error *err)
{
    haft__schema_error *errors = haft__arena_array(arena, list->count, sizeof(*errors));
    size_t count = 0;
    if (errors == NULL) {
        return haft__arena_fail(arena, err);
    }
    for (const failure *each = list->first; each != NULL; each = each->next) {
        errors[count].where = haft__arena_copy(arena, each->where);
        errors[count].message = haft__arena_copy(arena, each->message);
        if (errors[count].where.ptr == NULL || errors[count].message.ptr == NULL) {
            return haft__arena_fail(arena, err);
        }
        count++;
    }
    *ret_report = (haft__schema_report){.more = list->more, .errors = errors, .count = count};
    return HAFT_OK;
}

haft_status haft__explain(const haft__schema *schema, haft__checker *checker,
                          const haft__json *instance, haft__arena *arena,
                          haft__schema_report *ret_report, haft_error *err)
{
    failures list;
    failures_init(&list, 0);
    explainer ex = {.checker = checker, .arena = &checker->arena, .into = &list};
    place root = {0};
    haft__buf_init(&ex.text, MESSAGE_MAX);
    haft__buf_init(&ex.where, WHERE_MAX);
    haft__stop stop = checker->stop;
    /* Where a budget of the whole is used up a second walk would only use it up again. */
    if (stop == HAFT__STOP_NOT || stop == HAFT__STOP_PATTERN || stop == HAFT__STOP_DIGITS) {
        haft__checker_begin(checker, schema);
        explain_node(&ex, schema->root, instance, &root);
        stop = checker->stop != HAFT__STOP_NOT ? checker->stop : stop;
    }
    if (ex.status == HAFT_OK && !ex.stop_told && (stop != HAFT__STOP_NOT || list.count == 0)) {
        explain_stop(&ex, stop, &root);
    }
    haft_status status = ex.status == HAFT_OK ? copy_report(&list, arena, ret_report, err)
                                              : haft__fail_no_memory(err);
    haft__buf_finish(&ex.text);
    haft__buf_finish(&ex.where);
    haft__arena_reset(&checker->arena);
    return status;
}
