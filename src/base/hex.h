/* SPDX-License-Identifier: Apache-2.0 */
/* base/hex.h - hexadecimal digits. Written in lower case. */
#ifndef HAFT_BASE_HEX_H
#define HAFT_BASE_HEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/ascii.h"
#include "haft.h"

/* The digit of a value from 0 to 15. */
static inline char haft__hex_digit(unsigned value)
{
    return "0123456789abcdef"[value & 15U];
}

/* The value of a digit 0-9, a-f or A-F; -1 for everything else. */
static inline int haft__hex_value(int c)
{
    int lower = c | 0x20;
    return haft__ascii_is_digit(c) ? c - '0' : lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

/* Like haft__hex_value, only for 0-9 and a-f, for texts that must have exactly one spelling. */
static inline int haft__hex_value_lower(int c)
{
    return haft__ascii_is_upper(c) ? -1 : haft__hex_value(c);
}

/* Writes two digits for each byte, without a NUL: 2 * size characters. */
void haft__hex_write(char *to, const void *bytes, size_t size);

/* Reads lower-case digits, two for each byte: digits.len / 2 bytes. False if the number of digits
 * is odd or a character is not such a digit; the content of `to` is then unspecified. */
bool haft__hex_read(haft_str digits, void *to);

#define HAFT__HEX_U64 16 /* digits of a 64-bit number */

/* Reads HAFT__HEX_U64 lower-case digits, the highest first. False for any other text. */
bool haft__hex_read_u64(haft_str digits, uint64_t *ret_number);

#endif
