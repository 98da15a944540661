/* SPDX-License-Identifier: Apache-2.0 */
/*
 * exec/embeddings/backoff.h - records that an embeddings server was slow, in a file in the state
 * directory, so that other processes send it no request until the backoff ends, and smaller batches
 * after that.
 *
 *     "haft-slow 1\n", end of the backoff in milliseconds since 1970, "\n",
 *     texts per request, "\n", the outcome of the last request
 *
 * An unusable file is ignored.
 */
#ifndef HAFT_EXEC_EMBEDDINGS_BACKOFF_H
#define HAFT_EXEC_EMBEDDINGS_BACKOFF_H

#include "base/arena.h"
#include "base/limits.h"

typedef struct haft__embedding_backoff {
    uint64_t remaining_ms; /* remaining backoff; 0: requests are allowed */
    size_t batch;
    haft_str reason;
} haft__embedding_backoff;

/* The path of the file; `name` as for the vector cache. "" if no state directory exists. */
haft_str haft__embedding_backoff_path(haft__arena *arena, haft_str name);

/* Reads the record; false if it does not exist. `now` is the system time. */
bool haft__embedding_backoff_read(haft__arena *arena, haft_str path, uint64_t now,
                                  haft__embedding_backoff *ret_slow);

/* Returns whether the file was written. */
bool haft__embedding_backoff_write(haft_str path, uint64_t now,
                                   const haft__embedding_backoff *slow);

#endif
