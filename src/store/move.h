/* SPDX-License-Identifier: Apache-2.0 */
/*
 * store/move.h - runs that are on their way from one store into another: what their owner is called
 * then. It is no process, so that no worker takes them up when whoever moves them is gone.
 *
 * The old store says how it stands, and nobody but it:
 *
 *     haft migrate/MOVE/to/STORE       the run is here; a copy of it may be in STORE
 *     haft migrate/MOVE/moved/STORE    the run is the copy of that move in STORE; this is what is
 *                                      left, and goes when the copy is free
 *     haft migrate/MOVE/from/STORE     a copy that is nobody's to go on with: what it is worth, the
 *                                      store it comes from says
 *
 * MOVE is another one each time, STORE is as people are shown it. How moving goes on is in
 * engine/ops/migrate.h.
 */
#ifndef HAFT_STORE_MOVE_H
#define HAFT_STORE_MOVE_H

#include <stdbool.h>

#include "haft.h"

#define HAFT__MOVE_ID_BYTES 16 /* characters of a move's name */

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

/* What an owner's name says; its texts are parts of it. False when it is not the name of a move. */
bool haft__move_parse_owner(haft_str owner, haft__move *ret_move);

/* The name of the owner, ended by a NUL. What of the store does not fit is left out. */
haft_str haft__move_format_owner(const haft__move *move, char *to, size_t size);

/* BAD_STATE: says where the run is on its way to, and what ends that. */
haft_status haft__move_fail(haft_str run, const haft__move *move, haft_error *err);

#endif
