/* SPDX-License-Identifier: Apache-2.0 */
/* schema/describe.h - formats values and types for messages. */
#ifndef HAFT_SCHEMA_DESCRIBE_H
#define HAFT_SCHEMA_DESCRIBE_H

#include "schema/schema_int.h"

/* Values in messages are cut to about this many bytes, at a character. */
#define HAFT__DESCRIBE_VALUE_BYTES 60U
/* More than a cut text or number takes when every character is escaped. */
#define HAFT__DESCRIBE_BUFFER_BYTES 1024U

static inline void haft__describe_add(haft__buf *buf, const char *text)
{
    haft__buf_add(buf, text, strlen(text));
}

/* The value as JSON, cut. The cost does not depend on its size. */
void haft__describe_value(haft__buf *buf, const haft__json *value);

/* Its type and the value: `string "abc"`, `integer 5`, `null`. */
void haft__describe_typed_value(haft__buf *buf, const haft__json *value);

/* "string", "string or null", "string, integer or null". */
void haft__describe_types(haft__buf *buf, uint8_t types);

/* "1 item", "2 items". */
void haft__describe_count(haft__buf *buf, uint64_t count, const char *thing);

/* A text without quotes, cut; control characters are escaped as in values. */
void haft__describe_text(haft__buf *buf, haft_str text);

/* `"a", "b", 3`; a long list is cut and its length is added. */
void haft__describe_list(haft__buf *buf, const haft__json *items, uint32_t count);

#endif
