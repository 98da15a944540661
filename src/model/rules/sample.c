/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sample.c - a text that a simple regular expression takes, for an argument that must have
 * a certain form and of which the task says nothing: "^[A-Z]{2}-\d+$" gives "AA-0".
 *
 * Known are letters, classes, the usual escapes, groups, alternatives and repeats; the first of
 * each is taken, as few times as may be. Of anything else what comes out is wrong, and is found out
 * when the arguments are checked. Tests: tests/model/rules/hints_test.c.
 */
#include "base/str.h"
#include "model/rules/chars.h"
#include "model/rules/values.h"

/* Groups inside each other. */
#define DEEPEST 8U
/* A repeat that wants more is not satisfied. */
#define MOST_REPEATS 64U

typedef struct sampling {
    haft_str rest;
    haft__buf *buf;
} sampling;

static char peek(const sampling *s)
{
    return s->rest.len > 0 ? s->rest.ptr[0] : '\0';
}

static char take(sampling *s)
{
    char c = peek(s);
    s->rest = haft__str_skip(s->rest, 1);
    return c;
}

/* One character that the escape stands for. */
static char unescape(char c)
{
    return c == 'd' ? '0' : c == 'w' ? 'a' : c == 's' ? ' ' : c == 'n' ? '\n' : c == 't' ? '\t' : c;
}

/* [abc], [a-z], [^a]: its first, or one that it does not name. */
static void add_class(sampling *s)
{
    bool negated = peek(s) == '^';
    (void)(negated ? take(s) : '\0');
    haft_str inside = s->rest;
    char first = take(s);
    first = first == '\\' ? unescape(take(s)) : first;
    while (s->rest.len > 0 && take(s) != ']') {
    }
    for (char c = 'a'; negated && c <= 'z'; c++) {
        size_t length = inside.len - s->rest.len;
        if (memchr(inside.ptr, c, length) == NULL) {
            first = c;
            break;
        }
    }
    haft__buf_add_char(s->buf, first);
}

/* Digits; 0 when there are none. */
static unsigned take_count(sampling *s)
{
    unsigned count = 0;
    while (is_digit(peek(s))) {
        unsigned digit = (unsigned)(take(s) - '0');
        count = count <= MOST_REPEATS ? count * 10 + digit : count;
    }
    return count < MOST_REPEATS ? count : MOST_REPEATS;
}

/* What was added since `start` as often as the repeat behind it wants at least. */
static void repeat(sampling *s, size_t start)
{
    char c = peek(s);
    unsigned times = 1;
    if (c == '*' || c == '?' || c == '+') {
        (void)take(s);
        times = c == '+' ? 1 : 0;
    } else if (c == '{') {
        (void)take(s);
        times = take_count(s);
        while (s->rest.len > 0 && take(s) != '}') {
        }
    }
    (void)(peek(s) == '?' ? take(s) : '\0');
    size_t length = s->buf->len - start;
    s->buf->len = times == 0 ? start : s->buf->len;
    for (unsigned i = 1; i < times; i++) {
        for (size_t k = 0; k < length && s->buf->status == HAFT_OK; k++) {
            haft__buf_add_char(s->buf, s->buf->ptr[start + k]);
        }
    }
}

/* Past the alternatives that are not taken, to the end of the group. */
static void skip_others(sampling *s)
{
    for (unsigned open = 0; s->rest.len > 0; (void)take(s)) {
        char c = peek(s);
        if (c == '\\') {
            (void)take(s);
        } else if (c == ')' && open-- == 0) {
            return;
        } else if (c == '(') {
            open++;
        }
    }
}

/* One branch, up to the end of its group. */
static void add_branch(sampling *s, unsigned depth)
{
    while (s->rest.len > 0 && peek(s) != ')') {
        size_t start = s->buf->len;
        char c = take(s);
        if (c == '|') {
            skip_others(s);
            return;
        }
        if (c == '^' || c == '$') {
            continue;
        }
        if (c == '(' && depth < DEEPEST) {
            if (haft__str_starts_with(s->rest, HAFT__LIT("?:"))) {
                s->rest = haft__str_skip(s->rest, 2);
            }
            add_branch(s, depth + 1);
            (void)take(s);
        } else if (c == '[') {
            add_class(s);
        } else {
            haft__buf_add_char(s->buf, c == '\\' ? unescape(take(s)) : c == '.' ? 'a' : c);
        }
        repeat(s, start);
    }
}

void haft__offline_sample(haft__buf *buf, haft_str pattern)
{
    sampling s = {.rest = pattern, .buf = buf};
    s.rest.len = s.rest.len < HAFT__LIMIT_PATTERN_BYTES ? s.rest.len : HAFT__LIMIT_PATTERN_BYTES;
    add_branch(&s, 0);
}
