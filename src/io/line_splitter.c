/* SPDX-License-Identifier: Apache-2.0 */
/* line_splitter.c - splits bytes into lines. Tests: tests/io/line_splitter_test.c. */
#include "io/line_splitter.h"

#include "base/error.h"
#include "base/str.h"

void haft__line_splitter_init(haft__line_splitter *lines, size_t max)
{
    *lines = (haft__line_splitter){.returned = false};
    haft__buf_init(&lines->part, max);
}

void haft__line_splitter_finish(haft__line_splitter *lines)
{
    haft__buf_finish(&lines->part);
}

static haft_str without_cr(haft_str line)
{
    line.len -= line.len > 0 && line.ptr[line.len - 1] == '\r';
    return line;
}

bool haft__line_splitter_next(haft__line_splitter *lines, haft_str *io_bytes, haft_str *ret_line)
{
    if (lines->returned) {
        haft__buf_clear(&lines->part);
        lines->returned = false;
    }
    if (io_bytes->len == 0 || lines->part.status != HAFT_OK) {
        return false;
    }
    const char *end = memchr(io_bytes->ptr, '\n', io_bytes->len);
    size_t length = end != NULL ? (size_t)(end - io_bytes->ptr) : io_bytes->len;
    haft_str piece = {io_bytes->ptr, length};
    *io_bytes = haft__str_skip(*io_bytes, length + (end != NULL));
    bool whole = end != NULL && lines->part.len == 0 && length <= lines->part.max;
    if (!whole) {
        haft__buf_add_str(&lines->part, piece);
        if (end == NULL || lines->part.status != HAFT_OK) {
            return false;
        }
        lines->returned = true;
        piece = haft__buf_str(&lines->part);
    }
    *ret_line = without_cr(piece);
    return true;
}

haft_status haft__line_splitter_check(const haft__line_splitter *lines, haft_error *err)
{
    if (lines->part.status == HAFT_TOO_BIG) {
        return haft__fail(err, HAFT_TOO_BIG, "", "found a line of more than %zu bytes",
                          lines->part.max);
    }
    return haft__buf_check(&lines->part, err);
}
