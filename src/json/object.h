/* SPDX-License-Identifier: Apache-2.0 */
/* json/object.h - members of objects: read one by its key, write one with its key. */
#ifndef HAFT_JSON_OBJECT_H
#define HAFT_JSON_OBJECT_H

#include "json/value.h"
#include "json/write.h"

/* The text of a string, or the digits of a number. "" if there is no such member, or if it is of
 * another type. */
haft_str haft__object_text(haft__json object, const char *key);

void haft__field_text(haft__json_writer *w, const char *key, haft_str text);
void haft__field_text_or_null(haft__json_writer *w, const char *key, haft_str text); /* "": null */
void haft__field_number(haft__json_writer *w, const char *key, uint64_t number);
void haft__field_flag(haft__json_writer *w, const char *key, bool flag);
void haft__field_null(haft__json_writer *w, const char *key);

#endif
