/* SPDX-License-Identifier: Apache-2.0 */
/* exec/embeddings/word_vectors.h - the table of word vectors that tool search may use: where it is,
 * and its bytes.
 */
#ifndef HAFT_EXEC_EMBEDDINGS_WORD_VECTORS_H
#define HAFT_EXEC_EMBEDDINGS_WORD_VECTORS_H

#include "base/buf.h"
#include "tool/index/word_vectors.h"

/* Stays where it is while an index uses it. */
typedef struct haft__word_vectors {
    haft__buf bytes;
    haft__search_word_vectors table;
    bool found; /* else there is no table, and searches do without */
} haft__word_vectors;

/* `given` is a file, "none", or NULL: then HAFT_VECTORS says so, else it is share/haft/words.vec in
 * the tree this program stands in, or where it was configured to be installed. None of these being
 * there is no failure; IO when a file that was named cannot be read, BAD_INPUT when it is no table;
 * err->where is the path. */
HAFT_MUST_USE haft_status haft__word_vectors_load(const char *given,
                                                  haft__word_vectors *ret_vectors, haft_error *err);

/* Fine on a zeroed one, and twice. */
void haft__word_vectors_finish(haft__word_vectors *vectors);

#endif
