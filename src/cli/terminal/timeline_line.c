/* SPDX-License-Identifier: Apache-2.0 */
/*
 * timeline_line.c - lines of a terminal: styles, symbols, and what fits.
 *
 * What a colour says, a symbol or a word says, too. Tests: tests/cli/terminal/timeline_test.c.
 */
#include "base/str.h"
#include "cli/terminal/timeline_int.h"
#include "cli/terminal/width.h"

static const char *const codes[] = {
    [HAFT__PLAIN] = "",  [HAFT__BOLD] = "1", [HAFT__DIM] = "2",
    [HAFT__GOOD] = "32", [HAFT__BAD] = "31", [HAFT__HEED] = "35",
};

static const char *const symbols[][2] = {
    [HAFT__MARK_RUNS] = {">", "\u25B8"},
    [HAFT__MARK_DONE] = {"+", "\u2713"},
    [HAFT__MARK_FAILED] = {"x", "\u2717"},
    [HAFT__MARK_REFUSED] = {"-", "\u00D7"},
    [HAFT__MARK_ASKS] = {"?", "?"},
    [HAFT__MARK_WARNS] = {"!", "!"},
    [HAFT__MARK_STORED] = {"*", "\u2022"},
    [HAFT__MARK_DOT] = {", ", " \u00B7 "},
    [HAFT__MARK_RULE] = {"--", "\u2500\u2500"},
    [HAFT__MARK_CUT] = {"...", "\u2026"},
};

haft_str haft__mark_of(const haft__timeline *t, haft__mark which)
{
    return haft__str(symbols[which][t->look.symbols ? 1 : 0]);
}

/* ---- lines ---- */

void haft__style_begin(const haft__line *l, haft__style s)
{
    if (l->t->look.colour && s != HAFT__PLAIN) {
        haft__buf_addf(&l->t->out, "\x1b[%sm", codes[s]);
    }
}

void haft__style_end(const haft__line *l, haft__style s)
{
    if (l->t->look.colour && s != HAFT__PLAIN) {
        haft__buf_add_str(&l->t->out, HAFT__LIT("\x1b[0m"));
    }
}

/* A text of ours; all of it or nothing. */
void haft__line_put(haft__line *l, haft__style s, haft_str text)
{
    size_t width = haft__width(text);
    if (width > l->left) {
        l->left = 0;
        return;
    }
    haft__style_begin(l, s);
    haft__buf_add_str(&l->t->out, text);
    haft__style_end(l, s);
    l->left -= width;
}

void haft__line_say(haft__line *l, haft__style s, const char *text)
{
    haft__line_put(l, s, haft__str(text));
}

/* A text from outside, cut to what is left, less what `reserved` columns are for. */
void haft__line_cut(haft__line *l, haft__style s, haft_str text, size_t reserved)
{
    size_t room = l->left > reserved ? l->left - reserved : 0;
    if (room == 0 || text.len == 0) {
        return;
    }
    haft__style_begin(l, s);
    size_t used = haft__add_line(&l->t->out, text, room, haft__mark_of(l->t, HAFT__MARK_CUT));
    haft__style_end(l, s);
    l->left -= used + 1 >= room ? room : used; /* cut: what was left of it is not used */
}

/* The cursor goes to the beginning of a line: an open one ends, or goes. */
void haft__line_leave(haft__timeline *t)
{
    if (t->open == HAFT__OPEN_CALL) {
        haft__buf_add_char(&t->out, '\n');
    } else if (t->open == HAFT__OPEN_WAIT) {
        haft__buf_add_str(&t->out, HAFT__LIT("\r\x1b[K"));
    }
    t->open = HAFT__OPEN_NONE;
    if (t->speech != HAFT__SPEECH_NONE) {
        haft__line l = {t, 0};
        haft__style s = t->speech == HAFT__SPEECH_REASONING ? HAFT__DIM : HAFT__PLAIN;
        haft__style_begin(&l, s);
        haft__flow_end(&t->flow, &t->out, t->look.width - 1);
        haft__style_end(&l, s);
        t->speech = HAFT__SPEECH_NONE;
    }
}

haft__line haft__line_start(haft__timeline *t)
{
    haft__line_leave(t);
    return (haft__line){t, t->look.width - 1};
}

/* A line of what happens in a turn. */
haft__line haft__line_item(haft__timeline *t, haft__mark which, haft__style s)
{
    haft__line l = haft__line_start(t);
    haft__line_say(&l, HAFT__PLAIN, "   ");
    haft__line_put(&l, s, haft__mark_of(t, which));
    haft__line_say(&l, HAFT__PLAIN, " ");
    return l;
}

void haft__line_end(const haft__line *l)
{
    haft__buf_add_char(&l->t->out, '\n');
}

void haft__add_dot(const haft__timeline *t, haft__buf *small)
{
    haft__buf_add_str(small, haft__mark_of(t, HAFT__MARK_DOT));
}

void haft__line_put_small(haft__line *l, haft__buf *small)
{
    haft__line_put(l, HAFT__DIM, haft__buf_str(small));
    haft__buf_finish(small);
}
