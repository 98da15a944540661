/* SPDX-License-Identifier: Apache-2.0 */
/*
 * object.c - objects and arrays in a grammar.
 *
 * Members are written in the order of the schema, because allowing every order would need a rule
 * for each subset of members. Optional members may be left out. The size is linear in the number of
 * members. Tests: tests/schema/grammar/gbnf_test.c.
 */
#include "schema/grammar/gbnf_writer.h"

#include "json/object.h"

typedef struct property {
    haft_str key;
    haft__json schema;
    bool required;
    haft__gbnf_rule_name rule;
} property;

typedef struct listing {
    property *items;
    size_t count;
    size_t first_required;      /* or count */
    haft__gbnf_rule_name extra; /* a member with another key; "" if not allowed */
} listing;

static const haft__json anything = {.kind = HAFT__JSON_TRUE};

/* ---- list of members ---- */

static void add_property(listing *list, haft_str key, haft__json schema, bool required)
{
    list->items[list->count++] = (property){.key = key, .schema = schema, .required = required};
}

/* The set of required names. */
static haft__map list_required(haft__gbnf_writer *g, haft__json schema)
{
    const haft__json *required = haft__object_find(schema, "required");
    haft__map set;
    haft__map_init(&set, &g->arena, (haft__hash_key){0});
    for (uint32_t i = 0;
         required != NULL && required->kind == HAFT__JSON_ARRAY && i < required->count; i++) {
        haft__json name = required->items[i];
        if (name.kind == HAFT__JSON_STRING
            && haft__map_put(&set, haft__json_text(name), NULL, NULL) != HAFT_OK) {
            haft__gbnf_fail(g, haft__arena_fail(&g->arena, NULL));
        }
    }
    return set;
}

static bool is_schema(const haft__json *value)
{
    return value != NULL && value->kind == HAFT__JSON_OBJECT;
}

/* Lists the members that the schema declares, then those that it only requires. */
static bool list_members(haft__gbnf_writer *g, haft__json schema, listing *list)
{
    const haft__json *properties = haft__object_find(schema, "properties");
    const haft__json *other = haft__object_find(schema, "additionalProperties");
    uint32_t count = is_schema(properties) ? properties->count : 0;
    haft__map required = list_required(g, schema);
    *list = (listing){.items = haft__gbnf_alloc(g, count + required.count, sizeof(property))};
    if (list->items == NULL) {
        return false;
    }
    for (uint32_t i = 0; i < count; i++) {
        haft_str key = haft__json_text(properties->members[i].key);
        haft__json value = properties->members[i].value;
        haft__map_entry *entry = haft__map_find(&required, key);
        if (value.kind == HAFT__JSON_FALSE && entry == NULL) {
            continue; /* never allowed */
        }
        add_property(list, key, value, entry != NULL);
        if (entry != NULL) {
            entry->value = list;
        }
    }
    for (uint32_t i = 0; i < required.count; i++) {
        if (required.entries[i].value == NULL) {
            add_property(list, required.entries[i].key, is_schema(other) ? *other : anything, true);
        }
    }
    for (list->first_required = 0; list->first_required < list->count; list->first_required++) {
        if (list->items[list->first_required].required) {
            break;
        }
    }
    return true;
}

/* ---- others ---- */

static void relax_members(haft__gbnf_writer *g, haft__json schema, size_t required)
{
    uint64_t min = 0;
    haft__gbnf_relax(g, schema, "patternProperties", "any other members");
    haft__gbnf_relax(g, schema, "propertyNames", "any names");
    haft__gbnf_relax(g, schema, "maxProperties", "any number");
    haft__gbnf_relax(g, schema, "dependentRequired", "nothing");
    haft__gbnf_relax(g, schema, "dependentSchemas", "nothing");
    haft__gbnf_relax(g, schema, "dependencies", "nothing");
    haft__gbnf_relax(g, schema, "unevaluatedProperties", "additionalProperties alone");
    if (haft__gbnf_get_count(schema, "minProperties", &min) && min > required) {
        haft__gbnf_relax(g, schema, "minProperties", "any number");
    }
}

/* The schema of other members; false if they are not allowed. By default, an object with properties
 * has no others: a tool does not need them. */
