/* SPDX-License-Identifier: Apache-2.0 */
/*
 * serve/api/rate.h - how many requests a client may make: one bucket for each token or address.
 *
 * A bucket holds twice the rate and is filled by the rate each second. The table is bounded: a new
 * client takes the place of the one that was seen longest ago in the same row.
 */
#ifndef HAFT_SERVE_API_RATE_H
#define HAFT_SERVE_API_RATE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/hash.h"
#include "haft.h"

#define HAFT__RATE_ROWS    256
#define HAFT__RATE_COLUMNS 4

typedef struct haft__rate_bucket {
    uint64_t client; /* hash; 0: free */
    uint64_t at_ms;
    uint64_t thousandths; /* of a request that are left */
} haft__rate_bucket;

typedef struct haft__rate_set {
    uint64_t rate; /* requests a second */
    haft__hash_key key;
    haft__rate_bucket buckets[HAFT__RATE_ROWS][HAFT__RATE_COLUMNS];
} haft__rate_set;

/* Takes one request of the client at `now_ms` (monotonic). False if none is left; *ret_wait_s is
 * then the number of seconds until one is. */
bool haft__rate_take(haft__rate_set *set, haft_str client, uint64_t now_ms, uint64_t *ret_wait_s);

#endif
