/* SPDX-License-Identifier: Apache-2.0 */
/*
 * decode.c - walks a table of fields and the members of an object at the same time.
 *
 * Objects nest at most HAFT__LIMIT_TOOL_OBJECT_DEPTH deep, which bounds the recursion. An error
 * gets its JSON Pointer on return, one step at each level.
 *
 * Tests: tests/tool/decode_test.c.
 */
#include "tool/decode.h"

#include <math.h>
#include <stdio.h>

#include "base/error.h"
#include "base/str.h"
#include "tool/declare.h"
#include "json/number.h"

static haft_status fill(haft__arena *arena, const haft_object *object, haft__json arguments,
                        char *to, haft_error *err);

/* The text of a string; its pointer is not NULL, even if the text is empty. */
static haft_str text_of(haft__json value)
{
    haft_str text = haft__json_text(value);
    return text.ptr != NULL ? text : HAFT__LIT("");
}

/* ---- one value ---- */

static haft_status decode_integer(haft__json value, long long *to, haft_error *err)
{
    int64_t number = 0;
    if (value.kind != HAFT__JSON_NUMBER) {
        return haft__json_fail_type(value, "", "an integer", err);
    }
    if (!haft__number_to_int64(haft__json_text(value), &number)) {
        return haft__fail(err, HAFT_BAD_INPUT, "",
                          "expected an integer of at most 64 bits, found %.*s",
                          HAFT__ARG(haft__json_text(value)));
    }
    *to = number;
    return HAFT_OK;
}

static haft_status decode_number(haft__json value, double *to, haft_error *err)
{
    if (value.kind != HAFT__JSON_NUMBER) {
        return haft__json_fail_type(value, "", "a number", err);
    }
    double number = haft__number_to_double(haft__json_text(value));
    if (isinf(number)) {
        return haft__fail(err, HAFT_BAD_INPUT, "", "%.*s is too large for a number",
                          HAFT__ARG(haft__json_text(value)));
    }
    *to = number;
    return HAFT_OK;
}

static haft_status decode_boolean(haft__json value, bool *to, haft_error *err)
{
    if (value.kind != HAFT__JSON_TRUE && value.kind != HAFT__JSON_FALSE) {
        return haft__json_fail_type(value, "", "true or false", err);
    }
    *to = value.kind == HAFT__JSON_TRUE;
    return HAFT_OK;
}

static haft_status decode_string(haft__json value, haft_str *to, haft_error *err)
{
    if (value.kind != HAFT__JSON_STRING) {
        return haft__json_fail_type(value, "", "a string", err);
    }
    *to = text_of(value);
    return HAFT_OK;
}

static haft_status decode_enum(const haft_field *field, haft__json value, haft_str *to,
                               haft_error *err)
{
    haft_status status = decode_string(value, to, err);
    if (status != HAFT_OK) {
        return status;
    }
    for (const char *const *choice = field->choices; *choice != NULL; choice++) {
        if (haft__str_equal(*to, haft__str(*choice))) {
            return HAFT_OK;
        }
    }
    return haft__fail(err, HAFT_BAD_INPUT, "", "'%.*s' is not one of the values of %s",
                      HAFT__ARG(*to), field->name);
}

/* Decodes a single value. The field determines the type of `to`. */
static haft_status decode_one(haft__arena *arena, const haft_field *field, haft__json value,
                              void *to, haft_error *err)
{
    switch (field->type) {
    case HAFT_FIELD_STRING: return decode_string(value, to, err);
    case HAFT_FIELD_INTEGER: return decode_integer(value, to, err);
    case HAFT_FIELD_NUMBER: return decode_number(value, to, err);
    case HAFT_FIELD_BOOLEAN: return decode_boolean(value, to, err);
    case HAFT_FIELD_ENUM: return decode_enum(field, value, to, err);
    case HAFT_FIELD_OBJECT: return fill(arena, field->object, value, to, err);
    }
    HAFT__UNREACHABLE();
}

/* ---- lists, objects and defaults ---- */

/* The common layout of all lists: items and count. */
typedef struct list {
    const void *items;
    size_t count;
} list;