static haft__json extra_schema(haft__json schema)
{
    const haft__json *other = haft__object_find(schema, "additionalProperties");
    if (haft__object_find(schema, "patternProperties") != NULL) {
        return anything;
    }
    if (other != NULL) {
        return *other;
    }
    return haft__json_bool(haft__object_find(schema, "properties") == NULL);
}

static haft__gbnf_rule_name extra_rule(haft__gbnf_writer *g, haft__json schema, const listing *list)
{
    haft__json other = extra_schema(schema);
    haft_str *keys = haft__gbnf_alloc(g, list->count, sizeof *keys);
    if (keys == NULL) {
        return (haft__gbnf_rule_name){""};
    }
    for (size_t i = 0; i < list->count; i++) {
        keys[i] = list->items[i].key;
    }
    size_t before = haft__gbnf_enter(g, "additionalProperties", (haft_str){NULL, 0});
    haft__buf body;
    haft__gbnf_body_init(&body);
    if (list->count == 0) {
        haft__gbnf_add_name(&body, haft__gbnf_string(g));
    } else {
        haft__gbnf_add_other_key(g, &body, keys, list->count);
    }
    haft__gbnf_add_literal(&body, HAFT__LIT(":"));
    haft__gbnf_add_name(&body, haft__gbnf_space(g));
    haft__gbnf_add_name(&body, haft__gbnf_schema_value(g, other));
    haft__gbnf_leave(g, before);
    return haft__gbnf_add_rule(g, &body);
}

/* ---- members in their order ---- */

static void make_rules(haft__gbnf_writer *g, const haft__gbnf_members *members, listing *list)
{
    for (size_t i = 0; i < list->count; i++) {
        property *p = &list->items[i];
        haft__buf body;
        haft__gbnf_body_init(&body);
        size_t before = haft__gbnf_enter(g, "properties", p->key);
        members->add(g, members, &body, p->key, p->schema);
        haft__gbnf_leave(g, before);
        p->rule = haft__gbnf_add_rule(g, &body);
    }
}

static void add_extras(haft__buf *body, const listing *list, const char *separator)
{
    if (list->extra.text[0] != '\0') {
        haft__buf_addf(body, "( %s%s )* ", separator, list->extra.text);
    }
}

/* Adds the members of an object with a required member: members before that one end with a
 * separator, members after it begin with one. */
static void add_with_required(haft__buf *body, const listing *list, const char *separator)
{
    for (size_t i = 0; i < list->count; i++) {
        const property *p = &list->items[i];
        if (i == list->first_required) {
            haft__gbnf_add_name(body, p->rule);
        } else if (i < list->first_required) {
            haft__buf_addf(body, "( %s %s)? ", p->rule.text, separator);
        } else if (p->required) {
            haft__buf_addf(body, "%s%s ", separator, p->rule.text);
        } else {
            haft__buf_addf(body, "( %s%s )? ", separator, p->rule.text);
        }
    }
    add_extras(body, list, separator);
}

/* Adds the members of an object without a required member: any of them may be the first. `rests`
 * are the rules for the members after each. */
static void add_without_required(haft__gbnf_writer *g, haft__buf *body, const listing *list,
                                 const char *separator)
{
    haft__gbnf_rule_name *rests = haft__gbnf_alloc(g, list->count + 1, sizeof *rests);
    if (rests == NULL) {
        return;
    }
    for (size_t i = list->count; i > 0; i--) {
        haft__buf rest;
        haft__gbnf_body_init(&rest);
        if (i == list->count) {
            add_extras(&rest, list, separator);
        } else {
            haft__buf_addf(&rest, "( %s%s )? %s", separator, list->items[i].rule.text,
                           rests[i + 1].text);
        }
        if (rest.len > 0) {
            rests[i] = haft__gbnf_add_rule(g, &rest);
        } else {
            haft__gbnf_release_body(g, &rest);
        }
    }
    haft__buf_add_str(body, HAFT__LIT("( "));
    for (size_t i = 0; i < list->count; i++) {
        haft__buf_addf(body, "%s%s %s ", i > 0 ? "| " : "", list->items[i].rule.text,
                       rests[i + 1].text);
    }
    if (list->extra.text[0] != '\0') {
        haft__buf_addf(body, "%s%s ", list->count > 0 ? "| " : "", list->extra.text);
        add_extras(body, list, separator);
    }
    haft__buf_add_str(body, HAFT__LIT(") "));
}

