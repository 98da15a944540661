/* SPDX-License-Identifier: Apache-2.0 */
/*
 * telemetry/otlp/writer.h - writes messages of OTLP as protobuf or as JSON.
 *
 * Each member is written with its field number and its name in JSON, so that one description of a
 * message serves both encodings. JSON follows the rules of OTLP: names in lowerCamelCase, ids in
 * hex, 64-bit integers as strings, enumerations as numbers. As in protobuf, a number that is 0 may
 * be left out: the functions for numbers do so, except for haft__otlp_add_number.
 */
#ifndef HAFT_TELEMETRY_OTLP_WRITER_H
#define HAFT_TELEMETRY_OTLP_WRITER_H

#include "json/write.h"

typedef enum haft__otlp_encoding {
    HAFT__OTLP_PROTOBUF,
    HAFT__OTLP_JSON,
} haft__otlp_encoding;

enum { HAFT__OTLP_DEPTH = 16 };

/* A failure is recorded in the buffer. */
typedef struct haft__otlp_writer {
    haft__buf *buf;
    haft__otlp_encoding encoding;
    haft__json_writer json;
    size_t starts[HAFT__OTLP_DEPTH]; /* where the open messages begin */
    size_t depth;
} haft__otlp_writer;

/* Begins and ends a message without a field: the outermost one, or an item that was written for a
 * list elsewhere (haft__otlp_add_items). */
void haft__otlp_begin(haft__otlp_writer *w, haft__buf *buf, haft__otlp_encoding encoding);
void haft__otlp_end(haft__otlp_writer *w);

/* Begins and ends a member that is a message. */
void haft__otlp_begin_message(haft__otlp_writer *w, uint32_t field, const char *name);
void haft__otlp_end_message(haft__otlp_writer *w);

/* Begins and ends a member that is a list of messages, each of which is begun as an item. */
void haft__otlp_begin_list(haft__otlp_writer *w, const char *name);
void haft__otlp_end_list(haft__otlp_writer *w);
void haft__otlp_begin_item(haft__otlp_writer *w, uint32_t field);
void haft__otlp_end_item(haft__otlp_writer *w);

/* Adds a finished item of the open list. */
void haft__otlp_add_item(haft__otlp_writer *w, uint32_t field, haft_str message);

/* Members. Texts that are not UTF-8 are repaired, because protobuf requires UTF-8. */
void haft__otlp_add_text(haft__otlp_writer *w, uint32_t field, const char *name, haft_str text);
void haft__otlp_add_trace_id(haft__otlp_writer *w, uint32_t field, const char *name, uint64_t high,
                             uint64_t low);
void haft__otlp_add_span_id(haft__otlp_writer *w, uint32_t field, const char *name, uint64_t id);
void haft__otlp_add_fixed32(haft__otlp_writer *w, uint32_t field, const char *name,
                            uint32_t number);
void haft__otlp_add_fixed64(haft__otlp_writer *w, uint32_t field, const char *name,
                            uint64_t number);
void haft__otlp_add_enum(haft__otlp_writer *w, uint32_t field, const char *name, uint32_t number);
void haft__otlp_add_bool(haft__otlp_writer *w, uint32_t field, const char *name, bool value);

/* Of a oneof: written even if it is 0. */
void haft__otlp_add_number(haft__otlp_writer *w, uint32_t field, const char *name, int64_t number);
void haft__otlp_add_sfixed64(haft__otlp_writer *w, uint32_t field, const char *name,
                             int64_t number);

/* A double, given in millionths; written even if it is 0. */
void haft__otlp_add_micros(haft__otlp_writer *w, uint32_t field, const char *name, int64_t micros);

/* Lists of numbers, packed. */
void haft__otlp_add_counts(haft__otlp_writer *w, uint32_t field, const char *name,
                           const uint64_t *counts, size_t count);
void haft__otlp_add_bounds(haft__otlp_writer *w, uint32_t field, const char *name,
                           const int64_t *micros, size_t count);

/* Appends millionths as a decimal number without needless zeros: 41.5. */
void haft__otlp_write_micros(haft__buf *buf, int64_t micros);

#endif
