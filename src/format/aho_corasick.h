/* SPDX-License-Identifier: Apache-2.0 */
/*
 * format/aho_corasick.h - finds a few literal texts in bytes that arrive in pieces.
 *
 * An automaton of their beginnings (Aho and Corasick): each byte is looked at once, and all that
 * has to be remembered between two pieces is a state, because the bytes that are held back are the
 * beginning of a mark and so are known.
 */
#ifndef HAFT_FORMAT_AHO_CORASICK_H
#define HAFT_FORMAT_AHO_CORASICK_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/str.h"

/* A state: so many bytes of some mark have come. State 0 is none. */
typedef struct haft__aho_corasick_node {
    const char *text;        /* the bytes that have come: the first `depth` of it */
    uint16_t depth;          /* of them, how many */
    uint16_t child, sibling; /* 0: none */
    uint16_t fail;           /* the longest other beginning that these bytes end with */
    uint16_t mark;           /* 1 + the number of the mark that is complete; 0: none is */
} haft__aho_corasick_node;

typedef struct haft__aho_corasick {
    haft__aho_corasick_node *nodes;
    uint16_t count;
    int only;         /* the one byte that every mark begins with; -1: there are several */
    bool starts[256]; /* whether one begins with this byte */
} haft__aho_corasick;

/* Literals that are not empty; none may be a part of another, except its end. They outlive the
 * automaton, which lives in `arena`. */
HAFT_MUST_USE haft_status haft__aho_corasick_build(haft__aho_corasick *marks, haft__arena *arena,
                                                   const char *const *texts, size_t count,
                                                   haft_error *err);

/* How many bytes from the start of `bytes` on cannot begin a mark. */
size_t haft__aho_corasick_skip(const haft__aho_corasick *marks, haft_str bytes);

/* The state behind `byte`. What is no longer held back are the first bytes of the old state's. */
uint16_t haft__aho_corasick_step(const haft__aho_corasick *marks, uint16_t state, char byte);

#endif
