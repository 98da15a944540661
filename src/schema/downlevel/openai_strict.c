/* SPDX-License-Identifier: Apache-2.0 */
/*
 * openai_strict.c - completes a schema for OpenAI's strict mode.
 *
 * Besides its list of keywords, strict mode requires that every schema has a type, and that every
 * object lists its properties, requires all of them and allows no others. Anthropic requires the
 * same, except that properties may be optional. Tests: tests/format/grammar/schema_test.c.
 */
#include "schema/downlevel/downlevel_int.h"

#include "json/object.h"

static haft__json list_of_two(haft__downlevel *d, haft__json a, haft__json b)
{
    haft__json *items = haft__gbnf_alloc(&d->g, 2, sizeof *items);
    if (items == NULL) {
        return haft__json_array(NULL, 0);
    }
    items[0] = a;
    items[1] = b;
    return haft__json_array(items, 2);
}

/* Makes an optional property nullable, because strict mode requires all properties. */
static haft__json nullable(haft__downlevel *d, haft__json schema)
{
    haft__gbnf_report_relaxed(&d->g, "an optional property", "one that may be null");
    d->nullable_count++;
    haft__json null = haft__object_builder_single(d, "type", haft__object_builder_string("null"));
    return haft__object_builder_single(d, "anyOf", list_of_two(d, schema, null));
}

haft__json haft__downlevel_property(haft__downlevel *d, haft__json schema, haft_str key,
                                    haft__json value)
{
    bool optional = haft__schema_target_is_strict(d->target)
                    && !haft__array_has_text(haft__object_get(schema, "required"), key);
    return optional ? nullable(d, value) : value;
}

/* The names of all properties, for `required`. */
static haft__json all_required(haft__downlevel *d, haft__json members)
{
    haft__json *keys = haft__gbnf_alloc(&d->g, members.count, sizeof *keys);
    for (uint32_t i = 0; keys != NULL && i < members.count; i++) {
        keys[i] = members.members[i].key;
    }
    return haft__json_array(keys, keys != NULL ? members.count : 0);
}

static bool may_be_object(haft__json schema)
{
    const haft__json *type = haft__object_find(schema, "type");
    if (type == NULL || type->kind == HAFT__JSON_STRING) {
        return type != NULL ? haft__str_equal(haft__json_text(*type), HAFT__LIT("object"))
                            : haft__object_find(schema, "properties") != NULL;
    }
    for (uint32_t i = 0; type->kind == HAFT__JSON_ARRAY && i < type->count; i++) {
        if (haft__str_equal(haft__json_text(type->items[i]), HAFT__LIT("object"))) {
            return true;
        }
    }
    return false;
}

static void report_narrowed(haft__downlevel *d, const char *what, const char *became)
{
    if (d->narrowed == NULL) {
        d->narrowed_at =
            haft__arena_format(&d->g.arena, "%.*s", HAFT__ARG(haft__buf_str(&d->g.path)));
        d->narrowed = what;
    }
    if (d->narrowed_at.ptr == NULL) {
        haft__gbnf_fail(&d->g, haft__arena_fail(&d->g.arena, NULL));
    }
    if (became != NULL) {
        haft__gbnf_report_relaxed(&d->g, what, became);
    }
}

/* Adds what OpenAI requires of an object, so that it has no members except `properties`. Reports
 * this if the schema explicitly allows others, or if it has no `properties` at all. */
static void close_object(haft__downlevel *d, haft__json schema, haft__object_builder *m)
{
    haft__json members = haft__json_object(NULL, 0);
    for (size_t i = 0; i < m->count; i++) {
        if (haft__str_equal(haft__json_text(m->members[i].key), HAFT__LIT("properties"))) {
            members = m->members[i].value;
        }
    }
    const haft__json *others = haft__object_find(schema, "additionalProperties");
    bool closed = others != NULL && others->kind == HAFT__JSON_FALSE;
    if (others != NULL && !closed) {
        report_narrowed(d, "an object with other members", NULL); /* the keyword is reported */
    }
    if (haft__object_find(schema, "properties") == NULL) {
        if (!closed) {
            report_narrowed(d, "an object with any members", "an empty object");
        }
        haft__object_builder_put(m, haft__object_builder_string("properties"), members);
    }
    if (haft__schema_target_is_strict(d->target)) {
        haft__object_builder_put(m, haft__object_builder_string("required"),
                                 all_required(d, members));
    }
    haft__object_builder_put(m, haft__object_builder_string("additionalProperties"),
                             haft__json_bool(false));
}

