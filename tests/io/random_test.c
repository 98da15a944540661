/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/io/random.c. */
#include "io/random.h"

#include "test.h"

TEST(two_keys_differ)
{
    haft__hash_key a = haft__random_hash_key(), b = haft__random_hash_key();
    CHECK(a.k0 != b.k0 && a.k1 != b.k1, "two keys are equal: %llx %llx", (unsigned long long)a.k0,
          (unsigned long long)b.k0);
}

TEST(bytes_are_filled_and_differ)
{
    unsigned char a[16] = {0}, b[16] = {0};
    CHECK(haft__random_bytes(a, sizeof(a)) && haft__random_bytes(b, sizeof(b)), "no random bytes");
    CHECK(memcmp(a, b, sizeof(a)) != 0, "the same bytes twice");
}
