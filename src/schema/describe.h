/* SPDX-License-Identifier: Apache-2.0 */
/* schema/describe.h - formats values and types for messages. */
#ifndef HAFT_SCHEMA_DESCRIBE_H
#define HAFT_SCHEMA_DESCRIBE_H

#include "schema/schema_int.h"

/* A message shows about this many bytes of a longer value, and only whole UTF-8 characters. */
#define HAFT__DESCRIBE_VALUE_BYTES 60U
/* A buffer of this size holds every cut text or number, even if all its characters are escaped. */
#define HAFT__DESCRIBE_BUFFER_BYTES 1024U

static inline void haft__describe_add(haft__buf *buf, const char *text)
{
    haft__buf_add(buf, text, strlen(text));
}

/* Appends the value as JSON, cut. Takes constant time for values of any size. */
void haft__describe_value(haft__buf *buf, const haft__json *value);

/* Appends the type and the value: `string "abc"`, `integer 5`, `null`. */
void haft__describe_typed_value(haft__buf *buf, const haft__json *value);

/* Appends names of types: "string", "string or null", "string, integer or null". */
void haft__describe_types(haft__buf *buf, uint8_t types);

/* Appends a number and a noun: "1 item", "2 items". */
void haft__describe_count(haft__buf *buf, uint64_t count, const char *noun);

/* Appends a text without quotes, cut; control characters are escaped as in values. */
void haft__describe_text(haft__buf *buf, haft_str text);

/* Appends values: `"a", "b", 3`. A long list is cut, and its length is added. */
void haft__describe_list(haft__buf *buf, const haft__json *items, uint32_t count);

#endif
