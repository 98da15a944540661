/* SPDX-License-Identifier: Apache-2.0 */
/*
 * exec/embeddings/backoff.h - what is remembered of a server of vectors that kept a search waiting,
 * beside the vectors of its model: a run in another process shall not wait for it again at once,
 * and ask it for less then.
 *
 *     "haft-slow 1\n", milliseconds since 1970 until which it is left alone, "\n",
 *     texts in a request, "\n", what became of the last one
 *
 * A file that cannot be used is as if it were not there.
 */
#ifndef HAFT_EXEC_EMBEDDINGS_BACKOFF_H
#define HAFT_EXEC_EMBEDDINGS_BACKOFF_H

#include "base/arena.h"
#include "base/limits.h"

typedef struct haft__embedding_backoff {
    uint64_t rest_ms; /* from now on; 0: it may be asked */
    size_t batch;
    haft_str reason;
} haft__embedding_backoff;

/* Where it is kept, `name` being that of the vectors; "" when there is no place for it. */
haft_str haft__embedding_backoff_path(haft__arena *arena, haft_str name);

/* False when nothing is remembered. `now` is the time of the system's clock. */
bool haft__embedding_backoff_read(haft__arena *arena, haft_str path, uint64_t now,
                                  haft__embedding_backoff *ret_slow);

/* Whether it could be written. */
bool haft__embedding_backoff_write(haft_str path, uint64_t now,
                                   const haft__embedding_backoff *slow);

#endif
