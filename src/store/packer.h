/* SPDX-License-Identifier: Apache-2.0 */
/*
 * store/packer.h - events as they stand in a row of a database: several, one behind the other.
 *
 * Each is a line. `=` and a text is that text. `@`, digits and a text that starts with a quote is
 * the event with this body: its number and its run are known from the row, the digits are its time,
 * as milliseconds since the `@` before it in the row, or since 1970 for the first.
 */
#ifndef HAFT_STORE_PACKER_H
#define HAFT_STORE_PACKER_H

#include "base/buf.h"

typedef struct haft__packer {
    haft_str run;   /* its id */
    uint64_t seq;   /* of the last event */
    uint64_t at_ms; /* the time the next one counts from */
    haft__buf head; /* scratch */
} haft__packer;

/* For events of `run` behind the `seq`-th. */
void haft__packer_init(haft__packer *packer, haft_str run, uint64_t seq);
void haft__packer_finish(haft__packer *packer);

/* The next event begins a row. */
void haft__packer_start_row(haft__packer *packer);

/* Appends the next event as it stands in the row, with its line feed. */
void haft__packer_pack(haft__packer *packer, haft_str line, haft__buf *to);

/* The reverse, byte for byte: `line` without its line feed, the event with one. False when it is no
 * such line. */
HAFT_MUST_USE bool haft__packer_unpack(haft__packer *packer, haft_str line, haft__buf *to);

#endif
