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

bool haft__hex_read_u64(haft_str digits, uint64_t *ret_number)
{
    uint64_t number = 0;
    for (size_t i = 0; i < digits.len && i < HAFT__HEX_U64; i++) {
        int value = haft__hex_value_lower(digits.ptr[i]);
        if (value < 0) {
            return false;
        }
        number = number << 4 | (uint64_t)value;
    }
    if (digits.len != HAFT__HEX_U64) {
        return false;
    }
    *ret_number = number;
    return true;
}
