/* SPDX-License-Identifier: Apache-2.0 */
/* spec_drift.c - compares the spec of a run with its file. Tests:
 * tests/engine/ops/spec_drift_test.c, tests/cli/respec_test.py. */
#include "engine/ops/spec_drift.h"

#include <unistd.h>

#include "base/error.h"
#include "base/limits.h"
#include "base/sha256.h"
#include "base/str.h"
#include "engine/agent.h"
#include "engine/run.h"
#include "io/file.h"
#include "spec/load/diff/diff.h"
#include "json/write.h"

/* A spec to load instead of the run's. */
typedef struct candidate {
    haft_str text;
    haft_str file;   /* hash of the file, which the run records if it accepts the spec */
    bool from_file;  /* false: the stored spec, which contains the overrides of the run's start */
    bool overridden; /* with the overrides of the caller */
} candidate;

/* Collects the overrides of the run's start and then the overrides of the caller. */
static haft_status read_overrides(haft__spec_drift *r, const haft__run *run, const candidate *c,
                                  haft__spec_options *options, haft_error *err)
{
    haft__json overrides = run->overrides;
    uint32_t count = c->from_file && overrides.kind == HAFT__JSON_ARRAY ? overrides.count : 0;
    size_t own = c->overridden ? r->options.set_count : 0;
    const char **sets = haft__arena_array(&r->arena, count + own, sizeof(*sets));
    const haft__json *model = haft__json_get(run->first_spec->source, HAFT__LIT("model"));
    if (sets == NULL) {
        return haft__arena_fail(&r->arena, err);
    }
    for (uint32_t i = 0; i < count; i++) {
        haft_str set = haft__arena_copy(&r->arena, haft__json_text(overrides.items[i]));
        if (set.ptr == NULL) {
            return haft__arena_fail(&r->arena, err);
        }
        sets[options->set_count++] = set.ptr;
    }
    for (size_t i = 0; i < own; i++) {
        sets[options->set_count++] = r->options.sets[i];
    }
    options->sets = sets;
    if (model != NULL && model->kind == HAFT__JSON_STRING) { /* used if the file names no model */
        options->model_from = "the stored spec";
        options->model = haft__arena_copy(&r->arena, haft__json_text(*model)).ptr;
    }
    return HAFT_OK;
}

static void report(const haft__spec_drift *r, haft__spec_drift_finding finding, const char *path,
                   haft_str changes, haft_error *err)
{
    if (r->options.report != NULL) {
        r->options.report(r->options.context, finding, path, changes, err);
    }
}

static haft_status fail_load(const haft__spec_drift *r, const char *path, const candidate *c,
                             const haft__spec_report *problems, haft_error *err)
{
    haft_status status = HAFT_BAD_INPUT;
    for (size_t i = 0; i < problems->count; i++) {
        if (!problems->problems[i].warning) {
            status = haft__fail(err, HAFT_BAD_INPUT, path, "the spec %s and is not valid: %.*s",
                                c->overridden ? "is overridden" : "has changed since the run began",
                                HAFT__ARG(problems->problems[i].message));
            break;
        }
    }
    if (!c->overridden) {
        report(r, HAFT__SPEC_DRIFT_INVALID, path, HAFT__LIT(""), err);
    }
    return status;
}

static haft_status load(haft__spec_drift *r, const haft__run *run, const char *path,
                        const candidate *c, const haft__spec **ret_spec, haft_error *err)
{
    haft__spec_options options = haft__agent_spec_options(r->runtime, run->first_spec->path);
    haft__spec_report problems;
    haft_status status = read_overrides(r, run, c, &options, err);
    if (status == HAFT_OK) {
        status = haft__spec_load(&r->arena, c->text, &options, ret_spec, &problems, err);
    }
    return status == HAFT_OK && *ret_spec == NULL ? fail_load(r, path, c, &problems, err) : status;
}

/* ---- decisions ---- */

