/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hook.c - see engine/hook/hook.h.
 *
 * A hook starts when the event that announces it is durable, so that it never runs twice for one
 * call. If its outcome was not recorded, it has failed. Tests:
 * tests/cli/middleware_test.py.
 */
#include "engine/hook/hook.h"

#include "base/error.h"
#include "base/limits.h"
#include "base/str.h"
#include "engine/agent.h"
#include "engine/crash_guard.h"
#include "engine/run.h"
#include "engine/runtime.h"
#include "run/redact/redact.h"
#include "json/read.h"

/* ---- slots ---- */

static haft_str call_id(const haft__hook_call *hook)
{
    return hook->call != NULL ? hook->call->id : HAFT__LIT("");
}

static bool is_slot_of(const haft__hook_slot *slot, const haft__hook_call *hook)
{
    return slot->at == hook->at && haft__str_equal(slot->name, hook->name)
           && haft__str_equal(slot->call, call_id(hook));
}

static void drop_slot(haft__hook_slot *slot)
{
    for (haft__hook_slot **at = &slot->run->hooks; *at != NULL; at = &(*at)->next) {
        if (*at == slot) {
            *at = slot->next;
            break;
        }
    }
    if (slot->job != NULL) {
        haft__exec_cancel(slot->job);
    }
    haft__arena_finish(&slot->arena);
    free(slot);
}

void haft__hooks_stop(haft_run *run)
{
    while (run->hooks != NULL) {
        drop_slot(run->hooks);
    }
}

/* The open hook of the slot; false if the run no longer waits for it. */
static bool find_open(const haft__hook_slot *slot, haft__hook_call *ret_hook)
{
    size_t at = 0;
    while (haft__hook_next_open(&slot->run->state, &at, ret_hook)) {
        if (is_slot_of(slot, ret_hook)) {
            return true;
        }
    }
    return false;
}

/* ---- outcomes ---- */

static haft_status write_outcome(haft_run *run, const haft__hook_call *hook,
                                 const haft__hook_outcome *outcome, haft_error *err)
{
    haft__buf *body = &run->runtime->body;
    haft__buf_clear(body);
    haft__input_hook_decided(body, &run->state, hook, outcome);
    return haft__buf_check(body, err);
}

/* Whether the text contains a secret. A call must not run with the text that replaces one. */
static bool has_secret(haft_run *run, haft_str text)
{
    haft__buf *clean = &run->runtime->clean;
    haft__buf_clear(clean);
    return haft__redact(run->agent->redactor, text, clean);
}

/* The outcome of a program that has ended. */
static haft_status read_outcome(haft__hook_slot *slot, const haft__exec_result *result,
                                haft__hook_outcome *ret_outcome, haft_error *err)
{
    haft_status status = HAFT_OK;
    *ret_outcome = (haft__hook_outcome){.what = HAFT__HOOK_FAILED, .why = result->text};
    if (result->ok && result->blob_count > 0) {
        ret_outcome->why = HAFT__LIT("its reply is not text");
    } else if (result->ok) {
        status = haft__hook_read_reply(&slot->arena, result->text, slot->at, ret_outcome, err);
    }
    if (status == HAFT_OK && ret_outcome->what == HAFT__HOOK_CHANGED
        && has_secret(slot->run, result->text)) {
        *ret_outcome = (haft__hook_outcome){
            .what = HAFT__HOOK_FAILED,
            .why = HAFT__LIT("its arguments contain a key, a token or a password")};
    }
    ret_outcome->ms = result->ms;
    return status;
}

static void on_done(void *context, const haft__exec_result *result)
{
    haft__hook_slot *slot = context;
    haft_run *run = slot->run;
    haft__hook_call hook;
    haft__hook_outcome outcome;
    haft_error err = {0};
    slot->job = NULL;
    if (!haft__lease_enforce(run)) {
        return; /* the slot has been freed */
    }
    bool open = find_open(slot, &hook);
    haft_status status = open ? read_outcome(slot, result, &outcome, &err) : HAFT_OK;
    if (open && status == HAFT_OK) {
        status = write_outcome(run, &hook, &outcome, &err);
    }
    drop_slot(slot);
    if (status != HAFT_OK) {
        haft__run_fail(run, &err);
    } else if (open) {
        haft__run_record_input(run, haft__buf_str(&run->runtime->body));
    }
}

/* ---- starting ---- */

/* The request of the hook as a JSON value. */
static haft_status make_request(haft__hook_slot *slot, const haft__hook_call *hook,
                                haft__json *ret_request, haft_error *err)
{
    haft_run *run = slot->run;
    haft__buf text;
    haft__request request = {.messages = NULL};
    haft_status status = hook->at == HAFT__HOOK_BEFORE_MODEL
                             ? haft__decide_request(&run->state, &slot->arena, &request, err)
                             : HAFT_OK;
    if (status != HAFT_OK) {
        return status;
    }
    haft__buf_init(&text, HAFT__LIMIT_JSON_BYTES);
    haft__hook_write_request(&text, &run->state, run->user, hook, request.messages);
    status = haft__buf_check(&text, err);
    haft_str kept =
        status == HAFT_OK ? haft__arena_copy(&slot->arena, haft__buf_str(&text)) : HAFT__LIT("");
    haft__buf_finish(&text);
    if (status == HAFT_OK && kept.ptr == NULL) {
        return haft__arena_fail(&slot->arena, err);
    }
    return status == HAFT_OK ? haft__json_read(&slot->arena, kept, NULL, ret_request, NULL, err)
                             : status;
}

