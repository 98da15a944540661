/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ecma_class.c - character classes, [...].
 *
 * Lone surrogates can occur in a class but never in UTF-8 text, so they are left out. A class that
 * becomes empty matches no character, like []. Tests: tests/schema/regex/ecma_class_test.c.
 */
#include <string.h>

#include "base/error.h"
#include "schema/regex/ecma_int.h"

/* A member of a class that may be the start of a range. */
typedef struct member {
    size_t at;
    bool is_set;   /* a set such as \d, already written; it cannot be an end of a range */
    uint32_t code; /* the character, if it is not a set */
} member;

typedef struct class_state {
    size_t open;      /* position of the opening bracket in the source */
    unsigned written; /* the sets d D w W s S that are in the output, one bit each */
    bool empty;
} class_state;

/* Whether the set `c` is already in the output. Sets are written only once, so that a class of a
 * thousand \S stays small. */
static bool seen_set(class_state *class, int c)
{
    static const char sets[] = "dDwWsS";
    const char *found = strchr(sets, c);
    if (found == NULL) {
        return false;
    }
    unsigned bit = 1U << (found - sets);
    bool seen = (class->written & bit) != 0;
    class->written |= bit;
    return seen;
}

static haft_status read_member(haft__ecma_reader *p, class_state *class, member *ret_member)
{
    *ret_member = (member){.at = p->at};
    if (haft__ecma_peek(p) < 0) {
        return haft__ecma_fail(p, HAFT_BAD_INPUT, class->open,
                               "unterminated character class: `[` without `]`");
    }
    if (!haft__ecma_accept(p, '\\')) {
        ret_member->code = haft__ecma_next(p);
        return HAFT_OK;
    }
    int c = haft__ecma_peek(p);
    if (!haft__ecma_is_class_escape(c)) {
        return haft__ecma_escape(p, true, &ret_member->code);
    }
    ret_member->is_set = true;
    class->empty = false;
    if (seen_set(class, c)) {
        p->at++;
        return HAFT_OK;
    }
    return haft__ecma_class_escape(p, true);
}

static void write_range(haft__ecma_reader *p, class_state *class, uint32_t first, uint32_t last)
{
    /* PCRE2 rejects a surrogate as the end of a range, but accepts a range that contains all
     * surrogates. */
    first = haft__ecma_is_surrogate(first) ? 0xE000 : first;
    last = haft__ecma_is_surrogate(last) ? 0xD7FF : last;
    if (first > last) {
        return;
    }
    class->empty = false;
    haft__ecma_write_character(p, first);
    if (first < last) {
        haft__buf_add_char(p->out, '-');
        haft__ecma_write_character(p, last);
    }
}

static void write_member(haft__ecma_reader *p, class_state *class, const member *m)
{
    if (!m->is_set) {
        write_range(p, class, m->code, m->code);
    }
}

/* Reads the rest of a possible range: a hyphen, which does not end the class, follows `first`. */
static haft_status read_range(haft__ecma_reader *p, class_state *class, const member *first)
{
    member last;
    p->at++;
    haft_status status = read_member(p, class, &last);
    if (status != HAFT_OK) {
        return status;
    }
    if (first->is_set || last.is_set) { /* [\w-.]: three members, no range */
        write_member(p, class, first);
        write_range(p, class, '-', '-');
        write_member(p, class, &last);
        return HAFT_OK;
    }
    if (first->code > last.code) {
        return haft__ecma_fail(p, HAFT_BAD_INPUT, first->at, "the range `%.*s` is in reverse order",
                               (int)(p->at - first->at), p->source.ptr + first->at);
    }
    write_range(p, class, first->code, last.code);
    return HAFT_OK;
}

static haft_status read_members(haft__ecma_reader *p, class_state *class)
{
    while (!haft__ecma_accept(p, ']')) {
        member first;
        haft_status status = read_member(p, class, &first);
        if (status == HAFT_OK && haft__ecma_peek(p) == '-'
            && !haft__ecma_is_next(p, HAFT__LIT("-]"))) {
            status = read_range(p, class, &first);
        } else if (status == HAFT_OK) {
            write_member(p, class, &first);
        }
        if (status != HAFT_OK) {
            return status;
        }
    }
    return HAFT_OK;
}

/* Whether the text begins like "[[:alpha:]]", a class of other dialects. */
static bool looks_like_posix(haft_str text)
{
    size_t at = 0;
    while (at < text.len && !haft__str_starts_with(haft__str_skip(text, at), HAFT__LIT("[:"))) {
        at++;
    }
    return at + 3 < text.len && haft__str_ends_with(text, HAFT__LIT(":]"));
}

haft_status haft__ecma_class(haft__ecma_reader *p)
{
    class_state class = {.open = p->at - 1, .empty = true};
    size_t start = p->out->len;
    bool negated = haft__ecma_accept(p, '^');
    haft__buf_add_str(p->out, negated ? HAFT__LIT("[^") : HAFT__LIT("["));
    haft_status status = read_members(p, &class);
    if (status != HAFT_OK) {
        return status;
    }
    haft_str text = {p->source.ptr + class.open, p->at - class.open};
    p->posix_class = p->posix_class || looks_like_posix(text);
    if (class.empty) {
        p->out->len = start;
        haft__buf_add_str(p->out, negated ? HAFT__ECMA_MATCH_ANY : HAFT__ECMA_MATCH_NONE);
    } else {
        haft__buf_add_char(p->out, ']');
    }
    return HAFT_OK;
}
