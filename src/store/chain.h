/* SPDX-License-Identifier: Apache-2.0 */
/*
 * store/chain.h - the chain of checksums that shows whether a run's events are those once written.
 *
 * The sum of an event is the first half of SHA-256(the sum before it, its text). The sum before
 * the first event is that of the run's id alone, so that no event fits into another run.
 */
#ifndef HAFT_STORE_CHAIN_H
#define HAFT_STORE_CHAIN_H

#include "base/sha256.h"

#define HAFT__CHAIN_BYTES 16

typedef struct haft__chain {
    uint8_t sum[HAFT__CHAIN_BYTES];
} haft__chain;

void haft__chain_start(haft__chain *chain, haft_str run);
void haft__chain_add(haft__chain *chain, haft_str event);

static inline haft_str haft__chain_str(const haft__chain *chain)
{
    return (haft_str){(const char *)chain->sum, HAFT__CHAIN_BYTES};
}

#endif
