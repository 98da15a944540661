/* SPDX-License-Identifier: Apache-2.0 */
/* model/rules/chars.h - character classes for the offline planner. */
#ifndef HAFT_MODEL_RULES_CHARS_H
#define HAFT_MODEL_RULES_CHARS_H

#include <stdbool.h>

static inline bool is_lower(char c)
{
    return c >= 'a' && c <= 'z';
}

static inline bool is_upper(char c)
{
    return c >= 'A' && c <= 'Z';
}

/* Bytes of non-ASCII characters count as letters. */
static inline bool is_letter(char c)
{
    return is_lower(c) || is_upper(c) || (unsigned char)c >= 0x80;
}

static inline bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* A character of an identifier. */
static inline bool is_name_char(char c)
{
    return is_lower(c) || is_upper(c) || is_digit(c) || c == '_';
}

static inline bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

static inline char to_lower(char c)
{
    return is_upper(c) ? (char)(c - 'A' + 'a') : c;
}

static inline char to_upper(char c)
{
    return is_lower(c) ? (char)(c - 'a' + 'A') : c;
}

#endif
