/* SPDX-License-Identifier: Apache-2.0 */
/*
 * exec/files/display.h - names and lines of files as a model may see them: valid UTF-8, and no name
 * that could pass for a line of its own. Pure.
 */
#ifndef HAFT_EXEC_FILES_DISPLAY_H
#define HAFT_EXEC_FILES_DISPLAY_H

#include "base/buf.h"

/* Appends the name of a file. A control character, a line or direction mark of Unicode and a
 * backslash are written as JSON escapes, so that the name can be given back as it is shown; a byte
 * that is no UTF-8 as \xNN, for which there is no way back. */
void haft__files_display_name(haft__buf *buf, haft_str name);

/* The same for an error, cut where it gets long. */
#define HAFT__FILES_SHORT_NAME_BYTES 120
const char *haft__files_display_short_name(haft_str name, char to[HAFT__FILES_SHORT_NAME_BYTES]);

/* Appends a line of a file, at most `most` bytes of it, with "..." where something was cut. What
 * lies around `at` stays in. What is no UTF-8, and a NUL, becomes '?'; a CR at the end goes. */
void haft__files_display_line(haft__buf *buf, haft_str line, size_t most, size_t at);

#endif
