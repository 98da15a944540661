/* SPDX-License-Identifier: Apache-2.0 */
/*
 * value.c - a schema as a rule: references, alternatives, types and enums.
 *
 * HAFT__LIMIT_GRAMMAR_DEPTH bounds the recursion, HAFT__LIMIT_GRAMMAR_STEPS the total work; past
 * either limit a schema becomes any value. Tests: tests/schema/grammar/gbnf_test.c.
 */
#include "schema/grammar/gbnf_writer.h"
#include "json/number.h"
#include "json/object.h"

/* A reference whose text may be the start of the text of another reference. */
struct haft__gbnf_edge {
    haft__gbnf_ref *to;
    struct haft__gbnf_edge *next;
};

bool haft__gbnf_get_count(haft__json schema, const char *key, uint64_t *ret_count)
{
    const haft__json *value = haft__object_find(schema, key);
    int64_t number;
    if (value == NULL || value->kind != HAFT__JSON_NUMBER
        || !haft__number_to_int64(haft__json_text(*value), &number) || number < 0) {
        return false;
    }
    *ret_count = (uint64_t)number;
    return true;
}

static haft__gbnf_rule_name any_value(haft__gbnf_writer *g)
{
    return haft__gbnf_shared_rule(g, HAFT__GBNF_VALUE);
}

static haft__gbnf_rule_name relaxed(haft__gbnf_writer *g, const char *what)
{
    haft__gbnf_report_relaxed(g, what, "any value");
    return any_value(g);
}

/* ---- references ---- */

/* Whether the text of `from` may begin with the text of `to`. Recursion is bounded by the number of
 * references. */
static bool reaches(haft__gbnf_ref *from, const haft__gbnf_ref *to, uint32_t depth)
{
    if (from == to || depth > HAFT__LIMIT_GRAMMAR_DEPTH) {
        return true;
    }
    if (from->seen) {
        return false;
    }
    from->seen = true;
    bool found = false;
    for (struct haft__gbnf_edge *edge = from->begins; edge != NULL && !found; edge = edge->next) {
        found = reaches(edge->to, to, depth + 1);
    }
    return found;
}

/* Records that the current rule may begin with `to`. False if `to` may begin with the current rule,
 * because parsers of such grammars reject left recursion. */
static bool begin_with(haft__gbnf_writer *g, haft__gbnf_ref *to)
{
    if (g->at == NULL) {
        return true;
    }
    for (uint32_t i = 0; i < g->refs.count; i++) {
        ((haft__gbnf_ref *)g->refs.entries[i].value)->seen = false;
    }
    struct haft__gbnf_edge *edge = haft__gbnf_alloc(g, 1, sizeof *edge);
    if (edge == NULL || reaches(to, g->at, 0)) {
        return false;
    }
    *edge = (struct haft__gbnf_edge){to, g->at->begins};
    g->at->begins = edge;
    return true;
}

static haft__gbnf_ref *new_ref(haft__gbnf_writer *g, haft_str text)
{
    haft__gbnf_ref *ref = haft__gbnf_alloc(g, 1, sizeof *ref);
    if (ref == NULL) {
        return NULL;
    }
    *ref = (haft__gbnf_ref){.name = haft__gbnf_new_name(g)};
    if (haft__map_put(&g->refs, text, ref, NULL) != HAFT_OK) {
        haft__gbnf_fail(g, haft__arena_fail(&g->arena, NULL));
        return NULL;
    }
    return ref;
}

