/* SPDX-License-Identifier: Apache-2.0 */
/*
 * store/move.h - the owner names of runs that are being moved between stores. Such an owner is not
 * a process, so no worker claims the run if the process that moves it dies.
 *
 * The owner name in the old store alone defines the state of the move:
 *
 *     haft migrate/MOVE/to/STORE       the run is here; STORE may hold a copy of it
 *     haft migrate/MOVE/moved/STORE    the copy of this move in STORE is the run; this remainder
 *                                      is deleted once the copy is released
 *     haft migrate/MOVE/from/STORE     a copy that nobody may continue; the store it comes from
 *                                      decides whether it is valid
 *
 * MOVE is unique for each move. STORE is the display form of the URL. engine/ops/migrate.h
 * describes the protocol.
 */
#ifndef HAFT_STORE_MOVE_H
#define HAFT_STORE_MOVE_H

#include <stdbool.h>

#include "haft.h"

#define HAFT__MOVE_ID_BYTES 16 /* characters of a move's id */

typedef enum haft__move_step {
    HAFT__MOVE_TO,
    HAFT__MOVE_DONE,
    HAFT__MOVE_FROM,
} haft__move_step;

typedef struct haft__move {
    haft_str id;
    haft__move_step step;
    haft_str store;
} haft__move;

/* Parses an owner name; the texts of *ret_move point into it. False if it does not name a move. */
bool haft__move_parse_owner(haft_str owner, haft__move *ret_move);

/* Writes the owner name with a NUL. The store is truncated if it does not fit. */
haft_str haft__move_format_owner(const haft__move *move, char *to, size_t size);

/* BAD_STATE; the message names the other store and the command that finishes the move. */
haft_status haft__move_fail(haft_str run, const haft__move *move, haft_error *err);

#endif
