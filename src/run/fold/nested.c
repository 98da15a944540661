/* SPDX-License-Identifier: Apache-2.0 */
/* nested.c - call_requested: code makes a call. Tests: tests/run/fold/nested_test.c. */
#include "run/nested.h"
#include "base/hex.h"
#include "base/str.h"
#include "run/call_target.h"
#include "run/fold/fold_int.h"
#include "json/object.h"

/* The running call whose code makes the call. */
static haft_status find_parent(const haft__run *run, const haft__event *event, size_t *ret_index,
                               haft_error *err)
{
    haft_str id = haft__object_text(event->object, "parent");
    for (size_t i = run->batch; i < run->call_count; i++) {
        const haft__run_call *call = &run->calls[i];
        if (haft__str_equal(call->id, id) && call->stage == HAFT__CALL_STARTED
            && haft__call_runs_code(call)) {
            *ret_index = i;
            return HAFT_OK;
        }
    }
    return haft__fold_fail(event, "no code is running in its parent", err);
}

static haft_status add_call(haft__run *run, const haft__event *event, size_t parent, haft_str id,
                            haft_error *err)
{
    haft_str name = {NULL, 0}, raw = {NULL, 0};
    haft_status status = haft__event_text(event, "tool", &name, err);
    status = status == HAFT_OK ? haft__event_text(event, "arguments", &raw, err) : status;
    status = status == HAFT_OK ? haft__fold_grow_calls(run, 1, err) : status;
    if (status != HAFT_OK) {
        return status;
    }
    haft__run_call *of = &run->calls[parent];
    haft__run_call call = {.id = id,
                           .model_call = HAFT__LIT(""),
                           .name = name,
                           .raw = raw,
                           .malformed = HAFT__LIT(""),
                           .redacted = haft__event_flag(event, "redacted"),
                           .note = HAFT__LIT(""),
                           .verdict = HAFT__LIT(""),
                           .result = HAFT__LIT(""),
                           .shown = HAFT__LIT(""),
                           .parent = of->id,
                           .parent_index = parent};
    if (!haft__hex_read_u64(haft__object_text(event->object, "hash"), &call.asked)) {
        return haft__fold_fail(event, "the hash is not valid", err);
    }
    call.tool = haft__call_target_find(run, call.name, &call.renamed);
    call.name = call.tool != NULL ? call.tool->name : call.name;
    of->nested++;
    of->repeats = 0; /* the code has made progress since it was interrupted */
    run->calls[run->call_count++] = call;
    return HAFT_OK;
}

haft_status haft__fold_call_requested(haft__run *run, const haft__event *event, haft_error *err)
{
    size_t parent = 0;
    haft_str id = {NULL, 0};
    haft_status status =
        haft__fold_expect_stage(run, event, HAFT__RUN_CALLING, "no calls are running", err);
    status = status == HAFT_OK ? find_parent(run, event, &parent, err) : status;
    status = status == HAFT_OK ? haft__event_text(event, "call", &id, err) : status;
    if (status != HAFT_OK) {
        return status;
    }
    haft_str wanted = haft__nested_id(run->arena, &run->calls[parent]);
    if (wanted.ptr == NULL || !haft__str_equal(id, wanted)) {
        return haft__fold_fail(event, "the id of the call is not the next one", err);
    }
    return add_call(run, event, parent, id, err);
}
