/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cli/terminal/word_wrap.h - wraps text at words while it arrives in pieces.
 *
 * A word is shown once it is complete, so that shown text never moves. Line feeds and leading
 * spaces stay; tabs become spaces; everything else is escaped (cli/terminal/width.h).
 */
#ifndef HAFT_CLI_TERMINAL_WORD_WRAP_H
#define HAFT_CLI_TERMINAL_WORD_WRAP_H

#include "base/buf.h"

typedef struct haft__word_wrap {
    bool exact;     /* for text that a person decides on: every hidden character is shown */
    size_t indent;  /* columns before each line */
    size_t column;  /* columns used on the last line; 0: not begun */
    size_t spaces;  /* pending spaces */
    haft__buf word; /* pending part of a word */
    size_t word_columns;
    bool split; /* the line was begun by wrapping: its leading spaces are dropped */
} haft__word_wrap;

void haft__word_wrap_init(haft__word_wrap *wrap);
void haft__word_wrap_finish(haft__word_wrap *wrap);

/* Appends to `out` the text that can be shown after the next piece, in lines of `width` columns. */
void haft__word_wrap_add(haft__word_wrap *wrap, haft__buf *out, size_t width, haft_str text);

/* Shows the rest and ends the line. */
void haft__word_wrap_end(haft__word_wrap *wrap, haft__buf *out, size_t width);

#endif
