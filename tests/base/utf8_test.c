/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests for src/base/utf8.c, against an oracle that does not use byte ranges: it decodes the bits
 * as in the table of RFC 3629 and rejects what the encoding rules forbid.
 */
#include "base/utf8.h"

#include "test.h"

/* The length and code point of the sequence at the start of s, or 0. */
static size_t oracle(const unsigned char *s, size_t length, uint32_t *ret_code)
{
    static const uint32_t smallest[] = {0, 0, 0x80, 0x800, 0x10000};
    size_t ones = 0;
    while (ones < 8 && (s[0] << ones & 0x80) != 0) {
        ones++;
    }
    size_t wanted = ones == 0 ? 1 : ones;
    if (ones == 1 || ones > 4 || wanted > length) {
        return 0;
    }
    uint32_t code = ones == 0 ? s[0] : s[0] & (0x7FU >> ones);
    for (size_t i = 1; i < wanted; i++) {
        if (s[i] / 64 != 2) {
            return 0;
        }
        code = code * 64 + s[i] % 64;
    }
    if (code < smallest[wanted] || code > 0x10FFFF || (code >= 0xD800 && code <= 0xDFFF)) {
        return 0;
    }
    *ret_code = code;
    return wanted;
}

static size_t mismatches;

/* Compares the module with the oracle on these bytes; only counts differences, to be fast. */
static void compare(const unsigned char *bytes, size_t length)
{
    haft_str s = {(const char *)bytes, length};
    uint32_t want = 1, got = 1;
    size_t want_length = oracle(bytes, length, &want);
    size_t got_length = haft__utf8_decode(s, &got);
    size_t at = 0;
    uint32_t code;
    for (size_t step; at < length; at += step) {
        step = oracle(bytes + at, length - at, &code);
        if (step == 0) {
            break;
        }
    }
    if (want_length != got_length || want != got || haft__utf8_valid_prefix(s) != at) {
        mismatches++;
    }
}

TEST(sequences_of_one_to_three_bytes_are_decoded_like_the_oracle_does)
{
    mismatches = 0;
    for (uint32_t n = 0; n < 1U << 24; n++) {
        unsigned char bytes[3] = {(unsigned char)(n >> 16), (unsigned char)(n >> 8),
                                  (unsigned char)n};
        compare(bytes, 3);
        if ((n & 0xFF) == 0) {
            compare(bytes, 2);
        }
        if ((n & 0xFFFF) == 0) {
            compare(bytes, 1);
        }
    }
    CHECK_INT(mismatches, 0, "sequences on which module and oracle differ");
}

TEST(sequences_of_four_bytes_are_decoded_like_the_oracle_does)
{
    /* Every first and second byte; for the others the edges of each range. */
    static const unsigned char edges[] = {0x00, 0x7F, 0x80, 0x8F, 0x90, 0x9F,
                                          0xA0, 0xBF, 0xC0, 0xF0, 0xFF};
    mismatches = 0;
    for (unsigned n = 0; n < 1U << 16; n++) {
        for (size_t i = 0; i < COUNT(edges); i++) {
            for (size_t j = 0; j < COUNT(edges); j++) {
                unsigned char bytes[4] = {(unsigned char)(n >> 8), (unsigned char)n, edges[i],
                                          edges[j]};
                compare(bytes, 4);
            }
        }
    }
    CHECK_INT(mismatches, 0, "sequences on which module and oracle differ");
}

TEST(every_code_point_survives_the_round_trip)
{
    size_t wrong = 0;
    for (uint32_t code = 0; code <= 0x10FFFF; code++) {
        if (code >= 0xD800 && code <= 0xDFFF) {
            continue;
        }
        char bytes[HAFT__UTF8_MAX_BYTES];
        size_t length = haft__utf8_encode(code, bytes);
        uint32_t again = UINT32_MAX;
        wrong += haft__utf8_decode((haft_str){bytes, length}, &again) != length || again != code;
        again = UINT32_MAX;
        wrong += oracle((const unsigned char *)bytes, length, &again) != length || again != code;
    }
    CHECK_INT(wrong, 0, "code points that changed");
}

TEST(decoding_nothing_gives_nothing)
{
    uint32_t code = 7;
    CHECK_INT(haft__utf8_decode((haft_str){NULL, 0}, &code), 0, "the empty text");
    CHECK_INT(haft__utf8_decode(HAFT__LIT("\xFF"), &code), 0, "a byte that starts no character");
    CHECK_INT(code, 7, "the output is left alone");
}

