/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cli/terminal/editor_tty.h - the editor at a real terminal: standard input and standard error.
 *
 * The terminal is in raw mode only while a line is read. Its mode is restored after a line or an
 * error, on exit, SIGTERM, SIGHUP and SIGQUIT, and on SIGTSTP while the process is stopped.
 */
#ifndef HAFT_CLI_TERMINAL_EDITOR_TTY_H
#define HAFT_CLI_TERMINAL_EDITOR_TTY_H

#include "cli/terminal/editor.h"

typedef enum haft__editor_input {
    HAFT__EDITOR_INPUT_LINE,
    HAFT__EDITOR_INPUT_EOF,    /* Ctrl-D, or the terminal is gone */
    HAFT__EDITOR_INPUT_SIGNAL, /* a signal asks the command to stop */
} haft__editor_input;

typedef struct haft__editor_tty {
    haft__editor edit;
    haft__buf out;
    char typed[1024]; /* typed bytes that were not handled yet */
    size_t at, length;
    /* The editor also waits for `extra_fd`. When it is readable, `should_stop` returns whether to
     * stop reading. This reports signals that arrived before the editor could catch them. */
    int extra_fd; /* -1: none */
    bool (*should_stop)(void *context);
    void *context;
} haft__editor_tty;

/* Returns true if standard input and standard error are terminals and TERM is not "dumb". */
bool haft__editor_tty_usable(void);

void haft__editor_tty_init(haft__editor_tty *tty, const haft__line_history *history);
void haft__editor_tty_finish(haft__editor_tty *tty);

/* Reads a line; *ret_line is valid until the next call. Fails with IO if the terminal cannot be
 * used. */
HAFT_MUST_USE haft_status haft__editor_tty_read(haft__editor_tty *tty,
                                                haft__editor_input *ret_input, haft_str *ret_line,
                                                haft_error *err);

#endif
