/* SPDX-License-Identifier: Apache-2.0 */
/*
 * literals.c - extracts the texts that a matching line must contain.
 *
 * Each alternative has one literal: its longest run of literal characters outside of groups and
 * classes, which are skipped. A run ends before a character that is optional (? * {0,3}), and after
 * a character that can repeat (+ {2,}). Unknown escapes and flags end the extraction without
 * literals. Tests: tests/exec/files/literals_test.c.
 */
#include "exec/files/literals.h"

#include "base/ascii.h"
#include "base/str.h"

typedef struct reader {
    haft_str text;
    size_t at;
    bool any_case;
    haft__literals *literals;
    unsigned char run[HAFT__LITERAL_BYTES]; /* consecutive literal characters */
    size_t run_length, last;                /* length of the run, and of its last character */
    haft__literal best;                     /* longest run of the alternative */
} reader;

static char peek(const reader *r, size_t ahead)
{
    return r->at + ahead < r->text.len ? r->text.ptr[r->at + ahead] : '\0';
}

/* ---- byte frequencies ---- */

/* Frequency rank of a byte in source code and prose, higher is more common; 0 for all others. */
static size_t byte_frequency(unsigned char c)
{
    static const char order[] = "XZQJKYVWUGHBFMDONLPRACSITE;:\"'*>=<-/9876543210.,(zqjxkvwybg_"
                                "fmphdulcosnrait e";
    const char *found = c != '\0' ? strchr(order, c) : NULL;
    return found != NULL ? (size_t)(found - order) + 1 : 0;
}

/* The position of the rarest byte of the literal, not counting the position `except`. */
static uint8_t rarest(const haft__literal *literal, uint8_t except)
{
    uint8_t best = except;
    for (uint8_t i = 0; i < literal->length; i++) {
        bool first = best == except;
        if (i != except
            && (first || byte_frequency(literal->text[i]) < byte_frequency(literal->text[best]))) {
            best = i;
        }
    }
    return best;
}

/* ---- runs ---- */

/* Ends the run; it becomes the literal of the alternative if it is the longest. */
static void end_run(reader *r)
{
    if (r->run_length > r->best.length) {
        haft__literal literal = {.length = (uint8_t)r->run_length};
        for (size_t i = 0; i < r->run_length; i++) {
            bool folded = r->any_case && haft__ascii_is_letter(r->run[i]);
            literal.ignored[i] = folded ? 0x20 : 0;
            literal.text[i] = r->run[i] | literal.ignored[i];
        }
        r->best = literal;
    }
    r->run_length = r->last = 0;
}

/* Adds a character of `length` bytes. Case is ignored only for ASCII letters other than K and S,
 * because K and S each have a third form in Unicode. */
static void add_character(reader *r, size_t length)
{
    unsigned char first = (unsigned char)peek(r, 0);
    bool case_unsafe =
        first >= 0x80 || (haft__ascii_is_letter(first) && strchr("ks", first | 0x20) != NULL);
    if ((r->any_case && case_unsafe) || r->run_length + length > HAFT__LITERAL_BYTES) {
        end_run(r);
    }
    if (!(r->any_case && case_unsafe)) {
        memcpy(r->run + r->run_length, r->text.ptr + r->at, length);
        r->run_length += length;
        r->last = length;
    }
    r->at += length;
}

/* Adds the next character with all its bytes. */
static void read_character(reader *r)
{
    size_t length = 1;
    while (((unsigned char)peek(r, length) & 0xC0) == 0x80) {
        length++;
    }
    add_character(r, length);
}

/* Drops the last character: a ? or * makes it optional. */
static void drop_last(reader *r)
{
    r->run_length -= r->last;
    end_run(r);
}

static bool end_alternative(reader *r)
{
    end_run(r);
    if (r->best.length == 0 || r->literals->count == HAFT__LITERALS_MAX) {
        return false;
    }
    r->best.rare[0] = rarest(&r->best, UINT8_MAX);
    r->best.rare[1] = r->best.length > 1 ? rarest(&r->best, r->best.rare[0]) : r->best.rare[0];
    r->literals->items[r->literals->count++] = r->best;
    r->best = (haft__literal){0};
    return true;
}