static haft_status decode_list(haft__arena *arena, const haft_field *field, haft__json value,
                               list *to, haft_error *err)
{
    if (value.kind != HAFT__JSON_ARRAY) {
        return haft__json_fail_type(value, "", "a list", err);
    }
    haft_field one = *field;
    one.list = false;
    one.need = HAFT_FIELD_REQUIRED;
    size_t size = haft__field_size(&one);
    char *items = haft__arena_array(arena, value.count, size);
    if (items == NULL) {
        return haft__arena_fail(arena, err);
    }
    for (uint32_t i = 0; i < value.count; i++) {
        haft_status status = decode_one(arena, &one, value.items[i], items + i * size, err);
        if (status != HAFT_OK) {
            char step[16];
            (void)snprintf(step, sizeof(step), "%u", i);
            return haft__field_prepend_pointer(status, step, err);
        }
    }
    *to = (list){items, value.count};
    return HAFT_OK;
}

static haft_status decode_pointer(haft__arena *arena, const haft_field *field, haft__json value,
                                  const void **to, haft_error *err)
{
    void *nested = NULL;
    haft_status status = haft__arguments_decode(arena, field->object, value, &nested, err);
    *to = nested;
    return status;
}

static haft_status decode_maybe(const haft_field *field, haft__json value, void *to,
                                haft_error *err)
{
    if (field->type == HAFT_FIELD_INTEGER) {
        haft_maybe_integer *maybe = to;
        maybe->given = true;
        return decode_integer(value, &maybe->value, err);
    }
    if (field->type == HAFT_FIELD_NUMBER) {
        haft_maybe_number *maybe = to;
        maybe->given = true;
        return decode_number(value, &maybe->value, err);
    }
    haft_maybe_boolean *maybe = to;
    maybe->given = true;
    return decode_boolean(value, &maybe->value, err);
}

static haft_status decode_given(haft__arena *arena, const haft_field *field, haft__json value,
                                void *to, haft_error *err)
{
    bool text = field->type == HAFT_FIELD_STRING || field->type == HAFT_FIELD_ENUM;
    if (field->list) {
        return decode_list(arena, field, value, to, err);
    }
    if (field->need != HAFT_FIELD_OPTIONAL || text) {
        return decode_one(arena, field, value, to, err);
    }
    return field->type == HAFT_FIELD_OBJECT ? decode_pointer(arena, field, value, to, err)
                                            : decode_maybe(field, value, to, err);
}

/* The table was checked: a field with a default is neither a list nor an object. */
static void fill_default(const haft_field *field, void *to)
{
    switch (field->type) {
    case HAFT_FIELD_STRING:
    case HAFT_FIELD_ENUM: *(haft_str *)to = haft__str(field->text); break;
    case HAFT_FIELD_INTEGER: *(long long *)to = field->integer; break;
    case HAFT_FIELD_NUMBER: *(double *)to = field->number; break;
    case HAFT_FIELD_BOOLEAN: *(bool *)to = field->boolean; break;
    case HAFT_FIELD_OBJECT: break;
    }
}

static haft_status decode_field(haft__arena *arena, const haft_field *field, haft__json arguments,
                                char *to, haft_error *err)
{
    const haft__json *value = haft__json_get(arguments, haft__str(field->name));
    if (value != NULL) {
        haft_status status = decode_given(arena, field, *value, to + field->offset, err);
        return status == HAFT_OK ? HAFT_OK : haft__field_prepend_pointer(status, field->name, err);
    }
    switch (field->need) {
    case HAFT_FIELD_REQUIRED:
        return haft__fail(err, HAFT_BAD_INPUT, "", "Missing required argument: %s", field->name);
    case HAFT_FIELD_DEFAULT: fill_default(field, to + field->offset); return HAFT_OK;
    case HAFT_FIELD_OPTIONAL: return HAFT_OK;
    }
    HAFT__UNREACHABLE();
}

/* Decodes an object into the struct `to`, which is zeroed. */
static haft_status fill(haft__arena *arena, const haft_object *object, haft__json arguments,
                        char *to, haft_error *err)
{
    if (arguments.kind != HAFT__JSON_OBJECT) {
        return haft__json_fail_type(arguments, "", "an object", err);
    }
    for (size_t i = 0; i < object->count; i++) {
        haft_field field = haft__field_at(object, i);
        haft_status status = decode_field(arena, &field, arguments, to, err);
        if (status != HAFT_OK) {
            return status;
        }
    }
    return HAFT_OK;
}

haft_status haft__arguments_decode(haft__arena *arena, const haft_object *object,
                                   haft__json arguments, void **ret_args, haft_error *err)
{
    char *to = haft__arena_array(arena, 1, object->size);
    if (to == NULL) {
        return haft__arena_fail(arena, err);
    }
    haft_status status = fill(arena, object, arguments, to, err);
    if (status == HAFT_OK) {
        *ret_args = to;
    }
    return status;
}
