/* SPDX-License-Identifier: Apache-2.0 */
/* io/random.h - random bytes from the operating system. */
#ifndef HAFT_IO_RANDOM_H
#define HAFT_IO_RANDOM_H

#include <stdbool.h>
#include <stddef.h>

#include "base/hash.h"

/* A key for the hash tables of this process, so that an attacker cannot make keys collide. Never
 * blocks and never fails: without system randomness it uses an address and the process id, which is
 * sufficient only for hash tables. */
haft__hash_key haft__random_hash_key(void);

/* Fills `to` with random bytes for ids. Blocks until the system has randomness; false if it has
 * none at all. */
bool haft__random_bytes(void *to, size_t count);

#endif
