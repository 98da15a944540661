/* SPDX-License-Identifier: Apache-2.0 */
/* base/near.h - which known name somebody probably meant, for hints in errors. */
#ifndef HAFT_BASE_NEAR_H
#define HAFT_BASE_NEAR_H

#include "base/limits.h"
#include "haft.h"

/* How many bytes have to be added, removed, changed or swapped with their neighbour to make `b`
 * out of `a`. Names longer than HAFT__LIMIT_NEAR_BYTES are no use in a hint: SIZE_MAX. */
size_t haft__near_distance(haft_str a, haft_str b);

/* Collects the nearest of several names, offered one by one. */
typedef struct haft__near {
    haft_str word;
    haft_str best; /* .ptr is NULL as long as nothing is near enough to be meant */
    size_t distance;
} haft__near;

/* `word` is what was found; borrowed. */
void haft__near_init(haft__near *near, haft_str word);

/* The first of several names that are equally near stays. `name` is borrowed. */
void haft__near_offer(haft__near *near, haft_str name);

#endif
