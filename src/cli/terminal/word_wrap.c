/* SPDX-License-Identifier: Apache-2.0 */
/* flow.c - wraps text that comes in pieces. Tests: tests/cli/terminal/word_wrap_test.c. */
#include "cli/terminal/word_wrap.h"

#include "base/str.h"
#include "cli/terminal/width.h"

#define TAB 8
/* More than the widest terminal has: a longer word is shown in parts. */
#define MOST 65536

void haft__flow_init(haft__flow *flow)
{
    *flow = (haft__flow){0};
    haft__buf_init(&flow->word, MOST);
}

void haft__flow_finish(haft__flow *flow)
{
    haft__buf_finish(&flow->word);
}

static void add_spaces(haft__buf *out, size_t count)
{
    while (count-- > 0) {
        haft__buf_add_char(out, ' ');
    }
}

static void end_line(haft__flow *flow, haft__buf *out)
{
    haft__buf_add_char(out, '\n');
    flow->column = flow->spaces = 0;
    flow->split = false;
}

static void put_word(haft__flow *flow, haft__buf *out, size_t width)
{
    if (flow->word.len == 0) {
        return;
    }
    if (flow->column > 0 && flow->column + flow->spaces + flow->word_columns > width) {
        end_line(flow, out);
        flow->split = true;
    }
    size_t lead = flow->column == 0 ? flow->indent : 0;
    size_t spaces = flow->split && flow->column == 0 ? 0 : flow->spaces;
    add_spaces(out, lead + spaces);
    haft__buf_add_str(out, haft__buf_str(&flow->word));
    flow->column += lead + spaces + flow->word_columns;
    flow->spaces = flow->word_columns = 0;
    haft__buf_clear(&flow->word);
}

/* A character that is neither white space nor a control character that has been dealt with. */
static void take(haft__flow *flow, haft__buf *out, size_t width, const haft__shown *shown)
{
    size_t room = width > flow->indent ? width - flow->indent : 1;
    bool alone = shown->columns > 1; /* East Asian text has no spaces: it breaks anywhere */
    if (alone || flow->word_columns + shown->columns > room) {
        put_word(flow, out, width);
    }
    haft__buf_add(&flow->word, shown->bytes, shown->length);
    flow->word_columns += shown->columns;
}

void haft__flow_add(haft__flow *flow, haft__buf *out, size_t width, haft_str text)
{
    while (text.len > 0) {
        haft__shown shown;
        char first = text.ptr[0];
        size_t length = haft__harmless(text, &shown);
        if (first == '\n') {
            put_word(flow, out, width);
            end_line(flow, out);
        } else if (first == ' ' || first == '\t') {
            put_word(flow, out, width);
            flow->spaces += first == ' ' ? 1 : TAB - (flow->column + flow->spaces) % TAB;
        } else if (first != '\r' || flow->exact) { /* which comes with a line feed, or means none */
            take(flow, out, width, &shown);
        }
        text = haft__str_skip(text, length);
    }
}

void haft__flow_end(haft__flow *flow, haft__buf *out, size_t width)
{
    put_word(flow, out, width);
    if (flow->column > 0) {
        end_line(flow, out);
    }
    flow->spaces = 0;
}
