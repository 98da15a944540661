/* SPDX-License-Identifier: Apache-2.0 */
/*
 * model/sse.h - Server-Sent Events (WHATWG HTML, section 9.2) that arrive in pieces.
 *
 *     while (status == HAFT_OK && haft__sse_next(&sse, &bytes, &event)) { ... use the event ... }
 *     status = haft__sse_check(&sse, err);
 *
 * A piece may end anywhere: inside a line end, a field name or a character. Each byte is looked at
 * once. Comments are dropped; events without data do not exist. What the fields `id` and `retry`
 * say is kept beside the events, for who wants to go on after a break.
 */
#ifndef HAFT_MODEL_SSE_H
#define HAFT_MODEL_SSE_H

#include "base/buf.h"

/* Bytes of an event's id; longer ones are as if they were not there. */
#define HAFT__SSE_ID_BYTES 256

/* Borrowed until the next call. */
typedef struct haft__sse_event {
    haft_str name; /* "" when it has none, which stands for "message" */
    haft_str data; /* its lines, joined by LF */
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
    haft__sse_field field; /* of the line, once its name is over */
    char key[8];           /* the field's name so far */
    uint32_t key_length;   /* past the size of `key` when it is none of ours */
    uint32_t bom;          /* bytes of a byte order mark seen at the very start */
    bool started;          /* something other than a mark was seen */
    bool in_value;         /* behind the colon */
    bool at_space;         /* right behind it: one space is dropped */
    bool after_cr;         /* an LF now belongs to the line end before */
    bool has_data;         /* of this event; its data may be empty */
    bool given;            /* the event was given out and is to be cleared */

    /* The last `id` and `retry`, as far as they were whole and small enough. */
    char id[HAFT__SSE_ID_BYTES], next_id[HAFT__SSE_ID_BYTES];
    uint32_t id_length, next_id_length; /* the second past its size when it was too long */
    bool has_id, has_retry, has_digits;
    uint64_t retry_ms, next_retry; /* the second UINT64_MAX when it is no number */
} haft__sse;

void haft__sse_init(haft__sse *sse);
void haft__sse_finish(haft__sse *sse);

/* Reads up to the end of the next event and moves *io_bytes behind what it has used. False when
 * all bytes were used, or after a failure (haft__sse_check). */
bool haft__sse_next(haft__sse *sse, haft_str *io_bytes, haft__sse_event *ret_event);

/* HAFT_OK, NO_MEMORY, or TOO_BIG for an event of more than HAFT__LIMIT_MODEL_EVENT_BYTES. */
HAFT_MUST_USE haft_status haft__sse_check(const haft__sse *sse, haft_error *err);

/* What the connection's end leaves: an event without the empty line behind it. The standard drops
 * it; who can tell from its data that it is whole need not. False when there is none. */
bool haft__sse_end(haft__sse *sse, haft__sse_event *ret_event);

#endif
