/* SPDX-License-Identifier: Apache-2.0 */
/* wire.h - the HTTP that bare.c and mock.c need: complete messages with a length. */
#ifndef HAFT_BENCH_WIRE_H
#define HAFT_BENCH_WIRE_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/str.h"

typedef enum wire_state {
    WIRE_PART,  /* the message is not complete yet */
    WIRE_WHOLE, /* complete: head and body are set */
    WIRE_WRONG, /* it has no length, or is too long */
} wire_state;

/* The message that the bytes begin with. */
wire_state wire_read(haft_str bytes, haft_str *ret_head, haft_str *ret_body);

/* Appends available bytes to `in`. False if the peer has closed the connection. */
bool wire_receive(int fd, haft__buf *in);

/* Seconds of a monotonic clock. */
double wire_now(void);

/* The position of `word` in `text`; text.len if it does not occur. */
size_t wire_find(haft_str text, const char *word);

#endif
