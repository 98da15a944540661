/* SPDX-License-Identifier: Apache-2.0 */
#include "store/chain.h"

#include "test.h"

static haft_str hex(const haft__chain *chain)
{
    char *text = test_alloc(2 * HAFT__CHAIN_BYTES + 1);
    for (size_t i = 0; i < HAFT__CHAIN_BYTES; i++) {
        (void)snprintf(text + 2 * i, 3, "%02x", chain->sum[i]);
    }
    return haft__str(text);
}

/* Computed with another implementation of SHA-256. */
TEST(a_chain_is_a_chain_of_sha256)
{
    haft__chain chain;
    haft__chain_start(&chain, HAFT__LIT("abc"));
    CHECK_STR(hex(&chain), HAFT__LIT("ba7816bf8f01cfea414140de5dae2223"), "the start");
    haft__chain_add(&chain, HAFT__LIT("one"));
    CHECK_STR(hex(&chain), HAFT__LIT("123ac5ec45f91ea247de14ef8953e615"), "one event");
    haft__chain_add(&chain, HAFT__LIT(""));
    CHECK_STR(hex(&chain), HAFT__LIT("b3971f6eace6c96fd61be4ec9695eff4"), "an empty one");
}

TEST(a_chain_depends_on_every_event_and_on_the_run)
{
    static const char *const texts[][3] = {
        {"run", "a", "b"}, {"run", "b", "a"}, {"run", "ab", ""},
        {"run", "", "ab"}, {"rum", "a", "b"}, {"run", "a", "c"},
    };
    haft__chain chains[COUNT(texts)];
    for (size_t i = 0; i < COUNT(texts); i++) {
        haft__chain_start(&chains[i], haft__str(texts[i][0]));
        haft__chain_add(&chains[i], haft__str(texts[i][1]));
        haft__chain_add(&chains[i], haft__str(texts[i][2]));
        for (size_t k = 0; k < i; k++) {
            CHECK(memcmp(&chains[i], &chains[k], sizeof(haft__chain)) != 0, "%zu is like %zu", i,
                  k);
        }
    }
}
