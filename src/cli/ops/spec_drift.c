/* SPDX-License-Identifier: Apache-2.0 */
/* spec_drift.c - compares a run's spec with the file it came from. Tests: tests/cli/respec_test.py.
 */
#include "cli/ops/spec_drift.h"

#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/limits.h"
#include "base/sha256.h"
#include "base/str.h"
#include "cli/follow/delivery.h"
#include "cli/terminal/print.h"
#include "engine/agent.h"
#include "engine/run.h"
#include "io/file.h"
#include "model/provider.h"
#include "spec/load/diff.h"
#include "json/write.h"

/* What the command line had changed when the run was started. */
static haft_status read_overrides(haft__spec_drift *r, const haft__run *run,
                                  haft__spec_options *options, haft_error *err)
{
    haft__json given = run->sets;
    uint32_t count = given.kind == HAFT__JSON_ARRAY ? given.count : 0;
    const char **sets = haft__arena_array(&r->arena, count, sizeof(*sets));
    const haft__json *model = haft__json_get(run->spec->source, HAFT__LIT("model"));
    if (sets == NULL) {
        return haft__arena_fail(&r->arena, err);
    }
    for (uint32_t i = 0; i < count; i++) {
        haft_str set = haft__arena_copy(&r->arena, haft__json_text(given.items[i]));
        if (set.ptr == NULL) {
            return haft__arena_fail(&r->arena, err);
        }
        sets[options->set_count++] = set.ptr;
    }
    options->sets = sets;
    if (model != NULL && model->kind == HAFT__JSON_STRING) { /* for a file that names none */
        options->model = haft__arena_copy(&r->arena, haft__json_text(*model)).ptr;
    }
    return HAFT_OK;
}

static haft_status fail_load(const char *path, const haft__spec_report *report, haft_error *err)
{
    haft_status status = HAFT_BAD_INPUT;
    for (size_t i = 0; i < report->count; i++) {
        if (!report->problems[i].warning) {
            status = haft__fail(err, HAFT_BAD_INPUT, path,
                                "the spec has changed since the run began, and cannot be used: "
                                "%.*s",
                                HAFT__ARG(report->problems[i].message));
            break;
        }
    }
    return haft__hint(err, status,
                      "`haft check` shows what is wrong; --stored-spec goes on with "
                      "the spec as it was");
}

/* The spec as its file is now. */
static haft_status load(haft__spec_drift *r, const haft__run *run, const char *path, haft_str text,
                        const haft__spec **ret_spec, haft_error *err)
{
    haft__spec_options options = haft__agent_spec_options(r->runtime, run->spec->path);
    haft__spec_report report;
    haft_status status = read_overrides(r, run, &options, err);
    if (status == HAFT_OK) {
        status = haft__spec_load(&r->arena, text, &options, ret_spec, &report, err);
    }
    return status == HAFT_OK && *ret_spec == NULL ? fail_load(path, &report, err) : status;
}

/* ---- what is to be done ---- */

static haft_status accept_change(haft__spec_drift *r, const haft__spec *spec, haft_str text,
                                 haft_str changes, haft__spec_replacement *ret_replacement,
                                 haft_error *err)
{
    char digest[HAFT__SHA256_HEX];
    haft__buf source;
    haft__buf_init(&source, HAFT__LIMIT_RUN_BYTES);
    haft__json_write(&source, spec->source);
    haft__sha256_hex(text, digest);
    haft_status status = haft__buf_check(&source, err);
    if (status == HAFT_OK) {
        *ret_replacement = (haft__spec_replacement){
            .text = haft__arena_copy(&r->arena, haft__buf_str(&source)),
            .file = haft__arena_copy(&r->arena, (haft_str){digest, sizeof(digest)}),
            .by = haft__delivery_user(),
            .changes = haft__arena_copy(&r->arena, changes)};
        bool kept = ret_replacement->text.ptr != NULL && ret_replacement->file.ptr != NULL
                    && ret_replacement->changes.ptr != NULL;
        status = kept ? HAFT_OK : haft__arena_fail(&r->arena, err);
    }
    haft__buf_finish(&source);
    return status;
}

static haft_status reject_change(haft__spec_drift *r, const char *path, haft_str changes,
                                 haft_error *err)
{
    while (changes.len > 0) {
        (void)fputs("  ", r->cli->errors);
        haft__print_escaped(r->cli->errors, haft__str_split(&changes, '\n'));
        (void)fputc('\n', r->cli->errors);
    }
    haft_status status =
        haft__fail(err, HAFT_BAD_INPUT, path, "the spec has changed since the run began");
    return haft__hint(err, status,
                      "--accept-spec goes on with the new one, --stored-spec with the "
                      "one the run has");
}

