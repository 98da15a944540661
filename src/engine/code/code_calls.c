/* SPDX-License-Identifier: Apache-2.0 */
/*
 * code_calls.c - calls that running code makes.
 *
 * Each list of calls becomes events call_requested; from then on they are calls of the run like all
 * others. When all calls of the list have results, the code gets them. If the code runs again after
 * an interruption, its first calls are recorded already: it gets their results, and a call that
 * differs from the recorded one ends it. Tests: tests/cli/code_test.py, tests/crash/code_test.py.
 */
#include "base/error.h"
#include "base/limits.h"
#include "base/str.h"
#include "engine/agent.h"
#include "engine/run.h"
#include "engine/runtime.h"
#include "engine/tool_calls.h"
#include "run/nested.h"
#include "run/offer/offer.h"
#include "run/offer/resolve.h"
#include "run/redact/redact.h"
#include "tool/builtin.h"
#include "tool/python_name.h"
#include "json/object.h"

/* ---- functions ---- */

/* The parameters in the order of the function that the model sees: the required ones first. */
static void write_parameters(haft__json_writer *w, const haft__tool *tool)
{
    haft__json properties = haft__object_object(tool->input_schema, "properties");
    haft__json required = haft__object_array(tool->input_schema, "required");
    haft__json_key(w, "parameters");
    haft__json_begin_array(w);
    for (int pass = 0; pass <= 1; pass++) {
        for (uint32_t i = 0; i < properties.count; i++) {
            haft_str name = haft__json_text(properties.members[i].key);
            if (haft__array_has_text(required, name) == (pass == 0)) {
                haft__json_add_str(w, name);
            }
        }
    }
    haft__json_end_array(w);
}

static void write_function(haft__json_writer *w, const haft__tool *tool, haft__buf *name)
{
    haft__buf_clear(name);
    haft__python_name_add(name, tool->name);
    haft__json_begin_object(w);
    haft__field_text(w, "name", haft__buf_str(name));
    haft__field_text(w, "tool", tool->name);
    write_parameters(w, tool);
    haft__json_end_object(w);
}

haft_status haft__code_calls_write_functions(const haft_run *run, haft__buf *buf, haft_error *err)
{
    haft__arena arena;
    haft__offered offered;
    haft__json_writer w;
    haft__buf name;
    haft__arena_init(&arena, 0);
    haft__buf_init(&name, HAFT__LIMIT_RUN_BYTES);
    haft_status status = haft__offer_text_tools(&run->state, &arena, &offered, err);
    haft__json_writer_init(&w, buf);
    haft__json_begin_array(&w);
    for (size_t i = 0; status == HAFT_OK && i < offered.count; i++) {
        const haft__tool *tool = run->state.tools->items[offered.items[i]];
        if (!haft__tool_runs_code(tool)) {
            write_function(&w, tool, &name);
        }
    }
    haft__json_end_array(&w);
    status = status == HAFT_OK ? haft__buf_check(&name, err) : status;
    haft__buf_finish(&name);
    haft__arena_finish(&arena);
    return status == HAFT_OK ? haft__buf_check(buf, err) : status;
}

/* ---- requests ---- */

/* Whether the arguments contain a secret: then they cannot be recorded, and the call is refused. */
static haft_status find_secret(haft_run *run, haft__json arguments, bool *ret_found,
                               haft_error *err)
{
    haft__buf text, *clean = &run->runtime->clean;
    haft__buf_init(&text, HAFT__LIMIT_RUN_BYTES);
    haft__json_write(&text, arguments);
    haft__buf_clear(clean);
    *ret_found = haft__redact(run->agent->redactor, haft__buf_str(&text), clean);
    haft_status status = haft__buf_check(&text, err);
    haft__buf_finish(&text);
    return status;
}

static haft_status record_call(haft__call_slot *slot, haft_str tool, haft__json arguments,
                               uint64_t hash, haft_error *err)
{
    haft_run *run = slot->run;
    const haft__run_call *parent = &run->state.calls[slot->call];
    bool secret = false;
    haft__buf body;
    haft_status status = find_secret(run, arguments, &secret, err);
    haft_str id = haft__nested_id(&slot->arena, parent);
    if (status != HAFT_OK || id.ptr == NULL) {
        return status != HAFT_OK ? status : haft__arena_fail(&slot->arena, err);
    }
    haft__buf_init(&body, HAFT__LIMIT_RUN_BYTES);
    haft__input_call_requested(&body, parent, id, tool, arguments, hash, secret);
    status = haft__buf_check(&body, err);
    if (status == HAFT_OK) {
        status = haft__log_append(run, haft__runtime_now(run->runtime), haft__buf_str(&body), err);
    }
    haft__buf_finish(&body);
    return status;
}

