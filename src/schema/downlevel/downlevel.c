/* SPDX-License-Identifier: Apache-2.0 */
/*
 * downlevel.c - schemas for servers that support only a part of JSON Schema.
 *
 * A table lists the targets that support each keyword. allOf is merged, oneOf becomes anyOf,
 * references become definitions with generated names, so that schemas of several tools can be
 * combined. Tests: tests/format/grammar/schema_test.c.
 */
#include "schema/downlevel/downlevel_int.h"

#include "base/vec.h"
#include "json/object.h"

enum {
    OPEN = 1 << HAFT__TARGET_OPENAI_OPEN,
    OPENAI = 1 << HAFT__TARGET_OPENAI | OPEN,
    VLLM = 1 << HAFT__TARGET_VLLM,
    OLLAMA = 1 << HAFT__TARGET_OLLAMA,
    ANTHROPIC = 1 << HAFT__TARGET_ANTHROPIC,
    GEMINI = 1 << HAFT__TARGET_GEMINI,
    BOUNDS = OPENAI | VLLM | OLLAMA, /* bounds of numbers, strings and lists */
    ALL = BOUNDS | ANTHROPIC | GEMINI,
};

/* The maximum nesting of schemas. Each takes up to four levels of JSON, and JSON readers must
 * accept the result. */
#define DEPTH (HAFT__LIMIT_JSON_DEPTH / 8)

/* The content of a keyword's value. */
typedef enum value_content {
    HOLDS_VALUE,   /* nothing to translate */
    HOLDS_SCHEMA,  /* a schema */
    HOLDS_LIST,    /* a list of schemas */
    HOLDS_MEMBERS, /* an object of schemas */
    HOLDS_COUNT,   /* a count, which llama.cpp expands */
    HOLDS_LENGTH,  /* a count; next to a pattern or a format only OpenAI uses it */
    HOLDS_PATTERN, /* a regular expression; llama.cpp requires both anchors */
    HOLDS_BOUND,   /* a number; llama.cpp supports bounds of integers only */
    HOLDS_FORMAT,  /* the name of a format; each server supports some formats */
    HOLDS_ITEMS,   /* a schema of the items after prefixItems */
    HOLDS_CHOICE,  /* a list of schemas; llama.cpp ignores properties next to it */
    HOLDS_REQUIRED,
    HOLDS_VALUES, /* a list of values; Gemini supports strings and numbers only */
    HOLDS_CONST,  /* a value; for Gemini it becomes a list of one value */
} value_content;

static const struct {
    const char *key;
    unsigned targets;
    value_content value_content;
} keywords[] = {
    {"type", ALL, HOLDS_VALUE},
    {"description", ALL, HOLDS_VALUE},
    {"enum", ALL, HOLDS_VALUES},
    {"const", ALL, HOLDS_CONST},
    {"properties", ALL, HOLDS_MEMBERS},
    {"required", ALL, HOLDS_REQUIRED},
    /* always false in strict mode */
    {"additionalProperties", VLLM | OLLAMA | OPEN | GEMINI, HOLDS_SCHEMA},
    {"items", ALL, HOLDS_ITEMS},
    {"prefixItems", VLLM | GEMINI, HOLDS_LIST}, /* llama.cpp's is broken */
    {"anyOf", ALL, HOLDS_CHOICE},
    {"minItems", ALL, HOLDS_COUNT}, /* Anthropic's is at most 1 */
    {"maxItems", BOUNDS | GEMINI, HOLDS_COUNT},
    {"minLength", VLLM | OLLAMA, HOLDS_LENGTH},
    {"maxLength", VLLM | OLLAMA, HOLDS_LENGTH},
    {"pattern", BOUNDS, HOLDS_PATTERN},
    {"format", ALL, HOLDS_FORMAT},
    {"minimum", BOUNDS | GEMINI, HOLDS_BOUND},
    {"maximum", BOUNDS | GEMINI, HOLDS_BOUND},
    {"exclusiveMinimum", BOUNDS, HOLDS_BOUND},
    {"exclusiveMaximum", BOUNDS, HOLDS_BOUND},
    {"multipleOf", OPENAI, HOLDS_VALUE},
};

