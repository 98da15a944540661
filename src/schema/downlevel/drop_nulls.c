/* SPDX-License-Identifier: Apache-2.0 */
/*
 * drop_nulls.c - removes null members that a model wrote only because it could not omit them.
 *
 * The functions read the uncompiled schema and follow $ref inside the schema, allOf, anyOf and
 * oneOf. If alternatives differ, null stays if one of them allows it. Tests:
 * tests/schema/downlevel/drop_nulls_test.c.
 */
#include "schema/downlevel/drop_nulls.h"

#include <string.h>

#include "base/error.h"
#include "base/limits.h"
#include "base/macros.h"
#include "base/str.h"
#include "json/object.h"
#include "json/pointer.h"

/* Nested references and alternatives; past this number the value is unchanged. */
#define MAX_HOPS 32
/* The number of steps that each member adds to the budget. */
#define MEMBER_STEPS 100

typedef struct dropper {
    const haft__json *root; /* the root that references point into */
    haft__arena *arena;
    haft_status status;
    uint64_t steps; /* remaining steps; nested alternatives multiply the work */
} dropper;

/* Counts a step for each schema that is examined. */
static bool step(dropper *d, unsigned hops)
{
    d->steps -= d->steps > 0;
    return d->steps > 0 && hops <= MAX_HOPS;
}

static const haft__json *target_of(const dropper *d, haft__json schema)
{
    const haft__json *ref = haft__object_find(schema, "$ref");
    haft_str text = ref != NULL ? haft__json_text(*ref) : HAFT__LIT("");
    return haft__str_starts_with(text, HAFT__LIT("#"))
               ? haft__pointer_get(d->root, haft__str_skip(text, 1))
               : NULL;
}

/* ---- whether a schema allows null ---- */

static bool names_null(haft__json type)
{
    bool found = haft__str_equal(haft__json_text(type), HAFT__LIT("null"));
    for (uint32_t i = 0; type.kind == HAFT__JSON_ARRAY && i < type.count && !found; i++) {
        found = haft__str_equal(haft__json_text(type.items[i]), HAFT__LIT("null"));
    }
    return found;
}

static bool has_null(haft__json values)
{
    bool found = false;
    for (uint32_t i = 0; values.kind == HAFT__JSON_ARRAY && i < values.count && !found; i++) {
        found = values.items[i].kind == HAFT__JSON_NULL;
    }
    return found;
}

static bool allows_null(dropper *d, haft__json schema, unsigned hops);

/* How many schemas of a list allow null. */
static uint32_t count_allowing(dropper *d, const haft__json *list, unsigned hops)
{
    uint32_t count = 0;
    for (uint32_t i = 0; list != NULL && list->kind == HAFT__JSON_ARRAY && i < list->count; i++) {
        count += allows_null(d, list->items[i], hops + 1);
    }
    return count;
}

static bool allows_null(dropper *d, haft__json schema, unsigned hops)
{
    const haft__json *type = haft__object_find(schema, "type"),
                     *values = haft__object_find(schema, "enum");
    const haft__json *only = haft__object_find(schema, "const"),
                     *all = haft__object_find(schema, "allOf");
    const haft__json *any = haft__object_find(schema, "anyOf"),
                     *one = haft__object_find(schema, "oneOf");
    const haft__json *target = target_of(d, schema);
    if (!step(d, hops) || schema.kind != HAFT__JSON_OBJECT) {
        return schema.kind != HAFT__JSON_FALSE;
    }
    return (type == NULL || names_null(*type)) && (values == NULL || has_null(*values))
           && (only == NULL || only->kind == HAFT__JSON_NULL)
           && (target == NULL || allows_null(d, *target, hops + 1))
           && (all == NULL || count_allowing(d, all, hops) == all->count)
           && (any == NULL || count_allowing(d, any, hops) > 0)
           && (one == NULL || count_allowing(d, one, hops) > 0);
}

/* ---- the schemas of a member ---- */

typedef struct member_rules {
    const haft__json *schema; /* the first schema of the member; NULL without one */
    bool required, null;      /* one of its schemas requires it, or allows null */
} member_rules;

