/* SPDX-License-Identifier: Apache-2.0 */
/* channel/value_int.h - declarations shared by value.c and reduce.c. Private to its folder. */
#ifndef HAFT_CHANNEL_VALUE_INT_H
#define HAFT_CHANNEL_VALUE_INT_H

#include "channel/value.h"

/* Combines a value and a change (haft__channel_delta, not `replaced`). New arrays of items and
 * members live in `arena`; other parts are borrowed. */
HAFT_MUST_USE haft_status haft__channel_combine(const haft__channel *channel, haft__json current,
                                                haft__json change, haft__arena *arena,
                                                haft__json *ret_value, haft_error *err);

#endif
