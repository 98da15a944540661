/* SPDX-License-Identifier: Apache-2.0 */
/*
 * json/repair.h - the tolerant reader, for what models write when they mean JSON.
 *
 * Mends:
 *   - a Markdown fence around the value: three or more backticks or tildes, then a language word
 *     that ends its line ("json" may also stand right in front of the value). The closing fence may
 *     be missing when the value is complete;
 *   - raw control characters in strings;
 *   - a comma between a value and the bracket that closes its array or object;
 *   - the Python literals True, False and None;
 *   - strings in single quotes, and \' in any string;
 *   - comments: from # or two slashes to the end of the line, or C's with stars, which must end.
 * Nothing else. Never adds what is missing: a text that ends too early is refused. So is one that
 * had to be mended and ends in a bare number, as nobody could tell whether that is all of it, and
 * what could be meant in more than one way: NaN, Infinity, undefined, keys without quotes, a plus
 * in front of a number, hexadecimal numbers, commas in a row or without a value before them,
 * unknown escapes such as \x41, prose around the value.
 */
#ifndef HAFT_JSON_REPAIR_H
#define HAFT_JSON_REPAIR_H

#include "json/read.h"

/* Like haft__json_read, but mends. ret_notes->repaired tells whether anything was: it is false if
 * and only if the strict reader takes the text as it is. What was mended lives in `arena` and must
 * not be longer than options->max_bytes either. Errors give places in `text` as it is, and name
 * what could not be mended. */
HAFT_MUST_USE haft_status haft__json_read_tolerant(haft__arena *arena, haft_str text,
                                                   const haft__json_options *options,
                                                   haft__json *ret_value,
                                                   haft__json_notes *ret_notes, haft_error *err);

#endif