static haft_status compare_specs(haft__spec_drift *r, const haft__run *run, const char *path,
                                 haft_str text, haft__spec_replacement *ret_replacement,
                                 haft_error *err)
{
    const haft__spec *spec = NULL;
    haft__buf changes;
    haft_status status = load(r, run, path, text, &spec, err);
    if (status != HAFT_OK || haft__str_equal(spec->hash, run->spec->hash)) {
        return status;
    }
    haft__buf_init(&changes, HAFT__LIMIT_RUN_BYTES);
    status = haft__spec_diff(&changes, run->spec->source, spec->source, err);
    if (status == HAFT_OK && haft__args_has(r->args, "accept-spec")) {
        status = accept_change(r, spec, text, haft__buf_str(&changes), ret_replacement, err);
    } else if (status == HAFT_OK) {
        status = reject_change(r, path, haft__buf_str(&changes), err);
    }
    haft__buf_finish(&changes);
    return status;
}

/* Who accepts the file as it is now wants that, and not what was before. */
static haft_status handle_missing_file(const haft__spec_drift *r, const char *path, bool ahead,
                                       haft_error *err)
{
    if (haft__args_has(r->args, "accept-spec")) {
        haft_status status =
            haft__fail(err, HAFT_BAD_INPUT, path, "the spec to be accepted is not there any more");
        return haft__hint(err, status,
                          "put it back, or go on with the one the run has: "
                          "--stored-spec");
    }
    *err = (haft_error){0};
    if (!ahead && !haft__args_has(r->args, "quiet")) {
        (void)fprintf(r->cli->errors,
                      "haft: %s is not there any more; the run goes on with the spec it has\n",
                      path);
    }
    return HAFT_OK;
}

/* `ahead`: it is looked at again when it is taken up, and told then that its file is gone. */
static haft_status check_spec_file(haft__spec_drift *r, const haft__run *run, bool ahead,
                                   haft__spec_replacement *ret_replacement, haft_error *err)
{
    char digest[HAFT__SHA256_HEX];
    haft_str text;
    haft__arena_reset(&r->arena);
    haft_str place = haft__arena_copy(&r->arena, run->spec->path);
    bool known = run->file.len > 0 && place.len > 0;
    if (!known || haft__args_has(r->args, "stored-spec")) {
        return place.ptr != NULL ? HAFT_OK : haft__arena_fail(&r->arena, err);
    }
    haft_status status =
        haft__file_read_arena(&r->arena, place.ptr, HAFT__LIMIT_SPEC_BYTES, &text, err);
    if (status == HAFT_IO && access(place.ptr, F_OK) != 0) {
        return handle_missing_file(r, place.ptr, ahead, err);
    }
    if (status != HAFT_OK) {
        return status;
    }
    haft__sha256_hex(text, digest);
    return haft__str_equal(run->file, (haft_str){digest, sizeof(digest)})
               ? HAFT_OK
               : compare_specs(r, run, place.ptr, text, ret_replacement, err);
}

static haft_status look(void *context, const haft_run *run, haft__spec_replacement *ret_replacement,
                        haft_error *err)
{
    return check_spec_file(context, &run->state, false, ret_replacement, err);
}

haft_status haft__spec_drift_check(haft__spec_drift *spec_drift, const haft__run *run,
                                   haft_error *err)
{
    haft__spec_replacement unused = {.text = {NULL, 0}};
    return check_spec_file(spec_drift, run, true, &unused, err);
}

haft_status haft__spec_drift_watch(haft__spec_drift *spec_drift, haft__cli *cli,
                                   const haft__args *args, haft_runtime *runtime, haft_error *err)
{
    *spec_drift = (haft__spec_drift){.cli = cli, .args = args, .runtime = runtime};
    haft__arena_init(&spec_drift->arena, HAFT__LIMIT_RUN_BYTES);
    if (haft__args_has(args, "accept-spec") && haft__args_has(args, "stored-spec")) {
        return haft__fail(err, HAFT_BAD_INPUT, "",
                          "--accept-spec and --stored-spec exclude each other");
    }
    runtime->spec_change_hook = (haft__spec_change_hook){look, spec_drift};
    return HAFT_OK;
}

void haft__spec_drift_finish(haft__spec_drift *spec_drift, haft_runtime *runtime)
{
    runtime->spec_change_hook = (haft__spec_change_hook){NULL, NULL};
    haft__arena_finish(&spec_drift->arena);
}

/* ---- logs that are only looked at ---- */

static haft_status load_logged_spec(void *context, haft__json source, uint64_t seq,
                                    const haft__spec **ret_spec, haft_error *err)
{
    const haft__spec_drift_log_loader *l = context;
    haft__spec_options options = {
        .path = l->path, .find_price = haft__provider_price, .hash_key = l->hash_key};
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
        status = haft__fail(err, HAFT_BAD_INPUT, "", "a spec that the run went on with is broken");
    }
    return status;
}

haft__run_specs haft__spec_drift_log_specs(haft__spec_drift_log_loader *look)
{
    return (haft__run_specs){load_logged_spec, look};
}
