/* SPDX-License-Identifier: Apache-2.0 */
/* base/id.h - ids of runs and threads: 26 lower-case Crockford base32 characters, time-ordered. */
#ifndef HAFT_BASE_ID_H
#define HAFT_BASE_ID_H

#include <stdbool.h>
#include <stdint.h>

#include "haft.h"

#define HAFT__ID_LENGTH 26

/* 48 bits of time and 80 of randomness, which the host draws. Ends with a NUL. */
void haft__id_make(uint64_t ms, const uint8_t random[10], char to[HAFT__ID_LENGTH + 1]);

/* The id that was made last; zeroed: none. */
typedef struct haft__id_last {
    uint64_t ms;
    uint8_t random[10];
} haft__id_last;

/* One that comes behind the last in every list, also within a millisecond and when the clock was
 * set back. */
void haft__id_next(haft__id_last *io_last, uint64_t ms, const uint8_t random[10],
                   char to[HAFT__ID_LENGTH + 1]);

bool haft__id_valid(haft_str text);

#define HAFT__ID_SHORT_LENGTH 9

/* An id of 9 letters and digits for any id of a call, as some models want them; one that is so
 * already stays. */
void haft__id_short(haft_str id, char to[HAFT__ID_SHORT_LENGTH]);

#endif
