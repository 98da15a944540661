/* SPDX-License-Identifier: Apache-2.0 */
/*
 * downlevel.c - schemas for servers that know a part of JSON Schema only.
 *
 * A table says which keyword each target knows. allOf is merged, oneOf becomes anyOf, references
 * become definitions with names of our own, so that schemas of several tools can stand in one.
 * Tests: tests/format/grammar_schema_test.c.
 */
#include "schema/downlevel.h"

#include "schema/grammar_int.h"

enum {
    OPENAI = 1 << HAFT__TARGET_OPENAI,
    VLLM = 1 << HAFT__TARGET_VLLM,
    OLLAMA = 1 << HAFT__TARGET_OLLAMA,
    ALL = OPENAI | VLLM | OLLAMA,
};

/* Schemas inside each other. Each is up to four levels of JSON, and what is made must be read. */
#define DEPTH (HAFT__LIMIT_JSON_DEPTH / 8)

/* What a keyword's value is. */
typedef enum holds {
    HOLDS_VALUE,   /* nothing to translate */
    HOLDS_SCHEMA,  /* a schema */
    HOLDS_LIST,    /* a list of schemas */
    HOLDS_MEMBERS, /* an object of schemas */
    HOLDS_COUNT,   /* a count, which llama.cpp writes out */
    HOLDS_PATTERN, /* llama.cpp wants both anchors */
    HOLDS_REQUIRED,
} holds;

static const struct {
    const char *key;
    unsigned targets;
    holds holds;
} keywords[] = {
    {"type", ALL, HOLDS_VALUE},
    {"description", ALL, HOLDS_VALUE},
    {"enum", ALL, HOLDS_VALUE},
    {"const", ALL, HOLDS_VALUE},
    {"properties", ALL, HOLDS_MEMBERS},
    {"required", ALL, HOLDS_REQUIRED},
    {"additionalProperties", VLLM | OLLAMA, HOLDS_SCHEMA}, /* OpenAI's is always false */
    {"items", ALL, HOLDS_SCHEMA},
    {"prefixItems", VLLM | OLLAMA, HOLDS_LIST},
    {"anyOf", ALL, HOLDS_LIST},
    {"minItems", ALL, HOLDS_COUNT},
    {"maxItems", ALL, HOLDS_COUNT},
    {"minLength", VLLM | OLLAMA, HOLDS_COUNT},
    {"maxLength", VLLM | OLLAMA, HOLDS_COUNT},
    {"pattern", ALL, HOLDS_PATTERN},
    {"minimum", ALL, HOLDS_VALUE},
    {"maximum", ALL, HOLDS_VALUE},
    {"exclusiveMinimum", ALL, HOLDS_VALUE},
    {"exclusiveMaximum", ALL, HOLDS_VALUE},
    {"multipleOf", OPENAI, HOLDS_VALUE},
};

static const struct {
    const char *name;
    haft__schema_target target;
} targets[] = {
    {"openai", HAFT__TARGET_OPENAI},
    {"vllm", HAFT__TARGET_VLLM},
    {"ollama", HAFT__TARGET_OLLAMA},
};

static haft__json translate(haft__downlevel *d, haft__json schema);

bool haft__schema_target_find(haft_str name, haft__schema_target *ret_target)
{
    for (size_t i = 0; i < COUNT(targets); i++) {
        if (haft__str_equal(name, haft__str(targets[i].name))) {
            *ret_target = targets[i].target;
            return true;
        }
    }
    return false;
}

/* ---- making values ---- */

static haft__json text(const char *literal)
{
    return haft__json_string(haft__str(literal));
}

/* An object with room for `room` members. */
typedef struct maker {
    haft__json_member *members;
    size_t count;
} maker;

static bool maker_init(haft__downlevel *d, maker *m, size_t room)
{
    *m = (maker){.members = haft__gbnf_alloc(&d->g, room, sizeof(haft__json_member))};
    return m->members != NULL;
}

