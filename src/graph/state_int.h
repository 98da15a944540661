/* SPDX-License-Identifier: Apache-2.0 */
/* graph/state_int.h - shared by the values of channels and their reducers. Private to its folder.
 */
#ifndef HAFT_GRAPH_STATE_INT_H
#define HAFT_GRAPH_STATE_INT_H

#include "graph/state.h"

/* A value and a change of it (haft__graph_delta, not replaced) as one value. New arrays of items
 * and members are in `arena`; everything else is borrowed. */
HAFT_MUST_USE haft_status haft__graph_combine(const haft__graph_channel *channel,
                                              haft__json current, haft__json change,
                                              haft__arena *arena, haft__json *ret_value,
                                              haft_error *err);

/* The sum of two numbers: exact for integers of 64 bits, else the nearest double; null if it has no
 * number. */
HAFT_MUST_USE haft_status haft__graph_add_numbers(haft__json a, haft__json b, haft__arena *arena,
                                                  haft__json *ret_sum, haft_error *err);

#endif
