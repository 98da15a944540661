/* SPDX-License-Identifier: Apache-2.0 */
/*
 * io/line_splitter.h - bytes that arrive in pieces, as lines.
 *
 *     while (haft__line_splitter_next(&lines, &bytes, &line)) { ... use the line ... }
 *     status = haft__line_splitter_check(&lines, err);
 *
 * A line ends with LF; a CR in front of that does not belong to it. A line that is there as a whole
 * is not copied, and each byte is looked at once.
 */
#ifndef HAFT_IO_LINE_SPLITTER_H
#define HAFT_IO_LINE_SPLITTER_H

#include <stdbool.h>

#include "base/buf.h"

typedef struct haft__line_splitter {
    haft__buf part; /* of a line whose end has not come */
    bool given;     /* `part` was given out and is to be cleared */
} haft__line_splitter;

/* `max` is the most bytes of one line. */
void haft__line_splitter_init(haft__line_splitter *lines, size_t max);
void haft__line_splitter_finish(haft__line_splitter *lines);

/* The next line, borrowed until the next call, and *io_bytes moved behind it. False when all bytes
 * were used, and after a failure (haft__line_splitter_check). */
bool haft__line_splitter_next(haft__line_splitter *lines, haft_str *io_bytes, haft_str *ret_line);

/* HAFT_OK, NO_MEMORY, or TOO_BIG for a line that is too long: nothing can be read any more. */
HAFT_MUST_USE haft_status haft__line_splitter_check(const haft__line_splitter *lines,
                                                    haft_error *err);

#endif
