/* SPDX-License-Identifier: Apache-2.0 */
/* base/nearest.h - "Did you mean ...?": the known name that is nearest to one that is not. */
#ifndef HAFT_BASE_NEAREST_H
#define HAFT_BASE_NEAREST_H

#include "haft.h"

/* How many characters have to be put in, left out, changed, or swapped with their neighbour to
 * make `b` of `a`. Letters of ASCII are the same in both cases. Anything past `most` is told as
 * most + 1, and so is the distance of names longer than 64 bytes, unless they are equal. */
size_t haft__name_distance(haft_str a, haft_str b, size_t most);

/* How far a name may be from `name` to be worth a suggestion: up to 3, by its length. */
size_t haft__name_reach(haft_str name);

/* The index of the first of the nearest names within reach, or SIZE_MAX. Looks at no more than the
 * first thousand. */
size_t haft__nearest(haft_str name, const haft_str *names, size_t count);

#endif