/* The rule for the target of a reference. It is added once and may use itself. */
static haft__gbnf_rule_name reference(haft__gbnf_writer *g, haft__json schema)
{
    haft_str text = haft__json_text(*haft__object_find(schema, "$ref"));
    const haft__json *target = haft__gbnf_ref_target(g, schema);
    haft__gbnf_ref *ref = haft__map_get(&g->refs, text);
    if (target == NULL) {
        haft__gbnf_relax(g, schema, "$ref", "any value");
        return any_value(g);
    }
    bool exists = ref != NULL;
    ref = exists ? ref : new_ref(g, text);
    if (ref == NULL) {
        return any_value(g);
    }
    bool allowed = begin_with(g, ref);
    if (!exists) {
        haft__gbnf_ref *at = g->at;
        g->at = ref;
        haft__buf body;
        haft__gbnf_body_init(&body);
        haft__gbnf_add_name(&body, haft__gbnf_schema_value(g, *target));
        haft__gbnf_write_rule(g, ref->name, &body);
        g->at = at;
    }
    return allowed ? ref->name : relaxed(g, "a $ref that refers to itself");
}

static bool is_pure_reference(haft__json schema)
{
    const haft__json *ref = haft__object_find(schema, "$ref");
    if (ref == NULL || ref->kind != HAFT__JSON_STRING) {
        return false;
    }
    for (uint32_t i = 0; i < schema.count; i++) {
        haft_str key = haft__json_text(schema.members[i].key);
        if (!haft__str_equal(key, HAFT__LIT("$ref")) && !haft__gbnf_is_annotation(key)) {
            return false;
        }
    }
    return true;
}

/* ---- enums ---- */

static const struct {
    const char *type;
    const char *keywords[5]; /* keywords that imply the type, for schemas without one */
} types[] = {
    {"object", {"properties", "required", "additionalProperties", "patternProperties"}},
    {"array", {"items", "prefixItems", "minItems", "maxItems"}},
    {"string", {"pattern", "minLength", "maxLength", "format"}},
    {"number", {"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"}},
    {"integer", {0}},
    {"boolean", {0}},
    {"null", {0}},
};

static bool is_of_type(haft__json value, haft_str type)
{
    if (haft__str_equal(type, HAFT__LIT("integer"))) {
        return value.kind == HAFT__JSON_NUMBER && haft__number_is_integer(haft__json_text(value));
    }
    return haft__str_equal(type, haft__str(haft__json_kind_name(value)));
}

static bool fits_type(haft__json value, const haft__json *type)
{
    if (type == NULL || type->kind == HAFT__JSON_STRING) {
        return type == NULL || is_of_type(value, haft__json_text(*type));
    }
    for (uint32_t i = 0; type->kind == HAFT__JSON_ARRAY && i < type->count; i++) {
        if (is_of_type(value, haft__json_text(type->items[i]))) {
            return true;
        }
    }
    return false;
}

/* Reports the keywords next to an enum that could forbid one of its values. */
static void relax_neighbours(haft__gbnf_writer *g, haft__json schema)
{
    for (size_t i = 0; i < COUNT(types); i++) {
        for (size_t j = 0; j < COUNT(types[i].keywords) && types[i].keywords[j] != NULL; j++) {
            haft__gbnf_relax(g, schema, types[i].keywords[j], "any of the listed values");
        }
    }
    haft__gbnf_relax(g, schema, "anyOf", "any of the listed values");
    haft__gbnf_relax(g, schema, "oneOf", "any of the listed values");
}

/* Adds the listed values that have the type of the schema. */
static bool add_values(haft__gbnf_writer *g, haft__buf *body, const haft__json *values,
                       size_t count, const haft__json *type)
{
    for (size_t i = 0; i < count; i++) {
        if (fits_type(values[i], type)) {
            haft__gbnf_add_or(body);
            haft__gbnf_add_value_literal(g, body, values[i]);
        }
    }
    return body->len > 0;
}

static bool read_values(haft__json schema, const haft__json **ret_values, size_t *ret_count)
{
    const haft__json *only = haft__object_find(schema, "const");
    const haft__json *list = haft__object_find(schema, "enum");
    bool array = list != NULL && list->kind == HAFT__JSON_ARRAY;
    *ret_values = only != NULL ? only : array ? list->items : NULL;
    *ret_count = only != NULL ? 1 : array ? list->count : 0;
    return only != NULL || array;
}