static const struct {
    const char *name;
    unsigned targets;
} formats[] = {
    {"date-time", ALL},
    {"date", ALL},
    {"time", ALL},
    {"uuid", BOUNDS | ANTHROPIC},
    {"duration", OPENAI | VLLM | ANTHROPIC},
    {"email", OPENAI | VLLM | ANTHROPIC},
    {"hostname", OPENAI | VLLM | ANTHROPIC},
    {"ipv4", OPENAI | VLLM | ANTHROPIC},
    {"ipv6", OPENAI | VLLM | ANTHROPIC},
    {"uri", VLLM | ANTHROPIC},
};

static const struct {
    const char *name;
    haft__schema_target target;
} targets[] = {
    {"openai", HAFT__TARGET_OPENAI}, {"vllm", HAFT__TARGET_VLLM},
    {"ollama", HAFT__TARGET_OLLAMA}, {"anthropic", HAFT__TARGET_ANTHROPIC},
    {"gemini", HAFT__TARGET_GEMINI},
};

static haft__json translate(haft__downlevel *d, haft__json schema);

bool haft__schema_target_closes_objects(haft__schema_target target)
{
    return target == HAFT__TARGET_OPENAI || target == HAFT__TARGET_ANTHROPIC;
}

bool haft__schema_target_is_strict(haft__schema_target target)
{
    return target == HAFT__TARGET_OPENAI;
}

haft__schema_target haft__schema_target_relaxed(haft__schema_target target)
{
    return target == HAFT__TARGET_OPENAI ? HAFT__TARGET_OPENAI_OPEN : target;
}

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

