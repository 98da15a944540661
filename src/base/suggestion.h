/* SPDX-License-Identifier: Apache-2.0 */
/* base/suggestion.h - "did you mean ...?": the known name that is nearest to a word. */
#ifndef HAFT_BASE_SUGGESTION_H
#define HAFT_BASE_SUGGESTION_H

#include "base/limits.h"
#include "haft.h"

/* The number of bytes to add, remove, change or swap with a neighbour to turn `a` into `b`; ASCII
 * case is ignored. The result is at most most + 1. Names longer than HAFT__LIMIT_SUGGESTION_BYTES,
 * which are useless in a hint, also give most + 1. */
size_t haft__suggestion_distance(haft_str a, haft_str b, size_t most);

/* Collects the nearest of several names, offered one by one. */
typedef struct haft__suggestion {
    haft_str word;
    haft_str best; /* .ptr is NULL while no name is near enough */
    size_t reach;  /* only a name this near or nearer replaces `best` */
    size_t left;   /* how many more names are compared; 0 when further offers are ignored */
} haft__suggestion;

/* `word` is the unknown word; borrowed. */
void haft__suggestion_init(haft__suggestion *near, haft_str word);

/* Of several names that are equally near, the first one stays. `name` is borrowed. Names past
 * HAFT__LIMIT_SUGGESTION_NAMES are ignored: a hint is not worth the time. */
void haft__suggestion_offer(haft__suggestion *near, haft_str name);

#endif
