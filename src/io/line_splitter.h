/* SPDX-License-Identifier: Apache-2.0 */
/*
 * io/line_splitter.h - splits a stream of bytes into lines.
 *
 *     while (haft__line_splitter_next(&lines, &bytes, &line)) { ... use the line ... }
 *     status = haft__line_splitter_check(&lines, err);
 *
 * A line ends with LF; a CR before it is not part of the line. A line that arrives in one piece is
 * not copied. Each byte is scanned once.
 */
#ifndef HAFT_IO_LINE_SPLITTER_H
#define HAFT_IO_LINE_SPLITTER_H

#include <stdbool.h>

#include "base/buf.h"

typedef struct haft__line_splitter {
    haft__buf part; /* the beginning of a line whose end has not arrived */
    bool returned;  /* `part` was returned and must be cleared */
} haft__line_splitter;

/* `max` is the maximum length of a line in bytes. */
void haft__line_splitter_init(haft__line_splitter *lines, size_t max);
void haft__line_splitter_finish(haft__line_splitter *lines);

/* Returns the next line, borrowed until the next call, and advances *io_bytes past it. False if all
 * bytes are used, and after a failure (haft__line_splitter_check). */
bool haft__line_splitter_next(haft__line_splitter *lines, haft_str *io_bytes, haft_str *ret_line);

/* Returns HAFT_OK, NO_MEMORY, or TOO_BIG if a line is too long. After a failure no more lines can
 * be read. */
HAFT_MUST_USE haft_status haft__line_splitter_check(const haft__line_splitter *lines,
                                                    haft_error *err);

#endif
