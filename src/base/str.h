/* SPDX-License-Identifier: Apache-2.0 */
/* base/str.h - a view of text that belongs to somebody else; never NUL-terminated. */
#ifndef HAFT_BASE_STR_H
#define HAFT_BASE_STR_H

#include <stdbool.h>
#include <string.h>

#include "haft.h"

/* A view of a string literal, measured by the compiler. */
#define HAFT__LIT(literal) ((haft_str){("" literal), sizeof(literal) - 1})

/* For "%.*s". Cuts at 4096 bytes: an int cannot say every length, and messages are shorter. */
#define HAFT__ARG(s) (int)((s).len > 4096 ? 4096 : (s).len), ((s).len > 0 ? (s).ptr : "")

static inline haft_str haft__str(const char *text)
{
    return (haft_str){text, strlen(text)};
}

static inline bool haft__str_equal(haft_str a, haft_str b)
{
    /* Texts that are compared mostly differ, and then in the first byte. */
    return a.len == b.len && (a.len == 0 || (*a.ptr == *b.ptr && memcmp(a.ptr, b.ptr, a.len) == 0));
}

/* ASCII letters are the same in both cases. */
bool haft__str_equal_ignore_case(haft_str a, haft_str b);

/* Whether `word` stands anywhere in `s`; cases as above. */
bool haft__str_contains_ignore_case(haft_str s, haft_str word);

/* Byte order, which for UTF-8 is code point order. Negative, zero or positive. */
int haft__str_compare(haft_str a, haft_str b);

bool haft__str_starts_with(haft_str s, haft_str prefix);
bool haft__str_ends_with(haft_str s, haft_str suffix);

/* Whether it is a token of HTTP, such as the name of a method or header (RFC 9110, section 5.6.2).
 */
bool haft__str_is_token(haft_str s);

/* What is left after the first `count` bytes; empty when there are fewer. */
haft_str haft__str_skip(haft_str s, size_t count);

/* Without ASCII white space (space, tab, CR, LF) at both ends. */
haft_str haft__str_trim(haft_str s);

/* Cuts *rest at the first `separator`: returns what stands before it and leaves in *rest what
 * stands behind it; without one, returns all and leaves *rest empty. */
haft_str haft__str_split(haft_str *rest, char separator);

/* A decimal integer without sign or white space. False when it is not one or does not fit. */
bool haft__str_to_u64(haft_str s, uint64_t *ret_number);

#endif
