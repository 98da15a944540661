/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/base/hash.c, against a second, different implementation. */
#include "base/hash.h"

#include "test.h"

/* SipHash-c-d as in its paper: all of the padded message first, the state as an array, bytes put
 * together one by one. Its 2-4 form is checked against the paper's own vector, which shows that
 * this implementation is SipHash. */
static uint64_t rotl(uint64_t x, int by)
{
    return x << by | x >> (64 - by);
}

static void rounds(uint64_t v[4], int count)
{
    for (; count > 0; count--) {
        v[0] += v[1];
        v[1] = rotl(v[1], 13);
        v[1] ^= v[0];
        v[0] = rotl(v[0], 32);
        v[2] += v[3];
        v[3] = rotl(v[3], 16);
        v[3] ^= v[2];
        v[0] += v[3];
        v[3] = rotl(v[3], 21);
        v[3] ^= v[0];
        v[2] += v[1];
        v[1] = rotl(v[1], 17);
        v[1] ^= v[2];
        v[2] = rotl(v[2], 32);
    }
}

static uint64_t siphash(int c, int d, haft__hash_key key, const unsigned char *text, size_t length)
{
    unsigned char padded[256] = {0};
    size_t words = length / 8 + 1;
    if (length > 0) {
        memcpy(padded, text, length);
    }
    padded[8 * words - 1] = (unsigned char)length;
    uint64_t v[4] = {key.k0 ^ 0x736f6d6570736575U, key.k1 ^ 0x646f72616e646f6dU,
                     key.k0 ^ 0x6c7967656e657261U, key.k1 ^ 0x7465646279746573U};
    for (size_t w = 0; w < words; w++) {
        uint64_t word = 0;
        for (int i = 7; i >= 0; i--) {
            word = word << 8 | padded[8 * w + (size_t)i];
        }
        v[3] ^= word;
        rounds(v, c);
        v[0] ^= word;
    }
    v[2] ^= 0xff;
    rounds(v, d);
    return v[0] ^ v[1] ^ v[2] ^ v[3];
}

static const haft__hash_key paper_key = {0x0706050403020100U, 0x0f0e0d0c0b0a0908U};

TEST(the_second_implementation_gives_the_vector_of_the_paper)
{
    unsigned char text[15];
    for (size_t i = 0; i < sizeof(text); i++) {
        text[i] = (unsigned char)i;
    }
    uint64_t found = siphash(2, 4, paper_key, text, sizeof(text));
    CHECK(found == 0xa129ca6149be45e5U, "found %llx", (unsigned long long)found);
}

TEST(both_implementations_agree)
{
    static const haft__hash_key keys[] = {
        {0, 0}, {0x0706050403020100U, 0x0f0e0d0c0b0a0908U}, {UINT64_MAX, 1}};
    unsigned char text[240];
    for (size_t i = 0; i < sizeof(text); i++) {
        text[i] = (unsigned char)(i * 151 + 7);
    }
    for (size_t k = 0; k < COUNT(keys); k++) {
        for (size_t length = 0; length <= sizeof(text); length++) {
            haft_str s = {(const char *)text, length};
            CHECK(haft__hash(keys[k], s) == siphash(1, 3, keys[k], text, length),
                  "key %zu, %zu bytes", k, length);
        }
    }
}

TEST(the_alignment_of_the_text_does_not_matter)
{
    char room[64];
    for (size_t shift = 0; shift < 16; shift++) {
        memcpy(room + shift, "a text of twenty-odd bytes", 26);
        CHECK(haft__hash(paper_key, (haft_str){room + shift, 26})
                  == haft__hash(paper_key, HAFT__LIT("a text of twenty-odd bytes")),
              "text at offset %zu", shift);
    }
}

TEST(each_half_of_the_key_matters)
{
    haft_str s = HAFT__LIT("key");
    uint64_t hash = haft__hash((haft__hash_key){1, 2}, s);
    CHECK(hash != haft__hash((haft__hash_key){3, 2}, s), "the first half");
    CHECK(hash != haft__hash((haft__hash_key){1, 3}, s), "the second half");
}
