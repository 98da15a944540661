/* SPDX-License-Identifier: Apache-2.0 */
/* tool/decode.h - decodes the arguments of a call from JSON into the struct of a C function. */
#ifndef HAFT_TOOL_DECODE_H
#define HAFT_TOOL_DECODE_H

#include "json/value.h"

/* Fills a new struct in `arena`, defaults included; text is borrowed from `arguments`. The
 * arguments should have been validated against the schema of haft__declare_schema; if they do not
 * fit, the result is BAD_INPUT, with err->where a JSON Pointer into them. Some errors cannot be
 * found by a schema and are found here: an integer that does not fit into long long, a number too
 * large for a double. Unknown members are ignored. The table must have passed
 * haft__declare_schema. */
HAFT_MUST_USE haft_status haft__arguments_decode(haft__arena *arena, const haft_object *object,
                                                 haft__json arguments, void **ret_args,
                                                 haft_error *err);

#endif
