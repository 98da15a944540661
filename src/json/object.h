/* SPDX-License-Identifier: Apache-2.0 */
/*
 * json/object.h - members of objects: reads a member by its key, writes a member with its key.
 *
 * `key` is text from the source code. A getter returns its default if `object` is not an object,
 * has no such member, or the member has another type.
 */
#ifndef HAFT_JSON_OBJECT_H
#define HAFT_JSON_OBJECT_H

#include "json/value.h"
#include "json/write.h"

/* The member, or NULL. */
const haft__json *haft__object_find(haft__json object, const char *key);
const haft__json *haft__object_find_kind(haft__json object, const char *key, haft__json_kind kind);

/* The member, or null. */
haft__json haft__object_get(haft__json object, const char *key);

/* The member, or an empty array or object. */
haft__json haft__object_array(haft__json object, const char *key);
haft__json haft__object_object(haft__json object, const char *key);

/* The text of a string, or "". */
haft_str haft__object_string(haft__json object, const char *key);

/* The text of a string, or the digits of a number. "" if there is no such member, or if it is of
 * another type. */
haft_str haft__object_text(haft__json object, const char *key);

/* The value of an integer from 0 to INT64_MAX, or `fallback`. */
uint64_t haft__object_number(haft__json object, const char *key, uint64_t fallback);

/* The value of a boolean, or `fallback`. */
bool haft__object_flag(haft__json object, const char *key, bool fallback);

/* Whether `array` is an array and `text` is the text of one of its items. */
bool haft__array_has_text(haft__json array, haft_str text);

void haft__field_text(haft__json_writer *w, const char *key, haft_str text);
void haft__field_text_or_null(haft__json_writer *w, const char *key, haft_str text); /* "": null */
void haft__field_string(haft__json_writer *w, const char *key, const char *text); /* NULL: null */
void haft__field_number(haft__json_writer *w, const char *key, uint64_t number);
void haft__field_flag(haft__json_writer *w, const char *key, bool flag);
void haft__field_null(haft__json_writer *w, const char *key);
void haft__field_value(haft__json_writer *w, const char *key, haft__json value);

#endif
