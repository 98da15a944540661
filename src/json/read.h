/* SPDX-License-Identifier: Apache-2.0 */
/*
 * json/read.h - the strict reader: RFC 8259 without extensions, whole texts.
 *
 * Strings without escapes and all numbers point into `text`, which must outlive the value. Errors
 * say "line:column (byte offset)", counted in bytes; line and column from 1, the offset from 0.
 */
#ifndef HAFT_JSON_READ_H
#define HAFT_JSON_READ_H

#include "base/limits.h"
#include "json/value.h"

typedef struct haft__json_options {
    /* These three may be set lower than the limits, never higher (asserted). */
    uint32_t max_depth;
    size_t max_bytes;
    uint32_t max_values;
    uint32_t max_key_bytes;
    uint32_t max_number_bytes;
    bool reject_duplicates;  /* for text of people; in text of models the last one counts */
    haft__hash_key hash_key; /* random if the text comes from outside */
    haft__arena *trees; /* memory for items and members, apart from texts; NULL: the same arena */
} haft__json_options;

#define HAFT__JSON_OPTIONS_INIT                                                                    \
    {                                                                                              \
        .max_depth = HAFT__LIMIT_JSON_DEPTH, .max_bytes = HAFT__LIMIT_JSON_BYTES,                  \
        .max_values = HAFT__LIMIT_JSON_VALUES, .max_key_bytes = HAFT__LIMIT_JSON_KEY_BYTES,        \
        .max_number_bytes = HAFT__LIMIT_JSON_NUMBER_BYTES                                          \
    }

static inline bool haft__json_options_valid(const haft__json_options *options)
{
    return options->max_depth <= HAFT__LIMIT_JSON_DEPTH
           && options->max_bytes <= HAFT__LIMIT_JSON_BYTES
           && options->max_values <= HAFT__LIMIT_JSON_VALUES;
}

/* Irregularities that were accepted. */
typedef struct haft__json_notes {
    uint32_t duplicate_keys;  /* members dropped because a later one had the same key */
    uint32_t lone_surrogates; /* \uD800..\uDFFF without a partner, read as U+FFFD */
    bool repaired;            /* set by json/repair.h only */
} haft__json_notes;

/* Reads one JSON value with nothing but white space around it. `options` NULL means the defaults,
 * `ret_notes` may be NULL. BAD_INPUT when it is not JSON, TOO_BIG past a limit. */
HAFT_MUST_USE haft_status haft__json_read(haft__arena *arena, haft_str text,
                                          const haft__json_options *options, haft__json *ret_value,
                                          haft__json_notes *ret_notes, haft_error *err);

/* The origin of a text that was made from another one. */
typedef struct haft__json_origin haft__json_origin;
struct haft__json_origin {
    haft_str text; /* the other text */
    /* The offset in `text` that the byte at `made` was made from. */
    size_t (*find)(const haft__json_origin *origin, size_t made);
};

/* The same for a text that was made from another one (json/repair.h): errors give positions in the
 * other text. `origin` may be NULL. */
HAFT_MUST_USE haft_status haft__json_read_derived(haft__arena *arena, haft_str text,
                                                  const haft__json_origin *origin,
                                                  const haft__json_options *options,
                                                  haft__json *ret_value,
                                                  haft__json_notes *ret_notes, haft_error *err);

#endif
