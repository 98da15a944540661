/* SPDX-License-Identifier: Apache-2.0 */
/* line_reader.c - reads lines of bounded length. Tests: tests/cli/input/line_reader_test.c. */
#include "cli/input/line_reader.h"

#include <errno.h>
#include <string.h>

#include "base/error.h"
#include "base/str.h"

haft_status haft__line_reader_open(haft__line_reader *lines, const char *path, size_t max_line,
                                   haft_error *err)
{
    bool is_stdin = strcmp(path, "-") == 0;
    FILE *file = is_stdin ? stdin : fopen(path, "rbe");
    if (file == NULL) {
        return haft__fail(err, HAFT_IO, path, "cannot be opened: %s", strerror(errno));
    }
    *lines = (haft__line_reader){
        .name = is_stdin ? "standard input" : path, .file = file, .owned = !is_stdin};
    haft__buf_init(&lines->line, max_line);
    return HAFT_OK;
}

void haft__line_reader_close(haft__line_reader *lines)
{
    if (lines->owned) {
        (void)fclose(lines->file);
        lines->owned = false;
    }
    haft__buf_finish(&lines->line);
}

/* Reads up to the end of the line or of the file. If the line does not fit, the buffer has an error
 * status. Returns false at the end of the file. */
static bool read_line(haft__line_reader *lines)
{
    haft__buf_clear(&lines->line);
    int c = getc(lines->file);
    if (c == EOF) {
        return false;
    }
    for (; c != EOF && c != '\n'; c = getc(lines->file)) {
        haft__buf_add_char(&lines->line, (char)c);
    }
    return true;
}

haft_status haft__line_reader_next(haft__line_reader *lines, haft_str *ret_line, bool *ret_more,
                                   haft_error *err)
{
    bool more = read_line(lines);
    lines->number += more;
    haft_status status = haft__buf_check(&lines->line, err);
    if (ferror(lines->file)) {
        return haft__fail(err, HAFT_IO, lines->name, "cannot be read: %s", strerror(errno));
    }
    if (status != HAFT_OK) {
        char place[256];
        (void)snprintf(place, sizeof(place), "%s:%zu", lines->name, lines->number);
        haft__error_prepend_location(err, place);
        return status;
    }
    haft_str line = haft__buf_str(&lines->line);
    line.len -= haft__str_ends_with(line, HAFT__LIT("\r"));
    *ret_line = line;
    *ret_more = more;
    return HAFT_OK;
}