/* ---- types ---- */

static haft__gbnf_rule_name of_type(haft__gbnf_writer *g, haft__json schema, haft_str type)
{
    size_t i = 0;
    while (i < COUNT(types) && !haft__str_equal(type, haft__str(types[i].type))) {
        i++;
    }
    switch (i) {
    case 0: return haft__gbnf_schema_object(g, schema);
    case 1: return haft__gbnf_schema_array(g, schema);
    case 2: return haft__gbnf_schema_string(g, schema);
    case 3: return haft__gbnf_schema_number(g, schema);
    case 4: return haft__gbnf_schema_integer(g, schema);
    case 5: return haft__gbnf_shared_rule(g, HAFT__GBNF_BOOLEAN);
    case 6: return haft__gbnf_shared_rule(g, HAFT__GBNF_NULL);
    default: return relaxed(g, "an unknown type");
    }
}

/* The type that the keywords of a schema without "type" imply; NULL if they imply none. */
static const char *guess_type(haft__json schema)
{
    for (size_t i = 0; i < COUNT(types); i++) {
        for (size_t j = 0; j < COUNT(types[i].keywords) && types[i].keywords[j] != NULL; j++) {
            if (haft__object_find(schema, types[i].keywords[j]) != NULL) {
                return types[i].type;
            }
        }
    }
    return NULL;
}

static haft__gbnf_rule_name typed(haft__gbnf_writer *g, haft__json schema)
{
    const haft__json *type = haft__object_find(schema, "type");
    if (type == NULL) {
        const char *guess = guess_type(schema);
        return guess != NULL ? of_type(g, schema, haft__str(guess)) : any_value(g);
    }
    if (type->kind != HAFT__JSON_ARRAY) {
        return of_type(g, schema, haft__json_text(*type));
    }
    haft__buf body;
    haft__gbnf_body_init(&body);
    for (uint32_t i = 0; i < type->count; i++) {
        haft__gbnf_rule_name name = of_type(g, schema, haft__json_text(type->items[i]));
        haft__gbnf_add_or(&body);
        haft__gbnf_add_name(&body, name);
    }
    if (body.len == 0) {
        haft__gbnf_add_name(&body, relaxed(g, "no type"));
    }
    return haft__gbnf_add_rule(g, &body);
}

/* ---- alternatives ---- */

static bool is_empty_schema(haft__json schema)
{
    for (uint32_t i = 0; i < schema.count; i++) {
        if (!haft__gbnf_is_annotation(haft__json_text(schema.members[i].key))) {
            return false;
        }
    }
    return true;
}

/* Whether two schemas have different types; an integer is a number. */
static bool types_differ(haft__json a, haft__json b)
{
    const haft__json *x = haft__object_find(a, "type"), *y = haft__object_find(b, "type");
    if (x == NULL || y == NULL || x->kind != HAFT__JSON_STRING || y->kind != HAFT__JSON_STRING) {
        return false;
    }
    haft_str first = haft__json_text(*x), second = haft__json_text(*y);
    bool numbers =
        haft__str_ends_with(first, HAFT__LIT("er")) && haft__str_ends_with(second, HAFT__LIT("er"));
    return !numbers && !haft__str_equal(first, second);
}

/* Whether at most one of the alternatives can hold. */
static bool are_exclusive(const haft__json *alternatives)
{
    for (uint32_t i = 0; i < alternatives->count; i++) {
        for (uint32_t j = 0; j < i; j++) {
            if (!types_differ(alternatives->items[i], alternatives->items[j])) {
                return false;
            }
        }
    }
    return true;
}

