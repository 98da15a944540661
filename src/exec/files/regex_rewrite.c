/* SPDX-License-Identifier: Apache-2.0 */
/*
 * regex_rewrite.c - rewrites a regular expression so that it cannot match a line feed.
 *
 *     \s \W \D \H        [^\S\n] and the like
 *     [^...]             [^\n...]
 *     $ \z \Z            (?=\r?$): lines may end in CR LF
 *     \A                 ^
 *     may match \n (?:(?!\n)...): \v \p{..} and classes such as [\s,] or [\x00-\x1f]
 *
 * The flags m and s are removed: ^ and $ refer to lines, and the dot never matches a line feed.
 * PCRE2 has compiled the expression, so its syntax is valid; unknown syntax is copied.
 * Tests: tests/exec/files/regex_rewrite_test.c. Fuzzer: fuzz/oneline.c.
 */
#include "exec/files/regex_rewrite.h"

#include <stdbool.h>

#include "base/ascii.h"
#include "base/error.h"
#include "base/hex.h"
#include "base/macros.h"
#include "base/str.h"
#include "base/utf8.h"

#define NO_LF "(?:(?!\\n)"

typedef struct rewriter {
    haft_str text;
    size_t at;
    haft__buf *out;
    haft_error *err;
} rewriter;

static char peek(const rewriter *r, size_t ahead)
{
    return r->at + ahead < r->text.len ? r->text.ptr[r->at + ahead] : '\0';
}

static bool looking_at(const rewriter *r, const char *text)
{
    return haft__str_starts_with(haft__str_skip(r->text, r->at), haft__str(text));
}

static void put(rewriter *r, const char *text)
{
    haft__buf_add_str(r->out, haft__str(text));
}

/* Copies the next bytes unchanged. */
static haft_status copy(rewriter *r, size_t count)
{
    size_t left = r->text.len - r->at;
    count = count < left ? count : left;
    haft__buf_add(r->out, r->text.ptr + r->at, count);
    r->at += count;
    return HAFT_OK;
}

static size_t character(const rewriter *r)
{
    return haft__utf8_length((haft_str){r->text.ptr, r->at}) + 1;
}

static haft_status fail_line_feed(const rewriter *r)
{
    haft_status status = haft__fail(
        r->err, HAFT_BAD_INPUT, "",
        "the pattern contains a line feed (character %zu), but each line is matched by itself",
        character(r));
    return haft__hint(r->err, status, "search for one of the lines, then read around it");
}

static haft_status fail_unsupported(const rewriter *r, size_t length)
{
    haft_str what = haft__str_skip(r->text, r->at);
    what.len = what.len < length ? what.len : length;
    haft_status status =
        haft__fail(r->err, HAFT_UNSUPPORTED, "", "grep does not support '%.*s' (character %zu)",
                   HAFT__ARG(what), character(r));
    return haft__hint(r->err, status, "write the pattern without it");
}

/* ---- escapes ---- */

/* Parses up to `count` digits from `ahead` on; *ret_used is their number. */
static unsigned long read_digits(const rewriter *r, size_t ahead, size_t count, unsigned base,
                                 size_t *ret_used)
{
    unsigned long value = 0;
    size_t used = 0;
    for (; used < count; used++) {
        int digit = haft__hex_value(peek(r, ahead + used));
        if (digit < 0 || (unsigned)digit >= base) {
            break;
        }
        value = value * base + (unsigned long)digit;
    }
    *ret_used = used;
    return value;
}

/* The number in \xhh, \x{hhh} or \o{ooo}; *ret_length is the length of the escape. */
static unsigned long read_number(const rewriter *r, unsigned base, size_t *ret_length)
{
    bool braces = peek(r, 2) == '{';
    size_t used, max = braces ? 32 : 2;
    unsigned long value = read_digits(r, braces ? 3 : 2, max, base, &used);
    *ret_length = 2 + used + (braces ? 2 : 0);
    return value;
}

/* Whether the escape is a line feed. *ret_length is the length of the escape. */
static bool names_line_feed(const rewriter *r, size_t *ret_length)
{
    size_t used;
    unsigned long value = 0;
    *ret_length = 2;
    switch (peek(r, 1)) {
    case 'n': return true;
    case 'c': /* a bracket or a backslash may follow */
        *ret_length = 3;
        return peek(r, 2) == 'J' || peek(r, 2) == 'j';
    case 'x': return read_number(r, 16, ret_length) == '\n';
    case 'o': return read_number(r, 8, ret_length) == '\n';
    case '0':
    case '1': /* \12 may also be a back reference; a pattern can write \g{12} instead */
        value = read_digits(r, 1, 3, 8, &used);
        *ret_length = 1 + used;
        return value == '\n';
    default: return false;
    }
}

