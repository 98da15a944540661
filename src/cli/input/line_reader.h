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

/* Opens a file; "-" is standard input. Fails with IO if it cannot be opened. */
HAFT_MUST_USE haft_status haft__line_reader_open(haft__line_reader *lines, const char *path,
                                                 size_t max_line, haft_error *err);
void haft__line_reader_close(haft__line_reader *lines);

/* Reads the next line, without its line end; *ret_more is false after the last line. The text is
 * valid until the next call. Fails with TOO_BIG if the line is too long; the next call continues
 * after that line. Fails with IO if reading fails. err->where is "name:line", or for IO the name.
 */
HAFT_MUST_USE haft_status haft__line_reader_next(haft__line_reader *lines, haft_str *ret_line,
                                                 bool *ret_more, haft_error *err);

#endif