haft__json haft__object_builder_single(haft__downlevel *d, const char *key, haft__json value)
{
    haft__object_builder m;
    if (!haft__object_builder_init(d, &m, 1)) {
        return haft__json_bool(true);
    }
    haft__object_builder_put(&m, haft__object_builder_string(key), value);
    return haft__object_builder_end(&m);
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

static void report_property(haft__downlevel *d, haft_str key)
{
    size_t before = haft__gbnf_enter(&d->g, "properties", key);
    haft__gbnf_report_relaxed(&d->g, "a property with this name",
                              "nothing: the server supports letters, digits and '_' only");
    haft__gbnf_leave(&d->g, before);
}

static haft__json translate_members(haft__downlevel *d, haft__json schema, haft__json members)
{
    haft__object_builder m;
    if (members.kind != HAFT__JSON_OBJECT || !haft__object_builder_init(d, &m, members.count)) {
        return haft__json_object(NULL, 0);
    }
    for (uint32_t i = 0; i < members.count; i++) {
        haft_str key = haft__json_text(members.members[i].key);
        if (!haft__downlevel_can_name(d, key)) {
            report_property(d, key);
            continue;
        }
        size_t before = haft__gbnf_enter(&d->g, "properties", key);
        haft__json value = translate(d, members.members[i].value);
        value = haft__downlevel_property(d, schema, key, value);
        haft__object_builder_put(&m, members.members[i].key, value);
        haft__gbnf_leave(&d->g, before);
    }
    return haft__object_builder_end(&m);
}

/* ---- omissions ---- */

static bool knows_format(haft__schema_target target, haft_str name)
{
    for (size_t i = 0; i < COUNT(formats); i++) {
        if (haft__str_equal(name, haft__str(formats[i].name))) {
            return (formats[i].targets >> target & 1) != 0;
        }
    }
    return false;
}

static bool is_anchored(haft_str pattern)
{
    return haft__str_starts_with(pattern, HAFT__LIT("^"))
           && haft__str_ends_with(pattern, HAFT__LIT("$"));
}

/* Whether the string has a pattern or a format that the server uses. */
static bool is_shaped(const haft__downlevel *d, haft__json schema)
{
    const haft__json *pattern = haft__object_find(schema, "pattern");
    const haft__json *format = haft__object_find(schema, "format");
    bool ollama = d->target == HAFT__TARGET_OLLAMA;
    return (pattern != NULL && (!ollama || is_anchored(haft__json_text(*pattern))))
           || (format != NULL && knows_format(d->target, haft__json_text(*format)));
}

static bool is_integer(haft__json schema)
{
    const haft__json *type = haft__object_find(schema, "type");
    return type != NULL && haft__str_equal(haft__json_text(*type), HAFT__LIT("integer"));
}

/* The replacement of a keyword that the server supports, but not with this value; NULL: the keyword
 * stays. */
static const char *find_fault(haft__downlevel *d, haft__json schema, const char *key,
                              value_content kind)
{
    uint64_t count = 0;
    haft_str value = haft__json_text(*haft__object_find(schema, key));
    bool ollama = d->target == HAFT__TARGET_OLLAMA;
    if (kind == HOLDS_LENGTH && is_shaped(d, schema)) {
        return "any length: ignored next to a pattern or a format";
    }
    switch (kind) {
    case HOLDS_LENGTH:
    case HOLDS_COUNT:
        if (d->target == HAFT__TARGET_ANTHROPIC && haft__gbnf_get_count(schema, key, &count)
            && count > 1) {
            return "any number: Anthropic supports 0 and 1 only";
        }
        return ollama && haft__gbnf_get_count(schema, key, &count)
                       && count > HAFT__LIMIT_GRAMMAR_REPEAT
                   ? "any number: too large for llama.cpp"
                   : NULL;
    case HOLDS_PATTERN:
        return ollama && !is_anchored(value) ? "any string: llama.cpp requires ^ and $ around it"
                                             : NULL;
    case HOLDS_BOUND:
        return ollama && !is_integer(schema)
                   ? "any number: llama.cpp supports bounds of integers only"
                   : NULL;
    case HOLDS_FORMAT:
        return knows_format(d->target, value) ? NULL : "any string: not supported by the server";
    case HOLDS_ITEMS:
        return d->target != HAFT__TARGET_VLLM && d->target != HAFT__TARGET_GEMINI
                       && haft__object_find(schema, "prefixItems") != NULL
                   ? "any items: not supported together with prefixItems"
                   : NULL;
    case HOLDS_VALUES:
    case HOLDS_CONST: return haft__downlevel_find_value_fault(d, schema, key);
    case HOLDS_SCHEMA: return haft__downlevel_find_closed_fault(d, schema, key);
    case HOLDS_CHOICE:
        return ollama && haft__object_find(schema, "properties") != NULL
                   ? "nothing: llama.cpp does not support it next to properties"
                   : NULL;
    case HOLDS_VALUE:
    case HOLDS_LIST:
    case HOLDS_MEMBERS:
    case HOLDS_REQUIRED: return NULL;
    }
    HAFT__UNREACHABLE();
}

static bool is_supported(haft__downlevel *d, haft__json schema, const char *key, value_content kind)
{
    const char *fault = find_fault(d, schema, key, kind);
    if (fault != NULL) {
        haft__gbnf_relax(&d->g, schema, key, fault);
    }
    return fault == NULL;
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
        if (!known && !closed && !haft__gbnf_is_annotation(key)
            && !haft__str_equal(key, HAFT__LIT("oneOf"))) {
            char name[64];
            (void)snprintf(name, sizeof name, "%.*s", HAFT__ARG(key));
            haft__gbnf_relax(&d->g, schema, name, "nothing: not supported by the server");
        }
    }
}

/* ---- a schema ---- */

