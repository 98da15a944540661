/* SPDX-License-Identifier: Apache-2.0 */
/* word_wrap.c - wraps text that arrives in pieces. Tests: tests/cli/terminal/word_wrap_test.c. */
#include "cli/terminal/word_wrap.h"

#include "base/ascii.h"
#include "base/str.h"
#include "cli/terminal/width.h"

#define TAB_COLUMNS 8
/* More than the widest terminal: a longer word is shown in parts. */
#define MAX_WORD_BYTES 65536

void haft__word_wrap_init(haft__word_wrap *wrap)
{
    *wrap = (haft__word_wrap){0};
    haft__buf_init(&wrap->word, MAX_WORD_BYTES);
}

void haft__word_wrap_finish(haft__word_wrap *wrap)
{
    haft__buf_finish(&wrap->word);
}

static void add_spaces(haft__buf *out, size_t count)
{
    while (count-- > 0) {
        haft__buf_add_char(out, ' ');
    }
}

static void end_line(haft__word_wrap *wrap, haft__buf *out)
{
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
    size_t lead = wrap->column == 0 ? wrap->indent : 0;
    size_t spaces = wrap->split && wrap->column == 0 ? 0 : wrap->spaces;
    add_spaces(out, lead + spaces);
    haft__buf_add_str(out, haft__buf_str(&wrap->word));
    wrap->column += lead + spaces + wrap->word_columns;
    wrap->spaces = wrap->word_columns = 0;
    haft__buf_clear(&wrap->word);
}

/* Adds a character that is not white space and not a handled control character. */
static void add_char(haft__word_wrap *wrap, haft__buf *out, size_t width,
                     const haft__escaped_char *shown)
{
    size_t room = width > wrap->indent ? width - wrap->indent : 1;
    bool alone = shown->columns > 1; /* East Asian text has no spaces: it may break anywhere */
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
    wrap->spaces = 0;
}
