/* SPDX-License-Identifier: Apache-2.0 */
/* base/hash.h - a keyed hash, so that an attacker cannot choose texts whose hashes collide. */
#ifndef HAFT_BASE_HASH_H
#define HAFT_BASE_HASH_H

#include <stdint.h>

#include "haft.h"

/* The key is random in a running program (the host makes it once) and fixed in tests. */
typedef struct haft__hash_key {
    uint64_t k0, k1;
} haft__hash_key;

/* SipHash-1-3. */
uint64_t haft__hash(haft__hash_key key, haft_str s);

#endif
