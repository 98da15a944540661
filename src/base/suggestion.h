/* SPDX-License-Identifier: Apache-2.0 */
/* base/suggestion.h - finds the known name that is nearest to a word, for hints "did you mean
 * ...?". */
#ifndef HAFT_BASE_SUGGESTION_H
#define HAFT_BASE_SUGGESTION_H

#include "base/limits.h"
#include "haft.h"

/* The edit distance: the number of bytes to add, remove, change or swap with a neighbour to convert
 * `a` to `b`, ignoring ASCII case. The result is at most most + 1. For names longer than
 * HAFT__LIMIT_SUGGESTION_BYTES, which are useless in a hint, the result is most + 1. */
size_t haft__suggestion_distance(haft_str a, haft_str b, size_t max);

/* Collects the nearest of several names, offered one by one. */
typedef struct haft__suggestion {
    haft_str word;
    haft_str best; /* .ptr is NULL while no name is near enough */
    size_t reach;  /* maximum distance of a name that replaces `best` */
    size_t left;   /* number of names that may still be compared; 0: further names are ignored */
} haft__suggestion;

/* `word` is the unknown word; borrowed. */
void haft__suggestion_init(haft__suggestion *near, haft_str word);

/* Compares one name. If several names are equally near, the first stays. `name` is borrowed. Names
 * past HAFT__LIMIT_SUGGESTION_NAMES are ignored, to limit the time for a hint. */
void haft__suggestion_offer(haft__suggestion *near, haft_str name);

#endif
