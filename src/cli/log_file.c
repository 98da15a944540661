/* SPDX-License-Identifier: Apache-2.0 */
/* log_file.c - logs of events in files. Tests: tests/cli/run_test.py. */
#include "cli/log_file.h"

#include "base/error.h"
#include "base/limits.h"
#include "base/str.h"
#include "cli/file.h"

haft_status haft__log_read(haft__arena *arena, const char *path, haft_str *ret_lines,
                           haft_error *err)
{
    haft__buf text;
    haft__buf_init(&text, HAFT__LIMIT_RUN_BYTES);
    haft_status status = haft__file_read(path, &text, err);
    if (status == HAFT_OK) {
        *ret_lines = haft__arena_copy(arena, haft__buf_str(&text));
        status = ret_lines->ptr != NULL ? HAFT_OK : haft__arena_fail(arena, err);
    }
    haft__buf_finish(&text);
    return status;
}

haft_status haft__log_fold(haft__arena *arena, const haft__spec *spec, const char *path,
                           haft_str lines, uint64_t last, haft__hash_key hash_key,
                           haft__run *ret_run, haft_error *err)
{
    haft_status status = haft__run_init(ret_run, arena, spec, hash_key, err);
    for (size_t number = 1; status == HAFT_OK && lines.len > 0 && ret_run->seq < last; number++) {
        haft_str line = haft__str_split(&lines, '\n');
        if (haft__str_trim(line).len == 0) {
            continue;
        }
        status = haft__run_fold(ret_run, line, err);
        if (status != HAFT_OK) {
            char place[96];
            (void)snprintf(place, sizeof(place), "%.60s:%zu", path, number);
            haft__error_at(err, place);
        }
    }
    if (status == HAFT_OK && ret_run->seq == 0) {
        status = haft__fail(err, HAFT_BAD_INPUT, path, "expected events, found none");
    }
    return status;
}
