/* SPDX-License-Identifier: Apache-2.0 */
/* base/time.h - points in time as milliseconds since 1970 and as RFC 3339 text. No clock. */
#ifndef HAFT_BASE_TIME_H
#define HAFT_BASE_TIME_H

#include <stdbool.h>
#include <stdint.h>

#include "haft.h"

#define HAFT__TIME_SIZE sizeof("2026-11-15T03:04:05.678Z")

/* Writes "2026-11-15T03:04:05.678Z": UTC, always with milliseconds. Years 1970 to 9999. */
void haft__time_format(uint64_t ms, char to[HAFT__TIME_SIZE]);

/* Parses exactly this form. Returns false if the text has another form or the calendar day does not
 * exist. */
bool haft__time_parse(haft_str text, uint64_t *ret_ms);

#endif
