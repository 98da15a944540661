/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cli/terminal/editor.h - editing a line, or several, at a terminal: keys in, what to draw out.
 *
 * A state machine without input and output of its own: bytes are handed in, what to write to the
 * terminal is asked for. editor_tty.h puts a terminal behind it; tests put a model of one.
 */
#ifndef HAFT_CLI_TERMINAL_EDITOR_H
#define HAFT_CLI_TERMINAL_EDITOR_H

#include <stdbool.h>

#include "cli/terminal/keys.h"
#include "cli/terminal/line_history.h"

/* Completes what stands before the cursor: appends each candidate with a line feed behind it, and
 * says where in `text` the word starts that they would replace. */
typedef void haft__editor_completer(void *context, haft_str text, size_t *ret_from,
                                    haft__buf *candidates);

typedef enum haft__editor_result {
    HAFT__EDITOR_MORE,    /* nothing that concerns anybody else */
    HAFT__EDITOR_LINE,    /* `text` is to be sent */
    HAFT__EDITOR_END,     /* Ctrl-D where there is nothing */
    HAFT__EDITOR_SUSPEND, /* Ctrl-Z */
} haft__editor_result;

typedef struct haft__editor {
    /* Given. */
    const haft__line_history *history;
    haft__editor_completer *complete; /* or NULL */
    void *context;                    /* for it */
    const char *prompt;               /* plain text */
    unsigned columns, rows;           /* of the terminal */

    haft__buf text;
    size_t cursor; /* in bytes, never inside a character */

    haft__keys keys;
    haft__buf killed, clean;
    haft__buf draft; /* what was typed before the history was looked at */
    size_t at;       /* the line of the history that is shown; its count: the draft */
    haft__buf below; /* what stands under the text until the next key; lines */
    haft__buf query; /* of a search */
    bool searching, missing;
    bool last_was_kill; /* the last key did: the next one adds to it */
    haft__key key;      /* the last one */

    /* What the terminal shows. */
    bool changed;       /* otherwise than by text added to the end */
    bool clear;         /* the screen is to be wiped first */
    bool beep;          /* something could not be done */
    size_t drawn;       /* bytes of the text */
    unsigned drawn_row; /* of the cursor, below the first row drawn */
    unsigned drawn_column;
} haft__editor;

void haft__editor_init(haft__editor *edit, const haft__line_history *history);
void haft__editor_finish(haft__editor *edit);

/* An empty line, below whatever the terminal shows. */
void haft__editor_begin_line(haft__editor *edit);

/* Takes a byte that was typed. */
haft__editor_result haft__editor_feed(haft__editor *edit, char byte);

/* No byte has come for a moment; only needed while haft__keys_pending(&edit->keys). */
void haft__editor_idle(haft__editor *edit);

/* An interrupt that did not come as a byte. */
void haft__editor_interrupt(haft__editor *edit);

/* Appends what makes the terminal show the present state. Failure is the buffer's. */
void haft__editor_draw(haft__editor *edit, haft__buf *out);

/* The same, and leaves the cursor at the start of the row below. */
void haft__editor_draw_final(haft__editor *edit, haft__buf *out);

/* The terminal no longer shows anything of it: the next drawing starts where the cursor is. */
void haft__editor_reset_drawing(haft__editor *edit);

#endif
