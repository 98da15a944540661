/* SPDX-License-Identifier: Apache-2.0 */
/* base/id.h - ids of runs and threads: 26 lower-case Crockford base32 characters, time-ordered. */
#ifndef HAFT_BASE_ID_H
#define HAFT_BASE_ID_H

#include <stdbool.h>
#include <stdint.h>

#include "haft.h"

#define HAFT__ID_LENGTH 26

/* Makes an id from 48 bits of time and 80 random bits from the host. NUL-terminated. */
void haft__id_make(uint64_t ms, const uint8_t random[10], char to[HAFT__ID_LENGTH + 1]);

/* The last id; zeroed before the first id. */
typedef struct haft__id_last {
    uint64_t ms;
    uint8_t random[10];
} haft__id_last;

/* Makes an id that sorts after the last id, even within the same millisecond or after the clock was
 * set back. */
void haft__id_next(haft__id_last *io_last, uint64_t ms, const uint8_t random[10],
                   char to[HAFT__ID_LENGTH + 1]);

bool haft__id_valid(haft_str text);

#define HAFT__ID_SHORT_LENGTH 9

/* Converts the id of a call to 9 letters and digits, as some models require. An id that already has
 * this form stays the same. */
void haft__id_short(haft_str id, char to[HAFT__ID_SHORT_LENGTH]);

#endif
