/* SPDX-License-Identifier: Apache-2.0 */
/* base64.c - see base64.h. Tests: tests/base/base64_test.c. */
#include "base/base64.h"

#include "base/ascii.h"

void haft__base64_add(haft__buf *buf, haft_str bytes)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t i = 0; i < bytes.len; i += 3) {
        uint32_t three = 0;
        size_t left = bytes.len - i < 3 ? bytes.len - i : 3;
        char group[4];
        for (size_t j = 0; j < 3; j++) {
            three = three << 8 | (j < left ? (unsigned char)bytes.ptr[i + j] : 0);
        }
        for (size_t j = 0; j < 4; j++) {
            group[j] = j <= left ? digits[three >> (18 - 6 * j) & 63] : '=';
        }
        haft__buf_add(buf, group, sizeof(group));
    }
}

static int digit_value(char c)
{
    if (haft__ascii_is_upper(c)) {
        return c - 'A';
    }
    if (haft__ascii_is_lower(c)) {
        return c - 'a' + 26;
    }
    if (haft__ascii_is_digit(c)) {
        return c - '0' + 52;
    }
    return c == '+' ? 62 : c == '/' ? 63 : -1;
}

bool haft__base64_decode(haft_str text, char *to, size_t *ret_length)
{
    size_t made = 0;
    if (text.len % 4 != 0) {
        return false;
    }
    for (size_t at = 0; at < text.len; at += 4) {
        bool last = at + 4 == text.len;
        int pads = last && text.ptr[at + 3] == '=' ? (text.ptr[at + 2] == '=' ? 2 : 1) : 0;
        uint32_t bits = 0;
        for (int i = 0; i < 4; i++) {
            int value = i >= 4 - pads ? 0 : digit_value(text.ptr[at + (size_t)i]);
            if (value < 0) {
                return false;
            }
            bits = bits << 6 | (uint32_t)value;
        }
        for (int i = 0; i < 3 - pads; i++) {
            to[made++] = (char)(bits >> (16 - 8 * i) & 0xff);
        }
    }
    *ret_length = made;
    return true;
}
