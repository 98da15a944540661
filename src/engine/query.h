/* SPDX-License-Identifier: Apache-2.0 */
/*
 * engine/query.h - the store query of a run: one at a time, for opening it, for its place in its
 * thread, and for releasing its lease. (Writes are requests of engine/log.h.)
 */
#ifndef HAFT_ENGINE_QUERY_H
#define HAFT_ENGINE_QUERY_H

#include "base/arena.h"
#include "store/store.h"

typedef struct haft__run_query {
    haft__store_request request;
    bool pending; /* a callback is due: that of `request`, or the task that begins a new run */
} haft__run_query;

/* Sends `request`; its results live in `arena`. `done` must call haft__run_query_done first. */
void haft__run_query_start(haft_run *run, haft__store_request request, haft__arena *arena,
                           void (*done)(haft__store_request *request));

/* The reply has arrived. Returns false if the handle was released meanwhile: the run must not be
 * used any more. */
bool haft__run_query_done(haft_run *run);

#endif
