/* SPDX-License-Identifier: Apache-2.0 */
/*
 * json/syntax.h - shared by the strict and the incremental reader: the wording of errors, the
 * search for the end of plain text in a string, and escapes. Private to src/json.
 */
#ifndef HAFT_JSON_SYNTAX_H
#define HAFT_JSON_SYNTAX_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/macros.h"
#include "haft.h"

/* Every error in a text: the expectation, and a hint if one is known. */
#define HAFT__JSON_PROBLEMS(X)                                                                     \
    X(VALUE, "expected a value", "")                                                               \
    X(VALUE_OR_END, "expected a value or ']'", "")                                                 \
    X(KEY, "expected a key in double quotes", "a comma must be followed by another member")        \
    X(KEY_OR_END, "expected a key in double quotes or '}'", "")                                    \
    X(COLON, "expected ':' after the key", "")                                                     \
    X(COMMA_OBJECT, "expected ',' or '}' after the member", "")                                    \
    X(COMMA_ARRAY, "expected ',' or ']' after the item", "")                                       \
    X(NOTHING, "expected nothing after the value", "")                                             \
    X(LITERAL, "expected true, false or null", "")                                                 \
    X(DIGIT, "expected a digit in the number", "")                                                 \
    X(LEADING_ZERO, "expected no digit after a leading 0", "")                                     \
    X(ESCAPE, "expected one of \"\\/bfnrtu after a backslash", "")                                 \
    X(HEX, "expected four hex digits after \\u", "")                                               \
    X(STRING_END, "expected the end of the string", "")                                            \
    X(CONTROL, "expected no raw control character in the string",                                  \
      "write it as \\n, \\t or \\u00..")                                                           \
    X(UTF8, "expected valid UTF-8 in the string", "the text is not UTF-8")                         \
    X(BOM, "expected a value", "if this is a byte order mark, save the text as UTF-8 without one") \
    X(COMMENT_END, "expected */ at the end of the comment", "")                                    \
    X(FENCE_END, "expected nothing after the closing fence", "")                                   \
    X(FENCE_NUMBER, "expected a closing fence or a new line after the number",                     \
      "it may be cut off")                                                                         \
    X(NUMBER_END, "expected a new line after the number", "it may be cut off")

typedef enum haft__json_problem {
#define X(name, wanted, hint) HAFT__JSON_PROBLEM_##name,
    HAFT__JSON_PROBLEMS(X)
#undef X
} haft__json_problem;

/* A position in a text: the offset from 0, line and column from 1, all in bytes. */
typedef struct haft__json_position {
    size_t offset, line, column;
} haft__json_position;

haft__json_position haft__json_position_of(haft_str text, size_t offset);

#define HAFT__JSON_END_OF_TEXT (-1)

static inline int haft__json_byte_at(haft_str text, size_t offset)
{
    return offset < text.len ? (unsigned char)text.ptr[offset] : HAFT__JSON_END_OF_TEXT;
}

/* A text that starts with this byte starts with a byte order mark, or is not JSON. */
#define HAFT__JSON_BOM ((char)0xEF)

/* BAD_INPUT with a message that names the expectation and the byte `found` (or
 * HAFT__JSON_END_OF_TEXT). */
haft_status haft__json_fail(haft_error *err, haft__json_problem problem, haft__json_position place,
                            int found);

/* BAD_INPUT: the key occurs more than once in an object that must have distinct keys. */
haft_status haft__json_fail_duplicate(haft_error *err, const char *where, haft_str key);

/* Writes "line:column (byte offset)". */
void haft__json_position_format(char *to, size_t size, haft__json_position place);

/* TOO_BIG: "more than 256 levels of nesting". */
haft_status haft__json_fail_limit(haft_error *err, haft__json_position place, size_t limit,
                                  const char *of_what);

/* Eight bytes of text as a word; the first byte is the lowest. */
static inline uint64_t haft__json_load8(const char *p)
{
    uint64_t word;
    memcpy(&word, p, sizeof(word));
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    word = __builtin_bswap64(word);
#endif
    return word;
}

/* Bytes of a string that stand for themselves: neither quote nor backslash, not below 0x20, ASCII.
 */
static inline bool haft__json_is_plain(char c)
{
    return (unsigned char)c >= 0x20 && (unsigned char)c < 0x80 && c != '"' && c != '\\';
}

/* The number of plain bytes before the first that is not plain, among the eight at `p`. In each sum
 * below, the lowest marked byte is exact, and only the lowest is used. */
static inline size_t haft__json_plain8(const char *p)
{
    const uint64_t ones = 0x0101010101010101U, highs = 0x8080808080808080U;
    uint64_t x = haft__json_load8(p);
    uint64_t quote = x ^ (ones * '"'), backslash = x ^ (ones * '\\');
    uint64_t stop = ((quote - ones) & ~quote) | ((backslash - ones) & ~backslash)
                    | ((x - ones * 0x20) & ~x) | x;
    stop &= highs;
    return stop != 0 ? (size_t)__builtin_ctzll(stop) >> 3 : 8;
}

/* The first byte in [p, end) that is not plain, or `end`. */
static inline const char *haft__json_skip_plain(const char *p, const char *end)
{
    while (end - p >= 8) {
        size_t plain = haft__json_plain8(p);
        p += plain;
        if (plain < 8) {
            return p;
        }
    }
    while (p < end && haft__json_is_plain(*p)) {
        p++;
    }
    return p;
}

/* The byte that `\c` encodes, or 0 if c starts no simple escape. */
static inline char haft__json_simple_escape(char c)
{
    static const char meant[256] = {
        ['"'] = '"',  ['\\'] = '\\', ['/'] = '/',  ['b'] = '\b',
        ['f'] = '\f', ['n'] = '\n',  ['r'] = '\r', ['t'] = '\t',
    };
    return meant[(unsigned char)c];
}

static inline bool haft__json_is_high_surrogate(uint32_t code)
{
    return (code & 0xFC00U) == 0xD800U;
}

static inline bool haft__json_is_low_surrogate(uint32_t code)
{
    return (code & 0xFC00U) == 0xDC00U;
}

static inline uint32_t haft__json_join_surrogates(uint32_t high, uint32_t low)
{
    return 0x10000U + ((high & 0x3FFU) << 10) + (low & 0x3FFU);
}

#endif
