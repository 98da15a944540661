/* SPDX-License-Identifier: Apache-2.0 */
/*
 * merge.c - merges several schemas that apply together: allOf, and keywords next to $ref or anyOf.
 *
 * If both schemas have the same property, its two schemas become an allOf, which is merged later.
 * So a merge handles only one level. Tests: tests/schema/grammar/gbnf_test.c.
 */
#include "schema/grammar/gbnf_writer.h"
#include "json/number.h"
#include "json/object.h"
#include "json/pointer.h"

#define HOPS         32  /* maximum length of a chain of references */
#define MAX_KEYWORDS 256 /* if both schemas together have more, only the first schema is used */

static const char *const annotations[] = {
    "title",           "description",   "default",     "examples",
    "$comment",        "deprecated",    "readOnly",    "writeOnly",
    "$schema",         "$id",           "$defs",       "definitions",
    "$anchor",         "nullable",      "$vocabulary", "contentMediaType",
    "contentEncoding", "contentSchema", "id",          "example",
};

bool haft__gbnf_is_annotation(haft_str key)
{
    return haft__str_is_one_of(key, annotations, COUNT(annotations));
}

/* ---- making schemas ---- */

static haft__json make_pair(haft__gbnf_writer *g, haft__json a, haft__json b)
{
    haft__json *items = haft__gbnf_alloc(g, 2, sizeof *items);
    haft__json_member *member = haft__gbnf_alloc(g, 1, sizeof *member);
    if (items == NULL || member == NULL) {
        return a;
    }
    items[0] = a;
    items[1] = b;
    *member =
        (haft__json_member){haft__json_string(HAFT__LIT("allOf")), haft__json_array(items, 2)};
    return haft__json_object(member, 1);
}

static haft__json without_item(haft__gbnf_writer *g, haft__json list, uint32_t index)
{
    bool object = list.kind == HAFT__JSON_OBJECT;
    size_t size = object ? sizeof(haft__json_member) : sizeof(haft__json);
    const char *from = object ? (const char *)list.members : (const char *)list.items;
    char *copy = haft__gbnf_alloc(g, list.count, size);
    if (copy == NULL || index >= list.count) {
        return list;
    }
    memcpy(copy, from, index * size);
    memcpy(copy + index * size, from + (index + 1) * size, (list.count - index - 1) * size);
    return object ? haft__json_object((haft__json_member *)(void *)copy, list.count - 1)
                  : haft__json_array((haft__json *)(void *)copy, list.count - 1);
}

haft__json haft__gbnf_without_keyword(haft__gbnf_writer *g, haft__json schema, const char *keyword,
                                      uint32_t index)
{
    haft__json_member *members = haft__gbnf_alloc(g, schema.count, sizeof *members);
    size_t count = 0;
    for (uint32_t i = 0; members != NULL && i < schema.count; i++) {
        bool is_keyword =
            haft__str_equal(haft__json_text(schema.members[i].key), haft__str(keyword));
        if (!is_keyword || index != UINT32_MAX) {
            members[count] = schema.members[i];
        }
        if (is_keyword && index != UINT32_MAX) {
            members[count].value = without_item(g, schema.members[i].value, index);
        }
        count += !is_keyword || index != UINT32_MAX ? 1 : 0;
    }
    return members != NULL ? haft__json_object(members, count) : schema;
}

/* ---- one keyword that both have ---- */

static bool has_type(haft__json types, haft_str type)
{
    if (types.kind == HAFT__JSON_STRING) {
        haft_str text = haft__json_text(types);
        return haft__str_equal(text, type)
               || (haft__str_equal(text, HAFT__LIT("number"))
                   && haft__str_equal(type, HAFT__LIT("integer")));
    }
    for (uint32_t i = 0; types.kind == HAFT__JSON_ARRAY && i < types.count; i++) {
        if (types.items[i].kind == HAFT__JSON_STRING && has_type(types.items[i], type)) {
            return true;
        }
    }
    return false;
}

