/* SPDX-License-Identifier: Apache-2.0 */
/* log_file.c - reads logs of events from files. Tests: tests/cli/run_test.py. */
#include "cli/input/log_file.h"

#include "base/error.h"
#include "base/limits.h"
#include "base/str.h"
#include "io/file.h"
#include "json/read.h"

/* Drops the last line if a crash truncated it: if it has no line feed and is not valid JSON. */
static haft_status drop_torn_line(const char *path, FILE *notes, haft_str *lines, haft_error *err)
{
    size_t start = lines->len, number = 1;
    while (start > 0 && lines->ptr[start - 1] != '\n') {
        start--;
    }
    haft_str last = haft__str_skip(*lines, start);
    if (haft__str_trim(last).len == 0) {
        return HAFT_OK;
    }
    haft__arena scratch;
    haft__json value;
    haft_error broken = {0};
    haft__arena_init(&scratch, HAFT__LIMIT_RUN_BYTES);
    haft_status status = haft__json_read(&scratch, last, NULL, &value, NULL, &broken);
    haft__arena_finish(&scratch);
    if (status != HAFT_BAD_INPUT) {
        return status == HAFT_NO_MEMORY ? haft__fail_no_memory(err) : HAFT_OK;
    }
    for (size_t i = 0; i < start; i++) {
        number += lines->ptr[i] == '\n';
    }
    lines->len = start;
    (void)fprintf(notes, "haft: %s:%zu: the last line is incomplete and is ignored\n", path,
                  number);
    return HAFT_OK;
}

haft_status haft__log_file_read(haft__arena *arena, const char *path, FILE *notes,
                                haft_str *ret_lines, haft_error *err)
{
    haft_status status = haft__file_read_arena(arena, path, HAFT__LIMIT_RUN_BYTES, ret_lines, err);
    if (status == HAFT_OK) {
        status = drop_torn_line(path, notes, ret_lines, err);
    }
    if (status == HAFT_OK && haft__str_trim(*ret_lines).len == 0) {
        status = haft__fail(err, HAFT_BAD_INPUT, path, "expected events, found none");
    }
    return status;
}
