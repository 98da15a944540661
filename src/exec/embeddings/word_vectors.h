/* SPDX-License-Identifier: Apache-2.0 */
/* exec/embeddings/word_vectors.h - finds and loads the table of word vectors for tool search. */
#ifndef HAFT_EXEC_EMBEDDINGS_WORD_VECTORS_H
#define HAFT_EXEC_EMBEDDINGS_WORD_VECTORS_H

#include "base/buf.h"
#include "tool/index/word_vectors.h"

/* The struct must not move while an index uses it. */
typedef struct haft__word_vectors {
    haft__buf bytes;
    haft__search_word_vectors table;
    bool found; /* false: no table exists, searches work without it */
} haft__word_vectors;

/* `given` is a file, "none", or NULL. If NULL, uses HAFT_VECTORS, then share/haft/words.vec
 * relative to this program, then the configured installation directory. A missing default is not an
 * error. IO if a named file cannot be read, BAD_INPUT if it is not a table; err->where is the path.
 */
HAFT_MUST_USE haft_status haft__word_vectors_load(const char *given,
                                                  haft__word_vectors *ret_vectors, haft_error *err);

/* May be called with a zeroed struct, and twice. */
void haft__word_vectors_finish(haft__word_vectors *vectors);

#endif
