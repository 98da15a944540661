/* SPDX-License-Identifier: Apache-2.0 */
/* log_file.c - logs of events in files. Tests: tests/cli/run_test.py. */
#include "cli/input/log_file.h"

#include "base/error.h"
#include "base/limits.h"
#include "base/str.h"
#include "cli/ops/spec_drift.h"
#include "io/file.h"
#include "json/read.h"

static void at_line(haft_error *err, const char *path, size_t number)
{
    char place[96];
    (void)snprintf(place, sizeof(place), "%.60s:%zu", path, number);
    haft__error_prepend_location(err, place);
}

/* Lines are written whole, with their end; what has none and is no JSON was cut by a crash. */
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
    (void)fprintf(notes, "haft: %s:%zu: the last line was cut and is left out\n", path, number);
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

static haft_status check_version(const haft__event *first, haft_error *err)
{
    uint64_t version = 0;
    haft_status status = haft__event_number(first, "version", &version, err);
    if (status == HAFT_OK && version > HAFT__EVENT_VERSION) {
        status = haft__fail(err, HAFT_UNSUPPORTED, "", "expected events of version %d, found %llu",
                            HAFT__EVENT_VERSION, (unsigned long long)version);
    }
    return status;
}

haft_status haft__log_file_check(haft__arena *arena, const char *path, haft_str lines,
                                 haft__hash_key hash_key, haft__event *ret_first,
                                 haft__event *ret_last, haft_error *err)
{
    haft__arena scratch;
    haft_str last = {NULL, 0};
    haft_status status = HAFT_OK;
    haft__arena_init(&scratch, HAFT__LIMIT_RUN_BYTES);
    for (size_t number = 1; status == HAFT_OK && lines.len > 0; number++) {
        haft_str line = haft__str_split(&lines, '\n');
        if (haft__str_trim(line).len == 0) {
            continue;
        }
        bool first = last.ptr == NULL;
        haft__event event;
        haft__arena_reset(&scratch);
        last = line;
        status = haft__event_read(first ? arena : &scratch, line, hash_key, &event, err);
        if (status == HAFT_OK && first) {
            *ret_first = event;
            status = check_version(&event, err);
        }
        if (status != HAFT_OK) {
            at_line(err, path, number);
        }
    }
    haft__arena_finish(&scratch);
    return status == HAFT_OK ? haft__event_read(arena, last, hash_key, ret_last, err) : status;
}

haft_status haft__log_file_fold(haft__arena *arena, const haft__spec *spec, const char *path,
                                haft_str lines, uint64_t last, haft__hash_key hash_key,
                                haft__run *ret_run, haft_error *err)
{
    haft__spec_drift_log_loader specs = {arena, spec->path, hash_key};
    haft_status status = haft__run_init(ret_run, arena, spec, hash_key, err);
    ret_run->specs = haft__spec_drift_log_specs(&specs);
    for (size_t number = 1; status == HAFT_OK && lines.len > 0 && ret_run->seq < last; number++) {
        haft_str line = haft__str_split(&lines, '\n');
        if (haft__str_trim(line).len == 0) {
            continue;
        }
        status = haft__run_fold(ret_run, line, err);
        if (status != HAFT_OK) {
            at_line(err, path, number);
        }
    }
    ret_run->specs = (haft__run_specs){NULL, NULL};
    if (status == HAFT_OK && ret_run->seq == 0) {
        status = haft__fail(err, HAFT_BAD_INPUT, path, "expected events, found none");
    }
    return status;
}
