/* SPDX-License-Identifier: Apache-2.0 */
/* tool/duration.h - lengths of time as specs have them: "250ms", "10s", "5m", "2h", "1d". */
#ifndef HAFT_TOOL_DURATION_H
#define HAFT_TOOL_DURATION_H

#include "json/value.h"

/* A decimal number and one of the units above; without a unit, seconds. "1.5h" is fine, as long as
 * it comes to whole milliseconds. BAD_INPUT when it is not that, TOO_BIG past 64 bits. */
HAFT_MUST_USE haft_status haft__duration_parse(haft_str text, uint64_t *ret_ms, haft_error *err);

/* The same from a spec: such a string, or a number of seconds. */
HAFT_MUST_USE haft_status haft__duration_read(haft__json value, uint64_t *ret_ms, haft_error *err);

/* The spelling in whole numbers of the largest unit that has them, "90s", NUL-terminated in `to`.
 */
#define HAFT__DURATION_BYTES 24
haft_str haft__duration_text(uint64_t ms, char to[HAFT__DURATION_BYTES]);

#endif
