/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cli/terminal/line_history.h - lines typed before, in this chat and earlier ones.
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

/* Without a file. */
void haft__line_history_init(haft__line_history *history);
void haft__line_history_finish(haft__line_history *history);

/* Reads the file, which may be missing; its directory is created on the first add. IO if it cannot
 * be read: then the file is not changed. Invalid lines are skipped. */
HAFT_MUST_USE haft_status haft__line_history_open(haft__line_history *history, const char *path,
                                                  haft_error *err);

/* Adds a line here and to the file, unless it is empty, starts with a space, equals the last one,
 * or has more than HAFT__LIMIT_HISTORY_BYTES. The oldest lines are dropped above
 * HAFT__LIMIT_HISTORY_LINES, or above that many bytes. IO if the file cannot be written; the line
 * is added here even so. */
HAFT_MUST_USE haft_status haft__line_history_add(haft__line_history *history, haft_str line,
                                                 haft_error *err);

/* $XDG_STATE_HOME/haft/history, or below $HOME; *ret_path is NULL if neither is set. */
HAFT_MUST_USE haft_status haft__line_history_path(haft__arena *arena, const char **ret_path,
                                                  haft_error *err);

#endif
