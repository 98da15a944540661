/* SPDX-License-Identifier: Apache-2.0 */
/* chain.c - the chain of checksums. Tests: tests/store/chain_test.c. */
#include "store/chain.h"

#include <string.h>

static void close_link(haft__chain *chain, haft__sha256 *hash)
{
    uint8_t digest[HAFT__SHA256_BYTES];
    haft__sha256_end(hash, digest);
    memcpy(chain->sum, digest, HAFT__CHAIN_BYTES);
}

void haft__chain_start(haft__chain *chain, haft_str run)
{
    haft__sha256 hash;
    haft__sha256_init(&hash);
    haft__sha256_add(&hash, run);
    close_link(chain, &hash);
}

void haft__chain_add(haft__chain *chain, haft_str event)
{
    haft__sha256 hash;
    haft__sha256_init(&hash);
    haft__sha256_add(&hash, haft__chain_str(chain));
    haft__sha256_add(&hash, event);
    close_link(chain, &hash);
}
