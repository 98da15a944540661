/* SPDX-License-Identifier: Apache-2.0 */
/* random.c - random bytes from the operating system. Tests: tests/io/random_test.c. */
#include "io/random.h"

#include <sys/random.h>
#include <unistd.h>

haft__hash_key haft__random_hash_key(void)
{
    haft__hash_key key = {(uint64_t)(uintptr_t)&key, (uint64_t)getpid()};
    ssize_t got = getrandom(&key, sizeof(key), GRND_NONBLOCK);
    (void)got; /* after a short read a part of the fallback value remains */
    return key;
}

bool haft__random_bytes(void *to, size_t count)
{
    return count <= 256 && getrandom(to, count, 0) == (ssize_t)count;
}