/* The key of a hook for one call: the same in every process. */
static haft_status make_facts(haft__hook_slot *slot, haft_call_facts *ret_facts, haft_error *err)
{
    haft_run *run = slot->run;
    const haft__run *state = &run->state;
    uint32_t turns = run->agent->spec->limits.turns;
    haft_str id = haft__arena_copy(&slot->arena, slot->call);
    haft_str thread = haft__arena_copy(&slot->arena, state->thread);
    haft_str user = haft__arena_copy(&slot->arena, run->user);
    haft_str key =
        haft__arena_format(&slot->arena, "%s:%.*s:%.*s:%s:%u", run->id, HAFT__ARG(slot->call),
                           HAFT__ARG(slot->name), haft__hook_point_name(slot->at), state->turn);
    if (id.ptr == NULL || thread.ptr == NULL || user.ptr == NULL || key.ptr == NULL) {
        return haft__arena_fail(&slot->arena, err);
    }
    *ret_facts = (haft_call_facts){
        .struct_size = sizeof(haft_call_facts),
        .call = id.ptr,
        .run = run->id,
        .thread = thread.ptr,
        .user = user.ptr,
        .idempotency_key = key.ptr,
        .attempt = 1,
        .remaining_turns = turns > state->turn ? turns - state->turn : 0,
        .epoch = run->lease.epoch,
    };
    return HAFT_OK;
}

static haft_status start_program(haft__hook_slot *slot, const haft__hook_call *hook,
                                 const haft__middleware *entry, haft_error *err)
{
    haft_run *run = slot->run;
    const haft__tool *program = entry->as.hook.program;
    haft__exec_call exec = {.spec = run->agent->spec,
                            .tool = program,
                            .timeout_ms = program->traits.timeout_ms,
                            .cleaner = haft__redactor_cleaner(run->agent->redactor)};
    haft_status status = make_request(slot, hook, &exec.arguments, err);
    if (status == HAFT_OK) {
        status = make_facts(slot, &exec.facts, err);
    }
    return status == HAFT_OK
               ? haft__exec_start(run->runtime->exec, &exec, on_done, slot, &slot->job, err)
               : status;
}

static haft_status start_hook(haft_run *run, const haft__hook_call *hook,
                              const haft__middleware *entry, haft_error *err)
{
    haft__hook_slot *slot = calloc(1, sizeof(*slot));
    if (slot == NULL) {
        return haft__fail_no_memory(err);
    }
    haft__arena_init(&slot->arena, HAFT__LIMIT_RUN_BYTES);
    slot->run = run;
    slot->at = hook->at;
    slot->next = run->hooks;
    run->hooks = slot;
    slot->call = haft__arena_copy(&slot->arena, call_id(hook));
    slot->name = haft__arena_copy(&slot->arena, hook->name);
    haft_status status = slot->call.ptr != NULL && slot->name.ptr != NULL
                             ? start_program(slot, hook, entry, err)
                             : haft__arena_fail(&slot->arena, err);
    if (status != HAFT_OK) {
        drop_slot(slot);
    }
    return status;
}

static bool has_slot(const haft_run *run, const haft__hook_call *hook)
{
    for (const haft__hook_slot *slot = run->hooks; slot != NULL; slot = slot->next) {
        if (is_slot_of(slot, hook)) {
            return true;
        }
    }
    return false;
}

haft_status haft__hooks_start(haft_run *run, haft_error *err)
{
    bool durable = haft__log_is_durable(run);
    haft__hook_call hook;
    size_t at = 0;
    while (haft__hook_next_open(&run->state, &at, &hook)) {
        const haft__middleware *entry = haft__middleware_find(run->state.spec, hook.name);
        bool known = entry != NULL && haft__middleware_is_hook(entry);
        if (!known || (!durable && !entry->as.hook.repeatable) || has_slot(run, &hook)
            || haft__crash_guard_must_wait(run)) {
            continue;
        }
        haft_status status = start_hook(run, &hook, entry, err);
        if (status != HAFT_OK) {
            return status;
        }
    }
    return HAFT_OK;
}

/* ---- recovery ---- */

/* A hook whose entry is no longer in the spec has nothing to say. */
static haft_status recover_hook(haft_run *run, const haft__hook_call *hook, bool known,
                                haft_error *err)
{
    haft__hook_outcome outcome = {
        .what = known ? HAFT__HOOK_FAILED : HAFT__HOOK_ALLOWED,
        .why = known ? HAFT__LIT("the process that ran it has ended, and it does not run twice")
                     : HAFT__LIT("the spec no longer has it")};
    haft_status status = write_outcome(run, hook, &outcome, err);
    return status == HAFT_OK ? haft__log_append(run, haft__runtime_now(run->runtime),
                                                haft__buf_str(&run->runtime->body), err)
                             : status;
}

haft_status haft__hooks_recover(haft_run *run, haft_error *err)
{
    haft__hook_call hook;
    size_t at = 0;
    haft_status status = HAFT_OK;
    while (status == HAFT_OK && haft__hook_next_open(&run->state, &at, &hook)) {
        const haft__middleware *entry = haft__middleware_find(run->state.spec, hook.name);
        bool known = entry != NULL && haft__middleware_is_hook(entry);
        if (!known || !entry->as.hook.repeatable) {
            status = recover_hook(run, &hook, known, err);
        }
    }
    return status;
}