static haft_status accept_change(haft__spec_drift *r, const haft__spec *spec, haft_str file,
                                 haft_str changes, haft__spec_replacement *ret_replacement,
                                 haft_error *err)
{
    haft__buf source;
    haft__buf_init(&source, HAFT__LIMIT_RUN_BYTES);
    haft__json_write(&source, spec->source);
    haft_status status = haft__buf_check(&source, err);
    if (status == HAFT_OK) {
        *ret_replacement =
            (haft__spec_replacement){.text = haft__arena_copy(&r->arena, haft__buf_str(&source)),
                                     .file = haft__arena_copy(&r->arena, file),
                                     .by = r->options.by,
                                     .overrides_run = ret_replacement->overrides_run,
                                     .chooses_model = ret_replacement->chooses_model,
                                     .changes = haft__arena_copy(&r->arena, changes)};
        bool kept = ret_replacement->text.ptr != NULL && ret_replacement->file.ptr != NULL
                    && ret_replacement->changes.ptr != NULL;
        status = kept ? HAFT_OK : haft__arena_fail(&r->arena, err);
    }
    haft__buf_finish(&source);
    return status;
}

static haft_status reject_change(const haft__spec_drift *r, const char *path, haft_str changes,
                                 haft_error *err)
{
    haft_status status =
        haft__fail(err, HAFT_BAD_INPUT, path, "the spec has changed since the run began");
    report(r, HAFT__SPEC_DRIFT_CHANGED, path, changes, err);
    return status;
}

static haft_status compare_models(const haft__spec *old, const haft__spec *new,
                                  haft__spec_replacement *io_replacement, haft_error *err)
{
    const haft__json *from = haft__json_get(old->source, HAFT__LIT("model"));
    const haft__json *to = haft__json_get(new->source, HAFT__LIT("model"));
    bool same = from == NULL && to == NULL;
    haft_status status =
        from != NULL && to != NULL ? haft__json_equal(*from, *to, &same, err) : HAFT_OK;
    io_replacement->chooses_model = io_replacement->chooses_model || !same;
    return status;
}

/* Decides whether the run continues with the candidate, if it differs from the run's spec. */
static haft_status compare_specs(haft__spec_drift *r, const haft__run *run, const char *path,
                                 const candidate *c, haft__spec_replacement *ret_replacement,
                                 haft_error *err)
{
    const haft__spec *spec = NULL;
    haft__buf changes;
    haft_status status = load(r, run, path, c, &spec, err);
    if (status != HAFT_OK || haft__str_equal(spec->hash, run->first_spec->hash)) {
        return status;
    }
    haft__buf_init(&changes, HAFT__LIMIT_RUN_BYTES);
    status = haft__spec_diff(&changes, run->first_spec->source, spec->source, err);
    if (status == HAFT_OK) {
        status = compare_models(run->first_spec, spec, ret_replacement, err);
    }
    bool accepted = c->overridden || r->options.policy == HAFT__SPEC_DRIFT_ACCEPT;
    if (status == HAFT_OK && accepted) {
        status = accept_change(r, spec, c->file, haft__buf_str(&changes), ret_replacement, err);
    } else if (status == HAFT_OK) {
        status = reject_change(r, path, haft__buf_str(&changes), err);
    }
    haft__buf_finish(&changes);
    return status;
}

/* Checks the stored spec with the overrides of the caller. */
static haft_status override_stored(haft__spec_drift *r, const haft__run *run, const char *path,
                                   haft__spec_replacement *ret_replacement, haft_error *err)
{
    haft__buf source;
    haft__buf_init(&source, HAFT__LIMIT_RUN_BYTES);
    haft__json_write(&source, run->first_spec->source);
    candidate c = {.text = haft__buf_str(&source), .file = run->file, .overridden = true};
    haft_status status = haft__buf_check(&source, err);
    ret_replacement->overrides_run = true;
    if (status == HAFT_OK) {
        status = compare_specs(r, run, path, &c, ret_replacement, err);
    }
    haft__buf_finish(&source);
    return status;
}

/* Handles a missing file. If the caller accepts the file, fails instead of using the stored
 * spec. */
static haft_status handle_missing_file(const haft__spec_drift *r, const char *path, bool ahead,
                                       haft_error *err)
{
    if (r->options.policy == HAFT__SPEC_DRIFT_ACCEPT) {
        haft_status status =
            haft__fail(err, HAFT_BAD_INPUT, path, "the spec file to accept no longer exists");
        report(r, HAFT__SPEC_DRIFT_MISSING, path, HAFT__LIT(""), err);
        return status;
    }
    *err = (haft_error){0};
    if (!ahead) {
        report(r, HAFT__SPEC_DRIFT_IGNORED, path, HAFT__LIT(""), err);
    }
    return HAFT_OK;
}

