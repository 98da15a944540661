/* SPDX-License-Identifier: Apache-2.0 */
/*
 * parse_constraint.c - the constraint of a request: read as strictly as the servers do, and
 * compared with replies.
 *
 * OpenAI's rules are those of its structured outputs: an object at the root, every property
 * required, no others, and only known keywords. Tests:
 * tests/model/providers/openai_chat/parse_constraint_test.c.
 */
#include <stdio.h>

#include "base/ascii.h"
#include "base/error.h"
#include "base/limits.h"
#include "base/macros.h"
#include "base/str.h"
#include "format/grammar/gbnf_reader.h"
#include "model/providers/openai_chat/parse_request_int.h"
#include "schema/schema.h"
#include "json/object.h"
#include "json/read.h"

#define SCHEMA "response_format.json_schema"

/* Limits from OpenAI's documentation. */
#define MAX_DEPTH      10
#define MAX_PROPERTIES 5000
#define MAX_VALUES     1000 /* of all enums together */
#define NAME_BYTES     64

typedef struct strict {
    haft__chat_reader *r;
    haft_str name;  /* of the schema */
    haft__buf path; /* 'properties', 'q' */
    uint32_t properties, values;
} strict;

/* ---- OpenAI's rules ---- */

static bool refuse(strict *s, const char *what)
{
    return haft__chat_reject(s->r, NULL, "response_format",
                             "Invalid schema for response_format '%.*s': In context=(%.*s), %s",
                             HAFT__ARG(s->name), HAFT__ARG(haft__buf_str(&s->path)), what);
}

static bool is_known(haft_str key)
{
    static const char *const known[] = {"type",
                                        "properties",
                                        "required",
                                        "additionalProperties",
                                        "items",
                                        "enum",
                                        "const",
                                        "anyOf",
                                        "$ref",
                                        "$defs",
                                        "definitions",
                                        "description",
                                        "title",
                                        "default",
                                        "pattern",
                                        "format",
                                        "minimum",
                                        "maximum",
                                        "exclusiveMinimum",
                                        "exclusiveMaximum",
                                        "minItems",
                                        "maxItems",
                                        "multipleOf"};
    return haft__str_is_one_of(key, known, COUNT(known));
}

static bool check_strict(strict *s, haft__json schema, unsigned depth);

/* Checks a part of the schema; restores the path. */
static bool check_part(strict *s, const char *key, haft_str name, haft__json schema, unsigned depth)
{
    size_t before = s->path.len;
    haft__buf_addf(&s->path, "%s'%s'", before > 0 ? ", " : "", key);
    if (name.ptr != NULL) {
        haft__buf_addf(&s->path, ", '%.*s'", HAFT__ARG(name));
    }
    bool good = check_strict(s, schema, depth);
    s->path.len = before < s->path.len ? before : s->path.len;
    return good;
}

static bool has_type(haft__json schema, const char *name)
{
    const haft__json *type = haft__json_get(schema, HAFT__LIT("type"));
    bool found = type != NULL && haft__str_equal(haft__json_text(*type), haft__str(name));
    for (uint32_t i = 0; type != NULL && type->kind == HAFT__JSON_ARRAY && i < type->count; i++) {
        found = found || haft__str_equal(haft__json_text(type->items[i]), haft__str(name));
    }
    return found;
}

static bool check_object(strict *s, haft__json schema)
{
    const haft__json *others = haft__json_get(schema, HAFT__LIT("additionalProperties"));
    haft__json required = haft__object_get(schema, "required");
    const haft__json *properties = haft__json_get(schema, HAFT__LIT("properties"));
    if (others == NULL || others->kind != HAFT__JSON_FALSE) {
        return refuse(s, "'additionalProperties' is required to be supplied and to be false.");
    }
    uint32_t count = properties != NULL ? properties->count : 0;
    for (uint32_t i = 0; i < count; i++) {
        haft_str key = haft__json_text(properties->members[i].key);
        if (!haft__array_has_text(required, key)) {
            char what[256];
            (void)snprintf(what, sizeof(what),
                           "'required' is required to be supplied and to be an array including "
                           "every key in properties. Missing '%.*s'.",
                           (int)(key.len < 100 ? key.len : 100), key.ptr);
            return refuse(s, what);
        }
    }
    if (required.count > count) {
        return refuse(s, "'required' has a key that is not in properties.");
    }
    s->properties += count;
    return s->properties <= MAX_PROPERTIES || refuse(s, "there are more than 5000 properties.");
}

/* Named schemas: properties and definitions. */
static bool check_named(strict *s, haft__json schema, const char *key, unsigned depth)
{
    const haft__json *named = haft__json_get(schema, haft__str(key));
    for (uint32_t i = 0; named != NULL && named->kind == HAFT__JSON_OBJECT && i < named->count;
         i++) {
        if (!check_part(s, key, haft__json_text(named->members[i].key), named->members[i].value,
                        depth)) {
            return false;
        }
    }
    return true;
}

