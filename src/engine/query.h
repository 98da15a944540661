/* SPDX-License-Identifier: Apache-2.0 */
/*
 * engine/query.h - the pending store query of a run: to open it, to read the queue of its thread,
 * or to release its lease. At most one query is pending. (Writes are requests of engine/log.h.)
 */
#ifndef HAFT_ENGINE_QUERY_H
#define HAFT_ENGINE_QUERY_H

#include "base/arena.h"
#include "store/store.h"

typedef struct haft__run_query {
    haft__store_request request;
    bool pending; /* waits for a callback: of `request`, or of the task that begins a new run */
} haft__run_query;

/* Sends `request`; its results live in `arena`. `done` must call haft__run_query_done first. */
void haft__run_query_start(haft_run *run, haft__store_request request, haft__arena *arena,
                           void (*done)(haft__store_request *request));

/* The reply has arrived. Returns false if the handle was released meanwhile. In this case the run
 * must no longer be used. */
bool haft__run_query_done(haft_run *run);

#endif