/* Checks the text of the run's file. If it is unchanged, the spec of the run was made from this
 * file and all overrides so far. */
static haft_status check_text(haft__spec_drift *r, const haft__run *run, const char *path,
                              haft_str text, haft__spec_replacement *ret_replacement,
                              haft_error *err)
{
    char digest[HAFT__SHA256_HEX];
    haft__sha256_hex(text, digest);
    candidate c = {.text = text, .file = {digest, sizeof(digest)}, .from_file = true};
    if (haft__str_equal(run->file, c.file)) {
        return r->options.set_count > 0 ? override_stored(r, run, path, ret_replacement, err)
                                        : HAFT_OK;
    }
    haft_status status = compare_specs(r, run, path, &c, ret_replacement, err);
    if (status == HAFT_OK && r->options.set_count > 0) {
        c.overridden = true;
        status = compare_specs(r, run, path, &c, ret_replacement, err);
    }
    return status;
}

/* Checks the file of the run's spec. `ahead`: the run does not exist yet, and is checked again when
 * it is opened. */
static haft_status check_spec_file(haft__spec_drift *r, const haft__run *run, bool ahead,
                                   haft__spec_replacement *ret_replacement, haft_error *err)
{
    haft_str text;
    haft__arena_reset(&r->arena);
    haft_str place = haft__arena_copy(&r->arena, run->first_spec->path);
    if (place.ptr == NULL) {
        return haft__arena_fail(&r->arena, err);
    }
    bool known = run->file.len > 0 && place.len > 0;
    bool stored = !known || r->options.policy == HAFT__SPEC_DRIFT_KEEP;
    haft_status status = HAFT_OK;
    if (!stored) {
        status = haft__file_read_arena(&r->arena, place.ptr, HAFT__LIMIT_SPEC_BYTES, &text, err);
    }
    if (status == HAFT_IO && access(place.ptr, F_OK) != 0) {
        status = handle_missing_file(r, place.ptr, ahead, err);
        stored = true;
    }
    if (status != HAFT_OK || (stored && r->options.set_count == 0)) {
        return status;
    }
    return stored ? override_stored(r, run, place.ptr, ret_replacement, err)
                  : check_text(r, run, place.ptr, text, ret_replacement, err);
}

/* Whether an override names the model or its server. */
static bool names_model(const haft__spec_drift_options *options)
{
    for (size_t i = 0; i < options->set_count; i++) {
        haft_str set = haft__str(options->sets[i]);
        if (haft__str_starts_with(set, HAFT__LIT("model="))
            || haft__str_starts_with(set, HAFT__LIT("model."))) {
            return true;
        }
    }
    return false;
}

static haft_status check_opened(void *context, const haft_run *run,
                                haft__spec_replacement *ret_replacement, haft_error *err)
{
    const haft__spec_drift *r = context;
    ret_replacement->chooses_model = names_model(&r->options);
    return check_spec_file(context, &run->state, false, ret_replacement, err);
}

haft_status haft__spec_drift_check(haft__spec_drift *drift, const haft__run *run, haft_error *err)
{
    haft__spec_replacement unused = {.text = {NULL, 0}};
    return check_spec_file(drift, run, true, &unused, err);
}

void haft__spec_drift_watch(haft__spec_drift *drift, haft_runtime *runtime,
                            const haft__spec_drift_options *options)
{
    *drift = (haft__spec_drift){.options = *options, .runtime = runtime};
    haft__arena_init(&drift->arena, HAFT__LIMIT_RUN_BYTES);
    runtime->spec_change_hook = (haft__spec_change_hook){
        .check = check_opened, .context = drift, .overrides = options->set_count > 0};
}

void haft__spec_drift_finish(haft__spec_drift *drift)
{
    drift->runtime->spec_change_hook = (haft__spec_change_hook){.check = NULL};
    haft__arena_finish(&drift->arena);
}
