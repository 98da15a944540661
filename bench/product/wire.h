/* SPDX-License-Identifier: Apache-2.0 */
/* wire.h - as much HTTP as the floor and its server need: whole messages with a length. */
#ifndef HAFT_BENCH_WIRE_H
#define HAFT_BENCH_WIRE_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/str.h"

typedef enum wire_state {
    WIRE_PART,  /* the message is not whole yet */
    WIRE_WHOLE, /* it is: head and body are set */
    WIRE_WRONG, /* it has no length, or is too long */
} wire_state;

/* The message that the bytes begin with. */
wire_state wire_read(haft_str bytes, haft_str *ret_head, haft_str *ret_body);

/* Reads what has come into `in`. False when the other side is gone. */
bool wire_receive(int fd, haft__buf *in);

/* Seconds of a clock that only goes forward. */
double wire_now(void);

/* Where `word` begins in `text`; text.len when it is not there. */
size_t wire_find(haft_str text, const char *word);

#endif
