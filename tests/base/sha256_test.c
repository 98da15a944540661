/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/base/sha256.c: the examples of FIPS 180-4 and of NIST, and texts added in pieces.
 */
#include "base/sha256.h"

#include "test.h"

#define LONG_TEXT                                                                                  \
    "abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqr"     \
    "lmnopqrsmnopqrstnopqrstu"

static const struct {
    const char *text, *hex;
} vectors[] = {
    {"", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
    {"abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
    {"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
     "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"},
    {LONG_TEXT, "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1"},
};

static haft_str hex_of(haft_str text)
{
    char *hex = test_alloc(HAFT__SHA256_HEX);
    haft__sha256_hex(text, hex);
    return (haft_str){hex, HAFT__SHA256_HEX};
}

TEST(the_standard_vectors_match)
{
    for (size_t i = 0; i < COUNT(vectors); i++) {
        CHECK_STR(hex_of(haft__str(vectors[i].text)), haft__str(vectors[i].hex), "%s",
                  vectors[i].text);
    }
}

TEST(the_standard_vector_of_a_million_letters_matches)
{
    size_t count = 1000000;
    char *text = test_alloc(count);
    memset(text, 'a', count);
    CHECK_STR(hex_of((haft_str){text, count}),
              HAFT__LIT("cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"),
              "a million times a");
}

/* 55, 56, 63, 64, 65 bytes: around the lengths at which the padding needs another block. The
 * digests of this many 'a' are from other implementations. */
TEST(texts_of_about_one_block_have_the_right_digest)
{
    static const struct {
        size_t length;
        const char *hex;
    } cases[] = {
        {55, "9f4390f8d30c2dd92ec9f095b65e2b9ae9b0a925a5258e241c9f1e910f734318"},
        {56, "b35439a4ac6f0948b6d6f9e3c6af0f5f590ce20f1bde7090ef7970686ec6738a"},
        {63, "7d3e74a05d7db15bce4ad9ec0658ea98e3f06eeecf16b4c6fff2da457ddc2f34"},
        {64, "ffe054fe7ae0cb6dc65c3af9b61d5209f439851db43d0ba5997337df154668eb"},
        {65, "635361c48bb9eab14198e76ea8ab7f1a41685d6ad62aa9146d301d4f17eb0ae0"},
    };
    char text[65];
    memset(text, 'a', sizeof(text));
    for (size_t i = 0; i < COUNT(cases); i++) {
        CHECK_STR(hex_of((haft_str){text, cases[i].length}), haft__str(cases[i].hex), "%zu bytes",
                  cases[i].length);
    }
}

TEST(pieces_of_any_size_give_the_same_digest)
{
    haft_str text = HAFT__LIT(LONG_TEXT LONG_TEXT);
    uint8_t whole[HAFT__SHA256_BYTES], pieces[HAFT__SHA256_BYTES];
    haft__sha256 hash;
    haft__sha256_init(&hash);
    haft__sha256_add(&hash, text);
    haft__sha256_end(&hash, whole);
    for (size_t size = 1; size <= text.len; size++) {
        haft__sha256_init(&hash);
        for (haft_str rest = text; rest.len > 0; rest = haft__str_skip(rest, size)) {
            haft__sha256_add(&hash, (haft_str){rest.ptr, size < rest.len ? size : rest.len});
        }
        haft__sha256_end(&hash, pieces);
        CHECK(memcmp(whole, pieces, sizeof(whole)) == 0, "%zu bytes at a time", size);
    }
}
