/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cli/terminal/line_history.h - stores the lines that were typed in this chat and in earlier chats.
 *
 * The file has one entry a line, the oldest first; \n stands for a line feed and \\ for a
 * backslash. Only its owner can read it. It is replaced as a whole under a lock, so that concurrent
 * chats do not lose each other's lines.
 */
#ifndef HAFT_CLI_TERMINAL_LINE_HISTORY_H
#define HAFT_CLI_TERMINAL_LINE_HISTORY_H

#include <stddef.h>

#include "base/arena.h"

typedef struct haft__line_history {
    haft_str *lines; /* the oldest first; each is allocated */
    size_t count, capacity, bytes;
    char *path; /* NULL: only for this chat */
} haft__line_history;

/* Initializes an empty history without a file. */
void haft__line_history_init(haft__line_history *history);
void haft__line_history_finish(haft__line_history *history);

/* Reads the file, which may be missing; the first haft__line_history_add creates it. Skips invalid
 * lines. Fails with IO if the file cannot be read; then the history does not change the file. */
HAFT_MUST_USE haft_status haft__line_history_open(haft__line_history *history, const char *path,
                                                  haft_error *err);

/* Adds a line to the history and to the file, unless the line is empty, starts with a space, equals
 * the last line, or has more than HAFT__LIMIT_HISTORY_BYTES. Drops the oldest lines above
 * HAFT__LIMIT_HISTORY_LINES lines or HAFT__LIMIT_HISTORY_BYTES bytes. Fails with IO if the file
 * cannot be written; the history still has the line. */
HAFT_MUST_USE haft_status haft__line_history_add(haft__line_history *history, haft_str line,
                                                 haft_error *err);

/* Returns $XDG_STATE_HOME/haft/history, or a path below $HOME; NULL if neither variable is set. */
HAFT_MUST_USE haft_status haft__line_history_path(haft__arena *arena, const char **ret_path,
                                                  haft_error *err);

#endif
