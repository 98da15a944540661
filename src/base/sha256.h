/* SPDX-License-Identifier: Apache-2.0 */
/* base/sha256.h - SHA-256 (FIPS 180-4). */
#ifndef HAFT_BASE_SHA256_H
#define HAFT_BASE_SHA256_H

#include <stdint.h>

#include "haft.h"

#define HAFT__SHA256_BYTES 32
#define HAFT__SHA256_HEX   64

typedef struct haft__sha256 {
    uint32_t state[8];
    uint64_t length; /* bytes added so far */
    uint8_t block[64];
} haft__sha256;

/* Bytes can be added in pieces of any size. These functions allocate nothing and cannot fail. */
void haft__sha256_init(haft__sha256 *hash);
void haft__sha256_add(haft__sha256 *hash, haft_str bytes);

/* Finishes the hash; initialise `hash` again before the next use. */
void haft__sha256_end(haft__sha256 *hash, uint8_t ret_digest[HAFT__SHA256_BYTES]);

/* The digest of one text as lower-case hex digits, without a NUL. */
void haft__sha256_hex(haft_str bytes, char ret_hex[HAFT__SHA256_HEX]);

#endif