static bool check_alternatives(strict *s, haft__json schema, unsigned depth)
{
    const haft__json *any = haft__json_get(schema, HAFT__LIT("anyOf"));
    for (uint32_t i = 0; any != NULL && any->kind == HAFT__JSON_ARRAY && i < any->count; i++) {
        char number[16];
        (void)snprintf(number, sizeof(number), "%u", i);
        if (!check_part(s, "anyOf", haft__str(number), any->items[i], depth)) {
            return false;
        }
    }
    return true;
}

static bool check_keywords(strict *s, haft__json schema)
{
    for (uint32_t i = 0; i < schema.count; i++) {
        haft_str key = haft__json_text(schema.members[i].key);
        if (!is_known(key)) {
            char what[160];
            (void)snprintf(what, sizeof(what), "'%.*s' is not permitted.",
                           (int)(key.len < 100 ? key.len : 100), key.ptr);
            return refuse(s, what);
        }
    }
    const haft__json *values = haft__json_get(schema, HAFT__LIT("enum"));
    s->values += values != NULL ? values->count : 0;
    return s->values <= MAX_VALUES || refuse(s, "there are more than 1000 values of enums.");
}

static bool check_strict(strict *s, haft__json schema, unsigned depth)
{
    const haft__json *items = haft__json_get(schema, HAFT__LIT("items"));
    bool object = has_type(schema, "object");
    if (schema.kind != HAFT__JSON_OBJECT) {
        return refuse(s, "a schema must be an object.");
    }
    if (haft__json_get(schema, HAFT__LIT("type")) == NULL
        && haft__json_get(schema, HAFT__LIT("anyOf")) == NULL
        && haft__json_get(schema, HAFT__LIT("$ref")) == NULL) {
        return refuse(s, "schema must have a 'type' key.");
    }
    if (depth > MAX_DEPTH) {
        return refuse(s, "it is nested more than 10 levels deep.");
    }
    if (has_type(schema, "array") && items == NULL) {
        return refuse(s, "array schema missing items.");
    }
    return check_keywords(s, schema) && (!object || check_object(s, schema))
           && check_named(s, schema, "properties", depth + 1) && check_named(s, schema, "$defs", 1)
           && check_named(s, schema, "definitions", 1)
           && (items == NULL || check_part(s, "items", (haft_str){NULL, 0}, *items, depth + 1))
           && check_alternatives(s, schema, depth);
}

static bool check_openai(haft__chat_reader *r, haft_str name, haft__json schema)
{
    strict s = {.r = r, .name = name};
    haft__buf_init(&s.path, HAFT__LIMIT_JSON_KEY_BYTES);
    bool good = has_type(schema, "object") && haft__json_get(schema, HAFT__LIT("anyOf")) == NULL
                    ? check_strict(&s, schema, 0)
                    : refuse(&s, "the root must be of type 'object', and no 'anyOf'.");
    haft__buf_finish(&s.path);
    return good;
}

/* ---- reading ---- */

/* Every server compiles the schema. */
static bool check_compiles(haft__chat_reader *r, haft__json schema)
{
    const haft__schema *compiled = NULL;
    haft_error err = {0};
    haft_status status = haft__schema_compile(r->arena, schema, NULL, &compiled, &err);
    if (status == HAFT_NO_MEMORY) {
        return haft__chat_no_memory(r);
    }
    return status == HAFT_OK
           || haft__chat_reject(r, NULL, "response_format",
                                "Invalid schema for response_format: %s: %s", err.where,
                                err.message);
}

static bool read_schema(haft__chat_reader *r, haft__json format)
{
    haft__json given, name, schema, flag;
    if (!haft__chat_require_member(r, format, "json_schema", HAFT__CHAT_OBJECT, "response_format",
                                   &given)
        || !haft__chat_require_member(r, given, "name", HAFT__CHAT_STRING, SCHEMA, &name)
        || !haft__chat_optional_member(r, given, "schema", HAFT__CHAT_OBJECT | HAFT__CHAT_NULL,
                                       SCHEMA, &schema)
        || !haft__chat_optional_member(r, given, "strict", HAFT__CHAT_BOOLEAN | HAFT__CHAT_NULL,
                                       SCHEMA, &flag)) {
        return false;
    }
    haft_str text = haft__json_text(name);
    bool plain = text.len > 0 && text.len <= NAME_BYTES;
    for (size_t i = 0; plain && i < text.len; i++) {
        char c = text.ptr[i];
        plain = haft__ascii_is_alphanumeric(c) || c == '_' || c == '-';
    }
    if (!plain) {
        return haft__chat_reject(r, "invalid_value", SCHEMA ".name",
                                 "Invalid '" SCHEMA ".name': expected at most 64 letters, digits, "
                                 "underscores and dashes.");
    }
    if (schema.kind == HAFT__JSON_NULL) {
        return true;
    }
    bool rules = flag.kind == HAFT__JSON_TRUE && r->like == HAFT__CHAT_SERVER_OPENAI;
    r->asked->schema = schema;
    r->asked->request.constraint = (haft__constraint){
        .kind = HAFT__CONSTRAINT_JSON_SCHEMA, .strict = rules, .text = HAFT__LIT("")};
    return check_compiles(r, schema) && (!rules || check_openai(r, text, schema));
}

