/* SPDX-License-Identifier: Apache-2.0 */
/* hex.c - hexadecimal digits. Tests: tests/base/hex_test.c. */
#include "base/hex.h"

void haft__hex_write(char *to, const void *bytes, size_t size)
{
    const unsigned char *from = bytes;
    for (size_t i = 0; i < size; i++) {
        to[2 * i] = haft__hex_digit(from[i] >> 4U);
        to[2 * i + 1] = haft__hex_digit(from[i]);
    }
}

bool haft__hex_read(haft_str digits, void *to)
{
    unsigned char *bytes = to;
    for (size_t i = 0; i + 1 < digits.len; i += 2) {
        int high = haft__hex_value_lower(digits.ptr[i]);
        int low = haft__hex_value_lower(digits.ptr[i + 1]);
        if (high < 0 || low < 0) {
            return false;
        }
        bytes[i / 2] = (unsigned char)(high * 16 + low);
    }
    return digits.len % 2 == 0;
}
