/* SPDX-License-Identifier: Apache-2.0 */
/* base/str.h - a borrowed view of text; not NUL-terminated. */
#ifndef HAFT_BASE_STR_H
#define HAFT_BASE_STR_H

#include <stdbool.h>
#include <string.h>

#include "haft.h"

/* A view of a string literal; the compiler computes its length. */
#define HAFT__LIT(literal) ((haft_str){("" literal), sizeof(literal) - 1})

/* The arguments for "%.*s". Limits the length to 4096 bytes, because an int cannot represent every
 * length. */
#define HAFT__ARG(s) (int)((s).len > 4096 ? 4096 : (s).len), ((s).len > 0 ? (s).ptr : "")

static inline haft_str haft__str(const char *text)
{
    return (haft_str){text, strlen(text)};
}

static inline bool haft__str_equal(haft_str a, haft_str b)
{
    /* Most compared texts differ, and usually in the first byte. */
    return a.len == b.len && (a.len == 0 || (*a.ptr == *b.ptr && memcmp(a.ptr, b.ptr, a.len) == 0));
}

/* Whether `s` equals one of the `count` words. */
bool haft__str_is_one_of(haft_str s, const char *const *words, size_t count);

/* ASCII letters compare equal in both cases. */
bool haft__str_equal_ignore_case(haft_str a, haft_str b);

/* Whether `word` occurs in `s`; ASCII case is ignored. */
bool haft__str_contains_ignore_case(haft_str s, haft_str word);

/* Byte order, which for UTF-8 is code point order. Negative, zero or positive. */
int haft__str_compare(haft_str a, haft_str b);

bool haft__str_starts_with(haft_str s, haft_str prefix);
bool haft__str_ends_with(haft_str s, haft_str suffix);

/* Whether `s` is an HTTP token, such as the name of a method or header (RFC 9110, section
 * 5.6.2). */
bool haft__str_is_token(haft_str s);

/* The text after the first `count` bytes; empty if `s` is shorter. */
haft_str haft__str_skip(haft_str s, size_t count);

/* Removes ASCII white space (space, tab, CR, LF) at both ends. */
haft_str haft__str_trim(haft_str s);

/* Splits *rest at the first `separator`: returns the text before it and leaves the text after it in
 * *rest. Without a separator, returns the whole text and leaves *rest empty. */
haft_str haft__str_split(haft_str *rest, char separator);

/* A copy on the heap, NUL-terminated; the caller frees it. NULL if out of memory. */
char *haft__str_duplicate(haft_str s);

/* Parses a decimal integer without sign or white space. Returns false for any other text, and if
 * the number does not fit. */
bool haft__str_to_u64(haft_str s, uint64_t *ret_number);

#endif
