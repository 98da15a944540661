/* SPDX-License-Identifier: Apache-2.0 */
/*
 * base/ascii.h - classes of ASCII characters, and their case. No locale.
 *
 * The argument is a byte (char or unsigned char), a code point or -1. Nothing outside ASCII belongs
 * to a class.
 */
#ifndef HAFT_BASE_ASCII_H
#define HAFT_BASE_ASCII_H

#include <stdbool.h>

static inline bool haft__ascii_is_digit(int c)
{
    return c >= '0' && c <= '9';
}

static inline bool haft__ascii_is_lower(int c)
{
    return c >= 'a' && c <= 'z';
}

static inline bool haft__ascii_is_upper(int c)
{
    return c >= 'A' && c <= 'Z';
}

static inline bool haft__ascii_is_letter(int c)
{
    return haft__ascii_is_lower(c) || haft__ascii_is_upper(c);
}

static inline bool haft__ascii_is_alphanumeric(int c)
{
    return haft__ascii_is_letter(c) || haft__ascii_is_digit(c);
}

/* Space or tab. */
static inline bool haft__ascii_is_blank(int c)
{
    return c == ' ' || c == '\t';
}

/* Space, tab, CR or LF: the white space of JSON. */
static inline bool haft__ascii_is_space(int c)
{
    return haft__ascii_is_blank(c) || c == '\r' || c == '\n';
}

static inline char haft__ascii_lower(char c)
{
    return haft__ascii_is_upper(c) ? (char)(c | 0x20) : c;
}

static inline char haft__ascii_upper(char c)
{
    return haft__ascii_is_lower(c) ? (char)(c & ~0x20) : c;
}

#endif
