/* SPDX-License-Identifier: Apache-2.0 */
/* object.c - getters and writers of members. Tests: tests/json/object_test.c. */
#include "json/object.h"

#include "base/str.h"

haft_str haft__object_text(haft__json object, const char *key)
{
    const haft__json *value = haft__json_get(object, haft__str(key));
    haft_str text = value != NULL ? haft__json_text(*value) : (haft_str){NULL, 0};
    return text.ptr != NULL ? text : HAFT__LIT("");
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

void haft__field_number(haft__json_writer *w, const char *key, uint64_t number)
{
    haft__json_key(w, key);
    haft__json_add_int(w, (int64_t)number);
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
