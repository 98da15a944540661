/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/mcp/seal.c: HMAC by the vectors of RFC 4231, and seals that hold. */
#include "mcp/seal.h"

#include "test.h"

static const haft__seal_key key = {{1, 2, 3}};

TEST(hmac_as_the_standard_has_it)
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
                  HAFT_OK, "%zu", i);
        CHECK_STR(text, haft__str(texts[i]), "%zu", i);
        CHECK_INT(haft__seal_open(&arena, &key, HAFT__LIT("about"), haft__buf_str(&sealed), 101,
                                  &text, NULL),
                  HAFT_BAD_INPUT, "it has expired");
        CHECK_INT(haft__seal_open(&arena, &key, HAFT__LIT("abou"), haft__buf_str(&sealed), 1, &text,
                                  NULL),
                  HAFT_BAD_INPUT, "it is about something else");
        haft__seal_key other = key;
        other.bytes[31] = 1;
        CHECK_INT(haft__seal_open(&arena, &other, HAFT__LIT("about"), haft__buf_str(&sealed), 1,
                                  &text, NULL),
                  HAFT_BAD_INPUT, "another key");
        haft__buf_finish(&sealed);
        haft__arena_finish(&arena);
    }
}

/* No byte of it can be another one. */
TEST(a_seal_that_was_changed)
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
                  "%zu bytes of it", i);
    }
    haft__buf_finish(&sealed);
    haft__arena_finish(&arena);
}

TEST(texts_are_compared_whole)
{
    CHECK(haft__seal_equal(HAFT__LIT("abc"), HAFT__LIT("abc")), "the same");
    CHECK(!haft__seal_equal(HAFT__LIT("abc"), HAFT__LIT("abd")), "the last byte");
    CHECK(!haft__seal_equal(HAFT__LIT("abc"), HAFT__LIT("ab")), "shorter");
    CHECK(!haft__seal_equal(HAFT__LIT(""), HAFT__LIT("a")), "nothing");
    CHECK(haft__seal_equal(HAFT__LIT(""), HAFT__LIT("")), "both nothing");
}
