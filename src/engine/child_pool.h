/* SPDX-License-Identifier: Apache-2.0 */
/*
 * engine/child_pool.h - the child runs that this process performs for its own runs.
 *
 * A process that continues a run also continues the runs below it. In a worker process the pool is
 * disabled, because the worker (engine/worker) claims every free run of the store. A child that
 * waits for people or for its own children is released: it needs no memory and no lease, and any
 * process may continue it. The pool opens it again when a message for it arrives.
 */
#ifndef HAFT_ENGINE_CHILD_POOL_H
#define HAFT_ENGINE_CHILD_POOL_H

#include "engine/child_entries.h"
#include "io/loop.h"
#include "store/store.h"

/* Called for a child that is open in this process before it is released, so that its last events
 * can be read. */
typedef struct haft__child_observer {
    void (*observe)(void *context, haft_run *child); /* or NULL */
    void *context;
} haft__child_observer;

/* Called for a child that is open in this process and waits for an answer. The callback may answer
 * immediately. It returns true if this process gives the answer, so that the child stays open. At
 * most HAFT__LIMIT_CHILD_KEPT children stay open at the same time. */
typedef struct haft__child_answerer {
    bool (*answer)(void *context, haft_run *child); /* or NULL: this process gives no answers */
    void *context;
} haft__child_answerer;

typedef struct haft__child_pool {
    bool disabled; /* a worker claims all runs */
    bool releasing;
    bool draining; /* opens no runs, see haft__child_pool_drain */
    haft__child_observer observer;
    haft__child_answerer answerer;
    haft__child_entries entries;
    size_t open, kept_open_count;
    size_t wants_open_count; /* number of entries with `wants_open` */
    haft__task check;        /* inspects the entries from the loop */
    bool check_posted;
    bool polls_messages; /* messages were sent to runs of this process, and no poll has begun since
                          */
    bool polling;        /* such a poll is pending */
    haft__timer timer;   /* queries changes by other processes */
    haft__store_request request;
    haft__arena arena;  /* results of `request` */
    size_t next_query;  /* the entry that is queried next */
    size_t query_count; /* in this round */
    bool querying;
} haft__child_pool;

void haft__child_pool_init(haft_runtime *runtime);
void haft__child_pool_finish(haft_runtime *runtime);

/* Adds a child of `parent`, a run of this process. The child is in the store and has not ended. */
void haft__child_pool_add(haft_run *parent, haft_str id);

/* Adds all open children of a run that was opened. */
void haft__child_pool_add_all(haft_run *run);

/* A run of this process has changed, or messages were sent to runs of this process. */
void haft__child_pool_notify(haft_runtime *runtime);
void haft__child_pool_run_changed(haft_run *run);

/* A poll for messages has ended. */
void haft__child_pool_messages_read(haft_runtime *runtime);

/* Whether all runs below the run wait for people: none can continue in this process, and no other
 * process performs one. */
bool haft__child_pool_is_settled(const haft_run *run);

/* The error of a child below the run that cannot continue in this process, or NULL. */
const haft_error *haft__child_pool_error(const haft_run *run, const char **ret_id);

/* The caller released the run: releases everything below it. */
void haft__child_pool_release(haft_run *run);

/* The next child below `run` that is open in this process and waits for an answer, after `last`
 * (NULL: the first child); NULL at the end. Without an answerer, only children whose running call
 * has asked a question are open. */
haft_run *haft__child_pool_next_waiting(const haft_run *run, const haft_run *last);

/* Suspends the open runs below `run`, as haft__run_drain does, and opens no more runs. */
void haft__child_pool_drain(const haft_run *run);
bool haft__child_pool_is_drained(const haft_run *run);

/* Ends the draining, because the run and the runs below it are cancelled. */
void haft__child_pool_undrain(haft_runtime *runtime);

/* The next child below `run` that is open in this process, after `last` (NULL: the first child). */
haft_run *haft__child_pool_next_open(const haft_run *run, const haft_run *last);

/* Calls the observer for each child below the run that is open in this process. */
void haft__child_pool_observe(const haft_run *run);

/* Takes over the handle of a child that this process has opened. */
void haft__child_pool_adopt(haft_run *run);

/* The reverse: returns the handle to the caller; NULL if the pool has released it. */
haft_run *haft__child_pool_disown(haft_runtime *runtime, haft_str id);

/* The open handle of a child; NULL if this process does not perform it. */
haft_run *haft__child_pool_find(const haft_runtime *runtime, haft_str id);

/* Opens a waiting child, so that it reads its messages. Returns false if the pool has no entry for
 * the child. */
bool haft__child_pool_wake(haft_runtime *runtime, haft_str id);

#endif
