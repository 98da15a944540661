/* SPDX-License-Identifier: Apache-2.0 */
/* base/suggestion.h - "did you mean ...?": which known name somebody probably meant. */
#ifndef HAFT_BASE_SUGGESTION_H
#define HAFT_BASE_SUGGESTION_H

#include "base/limits.h"
#include "haft.h"

/* How many bytes have to be added, removed, changed or swapped with their neighbour to make `b`
 * out of `a`; ASCII letters are the same in both cases. Anything past `most` is most + 1, and so
 * are names longer than HAFT__LIMIT_NEAR_BYTES, which are no use in a hint. */
size_t haft__suggestion_distance(haft_str a, haft_str b, size_t most);

/* Collects the nearest of several names, offered one by one. */
typedef struct haft__suggestion {
    haft_str word;
    haft_str best; /* .ptr is NULL as long as nothing is near enough to be meant */
    size_t reach;  /* only a name this near or nearer is better than `best` */
    size_t left;   /* how many more names are looked at; 0 when offering more is no use */
} haft__suggestion;

/* `word` is what was found; borrowed. */
void haft__suggestion_init(haft__suggestion *near, haft_str word);

/* The first of several names that are equally near stays. `name` is borrowed. Names past
 * HAFT__LIMIT_NEAR_NAMES are not looked at: a hint is not worth the time. */
void haft__suggestion_offer(haft__suggestion *near, haft_str name);

#endif
