/* SPDX-License-Identifier: Apache-2.0 */
/* schema/downlevel/drop_nulls.h - reverses a change that downlevel.h makes for OpenAI. In the
 * changed schema every property is required, so a model writes null for an optional one that it
 * omits. */
#ifndef HAFT_SCHEMA_DOWNLEVEL_DROP_NULLS_H
#define HAFT_SCHEMA_DOWNLEVEL_DROP_NULLS_H

#include "base/arena.h"
#include "json/value.h"

/* Removes, at any depth, members that are null, optional, and not nullable by `schema`. Members
 * without a schema stay. New parts of *ret_value live in `arena`; the other parts are shared with
 * `value`. Fails only when out of memory. */
HAFT_MUST_USE haft_status haft__schema_drop_nulls(haft__json schema, haft__json value,
                                                  haft__arena *arena, haft__json *ret_value,
                                                  haft_error *err);

#endif