bool haft__gbnf_add_members(haft__gbnf_writer *g, haft__buf *body, haft__json schema,
                            const haft__gbnf_members *members)
{
    listing list;
    if (!list_members(g, schema, &list)) {
        return true;
    }
    size_t required = 0;
    for (size_t i = 0; i < list.count; i++) {
        required += list.items[i].required ? 1 : 0;
    }
    relax_members(g, schema, required);
    make_rules(g, members, &list);
    bool more = extra_schema(schema).kind != HAFT__JSON_FALSE;
    if (more && members->extras) {
        list.extra = extra_rule(g, schema, &list);
    } else if (more) {
        haft__gbnf_report_relaxed(g, "members that the schema does not name", "none");
    }
    if (list.count > 0 && list.first_required < list.count) {
        add_with_required(body, &list, members->separator);
        return true;
    }
    if (list.count > 0 || list.extra.text[0] != '\0') {
        add_without_required(g, body, &list, members->separator);
    }
    return false;
}

/* ---- objects ---- */

static void add_json_member(haft__gbnf_writer *g, const haft__gbnf_members *members,
                            haft__buf *body, haft_str key, haft__json schema)
{
    (void)members;
    bool python = g->notation == HAFT__NOTATION_PYTHON; /* the key may have either kind of quotes */
    haft__buf_add_str(body, python ? HAFT__LIT("( ") : HAFT__LIT(""));
    haft__gbnf_add_value_literal(g, body, haft__json_string(key));
    haft__buf_add_str(body, python ? HAFT__LIT(") ") : HAFT__LIT(""));
    haft__gbnf_add_literal(body, HAFT__LIT(":"));
    haft__gbnf_add_name(body, haft__gbnf_space(g));
    haft__gbnf_add_name(body, haft__gbnf_schema_value(g, schema));
}

haft__gbnf_rule_name haft__gbnf_schema_object(haft__gbnf_writer *g, haft__json schema)
{
    const haft__gbnf_members members = {
        .separator = "\",\" ws ", .add = add_json_member, .extras = true};
    (void)haft__gbnf_space(g);
    haft__gbnf_ref *at = g->at;
    g->at = NULL; /* after the brace: the following rules do not start the text */
    haft__buf inner, body;
    haft__gbnf_body_init(&inner);
    haft__gbnf_body_init(&body);
    bool has_members = haft__gbnf_add_members(g, &inner, schema, &members);
    haft__buf_add_str(&body, HAFT__LIT("\"{\" ws "));
    if (inner.len > 0) {
        haft__buf_add_str(&body, has_members ? HAFT__LIT("") : HAFT__LIT("( "));
        haft__buf_add_str(&body, haft__buf_str(&inner));
        haft__buf_add_str(&body, has_members ? HAFT__LIT("ws ") : HAFT__LIT("ws )? "));
    }
    haft__buf_add_str(&body, HAFT__LIT("\"}\""));
    haft__gbnf_release_body(g, &inner);
    g->at = at;
    return haft__gbnf_add_rule(g, &body);
}

/* ---- arrays ---- */

typedef struct shape {
    const haft__json *first; /* schemas of the first items, or NULL */
    uint32_t first_count;
    haft__json rest; /* schema of the other items */
    uint64_t min, max;
} shape;

static shape read_shape(haft__gbnf_writer *g, haft__json schema)
{
    shape s = {.rest = anything, .max = HAFT__GBNF_NO_MAX};
    const haft__json *prefix = haft__object_find(schema, "prefixItems");
    const haft__json *items = haft__object_find(schema, "items");
    if (prefix == NULL && items != NULL && items->kind == HAFT__JSON_ARRAY) {
        prefix = items; /* draft-07 */
        items = haft__object_find(schema, "additionalItems");
    }
    if (prefix != NULL && prefix->kind == HAFT__JSON_ARRAY) {
        s.first = prefix->items;
        s.first_count = prefix->count;
    }
    s.rest = items != NULL ? *items : anything;
    if (s.first_count > HAFT__LIMIT_GRAMMAR_DEPTH) { /* add_items nests them */
        haft__gbnf_report_relaxed(g, "this many prefixItems", "any items");
        s.first_count = 0;
        s.rest = anything;
    }
    (void)haft__gbnf_get_count(schema, "minItems", &s.min);
    (void)haft__gbnf_get_count(schema, "maxItems", &s.max);
    if (s.rest.kind == HAFT__JSON_FALSE && s.first_count < s.max) {
        s.max = s.first_count;
    }
    if (s.min > s.max) {
        haft__gbnf_report_relaxed(g, "minItems above maxItems", "any number");
        s.min = 0;
    }
    return s;
}