static haft__json translate_value(haft__downlevel *d, haft__json schema, size_t keyword)
{
    const char *key = keywords[keyword].key;
    haft__json value = *haft__object_find(schema, key);
    size_t before;
    switch (keywords[keyword].value_content) {
    case HOLDS_CHOICE:
    case HOLDS_LIST: return translate_list(d, key, value);
    case HOLDS_MEMBERS: return translate_members(d, schema, value);
    case HOLDS_ITEMS:
    case HOLDS_SCHEMA:
        before = haft__gbnf_enter(&d->g, key, (haft_str){NULL, 0});
        value = value.kind == HAFT__JSON_FALSE ? value : translate(d, value);
        haft__gbnf_leave(&d->g, before);
        return value;
    case HOLDS_VALUE:
    case HOLDS_COUNT:
    case HOLDS_LENGTH:
    case HOLDS_PATTERN:
    case HOLDS_BOUND:
    case HOLDS_FORMAT:
    case HOLDS_VALUES: return value;
    case HOLDS_REQUIRED: return haft__downlevel_required(d, value);
    case HOLDS_CONST: return haft__downlevel_const(d, value);
    }
    return value;
}

static bool is_type(haft__json name)
{
    static const char *const names[] = {"null",   "boolean", "integer", "number",
                                        "string", "array",   "object"};
    for (size_t i = 0; name.kind == HAFT__JSON_STRING && i < COUNT(names); i++) {
        if (haft__str_equal(haft__json_text(name), haft__str(names[i]))) {
            return true;
        }
    }
    return false;
}

/* The schema without an unknown type, for which a server would reject the whole request. */
static haft__json drop_bad_type(haft__downlevel *d, haft__json schema)
{
    const haft__json *type = haft__object_find(schema, "type");
    bool good =
        type == NULL || is_type(*type) || (type->kind == HAFT__JSON_ARRAY && type->count > 0);
    for (uint32_t i = 0; type != NULL && type->kind == HAFT__JSON_ARRAY && i < type->count; i++) {
        good = good && is_type(type->items[i]);
    }
    haft__object_builder m;
    if (good || !haft__object_builder_init(d, &m, schema.count)) {
        return schema;
    }
    haft__gbnf_relax(&d->g, schema, "type", "any value: unknown type");
    for (uint32_t i = 0; i < schema.count; i++) {
        if (!haft__str_equal(haft__json_text(schema.members[i].key), HAFT__LIT("type"))) {
            haft__object_builder_put(&m, schema.members[i].key, schema.members[i].value);
        }
    }
    return haft__object_builder_end(&m);
}

static haft__json translate_flat(haft__downlevel *d, haft__json schema)
{
    haft__object_builder m;
    schema = drop_bad_type(d, schema);
    bool strict = haft__schema_target_is_strict(d->target);
    if (!haft__object_builder_init(d, &m, COUNT(keywords) + 5)) {
        return haft__json_bool(true);
    }
    report_unknown(d, schema);
    for (size_t i = 0; i < COUNT(keywords); i++) {
        const char *key = keywords[i].key;
        if (haft__object_find(schema, key) == NULL || (keywords[i].targets >> d->target & 1) == 0
            || (strict && keywords[i].value_content == HOLDS_REQUIRED)
            || !is_supported(d, schema, key, keywords[i].value_content)) {
            continue;
        }
        bool list = d->target == HAFT__TARGET_GEMINI && keywords[i].value_content == HOLDS_CONST;
        haft__object_builder_put(&m, haft__object_builder_string(list ? "enum" : key),
                                 translate_value(d, schema, i));
    }
    if (haft__object_find(schema, "oneOf") != NULL && haft__object_find(schema, "anyOf") == NULL
        && is_supported(d, schema, "oneOf", HOLDS_CHOICE)) {
        haft__gbnf_report_relaxed(&d->g, "oneOf", "anyOf: more than one may match");
        haft__object_builder_put(&m, haft__object_builder_string("anyOf"),
                                 translate_list(d, "oneOf", *haft__object_find(schema, "oneOf")));
    }
    if (haft__schema_target_closes_objects(d->target)) {
        haft__downlevel_complete_strict(d, schema, &m);
    }
    return haft__object_builder_end(&m);
}

