/* SPDX-License-Identifier: Apache-2.0 */
/*
 * engine/child.h - child runs: how they are created with their parent's events, and what their end
 * sends to the parent.
 *
 * The write that records child_started also creates the child, in one transaction of the store. The
 * write that ends a child also leaves a message for its parent, and the write that cancels a
 * parent, or records that its time is used up, one for each child. So no crash can separate them,
 * whichever process continues. The next owner of the addressed run reads the message.
 */
#ifndef HAFT_ENGINE_CHILD_H
#define HAFT_ENGINE_CHILD_H

#include "base/arena.h"
#include "haft.h"
#include "run/child/child.h"
#include "store/store.h"

/* Runs and messages that the next write of a run creates and sends. */
typedef struct haft__child_writes {
    haft__arena arena; /* rows, lines and messages, until the write is done */
    size_t created;    /* number of the state's children that are in the store or being created */
    haft__child_close notified; /* the last message to the children about the end of the run */
    const haft__store_child *children;
    size_t child_count;
    haft__store_message *outgoing;
    size_t outgoing_count;
} haft__child_writes;

void haft__child_writes_init(haft__child_writes *writes);
void haft__child_writes_finish(haft__child_writes *writes);

/* The run was loaded from the store, which has all that its events say. */
void haft__child_writes_set_loaded(haft_run *run);

/* Collects what the next write creates and sends, from the state of the run. */
HAFT_MUST_USE haft_status haft__child_writes_collect(haft_run *run, haft_error *err);

/* The write is durable: the children can be opened here. */
void haft__child_writes_commit(haft_run *run);

#endif
