/* SPDX-License-Identifier: Apache-2.0 */
/* batch.c - see batch.h. Tests: tests/cli/validate_test.py, tests/cli/parse_test.py. */
#include "cli/input/batch.h"

#include "base/error.h"
#include "base/limits.h"
#include "base/str.h"
#include "cli/input/line_reader.h"

void haft__batch_prefix_error(haft_error *failure, size_t number)
{
    char place[sizeof(failure->where) + 32];
    (void)snprintf(place, sizeof(place), "line %zu%s%s", number,
                   failure->where[0] != '\0' ? ": " : "", failure->where);
    failure->where[0] = '\0';
    haft__error_prepend_location(failure, place);
}

/* Handles the next line; *ret_more is false after the last line. */
static haft_status handle_next_line(haft__cli *cli, haft__line_reader *lines,
                                    haft__batch_handler *handler, void *context, bool *ret_more,
                                    haft_error *err)
{
    haft_str line = {NULL, 0};
    haft_error failure = {.status = HAFT_OK};
    haft_status got = haft__line_reader_next(lines, &line, ret_more, &failure);
    if (got == HAFT_TOO_BIG) {
        failure.where[0] = '\0';
        haft__batch_prefix_error(&failure, lines->number);
        return handler(cli, context, line, lines->number, &failure, err);
    }
    if (got != HAFT_OK) {
        *err = failure;
        return got;
    }
    if (!*ret_more || haft__str_trim(line).len == 0) {
        return HAFT_OK;
    }
    haft__arena_reset(&cli->arena);
    return handler(cli, context, line, lines->number, NULL, err);
}

haft__exit_status haft__batch_run(haft__cli *cli, const char *path, haft__batch_handler *handler,
                                  void *context, haft_error *err)
{
    haft__line_reader lines;
    if (haft__line_reader_open(&lines, path, HAFT__LIMIT_JSON_BYTES, err) != HAFT_OK) {
        return HAFT__EXIT_USAGE;
    }
    bool more = true;
    haft_status status = HAFT_OK;
    while (more && status == HAFT_OK && !ferror(cli->out)) { /* main() reports a write error */
        status = handle_next_line(cli, &lines, handler, context, &more, err);
    }
    haft__line_reader_close(&lines);
    return status == HAFT_OK   ? HAFT__EXIT_DONE
           : status == HAFT_IO ? HAFT__EXIT_USAGE
                               : HAFT__EXIT_FAILED;
}
