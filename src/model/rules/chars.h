/* SPDX-License-Identifier: Apache-2.0 */
/* model/rules/chars.h - character classes of the offline planner, beyond those of base/ascii.h. */
#ifndef HAFT_MODEL_RULES_CHARS_H
#define HAFT_MODEL_RULES_CHARS_H

#include "base/ascii.h"

/* Bytes of non-ASCII characters count as letters. */
static inline bool is_letter(char c)
{
    return haft__ascii_is_letter(c) || (unsigned char)c >= 0x80;
}

/* A character of an identifier. */
static inline bool is_name_char(char c)
{
    return haft__ascii_is_alphanumeric(c) || c == '_';
}

#endif
