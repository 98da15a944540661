/* SPDX-License-Identifier: Apache-2.0 */
/* rate.c - see rate.h. Tests: tests/serve/api/rate_test.c. */
#include "serve/api/rate.h"

/* A bucket holds the requests of this many seconds. */
#define BURST_S 2U

static haft__rate_bucket *find_bucket(haft__rate_set *set, uint64_t client)
{
    haft__rate_bucket *row = set->buckets[client % HAFT__RATE_ROWS], *oldest = &row[0];
    for (size_t i = 0; i < HAFT__RATE_COLUMNS; i++) {
        if (row[i].client == client) {
            return &row[i];
        }
        oldest = row[i].at_ms < oldest->at_ms ? &row[i] : oldest;
    }
    *oldest = (haft__rate_bucket){.client = 0};
    return oldest;
}

bool haft__rate_take(haft__rate_set *set, haft_str client, uint64_t now_ms, uint64_t *ret_wait_s)
{
    uint64_t hash = haft__hash(set->key, client) | 1U;
    uint64_t full = set->rate * BURST_S * 1000U;
    haft__rate_bucket *bucket = find_bucket(set, hash);
    if (bucket->client == 0) {
        *bucket = (haft__rate_bucket){.client = hash, .at_ms = now_ms, .thousandths = full};
    }
    uint64_t passed = now_ms - bucket->at_ms;
    uint64_t missing = full - bucket->thousandths;
    bucket->thousandths += passed >= missing / set->rate + 1 ? missing : passed * set->rate;
    bucket->thousandths = bucket->thousandths > full ? full : bucket->thousandths;
    bucket->at_ms = now_ms;
    if (bucket->thousandths < 1000U) {
        *ret_wait_s = 1;
        return false;
    }
    bucket->thousandths -= 1000U;
    return true;
}
