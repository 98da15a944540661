/* SPDX-License-Identifier: Apache-2.0 */
/*
 * call_value.c - arguments that are written as keys and unquoted values. The schema of the tool has
 * the types of the values.
 *
 * A string is reported piece by piece as it arrives, any other value when it is complete. A value
 * that does not parse as its type stays a string, so that the check of the arguments can report the
 * error. Tests: tests/format/call_value_test.c, tests/format/dialects/qwen3coder_test.c.
 */
#include "base/limits.h"
#include "format/parser.h"
#include "json/pointer.h"
#include "json/repair.h"
#include "json/write.h"

enum {
    TYPE_STRING = 1,
    TYPE_INTEGER = 2,
    TYPE_NUMBER = 4,
    TYPE_BOOLEAN = 8,
    TYPE_NULL = 16,
    TYPE_OBJECT = 32,
    TYPE_ARRAY = 64,
    TYPE_ANY = 128, /* the schema gives no type */
};

static const struct {
    const char *name;
    unsigned type;
} type_names[] = {
    {"string", TYPE_STRING},   {"integer", TYPE_INTEGER}, {"number", TYPE_NUMBER},
    {"boolean", TYPE_BOOLEAN}, {"null", TYPE_NULL},       {"object", TYPE_OBJECT},
    {"array", TYPE_ARRAY},
};

static unsigned find_type(haft__json name)
{
    for (size_t i = 0; name.kind == HAFT__JSON_STRING && i < COUNT(type_names); i++) {
        if (haft__str_equal(haft__json_text(name), haft__str(type_names[i].name))) {
            return type_names[i].type;
        }
    }
    return 0;
}

static unsigned type_of_value(haft__json value)
{
    static const unsigned kinds[] = {
        [HAFT__JSON_NULL] = TYPE_NULL,     [HAFT__JSON_FALSE] = TYPE_BOOLEAN,
        [HAFT__JSON_TRUE] = TYPE_BOOLEAN,  [HAFT__JSON_NUMBER] = TYPE_INTEGER | TYPE_NUMBER,
        [HAFT__JSON_STRING] = TYPE_STRING, [HAFT__JSON_ARRAY] = TYPE_ARRAY,
        [HAFT__JSON_OBJECT] = TYPE_OBJECT,
    };
    return kinds[value.kind];
}

/* The types in the `type` of a schema, or of the values that it allows; 0: it has neither. */
static unsigned types_of_schema(haft__json schema)
{
    const haft__json *type = haft__json_get(schema, HAFT__LIT("type"));
    const haft__json *only = haft__json_get(schema, HAFT__LIT("const"));
    const haft__json *allowed = haft__json_get(schema, HAFT__LIT("enum"));
    unsigned types = 0;
    if (type != NULL) {
        types = find_type(*type);
        for (uint32_t i = 0; type->kind == HAFT__JSON_ARRAY && i < type->count; i++) {
            types |= find_type(type->items[i]);
        }
    } else if (only != NULL) {
        types = type_of_value(*only);
    } else if (allowed != NULL && allowed->kind == HAFT__JSON_ARRAY) {
        for (uint32_t i = 0; i < allowed->count; i++) {
            types |= type_of_value(allowed->items[i]);
        }
    }
    return types;
}

/* Bounds the work on references and combined schemas, which may be circular. */
#define MAX_STEPS 256
#define MAX_DEPTH 16

typedef struct schema_search {
    haft__json root; /* the schema that references point into */
    unsigned steps;
} schema_search;

/* The schema that `$ref` refers to, within the tool's schema; NULL if it does not exist. */
static const haft__json *follow_ref(const schema_search *search, haft__json schema)
{
    const haft__json *ref = haft__json_get(schema, HAFT__LIT("$ref"));
    if (ref == NULL || ref->kind != HAFT__JSON_STRING
        || !haft__str_starts_with(haft__json_text(*ref), HAFT__LIT("#"))) {
        return NULL;
    }
    return haft__pointer_get(&search->root, haft__str_skip(haft__json_text(*ref), 1));
}

static bool exceeds_limit(schema_search *search, unsigned depth)
{
    return depth > MAX_DEPTH || search->steps++ >= MAX_STEPS;
}

/* The intersection of two sets of types; 0 means no restriction. An integer is also a number. If
 * the sets have no common type, returns the first. */
static unsigned intersect_types(unsigned a, unsigned b)
{
    if (a == 0 || (a & TYPE_ANY) != 0) {
        return b != 0 ? b : a;
    }
    if (b == 0 || (b & TYPE_ANY) != 0) {
        return a;
    }
    unsigned wide_a = a | ((a & TYPE_NUMBER) != 0 ? TYPE_INTEGER : 0U);
    unsigned wide_b = b | ((b & TYPE_NUMBER) != 0 ? TYPE_INTEGER : 0U);
    return (wide_a & wide_b) != 0 ? wide_a & wide_b : a;
}

