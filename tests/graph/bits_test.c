/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/graph/bits.h: rows of bits. */
#include "graph/bits.h"

#include "test.h"

TEST(bits_are_set_once_and_added_by_rows)
{
    haft__arena arena;
    haft__arena_init(&arena, 0);
    haft__bits bits = haft__bits_create(&arena, 3, 128);
    CHECK(haft__bits_set(bits, 1, 64), "new");
    CHECK(!haft__bits_set(bits, 1, 64), "known");
    CHECK(haft__bits_set(bits, 2, 127), "the last column");
    CHECK(!haft__bits_has(bits, 0, 64) && haft__bits_has(bits, 1, 64), "rows are separate");
    CHECK(haft__bits_add(bits, 1, bits, 2), "a new bit");
    CHECK(!haft__bits_add(bits, 1, bits, 2), "nothing new");
    CHECK(haft__bits_has(bits, 1, 127) && haft__bits_has(bits, 1, 64), "both");
    haft__arena_finish(&arena);
}