static haft__gbnf_rule_name alternatives(haft__gbnf_writer *g, haft__json schema, const char *key)
{
    const haft__json *list = haft__object_find(schema, key);
    if (list->kind != HAFT__JSON_ARRAY || list->count == 0) {
        return relaxed(g, "an empty list of alternatives");
    }
    if (key[0] == 'o' && (list->count > HAFT__LIMIT_GRAMMAR_ENUM || !are_exclusive(list))) {
        haft__gbnf_report_relaxed(g, "oneOf", "anyOf: more than one may match");
    }
    haft__json base = haft__gbnf_without_keyword(g, schema, key, UINT32_MAX);
    bool alone = is_empty_schema(base);
    haft__buf body;
    haft__gbnf_body_init(&body);
    for (uint32_t i = 0; i < list->count && haft__gbnf_charge_step(g); i++) {
        haft__json item = list->items[i];
        if (item.kind == HAFT__JSON_FALSE) {
            continue;
        }
        size_t before = haft__gbnf_enter(g, key, (haft_str){NULL, 0});
        haft__buf_addf(&g->path, "/%u", i);
        haft__gbnf_rule_name name =
            haft__gbnf_schema_value(g, alone ? item : haft__gbnf_merge_schemas(g, base, item));
        haft__gbnf_leave(g, before);
        haft__gbnf_add_or(&body);
        haft__gbnf_add_name(&body, name);
    }
    if (body.len == 0) {
        haft__gbnf_add_name(&body, relaxed(g, "alternatives that no value satisfies"));
    }
    return haft__gbnf_add_rule(g, &body);
}

/* ---- a schema ---- */

static haft__gbnf_rule_name flat_value(haft__gbnf_writer *g, haft__json schema)
{
    const haft__json *values;
    size_t count;
    haft__gbnf_relax(g, schema, "not", "nothing");
    haft__gbnf_relax(g, schema, "if", "nothing");
    haft__gbnf_relax(g, schema, "$dynamicRef", "any value");
    if (read_values(schema, &values, &count)) {
        haft__buf body;
        haft__gbnf_body_init(&body);
        if (count > HAFT__LIMIT_GRAMMAR_ENUM) {
            haft__gbnf_relax(g, schema, "enum", "any value of its type");
        } else if (add_values(g, &body, values, count, haft__object_find(schema, "type"))) {
            relax_neighbours(g, schema);
            return haft__gbnf_add_rule(g, &body);
        } else {
            haft__gbnf_relax(g, schema, "enum", "any value of its type: no listed value has it");
        }
        haft__gbnf_release_body(g, &body);
    }
    if (haft__object_find(schema, "anyOf") != NULL) {
        return alternatives(g, schema, "anyOf");
    }
    if (haft__object_find(schema, "oneOf") != NULL) {
        return alternatives(g, schema, "oneOf");
    }
    return typed(g, schema);
}

static haft__gbnf_rule_name bounded_value(haft__gbnf_writer *g, haft__json schema)
{
    if (!haft__gbnf_charge_step(g)) {
        return any_value(g);
    }
    if (g->steps > HAFT__LIMIT_GRAMMAR_STEPS || g->depth > HAFT__LIMIT_GRAMMAR_DEPTH) {
        return relaxed(g, "a schema this deep or this large");
    }
    if (schema.kind == HAFT__JSON_TRUE) {
        return any_value(g);
    }
    if (schema.kind != HAFT__JSON_OBJECT) {
        return relaxed(g, schema.kind == HAFT__JSON_FALSE ? "a schema that no value satisfies"
                                                          : "a schema that is not valid");
    }
    if (is_pure_reference(schema)) {
        return reference(g, schema);
    }
    haft__json flat = haft__gbnf_flatten_schema(g, schema);
    if (flat.kind != HAFT__JSON_OBJECT) {
        return flat.kind == HAFT__JSON_FALSE ? relaxed(g, "a schema that no value satisfies")
                                             : any_value(g);
    }
    return flat_value(g, flat);
}

haft__gbnf_rule_name haft__gbnf_schema_value(haft__gbnf_writer *g, haft__json schema)
{
    g->depth++;
    haft__gbnf_rule_name name = bounded_value(g, schema);
    g->depth--;
    return name;
}
