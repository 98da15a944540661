/* SPDX-License-Identifier: Apache-2.0 */
/*
 * store/packer.h - the packed form of events in a database row: several events per row.
 *
 * Each event is one line. A line `=TEXT` is the event TEXT itself. A line `@DIGITS"...` is an event
 * whose body follows the digits. The event's number and run are known from the row. The digits are
 * its time in milliseconds since the previous `@` of the row, or since 1970 for the first.
 */
#ifndef HAFT_STORE_PACKER_H
#define HAFT_STORE_PACKER_H

#include "base/buf.h"

typedef struct haft__packer {
    haft_str run;   /* id of the run */
    uint64_t seq;   /* number of the last event */
    uint64_t at_ms; /* the time that the next `@` is relative to */
    haft__buf head; /* scratch */
} haft__packer;

/* Prepares packing the events of `run` that follow event number `seq`. */
void haft__packer_init(haft__packer *packer, haft_str run, uint64_t seq);
void haft__packer_finish(haft__packer *packer);

/* The next event starts a new row. */
void haft__packer_start_row(haft__packer *packer);

/* Appends the next event in packed form, with its line feed. */
void haft__packer_pack(haft__packer *packer, haft_str line, haft__buf *to);

/* The inverse of haft__packer_pack, byte for byte: `line` has no line feed, the unpacked event has
 * one. False if `line` is not valid. */
HAFT_MUST_USE bool haft__packer_unpack(haft__packer *packer, haft_str line, haft__buf *to);

#endif
