/* SPDX-License-Identifier: Apache-2.0 */
/*
 * declare.c - checks a table of fields and makes its schema.
 *
 * Objects are walked recursively, at most HAFT__LIMIT_TOOL_OBJECT_DEPTH deep and with at most
 * HAFT__LIMIT_TOOL_FIELDS_TOTAL fields in total, so that a cyclic table ends.
 *
 * Tests: tests/tool/declare_test.c.
 */
#include "tool/declare.h"

#include <math.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/limits.h"
#include "base/str.h"
#include "tool/args.h"
#include "tool/traits.h"
#include "json/number.h"
#include "json/read.h"

haft_field haft__field_at(const haft_object *object, size_t at)
{
    haft_field field = {.name = NULL};
    size_t size = object->field_size < sizeof(field) ? object->field_size : sizeof(field);
    memcpy(&field, (const char *)object->fields + at * object->field_size, size);
    return field;
}

size_t haft__field_size(const haft_field *field)
{
    if (field->list) {
        return sizeof(haft_strings); /* all lists have this layout */
    }
    bool optional = field->need == HAFT_FIELD_OPTIONAL;
    switch (field->type) {
    case HAFT_FIELD_STRING:
    case HAFT_FIELD_ENUM: return sizeof(haft_str);
    case HAFT_FIELD_INTEGER: return optional ? sizeof(haft_maybe_integer) : sizeof(long long);
    case HAFT_FIELD_NUMBER: return optional ? sizeof(haft_maybe_number) : sizeof(double);
    case HAFT_FIELD_BOOLEAN: return optional ? sizeof(haft_maybe_boolean) : sizeof(bool);
    case HAFT_FIELD_OBJECT: return optional ? sizeof(void *) : field->object->size;
    }
    HAFT__UNREACHABLE();
}

haft_status haft__field_prepend_pointer(haft_status status, const char *step, haft_error *err)
{
    if (err != NULL && status != HAFT_NO_MEMORY) {
        size_t length = strlen(step), old = strlen(err->where);
        size_t max = sizeof(err->where) - length - 2;
        size_t kept = old < max ? old : max;
        memmove(err->where + length + 1, err->where, kept);
        err->where[0] = '/';
        memcpy(err->where + 1, step, length);
        err->where[length + 1 + kept] = '\0';
    }
    return status;
}

/* ---- checking ---- */

static haft_status bad_field(const haft_field *field, const char *what, haft_error *err)
{
    haft_status status = haft__fail(err, HAFT_BAD_INPUT, "", "field '%s' %s", field->name, what);
    return haft__field_prepend_pointer(status, field->name, err);
}

static bool is_choice(const haft_field *field, const char *text)
{
    for (size_t i = 0; field->choices[i] != NULL; i++) {
        if (strcmp(field->choices[i], text) == 0) {
            return true;
        }
    }
    return false;
}

static const char *enum_problem(const haft_field *field)
{
    if (field->choices == NULL || field->choices[0] == NULL) {
        return "is an enum without values";
    }
    bool has_default = field->need == HAFT_FIELD_DEFAULT;
    return has_default && (field->text == NULL || !is_choice(field, field->text))
               ? "has a default that is not one of its values"
               : NULL;
}

/* The problem with the type, or NULL. */
static const char *type_problem(const haft_field *field)
{
    bool has_default = field->need == HAFT_FIELD_DEFAULT;
    if (has_default && (field->list || field->type == HAFT_FIELD_OBJECT)) {
        return "cannot have a default: a list or object is required or optional";
    }
    switch (field->type) {
    case HAFT_FIELD_STRING: return has_default && field->text == NULL ? "has no default" : NULL;
    case HAFT_FIELD_NUMBER:
        return has_default && !isfinite(field->number) ? "has a default JSON cannot write" : NULL;
    case HAFT_FIELD_ENUM: return enum_problem(field);
    case HAFT_FIELD_OBJECT: return field->object == NULL ? "has no object" : NULL;
    case HAFT_FIELD_INTEGER:
    case HAFT_FIELD_BOOLEAN: return NULL;
    }
    return "has an unknown type"; /* a newer header may have more types */
}

static haft_status check_field(const haft_object *object, size_t at, haft_error *err)
{
    haft_field field = haft__field_at(object, at);
    if (field.name == NULL || !haft__args_name_valid(haft__str(field.name))) {
        return haft__fail(err, HAFT_BAD_INPUT, "", "'%s' cannot be a field's name",
                          field.name != NULL ? field.name : "");
    }
    for (size_t i = 0; i < at; i++) {
        if (strcmp(haft__field_at(object, i).name, field.name) == 0) {
            return bad_field(&field, "occurs twice", err);
        }
    }
    if ((unsigned)field.need > HAFT_FIELD_OPTIONAL) {
        return bad_field(&field, "has an unknown need", err);
    }
    const char *problem = type_problem(&field);
    if (problem != NULL) {
        return bad_field(&field, problem, err);
    }
    size_t size = haft__field_size(&field);
    bool fits = size <= object->size && field.offset <= object->size - size;
    return fits ? HAFT_OK : bad_field(&field, "lies outside its struct", err);
}

