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

void haft__ending_init(haft__parser *p)
{
    const char *texts[COUNT(special)];
    size_t count = 0;
    for (size_t i = 0; i < COUNT(special); i++) { /* one that ends a message of several says more */
        if (special[i].ends && !haft__format_has_mark(p->format, special[i].text)) {
            texts[count++] = special[i].text;
        }
    }
    haft__buf_init(&p->ending.text, HAFT__LIMIT_FORMAT_BYTES);
    haft_error err = {0};
    haft_status status = haft__marks_build(&p->ending.marks, &p->arena, texts, count, &err);
    if (status != HAFT_OK) {
        haft__parser_fail(p, status, &err);
    }
}

void haft__ending_finish(haft__parser *p)
{
    haft__buf_finish(&p->ending.text);
}

static bool is_space(char c)
{
    return c == ' ' || c == '\n' || c == '\r' || c == '\t';
}

static void follow(haft__ending *e, char c)
{
    const haft__marks_node *before = &e->marks.nodes[e->held];
    e->held = haft__marks_step(&e->marks, e->held, c);
    const haft__marks_node *after = &e->marks.nodes[e->held];
    bool more = after->depth == before->depth + 1 || (before->depth == 0 && is_space(c));
    e->since = e->since > 0 && more ? e->since + 1 : 0;
    if (after->mark != 0) {
        e->since = e->since > 0 ? e->since : after->depth;
        e->held = 0;
    }
}

/* Says how many of the last bytes may be the end of the text. */
static size_t follow_all(haft__ending *e, haft_str bytes)
{
    while (bytes.len > 0) {
        bool idle = e->held == 0 && e->since == 0;
        bytes = haft__str_skip(bytes, idle ? haft__marks_skip(&e->marks, bytes) : 0);
        if (bytes.len > 0) {
            follow(e, bytes.ptr[0]);
            bytes = haft__str_skip(bytes, 1);
        }
    }
    return e->since > 0 ? e->since : e->marks.nodes[e->held].depth;
}

void haft__ending_read(haft__parser *p, haft_str bytes)
{
    haft__ending *e = &p->ending;
    size_t waits = follow_all(e, bytes);
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