static bool read_format(haft__chat_reader *r, haft__json format)
{
    haft__json type;
    if (format.kind != HAFT__JSON_OBJECT) {
        return true;
    }
    if (!haft__chat_require_member(r, format, "type", HAFT__CHAT_STRING, "response_format", &type)
        || !haft__chat_check_word(r, haft__json_text(type), "text json_object json_schema",
                                  "response_format.type")) {
        return false;
    }
    return !haft__str_equal(haft__json_text(type), HAFT__LIT("json_schema"))
           || read_schema(r, format);
}

static bool read_grammar(haft__chat_reader *r, haft__json body, haft_str grammar)
{
    const haft__json *tools = haft__json_get(body, HAFT__LIT("tools"));
    const haft__json *choice = haft__json_get(body, HAFT__LIT("tool_choice"));
    bool none = choice != NULL && haft__str_equal(haft__json_text(*choice), HAFT__LIT("none"));
    if (tools != NULL && tools->count > 0 && !none) {
        return haft__chat_reject(r, NULL, "", "Cannot use custom grammar constraints with tools.");
    }
    haft__arena arena;
    haft__arena_init(&arena, HAFT__LIMIT_GRAMMAR_MEMORY);
    const haft__gbnf_grammar *rules = NULL;
    haft_error err = {0};
    haft_status status = haft__gbnf_read(&arena, grammar, &rules, &err);
    haft__arena_finish(&arena);
    if (status == HAFT_NO_MEMORY) {
        return haft__chat_no_memory(r);
    }
    if (status != HAFT_OK) {
        return haft__chat_reject(r, NULL, "", "Failed to parse grammar: %s", err.message);
    }
    r->asked->request.constraint =
        (haft__constraint){.kind = HAFT__CONSTRAINT_GBNF, .text = grammar};
    return true;
}

bool haft__chat_read_constraint(haft__chat_reader *r, haft__json body)
{
    const haft__json *grammar = haft__json_get(body, HAFT__LIT("grammar"));
    const haft__json *format = haft__json_get(body, HAFT__LIT("response_format"));
    if (format != NULL && !read_format(r, *format)) {
        return false;
    }
    if (grammar == NULL || grammar->kind != HAFT__JSON_STRING || grammar->count == 0) {
        return true;
    }
    if (r->asked->request.constraint.kind != HAFT__CONSTRAINT_NONE) {
        return haft__chat_reject(r, NULL, "", "Cannot use both json_schema and grammar");
    }
    return read_grammar(r, body, haft__json_text(*grammar));
}

/* ---- replies ---- */

static haft_status match_schema(const haft__chat_parsed *asked, haft_str text, haft__arena *arena,
                                bool *ret_keeps, haft_error *err)
{
    haft__json value;
    const haft__schema *schema = NULL;
    haft__schema_report report = {.valid = false};
    haft_status status = haft__json_read(arena, text, NULL, &value, NULL, NULL);
    if (status != HAFT_OK) {
        return status == HAFT_NO_MEMORY ? haft__fail_no_memory(err) : HAFT_OK;
    }
    haft__checker *checker = haft__checker_create();
    if (checker == NULL) {
        return haft__fail_no_memory(err);
    }
    status = haft__schema_compile(arena, asked->schema, NULL, &schema, err);
    if (status == HAFT_OK) {
        status = haft__schema_check(schema, checker, value, arena, &report, err);
    }
    haft__checker_destroy(checker);
    *ret_keeps = report.valid;
    return status;
}

haft_status haft__chat_reply_conforms(const haft__chat_parsed *asked, const haft__reply *reply,
                                      haft__arena *arena, bool *ret_keeps, haft_error *err)
{
    const haft__gbnf_grammar *rules = NULL;
    haft_str text = reply->content;
    bool cut = reply->stop == HAFT__STOP_LENGTH || reply->stop == HAFT__STOP_REFUSAL;
    *ret_keeps = false;
    switch (asked->request.constraint.kind) {
    case HAFT__CONSTRAINT_NONE: *ret_keeps = true; return HAFT_OK;
    case HAFT__CONSTRAINT_JSON_SCHEMA:
        *ret_keeps = cut; /* a cut text may be the start of anything */
        return cut ? HAFT_OK : match_schema(asked, text, arena, ret_keeps, err);
    case HAFT__CONSTRAINT_GBNF: {
        haft_status status = haft__gbnf_read(arena, asked->request.constraint.text, &rules, err);
        return status == HAFT_OK ? haft__gbnf_match(rules, text, cut, ret_keeps, err) : status;
    }
    }
    HAFT__UNREACHABLE();
}
