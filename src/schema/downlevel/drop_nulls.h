/* SPDX-License-Identifier: Apache-2.0 */
/* schema/downlevel/drop_nulls.h - undoes what downlevel.h does for OpenAI: a property that may be
 * left out comes as null there. */
#ifndef HAFT_SCHEMA_DOWNLEVEL_DROP_NULLS_H
#define HAFT_SCHEMA_DOWNLEVEL_DROP_NULLS_H

#include "base/arena.h"
#include "json/value.h"

/* The value without those members that are null, may be left out, and may not be null by `schema`,
 * at any depth. What no schema speaks of stays. New parts live in `arena`, others are the value's.
 * Fails only for want of memory. */
HAFT_MUST_USE haft_status haft__schema_drop_nulls(haft__json schema, haft__json value,
                                                  haft__arena *arena, haft__json *ret_value,
                                                  haft_error *err);

#endif
