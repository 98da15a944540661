/* SPDX-License-Identifier: Apache-2.0 */
/*
 * utf8.c - decoding, encoding and checking UTF-8.
 *
 * The rules are in table 3-7 of the Unicode standard: the range of the second byte depends on the
 * first byte; all later bytes are 80..BF. Tests: tests/base/utf8_test.c.
 */
#include "base/utf8.h"

#include <string.h>

#include "base/macros.h"
#include "base/str.h"

#define HIGH_BITS 0x8080808080808080U

/* The length of a sequence and the range of its second byte, for its first byte. */
typedef struct lead {
    uint8_t length, second_min, second_max;
} lead;

static lead lead_of(unsigned char first)
{
    if (first < 0x80) {
        return (lead){1, 0, 0};
    }
    if (first >= 0xC2 && first <= 0xDF) {
        return (lead){2, 0x80, 0xBF};
    }
    if (first >= 0xE0 && first <= 0xEF) {
        return (lead){3, first == 0xE0 ? 0xA0 : 0x80, first == 0xED ? 0x9F : 0xBF};
    }
    if (first >= 0xF0 && first <= 0xF4) {
        return (lead){4, first == 0xF0 ? 0x90 : 0x80, first == 0xF4 ? 0x8F : 0xBF};
    }
    return (lead){0, 0, 0};
}

/* The number of present and valid bytes of the first sequence. *ret_full is its full length, or 0
 * if the first byte cannot begin a sequence. */
static size_t sequence(haft_str s, size_t *ret_full)
{
    const unsigned char *p = (const unsigned char *)s.ptr;
    lead l = lead_of(p[0]);
    *ret_full = l.length;
    size_t good = l.length > 0 ? 1 : 0;
    if (l.length < 2 || s.len < 2 || p[1] < l.second_min || p[1] > l.second_max) {
        return good;
    }
    for (good = 2; good < l.length && good < s.len && (p[good] & 0xC0) == 0x80; good++) {
    }
    return good;
}

size_t haft__utf8_decode(haft_str s, uint32_t *ret_code)
{
    if (s.len == 0) {
        return 0;
    }
    size_t wanted;
    size_t good = sequence(s, &wanted);
    if (wanted == 0 || good < wanted) {
        return 0;
    }
    static const uint8_t first_mask[] = {0, 0x7F, 0x1F, 0x0F, 0x07};
    const unsigned char *p = (const unsigned char *)s.ptr;
    uint32_t code = p[0] & first_mask[wanted];
    for (size_t i = 1; i < wanted; i++) {
        code = (code << 6) | (p[i] & 0x3F);
    }
    *ret_code = code;
    return wanted;
}

size_t haft__utf8_encode(uint32_t code, char to[HAFT__UTF8_MAX_BYTES])
{
    unsigned char *p = (unsigned char *)to;
    if (code < 0x80) {
        p[0] = (unsigned char)code;
        return 1;
    }
    if (code < 0x800) {
        p[0] = (unsigned char)(0xC0 | (code >> 6));
        p[1] = (unsigned char)(0x80 | (code & 0x3F));
        return 2;
    }
    if (code < 0x10000) {
        p[0] = (unsigned char)(0xE0 | (code >> 12));
        p[1] = (unsigned char)(0x80 | ((code >> 6) & 0x3F));
        p[2] = (unsigned char)(0x80 | (code & 0x3F));
        return 3;
    }
    p[0] = (unsigned char)(0xF0 | (code >> 18));
    p[1] = (unsigned char)(0x80 | ((code >> 12) & 0x3F));
    p[2] = (unsigned char)(0x80 | ((code >> 6) & 0x3F));
    p[3] = (unsigned char)(0x80 | (code & 0x3F));
    return 4;
}

size_t haft__utf8_valid_prefix(haft_str s)
{
    size_t at = 0;
    while (at < s.len) {
        uint64_t eight, many[4];
        if (s.len - at >= sizeof(many)) {
            memcpy(many, s.ptr + at, sizeof(many));
            if (((many[0] | many[1] | many[2] | many[3]) & HIGH_BITS) == 0) {
                at += sizeof(many);
                continue;
            }
        }
        if (s.len - at >= sizeof(eight)) {
            memcpy(&eight, s.ptr + at, sizeof(eight));
            if ((eight & HIGH_BITS) == 0) {
                at += sizeof(eight);
                continue;
            }
        }
        size_t wanted;
        size_t good = sequence(haft__str_skip(s, at), &wanted);
        if (wanted == 0 || good < wanted) {
            return at;
        }
        at += wanted;
    }
    return at;
}

bool haft__utf8_incomplete(haft_str s)
{
    if (s.len == 0) {
        return false;
    }
    size_t wanted;
    size_t good = sequence(s, &wanted);
    return good == s.len && good < wanted;
}

size_t haft__utf8_complete_prefix(haft_str s)
{
    if (s.len > 0 && ((unsigned char)s.ptr[s.len - 1] & 0x80) == 0) {
        return s.len; /* an ASCII character is always complete */
    }
    size_t max = s.len < HAFT__UTF8_MAX_BYTES - 1 ? s.len : HAFT__UTF8_MAX_BYTES - 1;
    for (size_t n = max; n > 0; n--) {
        if (haft__utf8_incomplete((haft_str){s.ptr + s.len - n, n})) {
            return s.len - n;
        }
    }
    return s.len;
}

static bool is_continuation(char c)
{
    return ((unsigned char)c & 0xC0) == 0x80;
}

size_t haft__utf8_floor(haft_str s, size_t at)
{
    if (at >= s.len) {
        return s.len;
    }
    while (at > 0 && is_continuation(s.ptr[at])) {
        at--;
    }
    return at;
}

size_t haft__utf8_offset(haft_str s, size_t count)
{
    size_t at = 0;
    for (; count > 0 && at < s.len; count--) {
        uint32_t code;
        size_t length = haft__utf8_decode(haft__str_skip(s, at), &code);
        at += length > 0 ? length : 1;
    }
    return at;
}

size_t haft__utf8_length(haft_str s)
{
    size_t count = 0;
    for (size_t at = 0; at < s.len; count++) {
        uint32_t code;
        size_t length = haft__utf8_decode(haft__str_skip(s, at), &code);
        at += length > 0 ? length : 1;
    }
    return count;
}

void haft__utf8_replace_invalid(char *text, size_t length)
{
    for (size_t at = 0; at < length; at++) {
        at += haft__utf8_valid_prefix((haft_str){text + at, length - at});
        if (at < length) {
            text[at] = '?';
        }
    }
}