static unsigned types_in(schema_search *search, haft__json schema, unsigned depth);

/* The types that a list of schemas allows: the intersection with `all`, else the union. */
static unsigned types_of_list(schema_search *search, haft__json schema, const char *key, bool all,
                              unsigned depth)
{
    const haft__json *list = haft__json_get(schema, haft__str(key));
    unsigned types = 0;
    for (uint32_t i = 0; list != NULL && list->kind == HAFT__JSON_ARRAY && i < list->count; i++) {
        unsigned item_types = types_in(search, list->items[i], depth + 1);
        types = all ? intersect_types(types, item_types)
                    : types | (item_types != 0 ? item_types : TYPE_ANY);
    }
    return types;
}

/* The types that a schema allows; 0: it does not restrict the type. */
static unsigned types_in(schema_search *search, haft__json schema, unsigned depth)
{
    if (exceeds_limit(search, depth)) {
        return 0;
    }
    unsigned types = types_of_schema(schema);
    const haft__json *target = follow_ref(search, schema);
    types = target != NULL ? intersect_types(types, types_in(search, *target, depth + 1)) : types;
    types = intersect_types(types, types_of_list(search, schema, "allOf", true, depth));
    types = intersect_types(types, types_of_list(search, schema, "anyOf", false, depth));
    return intersect_types(types, types_of_list(search, schema, "oneOf", false, depth));
}

/* The schema of a parameter: in the properties of `schema`, or of a schema in its `$ref` or
 * `allOf`. */
static const haft__json *find_property(schema_search *search, haft__json schema, haft_str key,
                                       unsigned depth)
{
    const haft__json *at = haft__json_get(schema, HAFT__LIT("properties"));
    at = at != NULL ? haft__json_get(*at, key) : NULL;
    if (at != NULL || exceeds_limit(search, depth)) {
        return at;
    }
    const haft__json *target = follow_ref(search, schema);
    const haft__json *list = haft__json_get(schema, HAFT__LIT("allOf"));
    uint32_t count = list != NULL && list->kind == HAFT__JSON_ARRAY ? list->count : 0;
    at = target != NULL ? find_property(search, *target, key, depth + 1) : NULL;
    for (uint32_t i = 0; at == NULL && i < count; i++) {
        at = find_property(search, list->items[i], key, depth + 1);
    }
    return at;
}

/* The types that a parameter may have. */
static unsigned types_of(const haft__format_tool *tool, haft_str key)
{
    schema_search search = {.root = tool != NULL ? tool->parameters : haft__json_null()};
    const haft__json *at = find_property(&search, search.root, key, 0);
    unsigned types = at != NULL ? types_in(&search, *at, 0) : 0;
    return types != 0 ? types : TYPE_ANY;
}

bool haft__value_is_text(const haft__format_tool *tool, haft_str key)
{
    return types_of(tool, key) == TYPE_STRING;
}

/* ---- typed values ---- */

/* Whether a value has one of the types. A JSON string has none: in an unquoted string, quotes are
 * part of the string. */
static bool has_type(haft__json value, unsigned types)
{
    return (types & TYPE_ANY) != 0
           || (value.kind != HAFT__JSON_STRING && (type_of_value(value) & types) != 0);
}

/* Whether the text is JSON of one of the types. */
static bool is_json(haft__parser *p, haft_str text, unsigned types)
{
    haft__json_options options = HAFT__JSON_OPTIONS_INIT;
    options.max_depth--; /* the object of the arguments is one level */
    haft__json_stream stream;
    haft__json_event event = {.kind = HAFT__JSON_EVENT_MORE};
    haft_error err = {0};
    haft_status status = HAFT_OK;
    bool good = true;
    haft__json_stream_init(&stream, &options);
    while (status == HAFT_OK && good && event.kind != HAFT__JSON_EVENT_DONE) {
        status = haft__json_stream_next(&stream, &text, &event, &err);
        if (status == HAFT_OK && event.kind == HAFT__JSON_EVENT_MORE) {
            haft__json_stream_end(&stream);
        } else if (status == HAFT_OK && event.kind > HAFT__JSON_EVENT_DONE) {
            good = (event.depth > 0 || has_type(event.value, types))
                   && !haft__scan_is_not_finite(&event);
        }
    }
    haft__json_stream_finish(&stream);
    if (status == HAFT_NO_MEMORY) {
        haft__parser_fail(p, status, &err);
    }
    return status == HAFT_OK && good && text.len == 0;
}

/* Repairs an object or array with errors. Empty if it cannot be repaired, or if the value may be a
 * string. The result is in p->scratch. */
