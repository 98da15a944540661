/* SPDX-License-Identifier: Apache-2.0 */
/* json/sort_keys.h - the members of an object in the order of their keys. Private to src/json. */
#ifndef HAFT_JSON_SORT_KEYS_H
#define HAFT_JSON_SORT_KEYS_H

#include "json/value.h"

/* The indices of `count` members, sorted by the bytes of their keys. At most n log n comparisons
 * for any order, n if they are sorted already. The caller frees the array; NULL when out of memory.
 */
uint32_t *haft__json_sort_keys(const haft__json_member *members, uint32_t count);

#endif