static haft_status check_object(const haft_object *object, haft_error *err)
{
    if (object->struct_size < sizeof(*object) || object->size == 0
        || object->field_size < offsetof(haft_field, text)
        || (object->count > 0 && object->fields == NULL)) {
        haft_status status =
            haft__fail(err, HAFT_BAD_INPUT, "", "the table of fields is not filled in");
        return haft__hint(err, status, "declare it with HAFT_OBJECT or HAFT_TOOL");
    }
    if (object->count > HAFT__LIMIT_TOOL_FIELDS) {
        return haft__fail(err, HAFT_TOO_BIG, "", "%zu fields, more than %d", object->count,
                          HAFT__LIMIT_TOOL_FIELDS);
    }
    for (size_t i = 0; i < object->count; i++) {
        haft_status status = check_field(object, i, err);
        if (status != HAFT_OK) {
            return status;
        }
    }
    return HAFT_OK;
}

/* ---- the schema ---- */

typedef struct maker {
    haft__arena *arena;
    size_t fields; /* so far, over all objects */
    size_t depth;
    haft_status status;
    haft_error *err;
} maker;

static haft__json object_schema(maker *m, const haft_object *object, haft_str description);

static haft__json stop(maker *m, haft_status status)
{
    m->status = status;
    return haft__json_null();
}

/* Allocates `count` items. When out of memory, stops the maker and returns NULL. */
static void *allocate(maker *m, size_t count, size_t size)
{
    void *piece = m->status == HAFT_OK ? haft__arena_array(m->arena, count, size) : NULL;
    if (piece == NULL && m->status == HAFT_OK) {
        m->status = haft__arena_fail(m->arena, m->err);
    }
    return piece;
}

static haft__json_member member(const char *key, haft__json value)
{
    return (haft__json_member){haft__json_string(haft__str(key)), value};
}

static haft__json make_number(maker *m, double number)
{
    haft__buf buf;
    haft__buf_init(&buf, 64);
    haft__number_add_double(&buf, number);
    haft_status status = haft__buf_check(&buf, m->err);
    haft_str text =
        status == HAFT_OK ? haft__arena_copy(m->arena, haft__buf_str(&buf)) : (haft_str){NULL, 0};
    haft__buf_finish(&buf);
    if (text.ptr == NULL) {
        return stop(m, status != HAFT_OK ? status : haft__arena_fail(m->arena, m->err));
    }
    return (haft__json){.kind = HAFT__JSON_NUMBER,
                        .integer = memchr(text.ptr, '.', text.len) == NULL
                                   && memchr(text.ptr, 'e', text.len) == NULL,
                        .count = (uint32_t)text.len,
                        .text = text.ptr};
}

static haft__json make_integer(maker *m, int64_t integer)
{
    haft__json value = haft__json_int(m->arena, integer);
    return value.kind == HAFT__JSON_NULL ? stop(m, haft__arena_fail(m->arena, m->err)) : value;
}

static haft__json make_default(maker *m, const haft_field *field)
{
    switch (field->type) {
    case HAFT_FIELD_STRING:
    case HAFT_FIELD_ENUM: return haft__json_string(haft__str(field->text));
    case HAFT_FIELD_INTEGER: return make_integer(m, field->integer);
    case HAFT_FIELD_NUMBER: return make_number(m, field->number);
    case HAFT_FIELD_BOOLEAN: return haft__json_bool(field->boolean);
    case HAFT_FIELD_OBJECT: break; /* cannot have a default: type_problem */
    }
    return haft__json_null();
}

static haft__json make_choices(maker *m, const haft_field *field)
{
    size_t count = 0;
    while (field->choices[count] != NULL) {
        count++;
    }
    haft__json *items = allocate(m, count, sizeof(*items));
    for (size_t i = 0; items != NULL && i < count; i++) {
        items[i] = haft__json_string(haft__str(field->choices[i]));
    }
    return haft__json_array(items, items != NULL ? count : 0);
}

