/* SPDX-License-Identifier: Apache-2.0 */
/* checksum_chain.c - the checksum chain. Tests: tests/store/checksum_chain_test.c. */
#include "store/checksum_chain.h"

#include <string.h>

#include "base/hash.h"

void haft__checksum_chain_start(haft__checksum_chain *chain, haft_str run)
{
    haft__sha256 hash;
    uint8_t digest[HAFT__SHA256_BYTES];
    haft__sha256_init(&hash);
    haft__sha256_add(&hash, run);
    haft__sha256_end(&hash, digest);
    memcpy(chain->sum, digest, sizeof(chain->sum));
    chain->length = sizeof(chain->sum);
}

/* Reads a little-endian number on any machine. */
static uint64_t load(const uint8_t *from)
{
    uint64_t number = 0;
    for (size_t i = 8; i-- > 0;) {
        number = number << 8 | from[i];
    }
    return number;
}

void haft__checksum_chain_add(haft__checksum_chain *chain, haft_str row)
{
    haft__hash_key key = {load(chain->sum), load(chain->sum + 8)};
    uint64_t sum = haft__hash(key, row);
    *chain = (haft__checksum_chain){.length = HAFT__CHECKSUM_CHAIN_BYTES};
    for (size_t i = 0; i < HAFT__CHECKSUM_CHAIN_BYTES; i++) {
        chain->sum[i] = (uint8_t)(sum >> 8 * i);
    }
}

bool haft__checksum_chain_set(haft__checksum_chain *chain, haft_str sum)
{
    if (sum.len != HAFT__CHECKSUM_CHAIN_BYTES && sum.len != HAFT__CHECKSUM_CHAIN_START_BYTES) {
        return false;
    }
    *chain = (haft__checksum_chain){.length = (uint8_t)sum.len};
    memcpy(chain->sum, sum.ptr, sum.len);
    return true;
}