static haft__gbnf_rule_name item_rule(haft__gbnf_writer *g, const shape *s, uint64_t index)
{
    size_t before;
    haft__gbnf_rule_name name;
    if (index < s->first_count) {
        before = haft__gbnf_enter(g, "prefixItems", (haft_str){NULL, 0});
        haft__buf_addf(&g->path, "/%u", (unsigned)index);
        name = haft__gbnf_schema_value(g, s->first[index]);
    } else {
        before = haft__gbnf_enter(g, "items", (haft_str){NULL, 0});
        name = haft__gbnf_schema_value(g, s->rest);
    }
    haft__gbnf_leave(g, before);
    return name;
}

static uint64_t subtract(uint64_t count, uint64_t by)
{
    return count == HAFT__GBNF_NO_MAX ? count : count > by ? count - by : 0;
}

/* Appends the items, nested: an item can be left out only together with all items after it. */
static void add_items(haft__gbnf_writer *g, haft__buf *body, const shape *s)
{
    uint64_t named = s->first_count > 1 ? s->first_count : 1; /* the first item always has a rule */
    named = named < s->max ? named : s->max;
    haft__gbnf_rule_name rest = {""};
    haft__buf tail;
    haft__gbnf_body_init(&tail);
    if (s->max > named && s->rest.kind != HAFT__JSON_FALSE) {
        haft__buf more;
        haft__gbnf_body_init(&more);
        rest = item_rule(g, s, s->first_count);
        haft__buf_addf(&more, "\",\" ws %s", rest.text);
        haft__gbnf_add_repeat(g, &tail, haft__gbnf_add_rule(g, &more), subtract(s->min, named),
                              subtract(s->max, named));
    }
    for (uint64_t i = named; i > 0 && tail.status == HAFT_OK; i--) {
        bool same = i > s->first_count && rest.text[0] != '\0';
        haft__gbnf_rule_name item = same ? rest : item_rule(g, s, i - 1);
        haft__buf wrapped;
        haft__gbnf_body_init(&wrapped);
        bool needed = i <= s->min;
        haft__buf_addf(&wrapped, "%s%s%s ", needed ? "" : "( ", i > 1 ? "\",\" ws " : "",
                       item.text);
        haft__buf_add_str(&wrapped, haft__buf_str(&tail));
        haft__buf_addf(&wrapped, "%s%s", i == 1 ? "ws " : "", needed ? "" : ")? ");
        if (tail.status != HAFT_OK) {
            haft__buf_fail(&wrapped, tail.status, NULL);
        }
        haft__buf_finish(&tail);
        tail = wrapped;
    }
    haft__buf_add_str(body, haft__buf_str(&tail));
    haft__gbnf_release_body(g, &tail);
}

haft__gbnf_rule_name haft__gbnf_schema_array(haft__gbnf_writer *g, haft__json schema)
{
    haft__gbnf_relax(g, schema, "uniqueItems", "items may repeat");
    haft__gbnf_relax(g, schema, "contains", "any items");
    haft__gbnf_relax(g, schema, "unevaluatedItems", "items alone");
    shape s = read_shape(g, schema);
    (void)haft__gbnf_space(g);
    haft__gbnf_ref *at = g->at;
    g->at = NULL;
    haft__buf body;
    haft__gbnf_body_init(&body);
    haft__buf_add_str(&body, HAFT__LIT("\"[\" ws "));
    add_items(g, &body, &s);
    haft__buf_add_str(&body, HAFT__LIT("\"]\""));
    g->at = at;
    return haft__gbnf_add_rule(g, &body);
}
