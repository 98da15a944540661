/* SPDX-License-Identifier: Apache-2.0 */
/*
 * json/repair.h - the tolerant reader, for JSON that models write.
 *
 * Repairs:
 *   - a Markdown fence around the value: three or more backticks or tildes, then a language word
 *     that ends its line ("json" may also be right before the value). The closing fence may
 *     be missing when the value is complete;
 *   - raw control characters in strings;
 *   - a comma between a value and the bracket that closes its array or object;
 *   - the Python literals True, False and None;
 *   - strings in single quotes, and \' in any string;
 *   - comments: from # or two slashes to the end of the line, and closed block comments as in C.
 * It repairs nothing else and never adds missing text: a text that ends too early is rejected. So
 * is a repaired text that ends in a bare number, because the number may be truncated. Ambiguous
 * text is rejected, too: NaN, Infinity, undefined, keys without quotes, a plus before a number,
 * hexadecimal numbers, a comma without a value before it, unknown escapes such as \x41, prose
 * around the value.
 */
#ifndef HAFT_JSON_REPAIR_H
#define HAFT_JSON_REPAIR_H

#include "json/read.h"

/* Like haft__json_read, but repairs. ret_notes->repaired is false if and only if the strict reader
 * accepts the text unchanged. The repaired text lives in `arena`; options->max_bytes limits its
 * length, too. Errors give positions in the original `text`, and name the part that cannot be
 * repaired. */
HAFT_MUST_USE haft_status haft__json_read_tolerant(haft__arena *arena, haft_str text,
                                                   const haft__json_options *options,
                                                   haft__json *ret_value,
                                                   haft__json_notes *ret_notes, haft_error *err);

#endif