/* The length of a quotation from \Q to \E, with both. All characters between them are literal. */
static size_t quoted_length(const rewriter *r)
{
    size_t length = 2;
    while (r->at + length < r->text.len
           && !(peek(r, length) == '\\' && peek(r, length + 1) == 'E')) {
        length++;
    }
    return length + 2;
}

static haft_status copy_quoted(rewriter *r)
{
    size_t length = quoted_length(r), left = r->text.len - r->at;
    length = length < left ? length : left;
    if (memchr(r->text.ptr + r->at, '\n', length) != NULL) {
        return fail_line_feed(r);
    }
    return copy(r, length);
}

/* Rewrites a property at \p or \P, so that it cannot match a line feed. */
static haft_status guard_property(rewriter *r)
{
    size_t length = 3;
    while (peek(r, 2) == '{' && r->at + length < r->text.len && peek(r, length - 1) != '}') {
        length++;
    }
    put(r, NO_LF);
    (void)copy(r, length);
    put(r, ")");
    return HAFT_OK;
}

static const struct {
    char letter;
    const char *instead;
} escapes[] = {
    {'s', "[^\\S\\n]"}, {'W', "[^\\w\\n]"},  {'D', "[^\\d\\n]"}, {'H', "[^\\h\\n]"},
    {'A', "^"},         {'v', NO_LF "\\v)"}, {'z', "(?=\\r?$)"}, {'Z', "(?=\\r?$)"},
};

static haft_status rewrite_escape(rewriter *r)
{
    size_t length = 2;
    char letter = peek(r, 1);
    for (size_t i = 0; i < COUNT(escapes); i++) {
        if (escapes[i].letter == letter) {
            put(r, escapes[i].instead);
            r->at += 2;
            return HAFT_OK;
        }
    }
    switch (letter) {
    case 'Q': return copy_quoted(r);
    case 'p':
    case 'P': return guard_property(r);
    case 'R':
    case 'X':
    case 'C':
    case 'G': return fail_unsupported(r, 2);
    case 'N': return looking_at(r, "\\N{U+") ? fail_unsupported(r, 3) : copy(r, 2);
    default: return names_line_feed(r, &length) ? fail_line_feed(r) : copy(r, length);
    }
}

/* ---- classes ---- */

typedef struct class_facts {
    size_t length; /* including both brackets */
    bool negated;
    bool risky;  /* may match a line feed, unless it is negated */
    bool quoted; /* contains \Q or \E, so that its first item is hard to find */
} class_facts;

/* The length of an escape in a class. An escaped letter is harmless if it cannot match the line
 * feed and cannot begin a range that contains it. Escaped punctuation is always harmless. */
static size_t scan_escape(const rewriter *r, class_facts *facts)
{
    char letter = peek(r, 1);
    size_t length;
    (void)names_line_feed(r, &length);
    bool begins_range = peek(r, length) == '-';
    bool harmless = letter != '\0' && strchr(begins_range ? "dwSh" : "dwShtrfe", letter) != NULL;
    facts->risky = facts->risky || (haft__ascii_is_alphanumeric(letter) && !harmless);
    facts->quoted = facts->quoted || letter == 'Q' || letter == 'E';
    return length;
}

/* The length of a class name such as [:space:] or [:^alpha:]; 1 if it is only a bracket. */
static size_t scan_class_name(const rewriter *r, class_facts *facts)
{
    size_t end = 2 + (peek(r, 2) == '^');
    while (haft__ascii_is_lower(peek(r, end))) {
        end++;
    }
    facts->risky = true;
    return peek(r, end) == ':' && peek(r, end + 1) == ']' ? end + 2 : 1;
}

/* The length of the current class item. */
static size_t scan_class_item(const rewriter *r, class_facts *facts)
{
    if (looking_at(r, "\\Q")) {
        facts->risky = facts->quoted = true;
        return quoted_length(r);
    }
    if (peek(r, 0) == '\\') {
        return scan_escape(r, facts);
    }
    if (looking_at(r, "[:")) {
        return scan_class_name(r, facts);
    }
    facts->risky = facts->risky || (unsigned char)peek(r, 0) < ' ';
    return 1;
}

