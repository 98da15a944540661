/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ending.c - tokens that end a turn, where a server leaves them in the text.
 *
 * At the very end of a text they are no part of it, whatever the format is and wherever it stands:
 * in an answer, behind a call, in the middle of code. So they are found before anything else is,
 * and held back until it is known whether something follows. Then they are text like any other: a
 * model may write about them.
 * Tests: tests/format/ending_test.c. Fuzzer: fuzz/format.c.
 */
#include <string.h>

#include "base/limits.h"
#include "format/parser.h"
#include "format/render.h"
#include "format/special.h"

#define X(token, ends) {token, ends},
static const struct {
    const char *text;
    bool ends;
} special[] = {HAFT__SPECIAL(X)};
#undef X

_Static_assert(COUNT(special) <= 64, "each has its bit in haft__ending");

/* All begin with it, and have it nowhere else: where one does not go on another may begin. */
#define BEGINS '<'

void haft__ending_init(haft__parser *p)
{
    haft__buf_init(&p->ending.text, HAFT__LIMIT_FORMAT_BYTES);
}

void haft__ending_finish(haft__parser *p)
{
    haft__buf_finish(&p->ending.text);
}

static bool is_space(char c)
{
    return c == ' ' || c == '\n' || c == '\r' || c == '\t';
}

/* Those of the tokens that go on with this byte. */
static uint64_t go_on(uint64_t fits, size_t held, char c)
{
    uint64_t found = 0;
    for (size_t i = 0; i < COUNT(special) && fits >> i != 0; i++) {
        bool fit = (fits >> i & 1) != 0 && special[i].ends && special[i].text[held] == c;
        found |= (uint64_t)fit << i;
    }
    return found;
}

/* Whether a token has come to its end. One that ends a message of several says more. */
static bool is_token(const haft__parser *p)
{
    const haft__ending *e = &p->ending;
    for (size_t i = 0; e->held > 0 && i < COUNT(special) && e->fits >> i != 0; i++) {
        if ((e->fits >> i & 1) != 0 && special[i].text[e->held] == '\0') {
            return !haft__format_has_mark(p->format, special[i].text);
        }
    }
    return false;
}

static void follow(haft__parser *p, char c)
{
    haft__ending *e = &p->ending;
    size_t before = e->held;
    e->fits = before > 0 ? go_on(e->fits, before, c) : 0;
    e->held = e->fits != 0 ? before + 1 : 0;
    if (e->held == 0 && c == BEGINS) {
        e->fits = go_on(UINT64_MAX, 0, c);
        e->held = 1;
    }
    bool more = e->held == before + 1 || (before == 0 && is_space(c));
    e->since = e->since > 0 && more ? e->since + 1 : 0;
    if (is_token(p)) {
        e->since = e->since > 0 ? e->since : e->held;
        e->held = 0;
    }
}

/* How many bytes cannot begin a token. */
static size_t skip(haft_str bytes)
{
    const char *at = memchr(bytes.ptr, BEGINS, bytes.len);
    return at != NULL ? (size_t)(at - bytes.ptr) : bytes.len;
}

/* Says how many of the last bytes may be the end of the text. */
static size_t follow_all(haft__parser *p, haft_str bytes)
{
    const haft__ending *e = &p->ending;
    while (bytes.len > 0) {
        bool idle = e->held == 0 && e->since == 0;
        bytes = haft__str_skip(bytes, idle ? skip(bytes) : 0);
        if (bytes.len > 0) {
            follow(p, bytes.ptr[0]);
            bytes = haft__str_skip(bytes, 1);
        }
    }
    return e->since > 0 ? e->since : e->held;
}

void haft__ending_read(haft__parser *p, haft_str bytes)
{
    haft__ending *e = &p->ending;
    size_t waits = follow_all(p, bytes);
    size_t ready = e->text.len + bytes.len - waits;
    size_t old = ready < e->text.len ? ready : e->text.len;
    haft__parser_read(p, (haft_str){e->text.ptr, old});
    haft__parser_drop(&e->text, old);
    haft__parser_read(p, (haft_str){bytes.ptr, ready - old});
    haft__buf_add_str(&e->text, haft__str_skip(bytes, ready - old));
    haft__parser_check(p, &e->text);
}

void haft__ending_end(haft__parser *p)
{
    haft__ending *e = &p->ending;
    bool tokens = e->since > 0 && e->held == 0;
    haft__parser_read(p, tokens ? HAFT__LIT("") : haft__buf_str(&e->text));
    haft__buf_clear(&e->text);
}
