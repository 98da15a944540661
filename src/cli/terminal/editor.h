/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cli/terminal/editor.h - edits one or more lines at a terminal: keys in, drawing out.
 *
 * A state machine without I/O: the caller feeds bytes and asks what to write to the terminal.
 * editor_tty.h connects it to a terminal; tests connect it to a model of one.
 */
#ifndef HAFT_CLI_TERMINAL_EDITOR_H
#define HAFT_CLI_TERMINAL_EDITOR_H

#include <stdbool.h>

#include "cli/terminal/keys.h"
#include "cli/terminal/line_history.h"

/* Completes the text before the cursor: appends each candidate and a line feed, and sets where in
 * `text` the word starts that they replace. */
typedef void haft__editor_completer(void *context, haft_str text, size_t *ret_from,
                                    haft__buf *candidates);

typedef enum haft__editor_result {
    HAFT__EDITOR_MORE,    /* nothing for the caller to do */
    HAFT__EDITOR_LINE,    /* `text` is complete: send it */
    HAFT__EDITOR_END,     /* Ctrl-D in an empty line */
    HAFT__EDITOR_SUSPEND, /* Ctrl-Z */
} haft__editor_result;

typedef struct haft__editor {
    /* set by the caller */
    const haft__line_history *history;
    haft__editor_completer *complete; /* or NULL */
    void *context;                    /* for `complete` */
    const char *prompt;               /* plain text */
    unsigned columns, rows;           /* of the terminal */

    haft__buf text;
    size_t cursor; /* in bytes, never inside a character */

    haft__keys keys;
    haft__buf killed, clean;
    haft__buf draft; /* the typed text, before the history was opened */
    size_t at;       /* the history line that is shown; its count: the draft */
    haft__buf below; /* lines shown under the text until the next key */
    haft__buf query; /* of a search */
    bool searching, missing;
    bool last_was_kill; /* the last key killed text: the next kill appends to it */
    haft__key key;      /* the last key */

    /* what the terminal shows */
    bool changed;       /* other than by text appended at the end */
    bool clear;         /* clear the screen first */
    bool beep;          /* an action was not possible */
    size_t drawn;       /* bytes of the text */
    unsigned drawn_row; /* row of the cursor, relative to the first row drawn */
    unsigned drawn_column;
} haft__editor;

void haft__editor_init(haft__editor *edit, const haft__line_history *history);
void haft__editor_finish(haft__editor *edit);

/* Starts an empty line, below the present content of the terminal. */
void haft__editor_begin_line(haft__editor *edit);

/* Handles a typed byte. */
haft__editor_result haft__editor_feed(haft__editor *edit, char byte);

/* No byte has arrived for a moment; only needed while haft__keys_pending(&edit->keys). */
void haft__editor_idle(haft__editor *edit);

/* An interrupt that did not arrive as a byte. */
void haft__editor_interrupt(haft__editor *edit);

/* Appends the bytes that make the terminal show the present state. Failure is the buffer's. */
void haft__editor_draw(haft__editor *edit, haft__buf *out);

/* The same, and leaves the cursor at the start of the row below. */
void haft__editor_draw_final(haft__editor *edit, haft__buf *out);

/* The terminal no longer shows the line: the next drawing starts at the cursor. */
void haft__editor_reset_drawing(haft__editor *edit);

#endif