static haft_str repair_container(haft__parser *p, haft_str text, unsigned types)
{
    bool container = text.len > 0 && (text.ptr[0] == '{' || text.ptr[0] == '[');
    if (!p->options.repair || !container || (types & (TYPE_STRING | TYPE_ANY)) != 0) {
        return (haft_str){NULL, 0};
    }
    haft__arena arena;
    haft__arena_init(&arena, 0);
    haft__json_options options = HAFT__JSON_OPTIONS_INIT;
    options.max_depth--; /* as in is_json */
    haft__json value;
    haft_error err = {0};
    haft_status status = haft__json_read_tolerant(&arena, text, &options, &value, NULL, &err);
    haft__buf_clear(&p->scratch);
    if (status == HAFT_NO_MEMORY) {
        haft__parser_fail(p, status, &err);
    } else if (status == HAFT_OK && has_type(value, types)) {
        haft__json_write(&p->scratch, value);
        haft__parser_check(p, &p->scratch);
        p->call.repaired = true;
    }
    haft__arena_finish(&arena);
    return haft__buf_str(&p->scratch);
}

/* The value as JSON text; empty if it does not parse as any of the types. */
static haft_str read_typed(haft__parser *p, haft_str text, unsigned types)
{
    haft_str trimmed = haft__str_trim(text);
    if ((types & TYPE_BOOLEAN) != 0) {
        if (haft__str_equal_ignore_case(trimmed, HAFT__LIT("true"))) {
            return HAFT__LIT("true");
        }
        if (haft__str_equal_ignore_case(trimmed, HAFT__LIT("false"))) {
            return HAFT__LIT("false");
        }
    }
    return is_json(p, trimmed, types) ? trimmed : repair_container(p, trimmed, types);
}

/* ---- a value, from its key to its end ---- */

/* Adds a piece of a string. */
static void add_escaped(haft__parser *p, haft_str text)
{
    haft__buf_clear(&p->scratch);
    haft__json_write_string(&p->scratch, text);
    haft__parser_check(p, &p->scratch);
    if (p->status == HAFT_OK) {
        haft__call_builder_add_args(p, (haft_str){p->scratch.ptr + 1, p->scratch.len - 2});
    }
}

bool haft__value_begin(haft__parser *p, haft__format_action how)
{
    haft__call_builder *call = &p->call;
    haft_str key = haft__str_trim(haft__buf_str(&call->key));
    if (call->key.status != HAFT_OK || key.len == 0 || !haft__utf8_valid(key)
        || memchr(key.ptr, '<', key.len) != NULL || memchr(key.ptr, ' ', key.len) != NULL) {
        return false;
    }
    call->types = how == HAFT__ACTION_KEY_END_STRING ? TYPE_STRING
                  : how == HAFT__ACTION_KEY_END_JSON ? TYPE_ANY
                                                     : types_of(call->tool, key);
    call->verbatim = call->types == TYPE_STRING;
    call->fresh = call->in_value = true;
    call->on_own_line = call->begun = false;
    haft__buf_clear(&p->scratch);
    haft__buf_add_char(&p->scratch, call->members ? ',' : '{');
    haft__json_write_string(&p->scratch, key);
    haft__buf_add_char(&p->scratch, ':');
    if (call->verbatim) {
        haft__buf_add_char(&p->scratch, '"');
    }
    haft__parser_check(p, &p->scratch);
    haft__call_builder_add_args(p, haft__buf_str(&p->scratch));
    call->wrapped = !call->members && haft__scan_call_member(key) == HAFT__CALL_MEMBER_ARGS;
    call->members = true;
    haft__buf_clear(&call->key);
    haft__buf_clear(&call->value);
    return true;
}

/* How many bytes of a string can be reported: all except a newline that may be its last byte and an
 * incomplete character. */
static size_t count_ready(const haft__parser *p, haft_str text)
{
    size_t ready = text.len;
    if (p->format->one_newline && ready > 0 && text.ptr[ready - 1] == '\n') {
        ready--;
    }
    if (p->format->one_newline && ready > 0 && text.ptr[ready - 1] == '\r') {
        ready--;
    }
    return ready < text.len ? ready : haft__utf8_complete_prefix(text);
}

static haft_str without_first_newline(haft_str text)
{
    if (text.len > 1 && text.ptr[0] == '\r' && text.ptr[1] == '\n') {
        return haft__str_skip(text, 2);
    }
    return text.len > 0 && text.ptr[0] == '\n' ? haft__str_skip(text, 1) : text;
}

static haft_str without_last_newline(haft_str text)
{
    if (text.len > 0 && text.ptr[text.len - 1] == '\n') {
        text.len--;
        text.len -= text.len > 0 && text.ptr[text.len - 1] == '\r' ? 1 : 0;
    }
    return text;
}

