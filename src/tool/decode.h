/* SPDX-License-Identifier: Apache-2.0 */
/* tool/decode.h - arguments of a call, from JSON to the struct a C function takes. */
#ifndef HAFT_TOOL_DECODE_H
#define HAFT_TOOL_DECODE_H

#include "json/value.h"

/* Fills a new struct in `arena`, defaults included; text is borrowed from `arguments`. They should
 * have been validated against haft__declare_schema's; what does not fit is BAD_INPUT all the same,
 * with err->where a JSON Pointer into them. What a schema cannot say is found here: an integer that
 * does not fit long long, a number too large for a double. Members nobody asked for are ignored.
 * The table has passed haft__declare_schema. */
HAFT_MUST_USE haft_status haft__arguments_decode(haft__arena *arena, const haft_object *object,
                                                 haft__json arguments, void **ret_args,
                                                 haft_error *err);

#endif