/* ---- references ---- */

static bool add_def(haft__downlevel *d, haft__json key)
{
    haft__json_member *defs = haft__vec_reserve_in(&d->g.arena, d->defs, d->def_count, &d->def_room,
                                                   d->def_count + 1, sizeof *defs);
    if (defs == NULL) {
        haft__gbnf_fail(&d->g, haft__arena_fail(&d->g.arena, NULL));
        return false;
    }
    d->defs = defs;
    d->defs[d->def_count++] = (haft__json_member){key, haft__json_bool(true)};
    return true;
}

/* Whether the definition is being translated: a reference to it is a cycle. */
static bool is_open(const haft__downlevel *d, const haft__gbnf_rule_name *name)
{
    uint64_t index = 0;
    return haft__str_to_u64(haft__str(name->text + 1), &index) && index < d->def_count
           && d->defs[index].value.kind == HAFT__JSON_TRUE;
}

/* A schema for any value, as far as the target supports one. */
static haft__json anything(haft__downlevel *d)
{
    return d->target == HAFT__TARGET_OPENAI ? translate_flat(d, haft__json_object(NULL, 0))
                                            : haft__json_object(NULL, 0);
}

/* A reference to "#/$defs/dN". Its target is translated once and may refer to itself. */
static haft__json refer(haft__downlevel *d, haft__json schema, haft__json target)
{
    haft_str pointer = haft__json_text(*haft__object_find(schema, "$ref"));
    haft__gbnf_rule_name *name = haft__map_get(&d->g.refs, pointer);
    if (name != NULL && d->target == HAFT__TARGET_GEMINI && is_open(d, name)) {
        haft__gbnf_relax(&d->g, schema, "$ref", "any value: the server supports no recursion");
        return anything(d);
    }
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
    return haft__object_builder_single(d, "$ref", haft__json_string(to));
}

static bool is_plain_reference(haft__json schema)
{
    for (uint32_t i = 0; i < schema.count; i++) {
        haft_str key = haft__json_text(schema.members[i].key);
        if (!haft__str_equal(key, HAFT__LIT("$ref")) && !haft__gbnf_is_annotation(key)) {
            return false;
        }
    }
    return haft__object_find(schema, "$ref") != NULL;
}

/* Whether references form a cycle. */
static bool is_circular(haft__downlevel *d, haft__json schema)
{
    for (size_t hops = 0; hops < 32; hops++) {
        const haft__json *target = haft__gbnf_ref_target(&d->g, schema);
        if (target == NULL || !is_plain_reference(*target)) {
            return false;
        }
        schema = *target;
    }
    return true;
}

static haft__json translate_bounded(haft__downlevel *d, haft__json schema)
{
    if (!haft__gbnf_charge_step(&d->g)) {
        return anything(d);
    }
    if (d->g.steps > HAFT__LIMIT_GRAMMAR_STEPS || d->g.depth > DEPTH) {
        haft__gbnf_report_relaxed(&d->g, "a schema this deep or this large", "any value");
        return anything(d);
    }
    if (schema.kind != HAFT__JSON_OBJECT) {
        if (schema.kind != HAFT__JSON_TRUE) {
            haft__gbnf_report_relaxed(
                &d->g, "a schema that is not valid, or that no value satisfies", "any value");
        }
        return anything(d);
    }
    const haft__json *target = haft__gbnf_ref_target(&d->g, schema);
    if (is_plain_reference(schema) && target != NULL && !is_circular(d, schema)) {
        return refer(d, schema, *target);
    }
    haft__json flat = haft__gbnf_flatten_schema(&d->g, schema);
    return flat.kind == HAFT__JSON_OBJECT ? translate_flat(d, flat) : anything(d);
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

haft__json haft__downlevel_translate(haft__downlevel *d, haft_str where, haft__json schema)
{
    d->g.out = &d->out; /* the struct may have been moved */
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