TEST(the_valid_prefix_ends_at_the_first_invalid_byte)
{
    for (size_t length = 1; length < 40; length++) {
        for (size_t at = 0; at < length; at++) {
            char text[40];
            memset(text, 'a', sizeof(text));
            text[at] = '\xFF';
            CHECK_INT(haft__utf8_valid_prefix((haft_str){text, length}), at, "%zu of %zu", at,
                      length);
        }
    }
    CHECK(haft__utf8_valid((haft_str){NULL, 0}), "the empty text");
    CHECK(haft__utf8_valid(HAFT__LIT("gr\xC3\xBC\xC3\x9F \xE2\x82\xAC")), "a mixed text");
    CHECK(!haft__utf8_valid(HAFT__LIT("12345678\xC3")), "a cut text");
}

TEST(incomplete_means_that_more_bytes_could_help)
{
    /* A sequence of up to three bytes is incomplete if some other bytes after it complete it. */
    static const unsigned char fill[] = {0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF};
    size_t wrong = 0;
    for (size_t length = 1; length <= 3; length++) {
        for (uint32_t n = 0; n < 1U << 8 * (length < 3 ? length : 2); n++) {
            unsigned char bytes[6] = {0};
            for (size_t i = 0; i < length; i++) {
                bytes[i] = (unsigned char)(i < 2 ? n >> 8 * i : 0x80);
            }
            uint32_t code;
            bool whole = oracle(bytes, length, &code) > 0, completes = false;
            for (size_t i = 0; i < COUNT(fill) && !whole; i++) {
                memset(bytes + length, fill[i], 1);
                memset(bytes + length + 1, 0x80, 2);
                completes = completes || oracle(bytes, length + 3, &code) > length;
            }
            wrong += haft__utf8_incomplete((haft_str){(const char *)bytes, length}) != completes;
        }
    }
    CHECK_INT(wrong, 0, "prefixes on which module and oracle differ");
    CHECK(!haft__utf8_incomplete((haft_str){NULL, 0}), "the empty text");
}

TEST(floor_never_splits_a_character)
{
    static const size_t floors[] = {0, 1, 1, 3, 3, 3, 6, 6, 6, 6, 10, 11, 11, 11};
    haft_str s = HAFT__LIT("a\xC3\xA9\xE2\x82\xAC\xF0\x9F\x94\xA7z");
    CHECK_INT(s.len, 11, "length of the text");
    for (size_t at = 0; at < COUNT(floors); at++) {
        CHECK_INT(haft__utf8_floor(s, at), floors[at], "floor of %zu", at);
    }
    CHECK_INT(haft__utf8_floor(HAFT__LIT("\x80\x80\x80"), 2), 0, "stray bytes only");
}

TEST(lengths_and_offsets_count_code_points)
{
    static const struct {
        const char *text;
        size_t length;
        size_t offsets[7];
    } cases[] = {
        {"", 0, {0, 0}},
        {"abc", 3, {0, 1, 2, 3, 3}},
        {"a\xC3\xA9\xE2\x82\xAC\xF0\x9F\x94\xA7", 4, {0, 1, 3, 6, 10, 10}},
        {"\xFF\xC3\xA9\xC3z", 4, {0, 1, 3, 4, 5, 5}},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        haft_str s = haft__str(cases[i].text);
        CHECK_INT(haft__utf8_length(s), cases[i].length, "length in case %zu", i);
        for (size_t count = 0; count <= cases[i].length + 1; count++) {
            CHECK_INT(haft__utf8_offset(s, count), cases[i].offsets[count],
                      "case %zu, offset of code point %zu", i, count);
        }
    }
}

TEST(mask_replaces_wrong_bytes_only)
{
    static const struct {
        const char *text, *wanted;
    } cases[] = {
        {"", ""},
        {"plain", "plain"},
        {"\xFF", "?"},
        {"a\x80\x80z", "a??z"},
        {"\xC3\xA9\xC3", "\xC3\xA9?"},
        {"\xED\xA0\x80 \xF0\x9F\x94\xA7", "??? \xF0\x9F\x94\xA7"},
        {"\xE2\x82 12345678 \xE2\x82\xAC", "?? 12345678 \xE2\x82\xAC"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        char text[64];
        size_t length = strlen(cases[i].text);
        memcpy(text, cases[i].text, length);
        haft__utf8_replace_invalid(text, length);
        CHECK_STR(((haft_str){text, length}), haft__str(cases[i].wanted), "case %zu", i);
    }
}