static size_t common_types(haft__json a, haft__json b, haft__json *to, size_t count)
{
    for (uint32_t i = 0; i < (a.kind == HAFT__JSON_ARRAY ? a.count : 1); i++) {
        haft__json type = a.kind == HAFT__JSON_ARRAY ? a.items[i] : a;
        if (type.kind == HAFT__JSON_STRING && has_type(b, haft__json_text(type))
            && !has_type(haft__json_array(to, count), haft__json_text(type))) {
            to[count++] = type;
        }
    }
    return count;
}

/* Merges two values of `type`: the types that both allow. An integer is a number, too. */
static bool merge_types(haft__gbnf_writer *g, haft__json *a, haft__json b)
{
    size_t room =
        (a->kind == HAFT__JSON_ARRAY ? a->count : 1U) + (b.kind == HAFT__JSON_ARRAY ? b.count : 1U);
    haft__json *types = haft__gbnf_alloc(g, room, sizeof *types);
    if (types == NULL) {
        return false;
    }
    size_t count = common_types(*a, b, types, 0);
    count = common_types(b, *a, types, count);
    if (count == 0) {
        return false;
    }
    *a = count == 1 ? types[0] : haft__json_array(types, count);
    return true;
}

static bool merge_enums(haft__gbnf_writer *g, haft__json *a, haft__json b)
{
    if (a->kind != HAFT__JSON_ARRAY || b.kind != HAFT__JSON_ARRAY
        || a->count > HAFT__LIMIT_GRAMMAR_ENUM || b.count > HAFT__LIMIT_GRAMMAR_ENUM) {
        return false;
    }
    haft__json *values = haft__gbnf_alloc(g, a->count, sizeof *values);
    size_t count = 0;
    for (uint32_t i = 0; values != NULL && i < a->count; i++) {
        bool found = false;
        for (uint32_t j = 0; j < b.count && !found; j++) {
            if (haft__json_equal(a->items[i], b.items[j], &found, NULL) != HAFT_OK) {
                haft__gbnf_fail(g, HAFT_NO_MEMORY);
            }
        }
        if (found) {
            values[count++] = a->items[i];
        }
    }
    if (count > 0) {
        *a = haft__json_array(values, count);
    }
    return count > 0;
}

static bool concatenate(haft__gbnf_writer *g, haft__json *a, haft__json b)
{
    if (a->kind != HAFT__JSON_ARRAY || b.kind != HAFT__JSON_ARRAY) {
        return false;
    }
    haft__json *items = haft__gbnf_alloc(g, (size_t)a->count + b.count, sizeof *items);
    if (items == NULL) {
        return false;
    }
    if (a->count > 0) {
        memcpy(items, a->items, a->count * sizeof *items);
    }
    if (b.count > 0) {
        memcpy(items + a->count, b.items, b.count * sizeof *items);
    }
    *a = haft__json_array(items, (size_t)a->count + b.count);
    return true;
}

static bool merge_members(haft__gbnf_writer *g, haft__json *a, haft__json b)
{
    if (a->kind != HAFT__JSON_OBJECT || b.kind != HAFT__JSON_OBJECT) {
        return false;
    }
    haft__json_member *members = haft__gbnf_alloc(g, (size_t)a->count + b.count, sizeof *members);
    haft__map known;
    haft__map_init(&known, &g->arena, (haft__hash_key){0});
    size_t count = 0;
    for (uint32_t i = 0; members != NULL && i < a->count; i++) {
        members[count] = a->members[i];
        if (haft__map_put(&known, haft__json_text(members[count].key), &members[count], NULL)
            != HAFT_OK) {
            haft__gbnf_fail(g, haft__arena_fail(&g->arena, NULL));
        }
        count++;
    }
    for (uint32_t i = 0; members != NULL && i < b.count; i++) {
        haft__json_member *same = haft__map_get(&known, haft__json_text(b.members[i].key));
        if (same != NULL) {
            same->value = make_pair(g, same->value, b.members[i].value);
        } else {
            members[count++] = b.members[i];
        }
    }
    if (members != NULL) {
        *a = haft__json_object(members, count);
    }
    return members != NULL;
}

