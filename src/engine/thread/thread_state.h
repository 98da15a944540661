/* SPDX-License-Identifier: Apache-2.0 */
/*
 * engine/thread/thread_state.h - reads the values that a thread keeps, for a new run of a graph.
 * The values are in run_finished of the last run of the thread that recorded values.
 */
#ifndef HAFT_ENGINE_THREAD_THREAD_STATE_H
#define HAFT_ENGINE_THREAD_THREAD_STATE_H

#include "store/store.h"

/* The earlier runs of the thread while they are read. */
typedef struct haft__thread_state {
    haft__arena arena;
    const haft__store_run *runs; /* in order of creation; the first `left` runs are not read yet */
    size_t left;
    bool reading;
} haft__thread_state;

void haft__thread_state_init(haft__thread_state *state);
void haft__thread_state_finish(haft__thread_state *state);

/* Reads the values, and records them as thread_state. */
void haft__thread_state_read(haft_run *run);

#endif
