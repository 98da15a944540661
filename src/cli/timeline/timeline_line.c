/* SPDX-License-Identifier: Apache-2.0 */
/*
 * timeline_line.c - writes lines for a live terminal: styles, symbols, and cutting to the width.
 *
 * Every colour has a symbol or a word with the same meaning. Tests:
 * tests/cli/timeline/timeline_test.c.
 */
#include "base/str.h"
#include "cli/terminal/width.h"
#include "cli/timeline/timeline_int.h"

static const char *const codes[] = {
    [HAFT__STYLE_PLAIN] = "",     [HAFT__STYLE_BOLD] = "1",   [HAFT__STYLE_DIM] = "2",
    [HAFT__STYLE_SUCCESS] = "32", [HAFT__STYLE_ERROR] = "31", [HAFT__STYLE_WARNING] = "35",
};

static const char *const symbols[][2] = {
    [HAFT__SYMBOL_RUNNING] = {">", "\u25B8"},     [HAFT__SYMBOL_DONE] = {"+", "\u2713"},
    [HAFT__SYMBOL_FAILED] = {"x", "\u2717"},      [HAFT__SYMBOL_REJECTED] = {"-", "\u00D7"},
    [HAFT__SYMBOL_QUESTION] = {"?", "?"},         [HAFT__SYMBOL_WARNING] = {"!", "!"},
    [HAFT__SYMBOL_STORED] = {"*", "\u2022"},      [HAFT__SYMBOL_DOT] = {", ", " \u00B7 "},
    [HAFT__SYMBOL_RULE] = {"--", "\u2500\u2500"}, [HAFT__SYMBOL_ELLIPSIS] = {"...", "\u2026"},
};

haft_str haft__symbol_text(const haft__timeline *t, haft__symbol which)
{
    return haft__str(symbols[which][t->caps.symbols ? 1 : 0]);
}

/* ---- lines ---- */

void haft__style_begin(const haft__timeline_line *l, haft__style s)
{
    if (l->t->caps.colour && s != HAFT__STYLE_PLAIN) {
        haft__buf_addf(&l->t->out, "\x1b[%sm", codes[s]);
    }
}

void haft__style_end(const haft__timeline_line *l, haft__style s)
{
    if (l->t->caps.colour && s != HAFT__STYLE_PLAIN) {
        haft__buf_add_str(&l->t->out, HAFT__LIT("\x1b[0m"));
    }
}

void haft__timeline_line_add(haft__timeline_line *l, haft__style s, haft_str text)
{
    size_t width = haft__width_of_text(text);
    if (width > l->left) {
        l->left = 0;
    }
    if (width > l->left || text.len == 0) {
        return;
    }
    haft__style_begin(l, s);
    haft__buf_add_str(&l->t->out, text);
    haft__style_end(l, s);
    l->left -= width;
}

void haft__timeline_line_add_text(haft__timeline_line *l, haft__style s, const char *text)
{
    haft__timeline_line_add(l, s, haft__str(text));
}

void haft__timeline_line_add_cut(haft__timeline_line *l, haft__style s, haft_str text,
                                 size_t reserved)
{
    size_t room = l->left > reserved ? l->left - reserved : 0;
    if (room == 0 || text.len == 0) {
        return;
    }
    haft__style_begin(l, s);
    size_t used = haft__escape_add_line(&l->t->out, text, room,
                                        haft__symbol_text(l->t, HAFT__SYMBOL_ELLIPSIS));
    haft__style_end(l, s);
    /* A shortened text may end one column early; that column must stay empty. */
    l->left -= used + 1 >= room ? room : used;
}

bool haft__timeline_renders(const haft__timeline *t)
{
    return t->caps.colour && t->reply_part == HAFT__REPLY_PART_TEXT;
}

void haft__timeline_line_close(haft__timeline *t)
{
    if (t->open != HAFT__OPEN_LINE_NONE) {
        haft__buf_add_str(&t->out, HAFT__LIT("\r\x1b[K"));
    }
    t->open = HAFT__OPEN_LINE_NONE;
    if (haft__timeline_renders(t)) {
        haft__markdown_end(&t->markdown, &t->out, t->caps.width - 1);
        t->reply_part = HAFT__REPLY_PART_NONE;
    } else if (t->reply_part != HAFT__REPLY_PART_NONE) {
        haft__timeline_line l = {t, 0};
        haft__style s =
            t->reply_part == HAFT__REPLY_PART_REASONING ? HAFT__STYLE_DIM : HAFT__STYLE_PLAIN;
        haft__style_begin(&l, s);
        haft__word_wrap_end(&t->wrap, &t->out, t->caps.width - 1);
        haft__style_end(&l, s);
        t->reply_part = HAFT__REPLY_PART_NONE;
    }
}

haft__timeline_line haft__timeline_line_begin(haft__timeline *t)
{
    haft__timeline_line_close(t);
    return (haft__timeline_line){t, t->caps.width - 1};
}

haft__timeline_line haft__timeline_line_begin_item(haft__timeline *t, haft__symbol which,
                                                   haft__style s)
{
    haft__timeline_line l = haft__timeline_line_begin(t);
    haft__timeline_line_add_text(&l, HAFT__STYLE_PLAIN, "   ");
    haft__timeline_line_add(&l, s, haft__symbol_text(t, which));
    haft__timeline_line_add_text(&l, HAFT__STYLE_PLAIN, " ");
    return l;
}

void haft__timeline_line_end(const haft__timeline_line *l)
{
    haft__buf_add_char(&l->t->out, '\n');
}

/* Indentation of continued lines, equal to the start of an item's text: three blanks, the symbol
 * and one blank. */
#define WRAPPED_INDENT 5

void haft__timeline_line_end_wrapped(haft__timeline_line *l, haft__style s, haft_str text)
{
    size_t width = l->t->caps.width - 1;
    haft__word_wrap wrap;
    haft__word_wrap_init(&wrap);
    wrap.exact = true;
    wrap.indent = WRAPPED_INDENT;
    wrap.column = width - l->left;
    haft__style_begin(l, s);
    haft__word_wrap_add(&wrap, &l->t->out, width, haft__str_trim(text));
    haft__word_wrap_end(&wrap, &l->t->out, width);
    haft__style_end(l, s);
    haft__word_wrap_finish(&wrap);
}

haft_str haft__timeline_indent(haft_str line)
{
    size_t blanks = 0;
    while (blanks < line.len && line.ptr[blanks] == ' ') {
        blanks++;
    }
    return (haft_str){line.ptr, blanks};
}

void haft__timeline_add_separator(const haft__timeline *t, haft__buf *details)
{
    haft__buf_add_str(details, haft__symbol_text(t, HAFT__SYMBOL_DOT));
}

void haft__timeline_line_add_details(haft__timeline_line *l, haft__buf *details)
{
    haft__timeline_line_add(l, HAFT__STYLE_DIM, haft__buf_str(details));
    haft__buf_finish(details);
}
