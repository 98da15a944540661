/* SPDX-License-Identifier: Apache-2.0 */
/*
 * json/write.h - values to text, and text built piece by piece.
 *
 * The output is always valid JSON in valid UTF-8: bytes that are not UTF-8 are written as U+FFFD.
 * The buffer records failures: append freely, then call haft__buf_check.
 */
#ifndef HAFT_JSON_WRITE_H
#define HAFT_JSON_WRITE_H

#include "base/buf.h"
#include "json/value.h"

/* Appends `value` without white space. A value nested deeper than HAFT__LIMIT_JSON_DEPTH, which no
 * reader makes, is a failure: TOO_BIG, and the text is incomplete. */
void haft__json_write(haft__buf *buf, haft__json value);

/* Appends `value` over several lines, `indent` spaces per level. */
void haft__json_write_pretty(haft__buf *buf, haft__json value, unsigned indent);

/* Appends `text` as a JSON string, quotes included. */
void haft__json_write_string(haft__buf *buf, haft_str text);

/* Writes objects and arrays member by member, and writes the commas. Nesting at most 64 deep;
 * begin/end must match, and every value in an object needs its key (asserted). */
typedef struct haft__json_writer {
    haft__buf *buf;
    uint64_t has_items; /* one bit per open level: it has items */
    uint64_t objects;   /* one bit per open level: it is an object */
    uint32_t depth;
    bool after_key;
} haft__json_writer;

void haft__json_writer_init(haft__json_writer *w, haft__buf *buf);
void haft__json_begin_object(haft__json_writer *w);
void haft__json_end_object(haft__json_writer *w);
void haft__json_begin_array(haft__json_writer *w);
void haft__json_end_array(haft__json_writer *w);
/* A key from the source code: plain ASCII without quotes and backslashes. */
void haft__json_key(haft__json_writer *w, const char *key);
void haft__json_key_str(haft__json_writer *w, haft_str key);
void haft__json_add(haft__json_writer *w, haft__json value);
void haft__json_add_str(haft__json_writer *w, haft_str text);
void haft__json_add_int(haft__json_writer *w, int64_t number);
void haft__json_add_bool(haft__json_writer *w, bool value);
void haft__json_add_null(haft__json_writer *w);

#endif
