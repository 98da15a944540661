/* SPDX-License-Identifier: Apache-2.0 */
/*
 * demand.c - messages that haft adds to the conversation and never removes: a demand for a call, if
 * the model cannot be forced to call; and a correction, if the model's reasoning is valid only
 * after an unchanged history (model/model_rules.h). Tests:
 * tests/run/scenarios/a-model-that-cannot-be-forced.txt and tests/cli/refused_test.py.
 */
#include "base/limits.h"
#include "base/str.h"
#include "model/model_rules.h"
#include "run/fold/fold_int.h"
#include "run/offer/offer.h"

static haft_status add_message(haft__run *run, haft__buf *text, haft_error *err)
{
    haft_status status = haft__buf_check(text, err);
    if (status == HAFT_OK) {
        haft_str kept = haft__arena_copy(run->arena, haft__buf_str(text));
        status = kept.ptr != NULL ? haft__fold_add_user_message(run, kept, err)
                                  : haft__arena_fail(run->arena, err);
    }
    return status;
}

static haft_status write_demand(const haft__run *run, haft__buf *text, haft_error *err)
{
    haft__arena arena;
    haft__offered offered;
    haft__arena_init(&arena, 0);
    haft_status status = haft__offer_tools(run, &arena, &offered, err);
    haft_str *names =
        status == HAFT_OK ? haft__arena_array(&arena, offered.count, sizeof(*names)) : NULL;
    size_t count = 0;
    if (status == HAFT_OK && names == NULL) {
        status = haft__arena_fail(&arena, err);
    }
    size_t shown = offered.declared + offered.appended;
    for (size_t i = 0; status == HAFT_OK && i < shown; i++) {
        if (run->allowed[offered.items[i]]) {
            names[count++] = run->tools->items[offered.items[i]]->name;
        }
    }
    if (status == HAFT_OK) {
        haft__choice_write_demand(text, run->mode, run->mode_tool, names, count);
    }
    haft__arena_finish(&arena);
    return status;
}

haft_status haft__fold_add_demand(haft__run *run, haft_error *err)
{
    const haft__model_spec *model = &run->spec->model;
    const haft__provider *provider = haft__provider_for_model(model);
    bool forced = run->mode == HAFT__MODE_ANY || run->mode == HAFT__MODE_TOOL;
    if (!forced || provider == NULL || !haft__offer_is_native(run->spec)
        || run->spec->history == HAFT__HISTORY_TRANSCRIPT
        || haft__model_force_rule(provider, model->model, model->options, run->refused)
               == HAFT__FORCE_NATIVE) {
        return HAFT_OK;
    }
    haft__buf text;
    haft__buf_init(&text, HAFT__LIMIT_RUN_BYTES);
    haft_status status = write_demand(run, &text, err);
    if (status == HAFT_OK) {
        status = add_message(run, &text, err);
    }
    haft__buf_finish(&text);
    return status;
}

haft_status haft__fold_keep_correction(haft__run *run, haft_error *err)
{
    haft_str text = run->correction;
    if (!haft__offer_keeps_prefix(run->spec)) {
        return HAFT_OK;
    }
    run->correction = HAFT__LIT("");
    return haft__fold_add_user_message(run, text, err);
}
