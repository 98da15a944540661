/* SPDX-License-Identifier: Apache-2.0 */
/*
 * store/checksum_chain.h - the chain of checksums that shows whether a run's events are those once
 * written.
 *
 * The sum of a row is the SipHash of its body under the key that is the sum before it, filled up
 * with zeros. The sum before the first row is the first half of the SHA-256 of the run's id, so
 * that no row fits into another run. It is there to find damage, not to keep out who can write the
 * file.
 *
 * Rows of the first version of the file are one event each, and their sum is the first half of
 * SHA-256(the sum before it, the event).
 */
#ifndef HAFT_STORE_CHECKSUM_CHAIN_H
#define HAFT_STORE_CHECKSUM_CHAIN_H

#include <stdbool.h>

#include "base/sha256.h"

#define HAFT__CHAIN_BYTES     8
#define HAFT__CHAIN_OLD_BYTES 16 /* also of the sum before the first row */

typedef struct haft__chain {
    uint8_t sum[HAFT__CHAIN_OLD_BYTES]; /* zeros behind a short one */
    uint8_t length;
} haft__chain;

void haft__chain_start(haft__chain *chain, haft_str run);
void haft__chain_add(haft__chain *chain, haft_str row);
void haft__chain_add_old(haft__chain *chain, haft_str event);

/* Takes a sum that was kept. False when it has the length of none. */
HAFT_MUST_USE bool haft__chain_set(haft__chain *chain, haft_str sum);

static inline haft_str haft__chain_str(const haft__chain *chain)
{
    return (haft_str){(const char *)chain->sum, chain->length};
}

#endif
