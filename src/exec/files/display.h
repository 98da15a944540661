/* SPDX-License-Identifier: Apache-2.0 */
/*
 * exec/files/display.h - names and lines of files for a model: valid UTF-8, and no name that could
 * be mistaken for a line of output. Pure.
 */
#ifndef HAFT_EXEC_FILES_DISPLAY_H
#define HAFT_EXEC_FILES_DISPLAY_H

#include "base/buf.h"

/* Appends the name of a file. Control characters, Unicode line and direction marks and backslashes
 * are written as JSON escapes, so that a model can pass the displayed name in a call. A byte that
 * is not UTF-8 becomes \xNN, which cannot be converted back. */
void haft__files_display_name(haft__buf *buf, haft_str name);

/* Writes the same form for an error message, truncated to this length. */
#define HAFT__FILES_SHORT_NAME_BYTES 120
const char *haft__files_display_short_name(haft_str name, char to[HAFT__FILES_SHORT_NAME_BYTES]);

/* Appends a line of a file, at most `max` bytes, with "..." for each cut. The part around `at` is
 * kept. Invalid UTF-8 and NUL become '?'; a CR at the end is dropped. */
void haft__files_display_line(haft__buf *buf, haft_str line, size_t max, size_t at);

#endif
