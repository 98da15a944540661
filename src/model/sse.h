/* SPDX-License-Identifier: Apache-2.0 */
/*
 * model/sse.h - Server-Sent Events (WHATWG HTML, section 9.2) that arrive in pieces.
 *
 *     while (status == HAFT_OK && haft__sse_next(&sse, &bytes, &event)) { ... use the event ... }
 *     status = haft__sse_check(&sse, err);
 *
 * A piece may end anywhere: inside a line end, a field name or a character. Each byte is read once.
 * Comments are dropped, and so are events without data. The last `id` and `retry` are kept
 * separately, for clients that reconnect.
 */
#ifndef HAFT_MODEL_SSE_H
#define HAFT_MODEL_SSE_H

#include "base/buf.h"

/* Maximum length of an event's id; longer ones are ignored. */
#define HAFT__SSE_ID_BYTES 256

/* Borrowed until the next call. */
typedef struct haft__sse_event {
    haft_str name; /* "" if absent, which means "message" */
    haft_str data; /* the data lines, joined by LF */
} haft__sse_event;

typedef enum haft__sse_field {
    HAFT__SSE_DATA,
    HAFT__SSE_NAME, /* `event` */
    HAFT__SSE_ID,
    HAFT__SSE_RETRY,
    HAFT__SSE_OTHER, /* a comment, or a field that is not used */
} haft__sse_field;

typedef struct haft__sse {
    haft__buf data, name;
    haft__sse_field field; /* of the line, once its name is complete */
    char key[8];           /* the field's name so far */
    uint32_t key_length;   /* exceeds the size of `key` if the name is unknown */
    uint32_t bom;          /* bytes of a byte order mark at the very start */
    bool started;          /* a byte other than of the mark was read */
    bool in_value;         /* after the colon */
    bool at_space;         /* directly after the colon: one space is dropped */
    bool after_cr;         /* an LF here belongs to the previous line end */
    bool has_data;         /* the event has data, which may be empty */
    bool given;            /* the event was returned and must be cleared */

    /* The last `id` and `retry` that were complete and small enough. */
    char id[HAFT__SSE_ID_BYTES], next_id[HAFT__SSE_ID_BYTES];
    uint32_t id_length, next_id_length; /* next_id_length exceeds the size if the id is too long */
    bool has_id, has_retry, has_digits;
    uint64_t retry_ms, next_retry; /* next_retry is UINT64_MAX if it is not a number */
} haft__sse;

void haft__sse_init(haft__sse *sse);
void haft__sse_finish(haft__sse *sse);

/* Reads up to the end of the next event and moves *io_bytes past the consumed bytes. False if all
 * bytes were consumed, or after a failure (haft__sse_check). */
bool haft__sse_next(haft__sse *sse, haft_str *io_bytes, haft__sse_event *ret_event);

/* HAFT_OK, NO_MEMORY, or TOO_BIG for an event of more than HAFT__LIMIT_MODEL_EVENT_BYTES. */
HAFT_MUST_USE haft_status haft__sse_check(const haft__sse *sse, haft_error *err);

/* At the end of the connection: returns an event without its final empty line. The standard drops
 * such an event; a caller may use it if the data shows that it is complete. False if there is none.
 */
bool haft__sse_end(haft__sse *sse, haft__sse_event *ret_event);

#endif
