/* SPDX-License-Identifier: Apache-2.0 */
/*
 * json/stream.h - the incremental reader: JSON that arrives in pieces.
 *
 *     do {
 *         status = haft__json_stream_next(&stream, &bytes, &event, err);
 *         ... use the event; at MORE get the next piece, or say haft__json_stream_end ...
 *     } while (status == HAFT_OK && event.kind != HAFT__JSON_EVENT_DONE);
 *
 * The same language, limits and errors as the strict reader, whatever the cuts: a piece may end
 * inside a number, an escape or a UTF-8 sequence. Work per byte is constant and nothing is looked
 * at twice. Duplicate keys are passed on as they come (the builder drops the earlier ones).
 */
#ifndef HAFT_JSON_STREAM_H
#define HAFT_JSON_STREAM_H

#include "base/buf.h"
#include "base/utf8.h"
#include "json/read.h"

typedef enum haft__json_event_kind {
    HAFT__JSON_EVENT_MORE,   /* everything given has been used; give more, or say it is the end */
    HAFT__JSON_EVENT_DONE,   /* the outermost value is complete; what follows it is still there */
    HAFT__JSON_EVENT_BEGIN,  /* an array or object begins: value.kind says which */
    HAFT__JSON_EVENT_END,    /* ... ends */
    HAFT__JSON_EVENT_KEY,    /* value: the whole key */
    HAFT__JSON_EVENT_PART,   /* value: the next piece of a string, decoded, whole characters */
    HAFT__JSON_EVENT_SCALAR, /* value: a complete number, literal, or the last piece of a string */
} haft__json_event_kind;

typedef struct haft__json_event {
    haft__json_event_kind kind;
    uint32_t depth;   /* open containers around it */
    haft__json value; /* text is borrowed until the next call */
} haft__json_event;

typedef enum haft__json_stream_state {
    HAFT__JSON_AT_VALUE,        /* a value must come */
    HAFT__JSON_AT_VALUE_OR_END, /* behind '[' */
    HAFT__JSON_AT_KEY,          /* behind a comma in an object */
    HAFT__JSON_AT_KEY_OR_END,   /* behind '{' */
    HAFT__JSON_AT_COLON,
    HAFT__JSON_AT_SEPARATOR, /* behind a value inside a container */
    HAFT__JSON_IN_STRING,
    HAFT__JSON_IN_UTF8,    /* inside a sequence: `partial` has its start */
    HAFT__JSON_IN_ESCAPE,  /* behind a backslash */
    HAFT__JSON_IN_HEX,     /* `hex_left` digits of \u are missing */
    HAFT__JSON_IN_MINUS,   /* behind '-' */
    HAFT__JSON_IN_ZERO,    /* behind a leading 0 */
    HAFT__JSON_IN_INTEGER, /* inside the digits before the point */
    HAFT__JSON_IN_POINT,   /* behind the point: a digit must come */
    HAFT__JSON_IN_FRACTION,
    HAFT__JSON_IN_E,        /* behind e: a sign or digit must come */
    HAFT__JSON_IN_SIGN,     /* behind the exponent's sign */
    HAFT__JSON_IN_EXPONENT, /* inside its digits */
    HAFT__JSON_IN_LITERAL,  /* `literal_at` bytes of `literal` have come */
    HAFT__JSON_AT_DONE,     /* the outermost value is complete; not told yet */
    HAFT__JSON_AT_END,      /* ... and told: only white space may follow */
    HAFT__JSON_FAILED,
} haft__json_stream_state;

typedef struct haft__json_stream {
    haft__json_options options;
    haft__json_notes notes; /* duplicate_keys is counted by the builder */
    haft__json_stream_state state;
    haft__json_stream_state failed_in; /* of FAILED: what it was before */
    bool is_key, ended;
    size_t offset, line, line_start; /* of the next byte; of the line it is in */
    size_t token_start;              /* of the key or number that is being read */
    size_t values;                   /* begun so far, keys included */
    uint32_t depth;
    uint64_t objects[HAFT__LIMIT_JSON_DEPTH / 64]; /* a bit a level: it is an object */
    haft__buf token;                               /* a key or number that came in pieces */
    char decoded[64];                              /* what escapes stood for, not yet passed on */
    uint32_t decoded_count;
    char partial[HAFT__UTF8_MAX_BYTES];
    uint32_t partial_count;
    uint32_t hex_left, code, high; /* \u: digits missing, value so far, high surrogate before it */
    const char *literal;
    uint32_t literal_at;
} haft__json_stream;

/* `options` NULL means the defaults; copied. */
void haft__json_stream_init(haft__json_stream *stream, const haft__json_options *options);
void haft__json_stream_finish(haft__json_stream *stream);

/* Reads up to the next event and moves *io_bytes behind what it has used. After an error the
 * stream gives BAD_STATE for everything. */
HAFT_MUST_USE haft_status haft__json_stream_next(haft__json_stream *stream, haft_str *io_bytes,
                                                 haft__json_event *ret_event, haft_error *err);

/* Says that no more bytes come. Call it after a MORE; then haft__json_stream_next with empty bytes
 * gives a number that was still open and DONE, or the error that the text ended too early. After
 * DONE it gives MORE for ever. */
void haft__json_stream_end(haft__json_stream *stream);

/* Whether more bytes could make JSON of `text`. Fails only if it is out of memory. */
HAFT_MUST_USE haft_status haft__json_is_truncated(haft_str text, bool *ret_cut);

#endif
