/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cli/terminal/word_wrap.h - text that comes in pieces, wrapped at words while it comes.
 *
 * A word is shown once its end has come: what stands on the screen is never moved. Line feeds and
 * spaces at the beginning of lines stay; tabs become spaces; all else is made harmless
 * (cli/terminal/width.h).
 */
#ifndef HAFT_CLI_TERMINAL_WORD_WRAP_H
#define HAFT_CLI_TERMINAL_WORD_WRAP_H

#include "base/buf.h"

typedef struct haft__word_wrap {
    bool exact;     /* carriage returns are shown, too */
    size_t indent;  /* columns in front of each line */
    size_t column;  /* that the last line has taken; 0: it has not begun */
    size_t spaces;  /* that have come and are not shown yet */
    haft__buf word; /* that has come and is not shown yet */
    size_t word_columns;
    bool split; /* the line was begun by us and not by the text: its spaces do not count */
} haft__word_wrap;

void haft__word_wrap_init(haft__word_wrap *wrap);
void haft__word_wrap_finish(haft__word_wrap *wrap);

/* Appends to `out` what can be shown with the next piece in lines of `width` columns. */
void haft__word_wrap_add(haft__word_wrap *wrap, haft__buf *out, size_t width, haft_str text);

/* The text is over: shows the rest and ends the line. */
void haft__word_wrap_end(haft__word_wrap *wrap, haft__buf *out, size_t width);

#endif
