/* SPDX-License-Identifier: Apache-2.0 */
/*
 * store/checksum_chain.h - the checksum chain that detects damage to the events of a run.
 *
 * The checksum of a row is the SipHash of its body. The key is the previous checksum, padded with
 * zeros. The checksum before the first row is the first half of the SHA-256 of the run's id, so
 * that a row does not match the chain of another run. The chain detects damage. It does not protect
 * against an attacker who can write the file.
 */
#ifndef HAFT_STORE_CHECKSUM_CHAIN_H
#define HAFT_STORE_CHECKSUM_CHAIN_H

#include <stdbool.h>

#include "base/sha256.h"

#define HAFT__CHECKSUM_CHAIN_BYTES       8
#define HAFT__CHECKSUM_CHAIN_START_BYTES 16 /* size of the checksum before the first row */

typedef struct haft__checksum_chain {
    uint8_t sum[HAFT__CHECKSUM_CHAIN_START_BYTES]; /* a shorter checksum is padded with zeros */
    uint8_t length;
} haft__checksum_chain;

void haft__checksum_chain_start(haft__checksum_chain *chain, haft_str run);
void haft__checksum_chain_add(haft__checksum_chain *chain, haft_str row);

/* Restores a stored checksum. False if its length is not valid. */
HAFT_MUST_USE bool haft__checksum_chain_set(haft__checksum_chain *chain, haft_str sum);

static inline haft_str haft__checksum_chain_str(const haft__checksum_chain *chain)
{
    return (haft_str){(const char *)chain->sum, chain->length};
}

#endif
