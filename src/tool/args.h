/* SPDX-License-Identifier: Apache-2.0 */
/* tool/args.h - the short form of a schema: `args: [a, b]`, all strings, all required. */
#ifndef HAFT_TOOL_ARGS_H
#define HAFT_TOOL_ARGS_H

#include "json/value.h"

#define HAFT__ARGS_NAME_BYTES 64

/* Makes the JSON Schema of `args`; null (the default) means no arguments. BAD_INPUT if it is not an
 * array of distinct names (letters, digits and _ . -, at most HAFT__ARGS_NAME_BYTES), TOO_BIG past
 * HAFT__LIMIT_TOOL_ARGS; err->where is a JSON Pointer into `args`. Lives in `arena`; the names are
 * borrowed. */
HAFT_MUST_USE haft_status haft__args_schema(haft__arena *arena, haft__json args,
                                            haft__json *ret_schema, haft_error *err);

/* Whether `name` is a valid name of an argument. Providers accept all of these names. */
bool haft__args_name_valid(haft_str name);

#endif