static void put(maker *m, haft__json key, haft__json value)
{
    m->members[m->count++] = (haft__json_member){key, value};
}

static haft__json made(const maker *m)
{
    return haft__json_object(m->members, m->count);
}

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

static haft__json one_member(haft__downlevel *d, const char *key, haft__json value)
{
    maker m;
    if (!maker_init(d, &m, 1)) {
        return haft__json_bool(true);
    }
    put(&m, text(key), value);
    return made(&m);
}

/* ---- values of keywords ---- */

static haft__json translate_list(haft__downlevel *d, const char *keyword, haft__json list)
{
    haft__json *items = haft__gbnf_alloc(&d->g, list.count, sizeof *items);
    for (uint32_t i = 0; items != NULL && list.kind == HAFT__JSON_ARRAY && i < list.count; i++) {
        size_t before = haft__gbnf_enter(&d->g, keyword, (haft_str){NULL, 0});
        haft__buf_addf(&d->g.path, "/%u", i);
        items[i] = translate(d, list.items[i]);
        haft__gbnf_leave(&d->g, before);
    }
    bool good = items != NULL && list.kind == HAFT__JSON_ARRAY;
    return haft__json_array(items, good ? list.count : 0);
}

static bool is_required(haft__json schema, haft_str key)
{
    const haft__json *required = haft__gbnf_get(schema, "required");
    for (uint32_t i = 0;
         required != NULL && required->kind == HAFT__JSON_ARRAY && i < required->count; i++) {
        if (haft__str_equal(haft__json_text(required->items[i]), key)) {
            return true;
        }
    }
    return false;
}

/* A property that may be left out, where all are required: it may be null. */
static haft__json nullable(haft__downlevel *d, haft__json schema)
{
    haft__gbnf_note(&d->g, "a property that may be left out", "one that may be null");
    haft__json null = one_member(d, "type", text("null"));
    return one_member(d, "anyOf", list_of_two(d, schema, null));
}

static haft__json translate_members(haft__downlevel *d, haft__json schema, haft__json members)
{
    maker m;
    if (members.kind != HAFT__JSON_OBJECT || !maker_init(d, &m, members.count)) {
        return haft__json_object(NULL, 0);
    }
    for (uint32_t i = 0; i < members.count; i++) {
        haft_str key = haft__json_text(members.members[i].key);
        size_t before = haft__gbnf_enter(&d->g, "properties", key);
        haft__json value = translate(d, members.members[i].value);
        bool optional = d->target == HAFT__TARGET_OPENAI && !is_required(schema, key);
        put(&m, members.members[i].key, optional ? nullable(d, value) : value);
        haft__gbnf_leave(&d->g, before);
    }
    return made(&m);
}

/* Every property, for OpenAI. */
static haft__json all_required(haft__downlevel *d, haft__json members)
{
    haft__json *keys = haft__gbnf_alloc(&d->g, members.count, sizeof *keys);
    for (uint32_t i = 0; keys != NULL && i < members.count; i++) {
        keys[i] = members.members[i].key;
    }
    return haft__json_array(keys, keys != NULL ? members.count : 0);
}

/* ---- what is left out ---- */

static bool fits(haft__downlevel *d, haft__json schema, const char *key, holds what)
{
    uint64_t count = 0;
    const haft__json *value = haft__gbnf_get(schema, key);
    if (d->target != HAFT__TARGET_OLLAMA) {
        return true;
    }
    if (what == HOLDS_COUNT && haft__gbnf_count(schema, key, &count)
        && count > HAFT__LIMIT_GRAMMAR_REPEAT) {
        haft__gbnf_relax(&d->g, schema, key, "any number: it is too much for llama.cpp");
        return false;
    }
    haft_str pattern = haft__json_text(*value);
    if (what == HOLDS_PATTERN
        && (!haft__str_starts(pattern, HAFT__LIT("^"))
            || !haft__str_ends(pattern, HAFT__LIT("$")))) {
        haft__gbnf_relax(&d->g, schema, key, "any string: llama.cpp wants ^ and $ around it");
        return false;
    }
    return true;
}

