/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cli/terminal/line_history.h - lines that were typed before, in this chat and earlier ones.
 *
 * The file has a line each, the oldest first, in which \n stands for a line feed and \\ for a
 * backslash. It is its owner's alone and replaced as a whole, under a lock: chats at the same time
 * add to it and lose nothing of each other's.
 */
#ifndef HAFT_CLI_TERMINAL_LINE_HISTORY_H
#define HAFT_CLI_TERMINAL_LINE_HISTORY_H

#include <stddef.h>

#include "base/arena.h"

typedef struct haft__line_history {
    haft_str *lines; /* the oldest first; each its own memory */
    size_t count, capacity, bytes;
    char *path; /* NULL: it is kept for this chat alone */
} haft__line_history;

/* Without a file. */
void haft__line_history_init(haft__line_history *history);
void haft__line_history_finish(haft__line_history *history);

/* Reads the file, which need not be there; its folder is made when something is added. IO when it
 * cannot be read: then the file is left alone. What is in it and is no line of ours is passed over.
 */
HAFT_MUST_USE haft_status haft__line_history_open(haft__line_history *history, const char *path,
                                                  haft_error *err);

/* Keeps a line, here and in the file, unless it is empty, starts with a space, is the same as the
 * last one, or has more than HAFT__LIMIT_HISTORY_BYTES. The oldest go when there are more than
 * HAFT__LIMIT_HISTORY_LINES, or more bytes than that. IO when it cannot be written; it is kept here
 * all the same. */
HAFT_MUST_USE haft_status haft__line_history_add(haft__line_history *history, haft_str line,
                                                 haft_error *err);

/* $XDG_STATE_HOME/haft/history, or below $HOME; *ret_path is NULL when neither is set. */
HAFT_MUST_USE haft_status haft__line_history_path(haft__arena *arena, const char **ret_path,
                                                  haft_error *err);

#endif
