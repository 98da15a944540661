/* SPDX-License-Identifier: Apache-2.0 */
/*
 * format/aho_corasick.h - finds a few literal texts (marks) in bytes that arrive in pieces.
 *
 * An Aho-Corasick automaton reads each byte once. Only a state number is stored between two pieces:
 * withheld bytes are the start of a mark, so the state number determines them.
 */
#ifndef HAFT_FORMAT_AHO_CORASICK_H
#define HAFT_FORMAT_AHO_CORASICK_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/str.h"

/* State 0: no mark has begun. */
typedef struct haft__aho_corasick_node {
    const char *text;        /* a text that begins with the matched bytes */
    uint16_t depth;          /* how many bytes of the mark are matched */
    uint16_t child, sibling; /* 0: no such node */
    uint16_t fail; /* the state of the longest proper suffix of the matched bytes that is the start
                      of a mark */
    uint16_t mark; /* 1 + the index of the complete mark; 0: no mark is complete */
} haft__aho_corasick_node;

typedef struct haft__aho_corasick {
    haft__aho_corasick_node *nodes;
    uint16_t count;
    int first_byte;   /* the first byte of every mark; -1: they begin with different bytes */
    bool starts[256]; /* whether a mark begins with this byte */
} haft__aho_corasick;

/* No literal is empty. A literal must not be part of another one, except at its end. The literals
 * must outlive the automaton, which lives in `arena`. */
HAFT_MUST_USE haft_status haft__aho_corasick_build(haft__aho_corasick *marks, haft__arena *arena,
                                                   const char *const *texts, size_t count,
                                                   haft_error *err);

/* The number of bytes at the start of `bytes` that cannot begin a mark. */
size_t haft__aho_corasick_skip(const haft__aho_corasick *marks, haft_str bytes);

/* The state after `byte`. If the depth shrinks, the first bytes of the old state are no longer
 * withheld. */
uint16_t haft__aho_corasick_step(const haft__aho_corasick *marks, uint16_t state, char byte);

#endif
