/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cli/terminal/editor.h - edits a message of one or more lines.
 *
 * The editor is a state machine without I/O: the caller feeds it the bytes that were typed, and it
 * returns the bytes to write to the terminal. editor_tty.h connects it to a terminal; the tests
 * connect it to a simulated terminal.
 */
#ifndef HAFT_CLI_TERMINAL_EDITOR_H
#define HAFT_CLI_TERMINAL_EDITOR_H

#include <stdbool.h>

#include "cli/terminal/keys.h"
#include "cli/terminal/line_history.h"

/* Completes a word. `text` is the text before the cursor. The function appends each candidate to
 * `candidates`, followed by a line feed. A candidate replaces the word that starts at the offset
 * `*ret_from` of `text`. */
typedef void haft__editor_completer(void *context, haft_str text, size_t *ret_from,
                                    haft__buf *candidates);

typedef enum haft__editor_result {
    HAFT__EDITOR_MORE,    /* feed the next byte */
    HAFT__EDITOR_LINE,    /* Enter: `text` is complete */
    HAFT__EDITOR_END,     /* Ctrl-D without text */
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
    haft__buf killed;     /* the text that was cut last; Ctrl-Y inserts it */
    haft__buf scratch;    /* contents are valid only within one function */
    haft__buf draft;      /* the text that was typed before the user moved through the history */
    size_t history_index; /* the history line that is displayed; history->count: the draft */
    haft__buf below;      /* lines displayed under the text until the next key */
    haft__buf query;      /* the text that Ctrl-R searches for */
    bool searching;       /* Ctrl-R is active */
    bool not_found;       /* no line contains `query` */
    bool last_was_kill;   /* the last key cut text; the next cut appends to `killed` */
    haft__key key;        /* the last key */

    /* drawing */
    bool needs_redraw;     /* draw everything, not only text that was appended at the end */
    bool clear;            /* clear the screen first */
    bool beep;             /* an action was not possible */
    size_t drawn;          /* bytes of `text` that are on the terminal */
    unsigned drawn_row;    /* row of the cursor, relative to the first row drawn */
    unsigned drawn_column; /* column of the cursor */
} haft__editor;

void haft__editor_init(haft__editor *edit, const haft__line_history *history);
void haft__editor_finish(haft__editor *edit);

/* Starts an empty text, below the present content of the terminal. */
void haft__editor_begin_line(haft__editor *edit);

/* Handles a typed byte. */
haft__editor_result haft__editor_feed(haft__editor *edit, char byte);

/* Ends an incomplete key, such as a single Escape. Call it if haft__keys_pending(&edit->keys) and
 * no byte arrives for a short time. */
void haft__editor_idle(haft__editor *edit);

/* Clears the text, as Ctrl-C does. Call it after SIGINT. */
void haft__editor_interrupt(haft__editor *edit);

/* Appends the bytes that make the terminal show the present state. An error is in out->status. */
void haft__editor_draw(haft__editor *edit, haft__buf *out);

/* Draws the text for the last time, and leaves the cursor at the start of the row below it. */
void haft__editor_draw_final(haft__editor *edit, haft__buf *out);

/* Call it if the terminal no longer shows the text: the next drawing starts at the cursor. */
void haft__editor_reset_drawing(haft__editor *edit);

#endif
