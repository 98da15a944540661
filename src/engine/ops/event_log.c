/* SPDX-License-Identifier: Apache-2.0 */
/* event_log.c - see event_log.h. Tests: tests/engine/ops/event_log_test.c. */
#include "engine/ops/event_log.h"

#include <stdio.h>

#include "base/error.h"
#include "base/limits.h"
#include "base/str.h"
#include "spec/load/load.h"
#include "json/write.h"

static void at_line(haft_error *err, const char *name, size_t number)
{
    char place[96];
    (void)snprintf(place, sizeof(place), "%.60s:%zu", name, number);
    haft__error_prepend_location(err, place);
}

/* ---- specs in the log ---- */

/* Loads the specs of spec_changed events; they live in `arena`. */
typedef struct spec_loader {
    haft__arena *arena;
    haft_str path; /* the path of the first spec */
    haft__hash_key hash_key;
} spec_loader;

static haft_status load_logged_spec(void *context, haft__json source, uint64_t seq,
                                    const haft__spec **ret_spec, haft_error *err)
{
    const spec_loader *l = context;
    haft__spec_options options = {.path = l->path, .kept = true, .hash_key = l->hash_key};
    haft__spec_report report;
    haft__buf text;
    (void)seq;
    *ret_spec = NULL;
    haft__buf_init(&text, HAFT__LIMIT_RUN_BYTES);
    haft__json_write(&text, source);
    haft_str kept = haft__arena_copy(l->arena, haft__buf_str(&text));
    haft_status status = haft__buf_check(&text, err);
    haft__buf_finish(&text);
    if (status == HAFT_OK && kept.ptr == NULL) {
        status = haft__arena_fail(l->arena, err);
    }
    if (status == HAFT_OK) {
        status = haft__spec_load(l->arena, kept, &options, ret_spec, &report, err);
    }
    if (status == HAFT_OK && *ret_spec == NULL) {
        status =
            haft__fail(err, HAFT_BAD_INPUT, "", "the spec of a spec_changed event is not valid");
    }
    return status;
}

/* ---- the events ---- */

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

/* Checks that each line is an event of a known version. */
static haft_status check_events(const char *name, haft_str lines, haft__hash_key hash_key,
                                haft_error *err)
{
    haft__arena scratch;
    haft_status status = HAFT_OK;
    bool first = true;
    haft__arena_init(&scratch, HAFT__LIMIT_RUN_BYTES);
    for (size_t number = 1; status == HAFT_OK && lines.len > 0; number++) {
        haft_str line = haft__str_split(&lines, '\n');
        haft__event event;
        if (haft__str_trim(line).len == 0) {
            continue;
        }
        haft__arena_reset(&scratch);
        status = haft__event_read(&scratch, line, hash_key, &event, err);
        if (status == HAFT_OK && first) {
            status = check_version(&event, err);
        }
        if (status != HAFT_OK) {
            at_line(err, name, number);
        }
        first = false;
    }
    haft__arena_finish(&scratch);
    return status;
}

haft_status haft__event_log_fold(haft__arena *arena, const haft__spec *spec, const char *name,
                                 haft_str lines, uint64_t last, haft__hash_key hash_key,
                                 haft__run *ret_run, haft_error *err)
{
    spec_loader specs = {arena, spec->path, hash_key};
    haft_status status = haft__run_init(ret_run, arena, spec, hash_key, err);
    ret_run->specs = (haft__run_specs){.load = load_logged_spec, .context = &specs};
    for (size_t number = 1; status == HAFT_OK && lines.len > 0 && ret_run->seq < last; number++) {
        haft_str line = haft__str_split(&lines, '\n');
        if (haft__str_trim(line).len == 0) {
            continue;
        }
        status = haft__run_fold(ret_run, line, err);
        if (status != HAFT_OK) {
            at_line(err, name, number);
        }
    }
    ret_run->specs = (haft__run_specs){.load = NULL};
    if (status == HAFT_OK && ret_run->seq == 0) {
        status = haft__fail(err, HAFT_BAD_INPUT, name, "expected events, found none");
    }
    return status;
}

haft_status haft__event_log_replay(haft__arena *arena, const haft__spec *spec, const char *name,
                                   haft_str lines, haft__hash_key hash_key,
                                   haft__replay *ret_replay, haft_error *err)
{
    spec_loader specs = {arena, spec->path, hash_key};
    haft_status status = check_events(name, lines, hash_key, err);
    return status == HAFT_OK
               ? haft__replay_specs(arena, spec,
                                    (haft__run_specs){.load = load_logged_spec, .context = &specs},
                                    lines, hash_key, ret_replay, err)
               : status;
}