/* The type that comes closest to "any value". OpenAI requires a type, and requires `properties` of
 * objects and `items` of arrays, so objects and arrays cannot be included. */
static haft__json any_scalar(haft__downlevel *d)
{
    static const haft__json types[] = {
        {.kind = HAFT__JSON_STRING, .count = 6, .text = "string"},
        {.kind = HAFT__JSON_STRING, .count = 6, .text = "number"},
        {.kind = HAFT__JSON_STRING, .count = 7, .text = "boolean"},
        {.kind = HAFT__JSON_STRING, .count = 4, .text = "null"},
    };
    report_narrowed(d, "any value", "any value except objects and arrays");
    return haft__json_array(types, COUNT(types));
}

/* The types of these values, without duplicates. */
static haft__json types_of_values(haft__downlevel *d, const haft__json *values, size_t count)
{
    static const char *const names[] = {
        [HAFT__JSON_NULL] = "null",     [HAFT__JSON_FALSE] = "boolean",
        [HAFT__JSON_TRUE] = "boolean",  [HAFT__JSON_NUMBER] = "number",
        [HAFT__JSON_STRING] = "string", [HAFT__JSON_ARRAY] = "array",
        [HAFT__JSON_OBJECT] = "object",
    };
    haft__json *types = haft__gbnf_alloc(&d->g, COUNT(names), sizeof *types);
    size_t used = 0;
    for (size_t i = 0; types != NULL && i < count; i++) {
        haft__json name = haft__object_builder_string(names[values[i].kind]);
        size_t k = 0;
        while (k < used && !haft__str_equal(haft__json_text(types[k]), haft__json_text(name))) {
            k++;
        }
        if (k == used) {
            types[used++] = name;
        }
    }
    return used == 1 ? types[0] : haft__json_array(types, used);
}

/* Whether the schema describes an object. The schema at the root describes the arguments of a tool,
 * which are always an object, even if the schema does not say so. */
static bool is_object(const haft__downlevel *d, haft__json schema)
{
    return may_be_object(schema)
           || (d->g.depth == 1 && haft__object_find(schema, "type") == NULL
               && haft__object_find(schema, "anyOf") == NULL
               && haft__object_find(schema, "oneOf") == NULL);
}

/* Whether the value of `type`, which is a name or a list of names, contains this name. */
static bool names_type(haft__json type, haft_str name)
{
    bool found = haft__str_equal(haft__json_text(type), name);
    for (uint32_t i = 0; type.kind == HAFT__JSON_ARRAY && i < type.count; i++) {
        found = found || haft__str_equal(haft__json_text(type.items[i]), name);
    }
    return found;
}

/* Adds a missing type, unless the schema is a choice (anyOf, oneOf), and missing items of an array:
 * OpenAI requires both. */
static void complete_type(haft__downlevel *d, haft__json schema, haft__object_builder *m)
{
    const haft__json *type = haft__object_find(schema, "type");
    const haft__json *values = haft__object_find(schema, "enum");
    const haft__json *constant = haft__object_find(schema, "const");
    bool has_values = values != NULL && values->kind == HAFT__JSON_ARRAY && values->count > 0;
    bool array = type != NULL && names_type(*type, HAFT__LIT("array"));
    if (type == NULL && (constant != NULL || has_values)) {
        haft__object_builder_put(m, haft__object_builder_string("type"),
                                 constant != NULL
                                     ? types_of_values(d, constant, 1)
                                     : types_of_values(d, values->items, values->count));
    } else if (type == NULL && is_object(d, schema)) {
        haft__object_builder_put(m, haft__object_builder_string("type"),
                                 haft__object_builder_string("object"));
    } else if (type == NULL && haft__object_find(schema, "anyOf") == NULL
               && haft__object_find(schema, "oneOf") == NULL) {
        haft__object_builder_put(m, haft__object_builder_string("type"), any_scalar(d));
    } else if (array
               && (haft__object_find(schema, "items") == NULL
                   || haft__object_find(schema, "prefixItems") != NULL)) {
        haft__object_builder_put(m, haft__object_builder_string("items"),
                                 haft__object_builder_single(d, "type", any_scalar(d)));
    }
}

void haft__downlevel_complete_strict(haft__downlevel *d, haft__json schema, haft__object_builder *m)
{
    complete_type(d, schema, m);
    if (is_object(d, schema)) {
        close_object(d, schema, m);
    }
}
