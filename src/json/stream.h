/* SPDX-License-Identifier: Apache-2.0 */
/*
 * json/stream.h - the incremental reader: JSON that arrives in pieces.
 *
 *     do {
 *         status = haft__json_stream_next(&stream, &bytes, &event, err);
 *         ... use the event; at MORE get the next piece, or call haft__json_stream_end ...
 *     } while (status == HAFT_OK && event.kind != HAFT__JSON_EVENT_DONE);
 *
 * It has the language, limits and errors of the strict reader for any division into pieces: a piece
 * may end inside a number, an escape or a UTF-8 sequence. Work per byte is constant, and no byte is
 * read twice. Duplicate keys are passed on as they come (the builder drops the earlier ones).
 */
#ifndef HAFT_JSON_STREAM_H
#define HAFT_JSON_STREAM_H

#include "base/buf.h"
#include "base/utf8.h"
#include "json/read.h"

typedef enum haft__json_event_kind {
    HAFT__JSON_EVENT_MORE,   /* all bytes are consumed; pass more, or call haft__json_stream_end */
    HAFT__JSON_EVENT_DONE,   /* the outermost value is complete; later bytes remain unread */
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
    HAFT__JSON_AT_VALUE,        /* expects a value */
    HAFT__JSON_AT_VALUE_OR_END, /* after '[' */
    HAFT__JSON_AT_KEY,          /* after a comma in an object */
    HAFT__JSON_AT_KEY_OR_END,   /* after '{' */
    HAFT__JSON_AT_COLON,
    HAFT__JSON_AT_SEPARATOR, /* after a value inside a container */
    HAFT__JSON_IN_STRING,
    HAFT__JSON_IN_UTF8,    /* inside a sequence: `partial` has its start */
    HAFT__JSON_IN_ESCAPE,  /* after a backslash */
    HAFT__JSON_IN_HEX,     /* `hex_left` digits of \u are missing */
    HAFT__JSON_IN_MINUS,   /* after '-' */
    HAFT__JSON_IN_ZERO,    /* after a leading 0 */
    HAFT__JSON_IN_INTEGER, /* inside the digits before the point */
    HAFT__JSON_IN_POINT,   /* after the point: expects a digit */
    HAFT__JSON_IN_FRACTION,
    HAFT__JSON_IN_E,        /* after e: expects a sign or digit */
    HAFT__JSON_IN_SIGN,     /* after the exponent's sign */
    HAFT__JSON_IN_EXPONENT, /* inside its digits */
    HAFT__JSON_IN_LITERAL,  /* `literal_at` bytes of `literal` have been read */
    HAFT__JSON_AT_DONE,     /* the outermost value is complete; DONE is not emitted yet */
    HAFT__JSON_AT_END,      /* ... DONE is emitted: only white space may follow */
    HAFT__JSON_FAILED,
} haft__json_stream_state;

typedef struct haft__json_stream {
    haft__json_options options;
    haft__json_notes notes; /* duplicate_keys is counted by the builder */
    haft__json_stream_state state;
    haft__json_stream_state failed_in; /* of FAILED: the state before */
    bool is_key, ended;
    size_t offset, line, line_start; /* of the next byte; of the line it is in */
    size_t token_start;              /* of the key or number that is being read */
    size_t values;                   /* begun so far, keys included */
    uint32_t depth;
    uint64_t objects[HAFT__LIMIT_JSON_DEPTH / 64]; /* one bit per level: it is an object */
    haft__buf token;                               /* a key or number that came in pieces */
    char decoded[64];                              /* decoded escapes, not yet emitted */
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

/* Reads up to the next event and moves *io_bytes past the consumed bytes. After an error every call
 * returns BAD_STATE. */
HAFT_MUST_USE haft_status haft__json_stream_next(haft__json_stream *stream, haft_str *io_bytes,
                                                 haft__json_event *ret_event, haft_error *err);

/* Marks the end of the input. Call it after a MORE; then haft__json_stream_next with empty bytes
 * returns a number that was still open and DONE, or the error that the text ended too early. After
 * DONE it always returns MORE. */
void haft__json_stream_end(haft__json_stream *stream);

/* Whether `text` is the beginning of a longer JSON text. Fails only when out of memory. */
HAFT_MUST_USE haft_status haft__json_is_truncated(haft_str text, bool *ret_cut);

#endif
