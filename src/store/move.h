/* SPDX-License-Identifier: Apache-2.0 */
/*
 * store/move.h - the owner names of runs that are being moved between stores.
 *
 * While a run is moved, its owner is a name of this form instead of a process. So if the process
 * that moves the run dies, no worker claims the run. A run that is being moved has one owner name
 * in the old store and another in the new store:
 *
 *     old store:  haft migrate/MOVE/to/STORE     before the switch: this is the run; the new store
 *                                                STORE may already have a copy
 *                 haft migrate/MOVE/moved/STORE  after the switch: the copy in STORE is the run;
 *                                                this one is deleted once the copy is released
 *     new store:  haft migrate/MOVE/from/STORE   a copy from the old store STORE; no process may
 *                                                continue it before the move is finished
 *
 * Only the owner name in the old store decides which of the two copies is the run. MOVE is the id
 * of the move. STORE is the URL of the other store as it is displayed, without secrets.
 * engine/ops/migrate.h describes the protocol.
 */
#ifndef HAFT_STORE_MOVE_H
#define HAFT_STORE_MOVE_H

#include <stdbool.h>

#include "haft.h"

#define HAFT__MOVE_ID_BYTES 16 /* characters of a move's id */

typedef enum haft__move_step {
    HAFT__MOVE_TO,   /* old store, before the switch */
    HAFT__MOVE_DONE, /* old store, after the switch ("moved") */
    HAFT__MOVE_FROM, /* new store */
} haft__move_step;

typedef struct haft__move {
    haft_str id;
    haft__move_step step;
    haft_str store; /* the other store */
} haft__move;

/* Parses an owner name; the texts of *ret_move point into it. False if it does not name a move. */
bool haft__move_parse_owner(haft_str owner, haft__move *ret_move);

/* Writes the owner name with a NUL and returns it. The store is truncated if it does not fit. */
haft_str haft__move_format_owner(const haft__move *move, char *to, size_t size);

/* Returns BAD_STATE. The error names the other store and the command that finishes the move. */
haft_status haft__move_fail(haft_str run, const haft__move *move, haft_error *err);

#endif