/* ---- repeats, escapes, classes and groups ---- */

/* Reads a brace: a repeat such as {2,3}, or a literal character. */
static void read_brace(reader *r)
{
    size_t length = 1;
    while (peek(r, length) != '\0' && strchr("0123456789, ", peek(r, length)) != NULL) {
        length++;
    }
    if (peek(r, length) == '}') {
        drop_last(r);
        r->at += length + 1;
    } else {
        add_character(r, 1);
    }
}

/* Reads an escape: a literal character, or a letter that stands for a position or a character.
 * False for all others. */
static bool read_escape(reader *r)
{
    char letter = peek(r, 1);
    if (letter == '\0' || (unsigned char)letter >= 0x80) {
        return false;
    }
    if (!haft__ascii_is_alphanumeric(letter)) {
        r->at++;
        add_character(r, 1);
        return true;
    }
    end_run(r);
    r->at += 2;
    return strchr("bBdDwWsShHvVAzZtrfea", letter) != NULL;
}

/* Moves past a class. */
static bool skip_class(reader *r)
{
    r->at += 1 + (peek(r, 1) == '^');
    r->at += peek(r, 0) == ']'; /* a ] at the beginning is an item */
    while (r->at < r->text.len && peek(r, 0) != ']') {
        bool name = peek(r, 0) == '[' && peek(r, 1) == ':';
        if (name) { /* [:alpha:], or two items */
            size_t end = 2;
            while (peek(r, end) == '^' || haft__ascii_is_letter((unsigned char)peek(r, end))) {
                end++;
            }
            r->at += peek(r, end) == ':' && peek(r, end + 1) == ']' ? end + 2 : 1;
        } else if (peek(r, 0) == '\\' && (peek(r, 1) == 'Q' || peek(r, 1) == 'c')) {
            return false; /* a bracket, or a longer escape, may follow */
        } else {
            r->at += peek(r, 0) == '\\' ? 2 : 1;
        }
    }
    r->at++;
    return true;
}

/* Moves past a group with its content. */
static bool skip_group(reader *r)
{
    size_t depth = 0;
    do {
        char c = peek(r, 0);
        bool comment = c == '(' && peek(r, 1) == '?' && peek(r, 2) == '#';
        if (r->at >= r->text.len || comment
            || (c == '\\' && (peek(r, 1) == 'Q' || peek(r, 1) == 'c'))) {
            return false;
        }
        depth += c == '(';
        depth -= c == ')';
        if (c != '[') {
            r->at += c == '\\' ? 2 : 1;
        } else if (!skip_class(r)) {
            return false;
        }
    } while (depth > 0);
    return true;
}

/* Skips a group. False if it sets flags, which may apply to the text after it. */
static bool read_group(reader *r)
{
    bool sets_flags = peek(r, 1) == '?' && strchr("imsnxJU^-", peek(r, 2)) != NULL;
    for (size_t i = 2; sets_flags && peek(r, i) != ')'; i++) {
        sets_flags = peek(r, i) != ':' && peek(r, i) != '\0';
    }
    if (sets_flags) {
        return false;
    }
    end_run(r);
    return skip_group(r);
}

static bool read_next(reader *r)
{
    switch (peek(r, 0)) {
    case '|': r->at++; return end_alternative(r);
    case '?':
    case '*':
        drop_last(r);
        r->at++;
        return true;
    case '+':
    case '.':
    case '^':
    case '$':
        end_run(r);
        r->at++;
        return true;
    case '{': read_brace(r); return true;
    case '\\': return read_escape(r);
    case '[': end_run(r); return skip_class(r);
    case '(': return read_group(r);
    case ')': return false;
    default: read_character(r); return true;
    }
}

bool haft__literals_extract(haft_str pattern, haft__literals *ret_literals)
{
    *ret_literals = (haft__literals){.count = 0};
    reader r = {.text = pattern, .literals = ret_literals};
    r.any_case = haft__str_starts_with(pattern, HAFT__LIT("(?i)"));
    r.at = r.any_case ? 4 : 0;
    while (r.at < pattern.len) {
        if (!read_next(&r)) {
            return false;
        }
    }
    return end_alternative(&r);
}
