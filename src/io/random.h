/* SPDX-License-Identifier: Apache-2.0 */
/* io/random.h - randomness from the operating system. */
#ifndef HAFT_IO_RANDOM_H
#define HAFT_IO_RANDOM_H

#include <stdbool.h>
#include <stddef.h>

#include "base/hash.h"

/* A key for the hash tables of this process, so that nobody outside can make keys collide. Never
 * waits and never fails: without the system's randomness, an address and the process's id serve,
 * which is enough for hash tables and for nothing else. */
haft__hash_key haft__random_hash_key(void);

/* Fills `to` for ids. Waits until the system has randomness; false when it has none at all. */
bool haft__random_bytes(void *to, size_t count);

#endif