/* Drops a newline at the start of the value. False until enough bytes have arrived to decide
 * whether it has one. */
static bool trim_start(haft__parser *p)
{
    haft__call_builder *call = &p->call;
    haft_str text = haft__buf_str(&call->value);
    if (!call->fresh || !p->format->one_newline) {
        call->fresh = false;
        return true;
    }
    if (text.len == 0 || (text.len == 1 && text.ptr[0] == '\r')) {
        return false;
    }
    haft_str rest = without_first_newline(text);
    haft__parser_remove_prefix(&call->value, text.len - rest.len);
    call->fresh = false;
    call->on_own_line = rest.len < text.len;
    return true;
}

bool haft__value_may_end(const haft__parser *p)
{
    const haft__call_builder *call = &p->call;
    haft_str rest = haft__buf_str(&call->value); /* it always contains the last newline */
    bool line = rest.len > 0 ? rest.ptr[rest.len - 1] == '\n' : !call->begun;
    return !call->on_own_line || line;
}

void haft__value_add(haft__parser *p, haft_str text)
{
    haft__call_builder *call = &p->call;
    haft__buf_add_str(&call->value, text);
    haft__parser_check(p, &call->value);
    if (p->status != HAFT_OK || !trim_start(p) || !call->verbatim) {
        return;
    }
    haft_str value = haft__buf_str(&call->value);
    size_t ready = count_ready(p, value);
    add_escaped(p, (haft_str){value.ptr, ready});
    haft__parser_remove_prefix(&call->value, ready);
    call->begun = call->begun || ready > 0;
}

void haft__value_end(haft__parser *p)
{
    haft__call_builder *call = &p->call;
    (void)trim_start(p);
    haft_str text = haft__buf_str(&call->value);
    if (p->format->one_newline) {
        text = without_last_newline(text);
    }
    haft_str typed = call->verbatim ? (haft_str){NULL, 0} : read_typed(p, text, call->types);
    if (call->verbatim) {
        add_escaped(p, text);
        haft__call_builder_add_args(p, HAFT__LIT("\""));
    } else if (typed.len > 0) {
        haft__call_builder_add_args(p, typed);
    } else {
        haft__buf_clear(&p->scratch);
        haft__json_write_string(&p->scratch, text);
        haft__parser_check(p, &p->scratch);
        haft__call_builder_add_args(p, haft__buf_str(&p->scratch));
    }
    haft__buf_clear(&call->value);
    call->in_value = false;
}

/* ---- arguments inside a parameter ---- */

/* The value of a JSON text; null if the text is not JSON. */
static haft__json read_json(haft__parser *p, haft__arena *arena, haft_str text)
{
    haft__json value;
    haft_error err = {0};
    haft_status status = haft__json_read(arena, text, NULL, &value, NULL, &err);
    if (status == HAFT_NO_MEMORY) {
        haft__parser_fail(p, status, &err);
    }
    return status == HAFT_OK ? value : haft__json_null();
}

/* Whether the tool has each of the members as a parameter, but none with this name. */
static bool has_parameters(const haft__parser *p, haft__json object, haft_str name)
{
    schema_search search = {.root = p->call.tool->parameters};
    bool all = find_property(&search, search.root, name, 0) == NULL;
    for (uint32_t i = 0; all && i < object.count; i++) {
        search.steps = 0;
        all =
            find_property(&search, search.root, haft__json_text(object.members[i].key), 0) != NULL;
    }
    return all;
}

/* Some models write all arguments as members of one parameter, such as "arguments". If the tool
 * does not have this parameter but has all the members as parameters, uses the members. */
static void unwrap(haft__parser *p)
{
    haft__call_builder *call = &p->call;
    if (!p->options.repair || !call->wrapped || call->tool == NULL) {
        return;
    }
    haft__arena arena;
    haft__arena_init(&arena, 0);
    haft__json all = read_json(p, &arena, haft__buf_str(&call->args));
    if (all.kind == HAFT__JSON_OBJECT) {
        haft__json inner = all.members[0].value;
        if (inner.kind == HAFT__JSON_STRING) {
            inner = read_json(p, &arena, haft__json_text(inner));
        }
        if (inner.kind == HAFT__JSON_OBJECT
            && has_parameters(p, inner, haft__json_text(all.members[0].key))) {
            haft__buf_clear(&call->args);
            haft__json_write(&call->args, inner);
            haft__parser_check(p, &call->args);
            call->repaired = true;
        }
    }
    haft__arena_finish(&arena);
}

void haft__value_close(haft__parser *p)
{
    if (p->call.in_value) {
        haft__value_end(p);
    }
    haft__call_builder_add_args(p, p->call.members ? HAFT__LIT("}") : HAFT__LIT("{}"));
    unwrap(p);
    haft__call_builder_end(p);
}
