/* SPDX-License-Identifier: Apache-2.0 */
/*
 * engine/child.h - creates child runs together with their parent's events, and sends messages
 * between parent and children.
 *
 * The write that records child_started also creates the child, in one transaction of the store. The
 * write that ends a child also stores a message for its parent. The write that cancels a parent, or
 * records that its time is used up, also stores a message for each child. Therefore a crash cannot
 * lose one of the two parts. The owner of the addressed run reads the message.
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
    haft__child_close notified; /* the last message that was sent to the children */
    const haft__store_child *children;
    size_t child_count;
    haft__store_message *outgoing;
    size_t outgoing_count;
} haft__child_writes;

void haft__child_writes_init(haft__child_writes *writes);
void haft__child_writes_finish(haft__child_writes *writes);

/* The run was loaded from the store, which already has the children and messages of its events. */
void haft__child_writes_set_loaded(haft_run *run);

/* Collects the runs and messages of the next write, from the state of the run. */
HAFT_MUST_USE haft_status haft__child_writes_collect(haft_run *run, haft_error *err);

/* The write is durable. This process can now open the children. */
void haft__child_writes_commit(haft_run *run);

#endif
