/* SPDX-License-Identifier: Apache-2.0 */
/* cli/input/line_reader.h - a file line by line, each with a maximum length. */
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
    size_t number; /* of the line read last, from 1 */
} haft__line_reader;

/* `path` "-" is standard input. IO when it cannot be opened. */
HAFT_MUST_USE haft_status haft__line_reader_open(haft__line_reader *lines, const char *path,
                                                 size_t max_line, haft_error *err);
void haft__line_reader_close(haft__line_reader *lines);

/* The next line without its line end; *ret_more is false behind the last. The text is borrowed
 * until the next call. A line that is too long is passed over and reported as TOO_BIG: the next
 * call goes on behind it. IO when reading fails. err->where is "name:line", or the name for IO. */
HAFT_MUST_USE haft_status haft__line_reader_next(haft__line_reader *lines, haft_str *ret_line,
                                                 bool *ret_more, haft_error *err);

#endif
