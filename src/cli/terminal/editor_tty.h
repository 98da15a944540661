/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cli/terminal/editor_tty.h - the editor at a real terminal: standard input and standard error.
 *
 * The terminal is in raw mode only while a line is read, and is put back however that ends: a line,
 * an error, exit, SIGTERM, SIGHUP, SIGQUIT, and SIGTSTP for as long as the process is stopped.
 */
#ifndef HAFT_CLI_TERMINAL_EDITOR_TTY_H
#define HAFT_CLI_TERMINAL_EDITOR_TTY_H

#include "cli/terminal/editor.h"

typedef enum haft__editor_input {
    HAFT__EDITOR_INPUT_LINE,
    HAFT__EDITOR_INPUT_EOF,    /* Ctrl-D, or the terminal is gone */
    HAFT__EDITOR_INPUT_SIGNAL, /* a signal asked for the end */
} haft__editor_input;

typedef struct haft__editor_tty {
    haft__editor edit;
    haft__buf out;
    char typed[1024]; /* what has been typed and not been looked at */
    size_t at, length;
    /* What else is waited for: when `extra_fd` is readable, `should_stop` says whether to stop
     * reading. Signals that came before the editor catches them come this way. */
    int extra_fd; /* -1: nothing */
    bool (*should_stop)(void *context);
    void *context;
} haft__editor_tty;

/* Whether there is a terminal that can be drawn on: both are one, and TERM is not dumb. */
bool haft__editor_tty_usable(void);

void haft__editor_tty_init(haft__editor_tty *tty, const haft__line_history *history);
void haft__editor_tty_finish(haft__editor_tty *tty);

/* Reads a line; *ret_line is borrowed until the next one. IO when the terminal cannot be used. */
HAFT_MUST_USE haft_status haft__editor_tty_read(haft__editor_tty *tty,
                                                haft__editor_input *ret_input, haft_str *ret_line,
                                                haft_error *err);

#endif
