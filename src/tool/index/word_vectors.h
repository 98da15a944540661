/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tool/index/word_vectors.h - a table of word vectors: words of similar meaning have vectors of
 * similar direction. The caller owns the bytes, which come from a file that scripts/make-vectors
 * wrote:
 *
 *     bytes 0-7    "haftvec1"
 *     bytes 8-23   words, dimensions, bytes of text, 0: 32 bits each, little-endian
 *     bytes 24-31  the checksum of all that follows: FNV-1a over words of 64 bits
 *     offsets      of each word in the text, and the end of the last one: 32 bits each
 *     text         the stems of the words, in byte order, without separators
 *     (zeros up to a multiple of 8 bytes)
 *     vectors      a signed byte for each dimension, word by word
 *     (zeros up to a multiple of 8 bytes)
 */
#ifndef HAFT_TOOL_INDEX_WORD_VECTORS_H
#define HAFT_TOOL_INDEX_WORD_VECTORS_H

#include <stdint.h>

#include "haft.h"

#define HAFT__SEARCH_DIMENSIONS 128 /* maximum */

typedef struct haft__search_word_vectors {
    uint32_t count, dimensions;
    const uint8_t *offsets;
    haft_str text;
    const int8_t *vectors;
} haft__search_word_vectors;

/* `bytes` is borrowed. BAD_INPUT if it is not such a table, or damaged. */
HAFT_MUST_USE haft_status haft__search_word_vectors_open(haft_str bytes,
                                                         haft__search_word_vectors *ret_vectors,
                                                         haft_error *err);

/* The vector of a stem, or NULL. */
const int8_t *haft__search_word_vectors_find(const haft__search_word_vectors *vectors,
                                             haft_str stem);

#endif