static const char *type_name(haft_field_type type)
{
    switch (type) {
    case HAFT_FIELD_STRING:
    case HAFT_FIELD_ENUM: return "string";
    case HAFT_FIELD_INTEGER: return "integer";
    case HAFT_FIELD_NUMBER: return "number";
    case HAFT_FIELD_BOOLEAN: return "boolean";
    case HAFT_FIELD_OBJECT: return "object";
    }
    HAFT__UNREACHABLE();
}

/* {"type", "description", "enum", "default"}, without members that the field does not have. */
static haft__json single_schema(maker *m, const haft_field *field, haft_str description)
{
    if (field->type == HAFT_FIELD_OBJECT) {
        return object_schema(m, field->object, description);
    }
    haft__json_member *members = allocate(m, 4, sizeof(*members));
    if (members == NULL) {
        return haft__json_null();
    }
    size_t count = 0;
    members[count++] = member("type", haft__json_string(haft__str(type_name(field->type))));
    if (description.len > 0) {
        members[count++] = member("description", haft__json_string(description));
    }
    if (field->type == HAFT_FIELD_ENUM) {
        members[count++] = member("enum", make_choices(m, field));
    }
    if (field->need == HAFT_FIELD_DEFAULT) {
        members[count++] = member("default", make_default(m, field));
    }
    return haft__json_object(members, count);
}

static haft__json field_schema(maker *m, const haft_field *field)
{
    haft_str description = haft__str(field->description != NULL ? field->description : "");
    if (!field->list) {
        return single_schema(m, field, description);
    }
    haft__json_member *members = allocate(m, 3, sizeof(*members));
    if (members == NULL) {
        return haft__json_null();
    }
    size_t count = 0;
    members[count++] = member("type", haft__json_string(HAFT__LIT("array")));
    if (description.len > 0) {
        members[count++] = member("description", haft__json_string(description));
    }
    members[count++] = member("items", single_schema(m, field, HAFT__LIT("")));
    return haft__json_object(members, count);
}

/* Checks the object, and that its fields fit into the limit of the tool. */
static bool enter(maker *m, const haft_object *object)
{
    haft_status status = check_object(object, m->err);
    if (status == HAFT_OK && m->depth >= HAFT__LIMIT_TOOL_OBJECT_DEPTH) {
        status = haft__fail(m->err, HAFT_TOO_BIG, "", "more than %d objects inside each other",
                            HAFT__LIMIT_TOOL_OBJECT_DEPTH);
    }
    if (status == HAFT_OK && object->count > HAFT__LIMIT_TOOL_FIELDS_TOTAL - m->fields) {
        status = haft__fail(m->err, HAFT_TOO_BIG, "", "more than %d fields in all objects",
                            HAFT__LIMIT_TOOL_FIELDS_TOTAL);
    }
    m->fields += object->count;
    m->status = status;
    return status == HAFT_OK;
}

/* Makes the properties and the list of the required properties. Returns the length of that list. */
static size_t make_properties(maker *m, const haft_object *object, haft__json_member *properties,
                              haft__json *required)
{
    size_t count = 0;
    for (size_t i = 0; i < object->count && m->status == HAFT_OK; i++) {
        haft_field field = haft__field_at(object, i);
        properties[i] = member(field.name, field_schema(m, &field));
        if (m->status != HAFT_OK) {
            (void)haft__field_prepend_pointer(m->status, field.name, m->err);
        }
        if (field.need == HAFT_FIELD_REQUIRED) {
            required[count++] = properties[i].key;
        }
    }
    return count;
}

static haft__json object_schema(maker *m, const haft_object *object, haft_str description)
{
    if (m->status != HAFT_OK || !enter(m, object)) {
        return haft__json_null();
    }
    m->depth++;
    haft__json_member *members = allocate(m, 5, sizeof(*members));
    haft__json_member *properties = allocate(m, object->count, sizeof(*properties));
    haft__json *required = allocate(m, object->count, sizeof(*required));
    if (required == NULL) {
        return haft__json_null();
    }
    size_t count = 0, required_count = make_properties(m, object, properties, required);
    members[count++] = member("type", haft__json_string(HAFT__LIT("object")));
    if (description.len > 0) {
        members[count++] = member("description", haft__json_string(description));
    }
    members[count++] = member("properties", haft__json_object(properties, object->count));
    members[count++] = member("required", haft__json_array(required, required_count));
    members[count++] = member("additionalProperties", haft__json_bool(false));
    m->depth--;
    return haft__json_object(members, count);
}

haft_status haft__declare_schema(haft__arena *arena, const haft_object *object,
                                 haft__json *ret_schema, haft_error *err)
{
    maker m = {.arena = arena, .err = err};
    haft__json schema = object_schema(&m, object, HAFT__LIT(""));
    if (m.status == HAFT_OK) {
        *ret_schema = schema;
    }
    return m.status;
}
