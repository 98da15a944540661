/* SPDX-License-Identifier: Apache-2.0 */
/*
 * filter.c - patterns with `*` for names of tools.
 *
 * The text before the first `*` must be a prefix of the name, the text after the last `*` a suffix.
 * The pieces between them are found from left to right, each at its first occurrence. The search
 * uses the Knuth-Morris-Pratt algorithm, so that the cost is linear in the lengths of pattern and
 * name.
 *
 * Tests: tests/tool/filter_test.c.
 */
#include "base/limits.h"
#include "base/str.h"
#include "tool/registry.h"

/* The length of the match after one more byte `c`; `fall` is the failure function of `piece`. */
static size_t advance(haft_str piece, const uint8_t *fall, size_t fits, char c)
{
    while (fits > 0 && piece.ptr[fits] != c) {
        fits = fall[fits - 1];
    }
    return fits + (piece.ptr[fits] == c);
}

/* The end of the first occurrence of `piece` (not empty) in `text`; SIZE_MAX if there is none. */
static size_t end_of(haft_str piece, haft_str text)
{
    uint8_t fall[HAFT__LIMIT_TOOL_NAME_BYTES] = {0};
    if (piece.len > text.len) {
        return SIZE_MAX;
    }
    for (size_t i = 1; i < piece.len; i++) {
        fall[i] = (uint8_t)advance(piece, fall, fall[i - 1], piece.ptr[i]);
    }
    size_t fits = 0;
    for (size_t i = 0; i < text.len; i++) {
        fits = advance(piece, fall, fits, text.ptr[i]);
        if (fits == piece.len) {
            return i + 1;
        }
    }
    return SIZE_MAX;
}

/* Matches the pattern after its first `*`: every piece except the last may be anywhere. */
static bool rest_matches(haft_str pattern, haft_str name)
{
    while (memchr(pattern.ptr, '*', pattern.len) != NULL) {
        haft_str piece = haft__str_split(&pattern, '*');
        if (piece.len > 0) {
            size_t end = end_of(piece, name);
            if (end == SIZE_MAX) {
                return false;
            }
            name = haft__str_skip(name, end);
        }
        if (pattern.len == 0) { /* it ended with `*` */
            return true;
        }
    }
    return haft__str_ends_with(name, pattern);
}

bool haft__filter_matches(haft_str pattern, haft_str name)
{
    if (name.len > HAFT__LIMIT_TOOL_NAME_BYTES) {
        return false;
    }
    const char *star = pattern.len > 0 ? memchr(pattern.ptr, '*', pattern.len) : NULL;
    if (star == NULL) {
        return haft__str_equal(pattern, name);
    }
    haft_str start = {pattern.ptr, (size_t)(star - pattern.ptr)};
    if (!haft__str_starts_with(name, start)) {
        return false;
    }
    haft_str rest = haft__str_skip(pattern, start.len + 1);
    return rest.len == 0 || rest_matches(rest, haft__str_skip(name, start.len));
}

static bool any_matches(haft_str name, const haft_str *patterns, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (haft__filter_matches(patterns[i], name)) {
            return true;
        }
    }
    return false;
}

bool haft__filter_passes(haft_str name, const haft_str *allow, size_t allow_count,
                         const haft_str *deny, size_t deny_count)
{
    return (allow_count == 0 || any_matches(name, allow, allow_count))
           && !any_matches(name, deny, deny_count);
}
