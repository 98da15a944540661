/* SPDX-License-Identifier: Apache-2.0 */
/* word_wrap.c - wraps text that arrives in pieces. Tests: tests/cli/terminal/word_wrap_test.c. */
#include "cli/terminal/word_wrap.h"

#include "base/ascii.h"
#include "base/limits.h"
#include "base/macros.h"
#include "base/str.h"
#include "cli/terminal/width.h"

#define TAB_COLUMNS 8
/* Maximum size of a buffered word; a longer word is shown in parts. Larger than any terminal is
 * wide. */
#define MAX_WORD_BYTES 65536

void haft__word_wrap_init(haft__word_wrap *wrap)
{
    *wrap = (haft__word_wrap){0};
    haft__buf_init(&wrap->word, MAX_WORD_BYTES);
    haft__buf_init(&wrap->url, HAFT__LIMIT_MARKDOWN_SPAN_BYTES);
}

void haft__word_wrap_finish(haft__word_wrap *wrap)
{
    haft__buf_finish(&wrap->word);
    haft__buf_finish(&wrap->url);
}

/* ---- styles ---- */

static const struct {
    haft__text_style bit;
    const char *code;
} codes[] = {
    {HAFT__TEXT_BOLD, "1"},      {HAFT__TEXT_DIM, "2"},    {HAFT__TEXT_ITALIC, "3"},
    {HAFT__TEXT_UNDERLINE, "4"}, {HAFT__TEXT_STRIKE, "9"}, {HAFT__TEXT_CODE, "35"},
};

static void begin_style(const haft__word_wrap *wrap, haft__buf *out, unsigned style)
{
    if ((style & HAFT__TEXT_LINK) != 0) {
        haft__buf_addf(out, "\x1b]8;;%.*s\x1b\\", HAFT__ARG(haft__buf_str(&wrap->url)));
    }
    for (size_t i = 0; i < COUNT(codes); i++) {
        if ((style & codes[i].bit) != 0) {
            haft__buf_addf(out, "\x1b[%sm", codes[i].code);
        }
    }
}

static void end_style(haft__buf *out, unsigned style)
{
    if ((style & ~(unsigned)HAFT__TEXT_LINK) != 0) {
        haft__buf_add_str(out, HAFT__LIT("\x1b[0m"));
    }
    if ((style & HAFT__TEXT_LINK) != 0) {
        haft__buf_add_str(out, HAFT__LIT("\x1b]8;;\x1b\\"));
    }
}

void haft__word_wrap_set_style(haft__word_wrap *wrap, unsigned style)
{
    unsigned link = wrap->style & style & HAFT__TEXT_LINK; /* continue an open hyperlink */
    if (wrap->word.len == 0) {
        wrap->word_style = style;
    } else if (style != wrap->style) {
        end_style(&wrap->word, wrap->style & ~link);
        begin_style(wrap, &wrap->word, style & ~link);
    }
    wrap->style = style;
}

/* ---- lines ---- */

static void add_spaces(haft__buf *out, size_t count)
{
    while (count-- > 0) {
        haft__buf_add_char(out, ' ');
    }
}

static void end_line(haft__word_wrap *wrap, haft__buf *out)
{
    end_style(out, wrap->out_style);
    wrap->out_style = 0;
    haft__buf_add_char(out, '\n');
    wrap->column = wrap->spaces = 0;
    wrap->split = false;
}

static void put_word(haft__word_wrap *wrap, haft__buf *out, size_t width)
{
    if (wrap->word.len == 0) {
        return;
    }
    if (wrap->column > 0 && wrap->column + wrap->spaces + wrap->word_columns > width) {
        end_line(wrap, out);
        wrap->split = true;
    }
    size_t lead = wrap->column == 0 ? wrap->indent + (wrap->split ? wrap->hang : 0) : 0;
    size_t spaces = wrap->split && wrap->column == 0 ? 0 : wrap->spaces;
    bool same = wrap->out_style == wrap->word_style;
    unsigned kept = wrap->out_style & wrap->word_style & (same ? ~0U : HAFT__TEXT_LINK);
    end_style(out, wrap->out_style & ~kept);
    add_spaces(out, lead + spaces);
    begin_style(wrap, out, wrap->word_style & ~kept);
    haft__buf_add_str(out, haft__buf_str(&wrap->word));
    wrap->out_style = wrap->word_style = wrap->style;
    wrap->column += lead + spaces + wrap->word_columns;
    wrap->spaces = wrap->word_columns = 0;
    haft__buf_clear(&wrap->word);
}

/* Adds a character that is not white space and not a handled control character. */
static void add_char(haft__word_wrap *wrap, haft__buf *out, size_t width,
                     const haft__escaped_char *shown)
{
    size_t margin = wrap->indent + wrap->hang, room = width > margin ? width - margin : 1;
    bool alone = shown->columns
                 > 1; /* East Asian text has no spaces; a line may break after any character */
    if (alone || wrap->word_columns + shown->columns > room) {
        put_word(wrap, out, width);
    }
    haft__buf_add(&wrap->word, shown->bytes, shown->length);
    wrap->word_columns += shown->columns;
}

void haft__word_wrap_add(haft__word_wrap *wrap, haft__buf *out, size_t width, haft_str text)
{
    while (text.len > 0) {
        haft__escaped_char shown;
        char first = text.ptr[0];
        size_t length = (wrap->exact ? haft__escape_next : haft__escape_next_prose)(text, &shown);
        if (first == '\n') {
            put_word(wrap, out, width);
            end_line(wrap, out);
            wrap->hang = 0;
        } else if (haft__ascii_is_blank(first)) {
            put_word(wrap, out, width);
            wrap->spaces +=
                first == ' ' ? 1 : TAB_COLUMNS - (wrap->column + wrap->spaces) % TAB_COLUMNS;
        } else if (first != '\r' || wrap->exact) { /* drops carriage returns */
            add_char(wrap, out, width, &shown);
        }
        text = haft__str_skip(text, length);
    }
}

void haft__word_wrap_end(haft__word_wrap *wrap, haft__buf *out, size_t width)
{
    put_word(wrap, out, width);
    if (wrap->column > 0) {
        end_line(wrap, out);
    }
    wrap->spaces = wrap->hang = 0;
}

void haft__word_wrap_set_link(haft__word_wrap *wrap, haft__buf *out, size_t width, haft_str url)
{
    put_word(wrap, out, width);
    end_style(out, wrap->out_style);
    wrap->out_style = 0;
    haft__buf_clear(&wrap->url);
    haft__buf_add_str(&wrap->url, url);
}
