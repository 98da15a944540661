/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/io/clock.c. */
#include "io/clock.h"

#include "test.h"

TEST(it_is_after_this_was_written)
{
    uint64_t first = haft__clock_now();
    CHECK(first > 1700000000000U, "%llu", (unsigned long long)first);
    CHECK(haft__clock_now() >= first, "goes on");
}