/* Records one call, or compares it with the recorded one. */
static haft_status take_call(haft__call_slot *slot, haft__json call, bool *ret_differs,
                             haft_error *err)
{
    const haft__run *state = &slot->run->state;
    haft_str tool = haft__object_string(call, "tool");
    haft__json arguments = haft__object_object(call, "arguments");
    uint64_t hash = 0;
    haft_status status = haft__nested_hash(tool, arguments, &hash, err);
    if (status != HAFT_OK) {
        return status;
    }
    const haft__run_call *recorded = haft__nested_find(state, slot->call, slot->nested + 1);
    *ret_differs = recorded != NULL && recorded->asked != hash;
    if (recorded == NULL) {
        status = record_call(slot, tool, arguments, hash, err);
    }
    slot->nested++;
    const haft__tool *found = haft__tools_find(state->tools, tool);
    slot->searched = slot->searched || (found != NULL && haft__resolve_is_search_tool(found));
    return status;
}

static void reject(haft__call_slot *slot)
{
    haft_str why = haft__arena_format(
        &slot->arena,
        "the code was interrupted and ran again, and its call number %u was not the recorded one: "
        "its outcome is unknown",
        slot->nested);
    haft__exec_reject(slot->job, why.ptr != NULL ? why : HAFT__LIT("the code took another way"));
}

void haft__code_calls_record(haft__call_slot *slot, haft__json calls)
{
    haft_run *run = slot->run;
    haft_error err = {0};
    haft_status status = HAFT_OK;
    bool differs = false;
    if (!haft__lease_enforce(run)) {
        return;
    }
    slot->searched = false;
    for (uint32_t i = 0; i < calls.count && status == HAFT_OK && !differs; i++) {
        status = take_call(slot, calls.items[i], &differs, &err);
    }
    if (status != HAFT_OK) {
        haft__run_fail(run, &err);
    } else if (differs) {
        reject(slot);
    } else {
        slot->waiting = calls.count;
        haft__run_advance(run);
    }
}

/* ---- replies ---- */

/* Whether all calls that the code waits for have results. */
static bool is_answered(const haft__call_slot *slot)
{
    for (uint32_t i = 0; i < slot->waiting; i++) {
        const haft__run_call *call =
            haft__nested_find(&slot->run->state, slot->call, slot->nested - i);
        if (call == NULL || !haft__call_is_over(call)) {
            return false;
        }
    }
    return slot->waiting > 0;
}

/* The code gets the whole result, not the part that a model would see. */
static void write_result(haft__json_writer *w, const haft__run_call *call)
{
    bool ok = call->stage == HAFT__CALL_FINISHED && call->ok;
    haft__json_begin_object(w);
    haft__field_flag(w, "ok", ok);
    haft__field_text(w, "text", call->stage == HAFT__CALL_REFUSED ? call->shown : call->result);
    haft__json_end_object(w);
}

static haft_status reply(haft__call_slot *slot, haft_error *err)
{
    haft__buf text;
    haft__json_writer w;
    haft_status status = HAFT_OK;
    haft__buf_init(&text, HAFT__LIMIT_RUN_BYTES);
    haft__json_writer_init(&w, &text);
    haft__json_begin_object(&w);
    haft__json_key(&w, "results");
    haft__json_begin_array(&w);
    for (uint32_t i = slot->waiting; i > 0; i--) {
        write_result(&w, haft__nested_find(&slot->run->state, slot->call, slot->nested - i + 1));
    }
    haft__json_end_array(&w);
    if (slot->searched) {
        haft__buf functions;
        haft__buf_init(&functions, HAFT__LIMIT_RUN_BYTES);
        status = haft__code_calls_write_functions(slot->run, &functions, err);
        haft__json_key(&w, "functions");
        haft__buf_add_str(&text, haft__buf_str(&functions));
        w.after_key = false;
        haft__buf_finish(&functions);
    }
    haft__json_end_object(&w);
    status = status == HAFT_OK ? haft__buf_check(&text, err) : status;
    if (status == HAFT_OK) {
        slot->waiting = 0;
        haft__exec_reply(slot->job, haft__buf_str(&text));
    }
    haft__buf_finish(&text);
    return status;
}

haft_status haft__code_calls_reply(haft_run *run, haft_error *err)
{
    haft_status status = HAFT_OK;
    for (haft__call_slot *slot = run->slots; slot != NULL && status == HAFT_OK; slot = slot->next) {
        if (slot->job != NULL && is_answered(slot)) {
            status = reply(slot, err);
        }
    }
    return status;
}
