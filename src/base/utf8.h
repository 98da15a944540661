/* SPDX-License-Identifier: Apache-2.0 */
/* base/utf8.h - UTF-8 by RFC 3629: no overlong forms, no surrogates, no code points past
 * U+10FFFF. */
#ifndef HAFT_BASE_UTF8_H
#define HAFT_BASE_UTF8_H

#include <stdbool.h>
#include <stdint.h>

#include "haft.h"

#define HAFT__UTF8_REPLACEMENT 0xFFFDU
#define HAFT__UTF8_MAX_BYTES   4

/* Decodes one code point at the start of `s`. Returns its length in bytes; 0, with *ret_code
 * unchanged, if the bytes are not valid UTF-8 or `s` is empty. */
size_t haft__utf8_decode(haft_str s, uint32_t *ret_code);

/* Writes `code` (at most 0x10FFFF, not a surrogate). Returns the number of bytes. */
size_t haft__utf8_encode(uint32_t code, char to[HAFT__UTF8_MAX_BYTES]);

/* The number of bytes at the start of `s` that are valid UTF-8; s.len if all are valid. */
size_t haft__utf8_valid_prefix(haft_str s);

static inline bool haft__utf8_valid(haft_str s)
{
    return haft__utf8_valid_prefix(s) == s.len;
}

/* Whether `s` is a proper prefix of a valid sequence, which more bytes could complete. */
bool haft__utf8_incomplete(haft_str s);

/* The length of `s` without an incomplete character at its end that more bytes could complete. */
size_t haft__utf8_complete_prefix(haft_str s);

/* The largest offset not past `at` that does not split a character. `s` should be valid UTF-8. */
size_t haft__utf8_floor(haft_str s, size_t at);

/* The number of code points; an invalid byte counts as one. */
size_t haft__utf8_length(haft_str s);

/* The number of bytes of the first `count` code points; s.len if there are fewer code points. */
size_t haft__utf8_offset(haft_str s, size_t count);

/* Replaces every byte that is not part of a valid sequence by '?'. */
void haft__utf8_replace_invalid(char *text, size_t length);

#endif
