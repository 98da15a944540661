/* SPDX-License-Identifier: Apache-2.0 */
/* cli/input/line_reader.h - reads a file line by line, with a maximum length. */
#ifndef HAFT_CLI_INPUT_LINE_READER_H
#define HAFT_CLI_INPUT_LINE_READER_H

#include <stdbool.h>
#include <stdio.h>

#include "base/buf.h"

typedef struct haft__line_reader {
    const char *name; /* for errors */
    FILE *file;
    bool owned;
    haft__buf line;
    size_t number; /* number of the last line read, from 1 */
} haft__line_reader;

/* `path` "-" is standard input. IO if it cannot be opened. */
HAFT_MUST_USE haft_status haft__line_reader_open(haft__line_reader *lines, const char *path,
                                                 size_t max_line, haft_error *err);
void haft__line_reader_close(haft__line_reader *lines);

/* Reads the next line, without its line end; *ret_more is false after the last. The text is valid
 * until the next call. A line that is too long is skipped and reported as TOO_BIG; the next call
 * continues after it. IO if reading fails. err->where is "name:line", or the name for IO. */
HAFT_MUST_USE haft_status haft__line_reader_next(haft__line_reader *lines, haft_str *ret_line,
                                                 bool *ret_more, haft_error *err);

#endif