/* Merges two bounds: the larger number or, with `smaller`, the smaller one. */
static bool merge_bounds(haft__json *a, haft__json b, bool smaller)
{
    if (a->kind != HAFT__JSON_NUMBER || b.kind != HAFT__JSON_NUMBER) {
        return false;
    }
    int order = haft__number_compare(haft__json_text(*a), haft__json_text(b));
    if (smaller ? order > 0 : order < 0) {
        *a = b;
    }
    return true;
}

static bool merge_schemas(haft__gbnf_writer *g, haft__json *a, haft__json b)
{
    if (a->kind == HAFT__JSON_FALSE || b.kind == HAFT__JSON_TRUE) {
        return true;
    }
    *a = b.kind == HAFT__JSON_FALSE || a->kind == HAFT__JSON_TRUE ? b : make_pair(g, *a, b);
    return true;
}

static bool merge_same(haft__gbnf_writer *g, haft__json *a, haft__json b)
{
    bool same = false;
    if (haft__json_equal(*a, b, &same, NULL) != HAFT_OK) {
        haft__gbnf_fail(g, HAFT_NO_MEMORY);
    }
    return same;
}

typedef enum merge_rule { SAME, TYPES, ENUMS, JOIN, MEMBERS, LARGER, SMALLER, SCHEMAS } merge_rule;

static const struct {
    const char *key;
    merge_rule how;
} keywords[] = {
    {"type", TYPES},
    {"enum", ENUMS},
    {"required", JOIN},
    {"allOf", JOIN},
    {"properties", MEMBERS},
    {"patternProperties", MEMBERS},
    {"minimum", LARGER},
    {"minLength", LARGER},
    {"minItems", LARGER},
    {"minProperties", LARGER},
    {"exclusiveMinimum", LARGER},
    {"maximum", SMALLER},
    {"maxLength", SMALLER},
    {"maxItems", SMALLER},
    {"maxProperties", SMALLER},
    {"exclusiveMaximum", SMALLER},
    {"additionalProperties", SCHEMAS},
    {"items", SCHEMAS},
};

static bool merge_keyword(haft__gbnf_writer *g, haft_str key, haft__json *a, haft__json b)
{
    merge_rule how = SAME;
    for (size_t i = 0; i < COUNT(keywords); i++) {
        how = haft__str_equal(key, haft__str(keywords[i].key)) ? keywords[i].how : how;
    }
    if (haft__gbnf_is_annotation(key)) {
        return true;
    }
    switch (how) {
    case SAME: return merge_same(g, a, b);
    case TYPES: return merge_types(g, a, b);
    case ENUMS: return merge_enums(g, a, b);
    case JOIN: return concatenate(g, a, b);
    case MEMBERS: return merge_members(g, a, b);
    case LARGER: return merge_bounds(a, b, false);
    case SMALLER: return merge_bounds(a, b, true);
    case SCHEMAS: return merge_schemas(g, a, b);
    }
    return false;
}

/* ---- two schemas ---- */

/* Reports that after the merge, additionalProperties refers to the properties of both schemas
 * instead of those next to it. */
static void report_additional_properties(haft__gbnf_writer *g, haft__json a, haft__json b)
{
    const haft__json *other = haft__object_find(a, "additionalProperties");
    if (other != NULL && other->kind != HAFT__JSON_TRUE
        && haft__object_find(b, "properties") != NULL) {
        haft__gbnf_relax(g, a, "additionalProperties",
                         "additional to the properties of all combined schemas");
    }
}

static void report_unmerged(haft__gbnf_writer *g, haft_str key)
{
    haft__buf what;
    haft__buf_init(&what, HAFT__LIMIT_JSON_KEY_BYTES + 64);
    haft__buf_addf(&what, "%.*s twice, in combined schemas", HAFT__ARG(key));
    haft__relax_report_add(g->report, haft__buf_str(&g->path), haft__buf_str(&what),
                           "the first one");
    haft__gbnf_release_body(g, &what);
}