static void report_unknown(haft__downlevel *d, haft__json schema)
{
    for (uint32_t i = 0; i < schema.count; i++) {
        haft_str key = haft__json_text(schema.members[i].key);
        size_t at = 0;
        while (at < COUNT(keywords) && !haft__str_equal(key, haft__str(keywords[at].key))) {
            at++;
        }
        bool known = at < COUNT(keywords) && (keywords[at].targets >> d->target & 1) != 0;
        bool closed = haft__str_equal(key, HAFT__LIT("additionalProperties"))
                      && schema.members[i].value.kind == HAFT__JSON_FALSE;
        if (!known && !closed && !haft__gbnf_is_note(key)
            && !haft__str_equal(key, HAFT__LIT("oneOf"))) {
            char name[64];
            size_t length = key.len < sizeof name - 1 ? key.len : sizeof name - 1;
            memcpy(name, key.ptr, length);
            name[length] = '\0';
            haft__gbnf_relax(&d->g, schema, name, "nothing: the server does not know it");
        }
    }
}

/* ---- a schema ---- */

static haft__json translate_value(haft__downlevel *d, haft__json schema, size_t keyword)
{
    const char *key = keywords[keyword].key;
    haft__json value = *haft__gbnf_get(schema, key);
    size_t before;
    switch (keywords[keyword].holds) {
    case HOLDS_LIST: return translate_list(d, key, value);
    case HOLDS_MEMBERS: return translate_members(d, schema, value);
    case HOLDS_SCHEMA:
        before = haft__gbnf_enter(&d->g, key, (haft_str){NULL, 0});
        value = value.kind == HAFT__JSON_FALSE ? value : translate(d, value);
        haft__gbnf_leave(&d->g, before);
        return value;
    case HOLDS_VALUE:
    case HOLDS_COUNT:
    case HOLDS_PATTERN:
    case HOLDS_REQUIRED: return value;
    }
    return value;
}

static bool names_type(haft__json schema, const char *name)
{
    const haft__json *type = haft__gbnf_get(schema, "type");
    bool found = type != NULL && haft__str_equal(haft__json_text(*type), haft__str(name));
    for (uint32_t i = 0; type != NULL && type->kind == HAFT__JSON_ARRAY && i < type->count; i++) {
        found = found || haft__str_equal(haft__json_text(type->items[i]), haft__str(name));
    }
    return found;
}

static bool may_be_object(haft__json schema)
{
    return haft__gbnf_get(schema, "type") != NULL ? names_type(schema, "object")
                                                  : haft__gbnf_get(schema, "properties") != NULL;
}

/* What OpenAI wants of each object. */
static void close_object(haft__downlevel *d, haft__json schema, maker *m)
{
    haft__json members = haft__json_object(NULL, 0);
    for (size_t i = 0; i < m->count; i++) {
        if (haft__str_equal(haft__json_text(m->members[i].key), HAFT__LIT("properties"))) {
            members = m->members[i].value;
        }
    }
    if (haft__gbnf_get(schema, "properties") == NULL) {
        haft__gbnf_note(&d->g, "an object with any members", "an empty one");
        put(m, text("properties"), members);
    }
    put(m, text("required"), all_required(d, members));
    put(m, text("additionalProperties"), haft__json_bool(false));
}

/* Whatever is no object and no array, where every schema must have a type. */
static haft__json scalar_types(haft__downlevel *d)
{
    static const char *const names[] = {"string", "number", "boolean", "null"};
    haft__json *types = haft__gbnf_alloc(&d->g, COUNT(names), sizeof *types);
    for (size_t i = 0; types != NULL && i < COUNT(names); i++) {
        types[i] = text(names[i]);
    }
    return haft__json_array(types, types != NULL ? COUNT(names) : 0);
}

static haft__json any_scalar(haft__downlevel *d, const char *what)
{
    haft__gbnf_note(&d->g, what, "strings, numbers, booleans and null");
    return one_member(d, "type", scalar_types(d));
}

