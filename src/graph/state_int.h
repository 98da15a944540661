/* SPDX-License-Identifier: Apache-2.0 */
/* graph/state_int.h - declarations shared by state.c and reduce.c. Private to its folder. */
#ifndef HAFT_GRAPH_STATE_INT_H
#define HAFT_GRAPH_STATE_INT_H

#include "graph/state.h"

/* Combines a value and a change (haft__graph_delta, not `replaced`). New arrays of items and
 * members live in `arena`; other parts are borrowed. */
HAFT_MUST_USE haft_status haft__graph_combine(const haft__graph_channel *channel,
                                              haft__json current, haft__json change,
                                              haft__arena *arena, haft__json *ret_value,
                                              haft_error *err);

/* Adds two numbers: exactly for integers of 64 bits, else to the nearest double; null if the sum is
 * not a finite number. */
HAFT_MUST_USE haft_status haft__graph_add_numbers(haft__json a, haft__json b, haft__arena *arena,
                                                  haft__json *ret_sum, haft_error *err);

#endif
