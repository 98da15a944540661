/* SPDX-License-Identifier: Apache-2.0 */
/* base/http_date.h - HTTP dates (RFC 9110, section 5.6.7). No clock. */
#ifndef HAFT_BASE_HTTP_DATE_H
#define HAFT_BASE_HTTP_DATE_H

#include <stdbool.h>
#include <stdint.h>

#include "haft.h"

/* Parses "Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT" or "Sun Nov  6 08:49:37
 * 1994" to milliseconds since 1970. A two-digit year that would be more than 50 years after
 * `now_ms` belongs to the previous century. False if the text is not such a date, or is before
 * 1970. The name of the day is not compared with the date. */
bool haft__http_date_parse(haft_str text, uint64_t now_ms, uint64_t *ret_ms);

#endif