static bool has_one_of(haft__json schema, const char *const *keys, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (haft__gbnf_get(schema, keys[i]) != NULL) {
            return true;
        }
    }
    return false;
}

/* OpenAI wants a type in every schema that is no anyOf, and items in every array. */
static void complete_type(haft__downlevel *d, haft__json schema, maker *m)
{
    static const char *const typed[] = {"type", "anyOf", "oneOf"};
    static const char *const values[] = {"enum", "const"};
    static const char *const arrays[] = {"items", "prefixItems", "minItems", "maxItems"};
    bool object = haft__gbnf_get(schema, "properties") != NULL;
    bool array = has_one_of(schema, arrays, COUNT(arrays));
    bool has_type = has_one_of(schema, typed, COUNT(typed));
    if (!has_type && (object || array)) {
        put(m, text("type"), text(object ? "object" : "array"));
    } else if (!has_type) {
        bool listed = has_one_of(schema, values, COUNT(values));
        put(m, text("type"), scalar_types(d));
        if (!listed) {
            haft__gbnf_note(&d->g, "any value", "strings, numbers, booleans and null");
        }
    }
    if ((has_type ? names_type(schema, "array") : array && !object)
        && haft__gbnf_get(schema, "items") == NULL) {
        put(m, text("items"), any_scalar(d, "an array of anything"));
    }
}

static haft__json translate_flat(haft__downlevel *d, haft__json schema)
{
    maker m;
    bool openai = d->target == HAFT__TARGET_OPENAI;
    if (!maker_init(d, &m, COUNT(keywords) + 6)) {
        return haft__json_bool(true);
    }
    report_unknown(d, schema);
    for (size_t i = 0; i < COUNT(keywords); i++) {
        const char *key = keywords[i].key;
        if (haft__gbnf_get(schema, key) == NULL || (keywords[i].targets >> d->target & 1) == 0
            || (openai && keywords[i].holds == HOLDS_REQUIRED)
            || !fits(d, schema, key, keywords[i].holds)) {
            continue;
        }
        put(&m, text(key), translate_value(d, schema, i));
    }
    if (haft__gbnf_get(schema, "oneOf") != NULL && haft__gbnf_get(schema, "anyOf") == NULL) {
        haft__gbnf_note(&d->g, "oneOf", "anyOf: more than one may hold");
        put(&m, text("anyOf"), translate_list(d, "oneOf", *haft__gbnf_get(schema, "oneOf")));
    }
    if (openai) {
        complete_type(d, schema, &m);
    }
    if (openai && may_be_object(schema)) {
        close_object(d, schema, &m);
    }
    return made(&m);
}

/* ---- references ---- */

static bool add_def(haft__downlevel *d, haft__json key)
{
    if (d->def_count == d->def_room) {
        size_t room = d->def_room > 0 ? d->def_room * 2 : 8;
        haft__json_member *defs = haft__gbnf_alloc(&d->g, room, sizeof *defs);
        if (defs == NULL) {
            return false;
        }
        if (d->def_count > 0) {
            memcpy(defs, d->defs, d->def_count * sizeof *defs);
        }
        d->defs = defs;
        d->def_room = room;
    }
    d->defs[d->def_count++] = (haft__json_member){key, haft__json_bool(true)};
    return true;
}

