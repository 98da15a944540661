/* SPDX-License-Identifier: Apache-2.0 */
/* object.c - getters and writers of members. Tests: tests/json/object_test.c. */
#include "json/object.h"

#include "base/str.h"
#include "json/number.h"

const haft__json *haft__object_find(haft__json object, const char *key)
{
    return haft__json_get(object, haft__str(key));
}

const haft__json *haft__object_find_kind(haft__json object, const char *key, haft__json_kind kind)
{
    const haft__json *value = haft__object_find(object, key);
    return value != NULL && value->kind == kind ? value : NULL;
}

haft__json haft__object_get(haft__json object, const char *key)
{
    const haft__json *value = haft__object_find(object, key);
    return value != NULL ? *value : haft__json_null();
}

haft__json haft__object_array(haft__json object, const char *key)
{
    const haft__json *value = haft__object_find_kind(object, key, HAFT__JSON_ARRAY);
    return value != NULL ? *value : haft__json_array(NULL, 0);
}

haft__json haft__object_object(haft__json object, const char *key)
{
    const haft__json *value = haft__object_find_kind(object, key, HAFT__JSON_OBJECT);
    return value != NULL ? *value : haft__json_object(NULL, 0);
}

haft_str haft__object_string(haft__json object, const char *key)
{
    const haft__json *value = haft__object_find_kind(object, key, HAFT__JSON_STRING);
    return value != NULL ? haft__json_text(*value) : HAFT__LIT("");
}

haft_str haft__object_text(haft__json object, const char *key)
{
    haft_str text = haft__json_text(haft__object_get(object, key));
    return text.ptr != NULL ? text : HAFT__LIT("");
}

uint64_t haft__object_number(haft__json object, const char *key, uint64_t fallback)
{
    const haft__json *value = haft__object_find_kind(object, key, HAFT__JSON_NUMBER);
    int64_t number = -1;
    bool fits = value != NULL && haft__number_to_int64(haft__json_text(*value), &number);
    return fits && number >= 0 ? (uint64_t)number : fallback;
}

bool haft__object_flag(haft__json object, const char *key, bool fallback)
{
    haft__json value = haft__object_get(object, key);
    return value.kind == HAFT__JSON_TRUE || (fallback && value.kind != HAFT__JSON_FALSE);
}

bool haft__array_has_text(haft__json array, haft_str text)
{
    for (uint32_t i = 0; array.kind == HAFT__JSON_ARRAY && i < array.count; i++) {
        if (haft__str_equal(haft__json_text(array.items[i]), text)) {
            return true;
        }
    }
    return false;
}

void haft__field_text(haft__json_writer *w, const char *key, haft_str text)
{
    haft__json_key(w, key);
    haft__json_add_str(w, text);
}

void haft__field_text_or_null(haft__json_writer *w, const char *key, haft_str text)
{
    if (text.len > 0) {
        haft__field_text(w, key, text);
    } else {
        haft__field_null(w, key);
    }
}

void haft__field_string(haft__json_writer *w, const char *key, const char *text)
{
    if (text != NULL) {
        haft__field_text(w, key, haft__str(text));
    } else {
        haft__field_null(w, key);
    }
}

void haft__field_number(haft__json_writer *w, const char *key, uint64_t number)
{
    haft__json_key(w, key);
    haft__json_add_int(w, number < INT64_MAX ? (int64_t)number : INT64_MAX);
}

void haft__field_flag(haft__json_writer *w, const char *key, bool flag)
{
    haft__json_key(w, key);
    haft__json_add_bool(w, flag);
}

void haft__field_null(haft__json_writer *w, const char *key)
{
    haft__json_key(w, key);
    haft__json_add_null(w);
}

void haft__field_value(haft__json_writer *w, const char *key, haft__json value)
{
    haft__json_key(w, key);
    haft__json_add(w, value);
}
