/* SPDX-License-Identifier: Apache-2.0 */
/*
 * json/repair.h - the tolerant reader, for what models write when they mean JSON.
 *
 * Mends: a Markdown fence around the value, raw control characters in strings, trailing commas,
 * Python literals (True False None), single-quoted strings, comments (slash-slash, slash-star,
 * hash). Never adds what is missing: a text that ends too early is refused, like any other error.
 */
#ifndef HAFT_JSON_REPAIR_H
#define HAFT_JSON_REPAIR_H

#include "json/read.h"

/* Like haft__json_read, but mends. ret_notes->repaired tells whether anything was: it is false if
 * and only if the strict reader takes the text as it is. */
HAFT_MUST_USE haft_status haft__json_read_tolerant(haft__arena *arena, haft_str text,
                                                   const haft__json_options *options,
                                                   haft__json *ret_value,
                                                   haft__json_notes *ret_notes, haft_error *err);

#endif
