/* SPDX-License-Identifier: Apache-2.0 */
/* tool/duration.h - durations in specs: "250ms", "10s", "5m", "2h", "1d". */
#ifndef HAFT_TOOL_DURATION_H
#define HAFT_TOOL_DURATION_H

#include "json/value.h"

/* Parses a decimal number and one of the units above; the default unit is the second. "1.5h" is
 * valid, because it is a whole number of milliseconds. BAD_INPUT if it is not a duration, TOO_BIG
 * past 64 bits. */
HAFT_MUST_USE haft_status haft__duration_parse(haft_str text, uint64_t *ret_ms, haft_error *err);

/* Like haft__duration_parse, for a value of a spec: a string with a duration, or a number of
 * seconds. */
HAFT_MUST_USE haft_status haft__duration_read(haft__json value, uint64_t *ret_ms, haft_error *err);

/* Writes the duration as a whole number of the largest possible unit, "90s", NUL-terminated in
 * `to`. */
#define HAFT__DURATION_BYTES 24
haft_str haft__duration_text(uint64_t ms, char to[HAFT__DURATION_BYTES]);

#endif
