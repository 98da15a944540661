/* SPDX-License-Identifier: Apache-2.0 */
/* chain.c - the chain of checksums. Tests: tests/store/checksum_chain_test.c. */
#include "store/checksum_chain.h"

#include <string.h>

#include "base/hash.h"

static void close_link(haft__chain *chain, haft__sha256 *hash)
{
    uint8_t digest[HAFT__SHA256_BYTES];
    haft__sha256_end(hash, digest);
    memcpy(chain->sum, digest, sizeof(chain->sum));
    chain->length = sizeof(chain->sum);
}

void haft__chain_start(haft__chain *chain, haft_str run)
{
    haft__sha256 hash;
    haft__sha256_init(&hash);
    haft__sha256_add(&hash, run);
    close_link(chain, &hash);
}

void haft__chain_add_old(haft__chain *chain, haft_str event)
{
    haft__sha256 hash;
    haft__sha256_init(&hash);
    haft__sha256_add(&hash, haft__chain_str(chain));
    haft__sha256_add(&hash, event);
    close_link(chain, &hash);
}

/* The lowest byte first, whatever the machine does. */
static uint64_t load(const uint8_t *from)
{
    uint64_t number = 0;
    for (size_t i = 8; i-- > 0;) {
        number = number << 8 | from[i];
    }
    return number;
}

void haft__chain_add(haft__chain *chain, haft_str row)
{
    haft__hash_key key = {load(chain->sum), load(chain->sum + 8)};
    uint64_t sum = haft__hash(key, row);
    *chain = (haft__chain){.length = HAFT__CHAIN_BYTES};
    for (size_t i = 0; i < HAFT__CHAIN_BYTES; i++) {
        chain->sum[i] = (uint8_t)(sum >> 8 * i);
    }
}

bool haft__chain_set(haft__chain *chain, haft_str sum)
{
    if (sum.len != HAFT__CHAIN_BYTES && sum.len != HAFT__CHAIN_OLD_BYTES) {
        return false;
    }
    *chain = (haft__chain){.length = (uint8_t)sum.len};
    memcpy(chain->sum, sum.ptr, sum.len);
    return true;
}