haft__json haft__gbnf_merge_schemas(haft__gbnf_writer *g, haft__json a, haft__json b)
{
    if (a.kind != HAFT__JSON_OBJECT || b.kind != HAFT__JSON_OBJECT) {
        return a.kind == HAFT__JSON_FALSE || b.kind != HAFT__JSON_OBJECT ? a : b;
    }
    haft__json_member *members = haft__gbnf_alloc(g, (size_t)a.count + b.count, sizeof *members);
    if (members == NULL) {
        return a;
    }
    if (a.count > MAX_KEYWORDS && b.count > MAX_KEYWORDS) {
        haft__gbnf_report_relaxed(g, "this many keywords in combined schemas", "the first of them");
        return a;
    }
    report_additional_properties(g, a, b);
    report_additional_properties(g, b, a);
    size_t count = a.count;
    if (count > 0) {
        memcpy(members, a.members, count * sizeof *members);
    }
    for (uint32_t i = 0; i < b.count; i++) {
        haft_str key = haft__json_text(b.members[i].key);
        size_t at = 0;
        while (at < a.count && !haft__str_equal(haft__json_text(members[at].key), key)) {
            at++;
        }
        if (at == a.count) {
            members[count++] = b.members[i];
        } else if (!merge_keyword(g, key, &members[at].value, b.members[i].value)) {
            report_unmerged(g, key);
        }
    }
    return haft__json_object(members, count);
}

/* ---- references ---- */

/* The target of a `$ref` of this schema; NULL if it does not exist or is outside the schema. */
const haft__json *haft__gbnf_ref_target(haft__gbnf_writer *g, haft__json schema)
{
    const haft__json *ref = haft__object_find(schema, "$ref");
    haft_str text = ref != NULL ? haft__json_text(*ref) : (haft_str){NULL, 0};
    if (text.len == 0 || text.ptr[0] != '#' || memchr(text.ptr, '%', text.len) != NULL) {
        return NULL;
    }
    return haft__pointer_get(&g->root, haft__str_skip(text, 1));
}

static bool add_all(haft__gbnf_writer *g, haft__json *schema)
{
    const haft__json *all = haft__object_find(*schema, "allOf");
    if (all == NULL) {
        return false;
    }
    haft__json merged = haft__gbnf_without_keyword(g, *schema, "allOf", UINT32_MAX);
    for (uint32_t i = 0; all->kind == HAFT__JSON_ARRAY && i < all->count; i++) {
        haft__json part = all->items[i];
        if (haft__object_find(part, "$ref") != NULL && haft__object_find(merged, "$ref") != NULL) {
            part = haft__gbnf_flatten_schema(g, part); /* a schema can have only one $ref */
        }
        bool empty = merged.count == 0; /* {}, or a boolean */
        merged = empty && merged.kind == HAFT__JSON_OBJECT
                     ? part
                     : haft__gbnf_merge_schemas(g, merged, part);
    }
    *schema = merged;
    return true;
}

static bool add_target(haft__gbnf_writer *g, haft__json *schema)
{
    if (haft__object_find(*schema, "$ref") == NULL) {
        return false;
    }
    const haft__json *target = haft__gbnf_ref_target(g, *schema);
    haft__json rest = haft__gbnf_without_keyword(g, *schema, "$ref", UINT32_MAX);
    if (target == NULL) {
        haft__gbnf_relax(g, *schema, "$ref", "any value");
    }
    *schema = target != NULL ? haft__gbnf_merge_schemas(g, *target, rest) : rest;
    return true;
}

haft__json haft__gbnf_flatten_schema(haft__gbnf_writer *g, haft__json schema)
{
    if (haft__object_find(schema, "allOf") == NULL && haft__object_find(schema, "$ref") == NULL) {
        return schema;
    }
    g->depth++;
    for (size_t hops = 0; g->depth <= HAFT__LIMIT_GRAMMAR_DEPTH && hops < HOPS; hops++) {
        if (!add_all(g, &schema) && !add_target(g, &schema)) {
            g->depth--;
            return schema;
        }
        g->steps++;
    }
    g->depth--;
    haft__gbnf_report_relaxed(g, "schemas that refer to each other", "any value");
    return (haft__json){.kind = HAFT__JSON_TRUE};
}
