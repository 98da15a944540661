/* SPDX-License-Identifier: Apache-2.0 */
/*
 * store/checksum_chain.h - the chain of checksums that shows whether a run's events are those once
 * written.
 *
 * The sum of a row is the SipHash of its body under the key that is the sum before it, filled up
 * with zeros. The sum before the first row is the first half of the SHA-256 of the run's id, so
 * that no row fits into another run. It is there to find damage, not to keep out who can write the
 * file.
 */
#ifndef HAFT_STORE_CHECKSUM_CHAIN_H
#define HAFT_STORE_CHECKSUM_CHAIN_H

#include <stdbool.h>

#include "base/sha256.h"

#define HAFT__CHECKSUM_CHAIN_BYTES       8
#define HAFT__CHECKSUM_CHAIN_START_BYTES 16 /* of the sum before the first row */

typedef struct haft__checksum_chain {
    uint8_t sum[HAFT__CHECKSUM_CHAIN_START_BYTES]; /* zeros behind a short one */
    uint8_t length;
} haft__checksum_chain;

void haft__checksum_chain_start(haft__checksum_chain *chain, haft_str run);
void haft__checksum_chain_add(haft__checksum_chain *chain, haft_str row);

/* Takes a sum that was kept. False when it has the length of none. */
HAFT_MUST_USE bool haft__checksum_chain_set(haft__checksum_chain *chain, haft_str sum);

static inline haft_str haft__checksum_chain_str(const haft__checksum_chain *chain)
{
    return (haft_str){(const char *)chain->sum, chain->length};
}

#endif
