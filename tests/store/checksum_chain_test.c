/* SPDX-License-Identifier: Apache-2.0 */
#include "store/checksum_chain.h"

#include "test.h"

static haft_str hex(const haft__checksum_chain *chain)
{
    char *text = test_alloc(2 * sizeof(chain->sum) + 1);
    for (size_t i = 0; i < chain->length; i++) {
        (void)snprintf(text + 2 * i, 3, "%02x", chain->sum[i]);
    }
    return haft__str(text);
}

/* Computed with another implementation of SHA-256. */
TEST(a_chain_starts_with_half_the_sha256_of_the_run_id)
{
    haft__checksum_chain chain;
    haft__checksum_chain_start(&chain, HAFT__LIT("abc"));
    CHECK_STR(hex(&chain), HAFT__LIT("ba7816bf8f01cfea414140de5dae2223"), "the start");
}

/* Computed with another implementation: each row is hashed with the previous checksum as the key.
 * The lowest byte of a checksum comes first. */
TEST(each_checksum_is_the_siphash_of_its_row)
{
    haft__checksum_chain chain;
    haft__checksum_chain_start(&chain, HAFT__LIT("abc")); /* ba7816bf8f01cfea 414140de5dae2223 */
    haft__checksum_chain_add(&chain, HAFT__LIT("one"));
    CHECK_STR(hex(&chain), HAFT__LIT("b5c4251ae7a2a33e"), "one row");
    haft__checksum_chain_add(&chain, HAFT__LIT(""));
    CHECK_STR(hex(&chain), HAFT__LIT("e572a6a8edf89b2e"), "an empty row");
}

TEST(a_restored_chain_equals_the_original)
{
    haft__checksum_chain chain, again;
    haft__checksum_chain_start(&chain, HAFT__LIT("run"));
    for (int i = 0; i < 4; i++) {
        CHECK(haft__checksum_chain_set(&again, haft__checksum_chain_str(&chain)),
              "step %d is refused", i);
        CHECK(memcmp(&chain, &again, sizeof(chain)) == 0, "step %d: the restored chain differs", i);
        haft__checksum_chain_add(&chain, HAFT__LIT("row"));
    }
    for (size_t length = 0; length < 20; length++) {
        bool right = length == 8 || length == 16;
        CHECK_INT(haft__checksum_chain_set(&again, (haft_str){"01234567890123456789", length}),
                  right, "%zu bytes", length);
    }
}

TEST(a_chain_depends_on_every_event_and_on_the_run)
{
    static const char *const texts[][3] = {
        {"run", "a", "b"}, {"run", "b", "a"}, {"run", "ab", ""},
        {"run", "", "ab"}, {"rum", "a", "b"}, {"run", "a", "c"},
    };
    haft__checksum_chain chains[COUNT(texts)];
    for (size_t i = 0; i < COUNT(texts); i++) {
        haft__checksum_chain_start(&chains[i], haft__str(texts[i][0]));
        haft__checksum_chain_add(&chains[i], haft__str(texts[i][1]));
        haft__checksum_chain_add(&chains[i], haft__str(texts[i][2]));
        for (size_t k = 0; k < i; k++) {
            CHECK(memcmp(&chains[i], &chains[k], sizeof(haft__checksum_chain)) != 0,
                  "chains %zu and %zu are equal", i, k);
        }
    }
}