/* Skips \E and \Q\E at the beginning of a class, which have no effect. */
static void skip_empty_quotes(rewriter *r, class_facts *facts)
{
    while (looking_at(r, "\\E") || looking_at(r, "\\Q\\E")) {
        r->at += looking_at(r, "\\E") ? 2 : 4;
        facts->quoted = true;
    }
}

/* At a bracket. */
static class_facts scan_class(rewriter r)
{
    class_facts facts = {.length = 0};
    size_t start = r.at++;
    skip_empty_quotes(&r, &facts);
    facts.negated = peek(&r, 0) == '^';
    r.at += facts.negated;
    skip_empty_quotes(&r, &facts);
    do { /* a ] at the beginning is an item */
        r.at += scan_class_item(&r, &facts);
    } while (r.at < r.text.len && peek(&r, 0) != ']');
    facts.length = r.at + 1 - start;
    return facts;
}

static haft_status rewrite_class(rewriter *r)
{
    if (looking_at(r, "[[:<:]]") || looking_at(r, "[[:>:]]")) {
        return copy(r, 7); /* word boundaries */
    }
    class_facts facts = scan_class(*r);
    if (facts.negated && !facts.quoted) {
        /* A ] or - has another meaning when it is not the first item, so it is escaped. */
        char first = peek(r, 2);
        put(r, first == ']' || first == '-' ? "[^\\n\\" : "[^\\n");
        r->at += 2;
        return copy(r, facts.length - 2);
    }
    bool guarded = facts.negated || facts.risky;
    put(r, guarded ? NO_LF : "");
    (void)copy(r, facts.length);
    put(r, guarded ? ")" : "");
    return HAFT_OK;
}

/* ---- groups ---- */

/* Number of flag bytes after "(?"; 0 for another kind of group. */
static size_t count_flags(const rewriter *r)
{
    size_t count = 0;
    while (peek(r, 2 + count) != '\0' && strchr("imsxnJU^-", peek(r, 2 + count)) != NULL) {
        count++;
    }
    char end = peek(r, 2 + count);
    return end == ')' || end == ':' ? count : 0;
}

static haft_status rewrite_flags(rewriter *r, size_t count)
{
    bool disables = false;
    put(r, "(?");
    for (size_t i = 0; i < count; i++) {
        char flag = peek(r, 2 + i);
        disables = disables || flag == '-';
        if (flag == 'x' && !disables) {
            return fail_unsupported(r, 2 + count);
        }
        if (flag != 'm' && flag != 's' && flag != 'x') {
            haft__buf_add_char(r->out, flag);
        }
        if (flag == '^') { /* clears all flags */
            haft__buf_add_char(r->out, 'm');
        }
    }
    r->at += 2 + count;
    return HAFT_OK;
}

static haft_status rewrite_group(rewriter *r)
{
    if (looking_at(r, "(*") || looking_at(r, "(?C") || looking_at(r, "(?[")) {
        return fail_unsupported(r, 3);
    }
    if (looking_at(r, "(?#")) { /* a comment */
        haft_str rest = haft__str_skip(r->text, r->at);
        return copy(r, haft__str_split(&rest, ')').len + 1);
    }
    size_t flags = peek(r, 1) == '?' ? count_flags(r) : 0;
    char first = peek(r, 2);
    if (flags == 0 && peek(r, 1) == '?' && (haft__ascii_is_lower(first) || first == '^')) {
        return fail_unsupported(r, 3); /* flags of a newer PCRE2 */
    }
    return flags > 0 ? rewrite_flags(r, flags) : copy(r, 1);
}

static haft_status rewrite_next(rewriter *r)
{
    switch (peek(r, 0)) {
    case '\\': return rewrite_escape(r);
    case '[': return rewrite_class(r);
    case '(': return rewrite_group(r);
    case '\n': return fail_line_feed(r);
    case '$':
        put(r, "(?=\\r?$)");
        r->at++;
        return HAFT_OK;
    default: return copy(r, 1);
    }
}

haft_status haft__regex_rewrite_single_line(haft_str pattern, haft__buf *ret_pattern,
                                            haft_error *err)
{
    rewriter r = {.text = pattern, .out = ret_pattern, .err = err};
    while (r.at < pattern.len) {
        haft_status status = rewrite_next(&r);
        if (status != HAFT_OK) {
            return status;
        }
    }
    return haft__buf_check(ret_pattern, err);
}
