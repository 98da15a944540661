/* SPDX-License-Identifier: Apache-2.0 */
/* str.c - string views. Tests: tests/base/str_test.c. */
#include "base/str.h"

#include <stdlib.h>

#include "base/ascii.h"

int haft__str_compare(haft_str a, haft_str b)
{
    size_t shorter = a.len < b.len ? a.len : b.len;
    int order = shorter > 0 ? memcmp(a.ptr, b.ptr, shorter) : 0;
    if (order != 0) {
        return order;
    }
    return (a.len > b.len) - (a.len < b.len);
}

bool haft__str_starts_with(haft_str s, haft_str prefix)
{
    return s.len >= prefix.len && haft__str_equal((haft_str){s.ptr, prefix.len}, prefix);
}

bool haft__str_ends_with(haft_str s, haft_str suffix)
{
    return s.len >= suffix.len && haft__str_equal(haft__str_skip(s, s.len - suffix.len), suffix);
}

bool haft__str_is_token(haft_str s)
{
    for (size_t i = 0; i < s.len; i++) {
        char c = s.ptr[i];
        bool other = c != '\0' && strchr("!#$%&'*+-.^_`|~", c) != NULL;
        if (!haft__ascii_is_alphanumeric(c) && !other) {
            return false;
        }
    }
    return s.len > 0;
}

haft_str haft__str_skip(haft_str s, size_t count)
{
    if (count >= s.len) {
        return (haft_str){NULL, 0};
    }
    return (haft_str){s.ptr + count, s.len - count};
}

haft_str haft__str_trim(haft_str s)
{
    while (s.len > 0 && haft__ascii_is_space(s.ptr[0])) {
        s = haft__str_skip(s, 1);
    }
    while (s.len > 0 && haft__ascii_is_space(s.ptr[s.len - 1])) {
        s.len--;
    }
    return s;
}

bool haft__str_is_one_of(haft_str s, const char *const *words, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (haft__str_equal(s, haft__str(words[i]))) {
            return true;
        }
    }
    return false;
}

bool haft__str_equal_ignore_case(haft_str a, haft_str b)
{
    size_t i = 0;
    while (i < a.len && i < b.len && haft__ascii_lower(a.ptr[i]) == haft__ascii_lower(b.ptr[i])) {
        i++;
    }
    return a.len == b.len && i == a.len;
}

bool haft__str_contains_ignore_case(haft_str s, haft_str word)
{
    for (size_t i = 0; i + word.len <= s.len; i++) {
        if (haft__str_equal_ignore_case((haft_str){s.ptr + i, word.len}, word)) {
            return true;
        }
    }
    return false;
}

haft_str haft__str_split(haft_str *rest, char separator)
{
    haft_str all = *rest;
    const char *at = all.len > 0 ? memchr(all.ptr, separator, all.len) : NULL;
    if (at == NULL) {
        *rest = (haft_str){NULL, 0};
        return all;
    }
    size_t length = (size_t)(at - all.ptr);
    *rest = haft__str_skip(all, length + 1);
    return (haft_str){all.ptr, length};
}

char *haft__str_duplicate(haft_str s)
{
    char *copy = malloc(s.len + 1);
    if (copy == NULL) {
        return NULL;
    }
    if (s.len > 0) {
        memcpy(copy, s.ptr, s.len);
    }
    copy[s.len] = '\0';
    return copy;
}

bool haft__str_to_u64(haft_str s, uint64_t *ret_number)
{
    uint64_t number = 0;
    for (size_t i = 0; i < s.len; i++) {
        unsigned digit = (unsigned)(unsigned char)s.ptr[i] - '0';
        if (digit > 9 || __builtin_mul_overflow(number, 10U, &number)
            || __builtin_add_overflow(number, digit, &number)) {
            return false;
        }
    }
    if (s.len == 0) {
        return false;
    }
    *ret_number = number;
    return true;
}
