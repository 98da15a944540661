/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cli/terminal/word_wrap.h - wraps text at words while it arrives in pieces.
 *
 * A word is shown when it is complete, so that shown text never moves. Line feeds and leading
 * spaces stay; tabs become spaces; other control characters are escaped (cli/terminal/width.h).
 *
 * Text may have a style and be a hyperlink (OSC 8). A style ends before each line feed, so that it
 * does not apply to the indentation of the next line.
 */
#ifndef HAFT_CLI_TERMINAL_WORD_WRAP_H
#define HAFT_CLI_TERMINAL_WORD_WRAP_H

#include "base/buf.h"

/* Bits of a style. */
typedef enum haft__text_style {
    HAFT__TEXT_BOLD = 1,
    HAFT__TEXT_DIM = 2,
    HAFT__TEXT_ITALIC = 4,
    HAFT__TEXT_UNDERLINE = 8,
    HAFT__TEXT_STRIKE = 16,
    HAFT__TEXT_CODE = 32,
    HAFT__TEXT_LINK = 64, /* a hyperlink to the last URL of haft__word_wrap_set_link */
} haft__text_style;

typedef struct haft__word_wrap {
    bool exact;     /* escapes every hidden character, for text on which a decision depends */
    size_t indent;  /* columns before each line */
    size_t hang;    /* further columns before wrapped lines of a paragraph; 0 after a line feed */
    size_t column;  /* columns used on the last line; 0: the line is empty */
    size_t spaces;  /* pending spaces */
    haft__buf word; /* pending part of a word */
    size_t word_columns;
    bool split; /* the line began because of wrapping; its leading spaces are dropped */
    unsigned style, word_style, out_style; /* of the next character, the pending word, the output */
    haft__buf url;
} haft__word_wrap;

void haft__word_wrap_init(haft__word_wrap *wrap);
void haft__word_wrap_finish(haft__word_wrap *wrap);

/* Appends to `out` the text that can be shown after the next piece, in lines of `width` columns. */
void haft__word_wrap_add(haft__word_wrap *wrap, haft__buf *out, size_t width, haft_str text);

/* Sets the style of the text that follows: bits of haft__text_style. */
void haft__word_wrap_set_style(haft__word_wrap *wrap, unsigned style);

/* Sets the URL of hyperlinks that follow, in printable ASCII; ends the pending word. */
void haft__word_wrap_set_link(haft__word_wrap *wrap, haft__buf *out, size_t width, haft_str url);

/* Shows the rest and ends the line. */
void haft__word_wrap_end(haft__word_wrap *wrap, haft__buf *out, size_t width);

#endif