/* "#/$defs/dN", for a target that is translated once; it may refer to itself. */
static haft__json refer(haft__downlevel *d, haft__json schema, haft__json target)
{
    haft_str pointer = haft__json_text(*haft__gbnf_get(schema, "$ref"));
    haft__gbnf_name *name = haft__map_get(&d->g.refs, pointer);
    if (name == NULL) {
        size_t index = d->def_count;
        name = haft__gbnf_alloc(&d->g, 1, sizeof *name);
        haft_str key = haft__arena_format(&d->g.arena, "d%zu", index);
        if (name == NULL || key.ptr == NULL || !add_def(d, haft__json_string(key))
            || haft__map_put(&d->g.refs, pointer, name, NULL) != HAFT_OK) {
            haft__gbnf_fail(&d->g, haft__arena_fail(&d->g.arena, NULL));
            return haft__json_bool(true);
        }
        memcpy(name->text, key.ptr, key.len < sizeof name->text ? key.len + 1 : 1);
        haft__json value = translate(d, target);
        d->defs[index].value = value;
    }
    haft_str to = haft__arena_format(&d->g.arena, "#/$defs/%s", name->text);
    if (to.ptr == NULL) {
        haft__gbnf_fail(&d->g, haft__arena_fail(&d->g.arena, NULL));
        return haft__json_bool(true);
    }
    return one_member(d, "$ref", haft__json_string(to));
}

static bool is_plain_reference(haft__json schema)
{
    for (uint32_t i = 0; i < schema.count; i++) {
        haft_str key = haft__json_text(schema.members[i].key);
        if (!haft__str_equal(key, HAFT__LIT("$ref")) && !haft__gbnf_is_note(key)) {
            return false;
        }
    }
    return haft__gbnf_get(schema, "$ref") != NULL;
}

/* Whether references lead from one to the next without end. */
static bool is_circular(haft__downlevel *d, haft__json schema)
{
    for (size_t hops = 0; hops < 32; hops++) {
        const haft__json *target = haft__gbnf_target(&d->g, schema);
        if (target == NULL || !is_plain_reference(*target)) {
            return false;
        }
        schema = *target;
    }
    return true;
}

static haft__json translate_bounded(haft__downlevel *d, haft__json schema)
{
    maker nothing;
    const haft__json *target = NULL;
    haft__json anything = maker_init(d, &nothing, 1) ? made(&nothing) : haft__json_bool(true);
    if (d->target == HAFT__TARGET_OPENAI) {
        anything = one_member(d, "type", scalar_types(d));
    }
    if (!haft__gbnf_step(&d->g)) {
        return anything;
    }
    if (d->g.steps > HAFT__LIMIT_GRAMMAR_STEPS || d->g.depth > DEPTH) {
        haft__gbnf_note(&d->g, "a schema this deep or this large", "any value");
        return anything;
    }
    if (schema.kind != HAFT__JSON_OBJECT) {
        if (schema.kind != HAFT__JSON_TRUE) {
            haft__gbnf_note(&d->g, "a schema that is none, or that nothing satisfies", "any value");
        }
        return anything;
    }
    target = haft__gbnf_target(&d->g, schema);
    if (is_plain_reference(schema) && target != NULL && !is_circular(d, schema)) {
        return refer(d, schema, *target);
    }
    haft__json flat = haft__gbnf_flat(&d->g, schema);
    return flat.kind == HAFT__JSON_OBJECT ? translate_flat(d, flat) : anything;
}

static haft__json translate(haft__downlevel *d, haft__json schema)
{
    d->g.depth++;
    haft__json made_of = translate_bounded(d, schema);
    d->g.depth--;
    return made_of;
}

/* ---- the whole ---- */

void haft__downlevel_init(haft__downlevel *d, haft__schema_target target,
                          haft__relax_report *report)
{
    *d = (haft__downlevel){.target = target};
    haft__buf_init(&d->out, 1);
    haft__gbnf_init(&d->g, &d->out, report);
}

void haft__downlevel_finish(haft__downlevel *d)
{
    haft__gbnf_finish(&d->g);
    haft__buf_finish(&d->out);
}

haft__json haft__downlevel_add(haft__downlevel *d, haft_str where, haft__json schema)
{
    d->g.out = &d->out; /* it may have been moved */
    haft__gbnf_begin(&d->g, where, schema);
    return translate(d, schema);
}

haft__json haft__downlevel_defs(const haft__downlevel *d)
{
    return haft__json_object(d->defs, d->def_count);
}

haft_status haft__downlevel_check(const haft__downlevel *d, haft_error *err)
{
    return haft__gbnf_check(&d->g, err);
}
