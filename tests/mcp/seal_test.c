/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/mcp/seal.c: HMAC with the vectors of RFC 4231, and seals that cannot be changed. */
#include "mcp/seal.h"

#include "test.h"

static const haft__seal_key key = {{1, 2, 3}};

TEST(hmac_gives_the_digests_of_the_standard)
{
    /* RFC 4231, test case 2: a key of four bytes is padded with zeros. */
    static const haft__seal_key jefe = {{'J', 'e', 'f', 'e'}};
    uint8_t digest[HAFT__SHA256_BYTES];
    char hex[2 * HAFT__SHA256_BYTES + 1];
    haft__seal_hmac(&jefe, HAFT__LIT("what do ya want for nothing?"), digest);
    for (size_t i = 0; i < sizeof(digest); i++) {
        (void)snprintf(hex + 2 * i, 3, "%02x", digest[i]);
    }
    CHECK_STR(haft__str(hex),
              HAFT__LIT("5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"),
              "the digest");
}

TEST(sealed_text_can_be_opened)
{
    static const char *const texts[] = {"", "a", "with . dots", "\xff\0x"};
    for (size_t i = 0; i < COUNT(texts); i++) {
        haft__arena arena;
        haft__buf sealed;
        haft_str text = {NULL, 0};
        haft__arena_init(&arena, 0);
        haft__buf_init(&sealed, 1 << 16);
        haft__seal_write(&sealed, &key, HAFT__LIT("about"), haft__str(texts[i]), 100);
        CHECK_INT(haft__seal_open(&arena, &key, HAFT__LIT("about"), haft__buf_str(&sealed), 100,
                                  &text, NULL),
                  HAFT_OK, "text %zu", i);
        CHECK_STR(text, haft__str(texts[i]), "text %zu", i);
        CHECK_INT(haft__seal_open(&arena, &key, HAFT__LIT("about"), haft__buf_str(&sealed), 101,
                                  &text, NULL),
                  HAFT_BAD_INPUT, "a seal that has expired");
        CHECK_INT(haft__seal_open(&arena, &key, HAFT__LIT("abou"), haft__buf_str(&sealed), 1, &text,
                                  NULL),
                  HAFT_BAD_INPUT, "a seal with another subject");
        haft__seal_key other = key;
        other.bytes[31] = 1;
        CHECK_INT(haft__seal_open(&arena, &other, HAFT__LIT("about"), haft__buf_str(&sealed), 1,
                                  &text, NULL),
                  HAFT_BAD_INPUT, "another key");
        haft__buf_finish(&sealed);
        haft__arena_finish(&arena);
    }
}

/* No byte of a seal can be changed or removed. */
TEST(a_seal_that_was_changed_is_rejected)
{
    haft__arena arena;
    haft__buf sealed;
    haft_str text = {NULL, 0};
    haft__arena_init(&arena, 0);
    haft__buf_init(&sealed, 1 << 16);
    haft__seal_write(&sealed, &key, HAFT__LIT(""), HAFT__LIT("text"), 100);
    for (size_t i = 0; i < sealed.len; i++) {
        for (unsigned bit = 1; bit < 256; bit <<= 1) {
            sealed.ptr[i] = (char)((unsigned char)sealed.ptr[i] ^ bit);
            CHECK_INT(haft__seal_open(&arena, &key, HAFT__LIT(""), haft__buf_str(&sealed), 1, &text,
                                      NULL),
                      HAFT_BAD_INPUT, "byte %zu", i);
            sealed.ptr[i] = (char)((unsigned char)sealed.ptr[i] ^ bit);
        }
        haft_str cut = {sealed.ptr, i};
        CHECK_INT(haft__seal_open(&arena, &key, HAFT__LIT(""), cut, 1, &text, NULL), HAFT_BAD_INPUT,
                  "the first %zu bytes", i);
    }
    haft__buf_finish(&sealed);
    haft__arena_finish(&arena);
}

TEST(texts_are_compared_in_full)
{
    CHECK(haft__seal_equal(HAFT__LIT("abc"), HAFT__LIT("abc")), "equal texts differ");
    CHECK(!haft__seal_equal(HAFT__LIT("abc"), HAFT__LIT("abd")),
          "texts with different last bytes are equal");
    CHECK(!haft__seal_equal(HAFT__LIT("abc"), HAFT__LIT("ab")), "a shorter text is equal");
    CHECK(!haft__seal_equal(HAFT__LIT(""), HAFT__LIT("a")), "an empty text is equal to another");
    CHECK(haft__seal_equal(HAFT__LIT(""), HAFT__LIT("")), "two empty texts differ");
}