static void collect_rules(dropper *d, haft__json schema, haft_str key, member_rules *s,
                          unsigned hops)
{
    static const char *const parts[] = {"allOf", "anyOf", "oneOf"};
    const haft__json *properties = haft__object_find(schema, "properties"),
                     *target = target_of(d, schema);
    const haft__json *own = properties != NULL ? haft__json_get(*properties, key) : NULL;
    if (!step(d, hops)) {
        return;
    }
    if (own != NULL) {
        s->schema = s->schema != NULL ? s->schema : own;
        s->null = s->null || allows_null(d, *own, 0);
    }
    s->required = s->required || haft__array_has_text(haft__object_get(schema, "required"), key);
    if (target != NULL) {
        collect_rules(d, *target, key, s, hops + 1);
    }
    for (size_t i = 0; i < COUNT(parts); i++) {
        const haft__json *list = haft__object_find(schema, parts[i]);
        for (uint32_t j = 0; list != NULL && list->kind == HAFT__JSON_ARRAY && j < list->count;
             j++) {
            collect_rules(d, list->items[j], key, s, hops + 1);
        }
    }
}

/* ---- values ---- */

static haft__json drop(dropper *d, haft__json schema, haft__json value);

static haft__json drop_members(dropper *d, haft__json schema, haft__json value)
{
    size_t count = 0;
    haft__json_member *members = haft__arena_array(d->arena, value.count, sizeof(*members));
    if (members == NULL) {
        d->status = HAFT_NO_MEMORY;
        return value;
    }
    for (uint32_t i = 0; i < value.count; i++) {
        haft__json_member member = value.members[i];
        member_rules s = {0};
        d->steps += MEMBER_STEPS;
        collect_rules(d, schema, haft__json_text(member.key), &s, 0);
        if (member.value.kind == HAFT__JSON_NULL && s.schema != NULL && !s.required && !s.null) {
            continue;
        }
        if (s.schema != NULL) {
            member.value = drop(d, *s.schema, member.value);
        }
        members[count++] = member;
    }
    return haft__json_object(members, count);
}

/* The schema of an array's item; NULL without one. */
static const haft__json *item_schema(const dropper *d, haft__json schema, uint32_t index)
{
    for (unsigned hops = 0; hops < MAX_HOPS; hops++) {
        const haft__json *first = haft__object_find(schema, "prefixItems"),
                         *items = haft__object_find(schema, "items");
        const haft__json *target = target_of(d, schema);
        if (first != NULL && first->kind == HAFT__JSON_ARRAY && index < first->count) {
            return &first->items[index];
        }
        if (items != NULL || target == NULL) {
            return items;
        }
        schema = *target;
    }
    return NULL;
}

static haft__json drop_items(dropper *d, haft__json schema, haft__json value)
{
    haft__json *items = haft__arena_array(d->arena, value.count, sizeof(*items));
    if (items == NULL) {
        d->status = HAFT_NO_MEMORY;
        return value;
    }
    for (uint32_t i = 0; i < value.count; i++) {
        const haft__json *of = item_schema(d, schema, i);
        items[i] = of != NULL ? drop(d, *of, value.items[i]) : value.items[i];
    }
    return haft__json_array(items, value.count);
}

/* Recursion is bounded by the maximum depth of a value. */
static haft__json drop(dropper *d, haft__json schema, haft__json value)
{
    if (value.kind == HAFT__JSON_OBJECT) {
        return drop_members(d, schema, value);
    }
    return value.kind == HAFT__JSON_ARRAY ? drop_items(d, schema, value) : value;
}

haft_status haft__schema_drop_nulls(haft__json schema, haft__json value, haft__arena *arena,
                                    haft__json *ret_value, haft_error *err)
{
    dropper d = {.root = &schema, .arena = arena, .steps = HAFT__LIMIT_GRAMMAR_STEPS};
    haft__json dropped = drop(&d, schema, value);
    if (d.status != HAFT_OK) {
        return haft__arena_fail(arena, err);
    }
    *ret_value = dropped;
    return HAFT_OK;
}
