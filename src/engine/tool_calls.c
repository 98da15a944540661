/* SPDX-License-Identifier: Apache-2.0 */
/*
 * calls.c - the calls that run: from the script, from memory, or by their executors.
 *
 * A slot is one attempt of one call. Tests: tests/engine/tool_calls_test.c.
 */
#include "base/error.h"
#include "base/limits.h"
#include "base/sha256.h"
#include "base/str.h"
#include "engine/runtime.h"
#include "run/host.h"
#include "run/offer/resolve.h"
#include "run/redact/redact.h"
#include "json/write.h"

/* More than the members in front of an event's body take. */
#define ENVELOPE 1024

static const haft__run_call *call_of(const haft__slot *slot)
{
    return &slot->run->state.calls[slot->call];
}

/* ---- slots ---- */

static haft__slot *find_slot(const haft_run *run, size_t call)
{
    for (haft__slot *slot = run->slots; slot != NULL; slot = slot->next) {
        if (slot->call == call) {
            return slot;
        }
    }
    return NULL;
}

static void free_slot(haft__slot *slot)
{
    haft__arena_finish(&slot->arena);
    free(slot);
}

/* Takes it out of the run; it goes now, or when the store is through with it. */
static void drop_slot(haft__slot *slot)
{
    haft_run *run = slot->run;
    for (haft__slot **at = &run->slots; *at != NULL; at = &(*at)->next) {
        if (*at == slot) {
            *at = slot->next;
            break;
        }
    }
    slot->run = NULL;
    if (slot->job != NULL) {
        haft__exec_cancel(slot->job);
    }
    if (!slot->asking_store) {
        free_slot(slot);
    }
}

void haft__calls_stop(haft_run *run)
{
    while (run->slots != NULL) {
        drop_slot(run->slots);
    }
}

void haft__calls_stop_repeatable(haft_run *run)
{
    for (haft__slot *slot = run->slots, *next; slot != NULL; slot = next) {
        next = slot->next;
        if (haft__call_is_repeatable(call_of(slot))
            || slot->asks) { /* nobody here will answer it */
            drop_slot(slot);
        }
    }
}

/* ---- what came of a call ---- */

static haft_status write_outcome(haft_run *run, const haft__run_call *call,
                                 const haft__outcome *outcome, haft_error *err)
{
    haft_runtime *runtime = run->runtime;
    uint64_t now = haft__runtime_now(runtime);
    if (!outcome->ok) {
        haft__effect effect = {.kind = HAFT__EFFECT_END};
        haft_status status =
            haft__decide_failed(&runtime->decider, &run->state, call, outcome, now, &effect, err);
        return status == HAFT_OK ? haft__log_append(run, now, effect.body, err) : status;
    }
    haft__buf_clear(&runtime->body);
    haft__input_call_finished(&runtime->body, &run->state, call, outcome);
    if (runtime->body.len > HAFT__LIMIT_JSON_BYTES - ENVELOPE) { /* control characters take six */
        haft__outcome told = {.text = HAFT__LIT("the result is too long to be written down: much "
                                                "of it is no text"),
                              .where = HAFT__LIT(""),
                              .hint = HAFT__LIT("ask for less at once"),
                              .ms = outcome->ms};
        haft__buf_clear(&runtime->body);
        haft__input_call_finished(&runtime->body, &run->state, call, &told);
    }
    haft_status status = haft__buf_check(&runtime->body, err);
    return status == HAFT_OK ? haft__log_append(run, now, haft__buf_str(&runtime->body), err)
                             : status;
}

static void finish(haft__slot *slot, const haft__outcome *outcome)
{
    haft_run *run = slot->run;
    haft_error err = {0};
    haft_status status = write_outcome(run, call_of(slot), outcome, &err);
    drop_slot(slot);
    if (status != HAFT_OK) {
        haft__live_fail(run, &err);
        return;
    }
    haft__live_go_on(run);
}

/* ---- the script ---- */

static bool is_scripted(const haft_run *run, const haft__run_call *call)
{
    return run->agent->scripted && haft__script_has_results(&run->script, call->name);
}

/* Results that the script has are there at once, so that nobody is asked about a call that it
 * stands in for. */
static haft_status stand_in(haft_run *run, const haft__run_call *call, haft_error *err)
{
    haft__script_result result;
    haft__arena_mark mark = haft__arena_save(&run->loaded);
    haft_status status =
        haft__script_result_of(&run->script, call->name, &run->loaded, &result, err);
    if (status == HAFT_OK) {
        haft__outcome outcome = {
            .ok = result.ok, .text = result.text, .where = HAFT__LIT(""), .hint = result.hint};
        status = write_outcome(run, call, &outcome, err);
    }
    haft__arena_restore(&run->loaded, mark);
    return status;
}

haft_status haft__calls_stand_in(haft_run *run, bool *ret_did, haft_error *err)
{
    const haft__run *state = &run->state;
    *ret_did = false;
    for (size_t i = state->batch; i < state->call_count; i++) {
        const haft__run_call *call = &state->calls[i];
        bool starts =
            call->stage == HAFT__CALL_STARTED
            && (haft__call_is_external(call) || call->tool->source == HAFT__TOOL_HEADLESS);
        if (starts && is_scripted(run, call)) {
            *ret_did = true;
            return stand_in(run, call, err);
        }
    }
    return HAFT_OK;
}

/* ---- results that are remembered ---- */

static bool is_remembered(const haft__tool *tool)
{
    return tool->traits.cache == HAFT__CACHE_THREAD || tool->traits.cache == HAFT__CACHE_GLOBAL;
}

/* What a result is remembered by: how the tool runs, and what it was called with. A tool of the
 * same name that runs another way has results of its own. */
static haft_status memory_key(haft__slot *slot, haft_str *ret_key, haft_error *err)
{
    const haft__run_call *call = call_of(slot);
    char digest[HAFT__SHA256_HEX];
    haft__buf text;
    haft__buf_init(&text, HAFT__LIMIT_RUN_BYTES);
    haft__json_write(&text, call->tool->definition);
    haft__buf_add_str(&text, slot->run->agent->spec->path); /* what it is relative to */
    haft__buf_add_char(&text, '\n');
    haft__buf_add_str(&text, call->cache_key);
    haft_status status = haft__buf_check(&text, err);
    haft__sha256_hex(haft__buf_str(&text), digest);
    haft__buf_finish(&text);
    if (status == HAFT_OK) {
        *ret_key = haft__arena_copy(&slot->arena, (haft_str){digest, sizeof(digest)});
        status = ret_key->ptr != NULL ? HAFT_OK : haft__arena_fail(&slot->arena, err);
    }
    return status;
}

static haft_str memory_scope(const haft__slot *slot)
{
    return call_of(slot)->tool->traits.cache == HAFT__CACHE_GLOBAL ? HAFT__LIT("global")
                                                                   : slot->run->state.thread;
}

static haft_status run_slot(haft__slot *slot, haft_error *err);

static void on_recalled(haft__store_request *request)
{
    haft__slot *slot = request->context;
    haft_run *run = slot->run;
    slot->asking_store = false;
    slot->runtime->keeping--;
    if (run == NULL) {
        free_slot(slot);
        return;
    }
    if (request->status == HAFT_OK) {
        haft__outcome outcome = {.ok = true, .cached = true, .text = request->text};
        finish(slot, &outcome);
        return;
    }
    haft_error err = {0}; /* a memory that fails is a memory that is empty */
    if (!haft__lease_holds(run)) {
        return;
    }
    if (run_slot(slot, &err) != HAFT_OK) {
        haft__live_fail(run, &err);
    }
}

static haft_status recall(haft__slot *slot, haft_error *err)
{
    haft_str key = {NULL, 0};
    haft_status status = memory_key(slot, &key, err);
    if (status != HAFT_OK) {
        return status;
    }
    slot->request = (haft__store_request){.verb = HAFT__STORE_CACHE_GET,
                                          .scope = memory_scope(slot),
                                          .name = key,
                                          .now_ms = haft__runtime_now(slot->run->runtime),
                                          .arena = &slot->arena,
                                          .done = on_recalled,
                                          .context = slot};
    slot->asking_store = true;
    slot->runtime->keeping++;
    haft__store_submit(slot->runtime->store, &slot->request);
    return HAFT_OK;
}

static void on_remembered(haft__store_request *request)
{
    haft__slot *slot = request->context; /* its call is over; it was kept for this */
    slot->runtime->keeping--;
    free_slot(slot);
}

/* Keeps the result for other runs, and the slot until that is done. What cannot be kept is not:
 * the next run finds out again. */
static void remember(haft__slot *slot, haft_str result)
{
    const haft__run_call *call = call_of(slot);
    haft_runtime *runtime = slot->run->runtime;
    haft_str scope = haft__arena_copy(&slot->arena, memory_scope(slot)), key = {NULL, 0};
    haft__buf_clear(&runtime->clean);
    (void)haft__redact(slot->run->agent->redactor, result, &runtime->clean);
    bool clean = haft__buf_check(&runtime->clean, NULL) == HAFT_OK;
    haft_str text = haft__arena_copy(&slot->arena, haft__buf_str(&runtime->clean));
    if (!clean || scope.ptr == NULL || text.ptr == NULL
        || memory_key(slot, &key, NULL) != HAFT_OK) {
        return;
    }
    slot->request = (haft__store_request){.verb = HAFT__STORE_CACHE_PUT,
                                          .scope = scope,
                                          .name = key,
                                          .text = text,
                                          .now_ms = haft__runtime_now(runtime),
                                          .lease_ms = call->tool->traits.cache_ttl_ms,
                                          .done = on_remembered,
                                          .context = slot};
    slot->asking_store = true;
    runtime->keeping++;
    haft__store_submit(runtime->store, &slot->request);
}

/* ---- running ---- */

/* What the tool is now is written down, and the call judged by that. As when tools are revealed,
 * one with a secret in its definition is none that can be. */
static void renew(haft__slot *slot, haft_str tool)
{
    haft_run *run = slot->run;
    haft_runtime *runtime = run->runtime;
    haft__buf_clear(&runtime->clean);
    bool secrets = haft__redact(run->agent->redactor, tool, &runtime->clean);
    haft__buf_clear(&runtime->body);
    const char *why;
    haft__input_tool_renewed(&runtime->body, call_of(slot)->id, tool,
                             haft__resolve_cap(run->agent->spec, &why));
    if (secrets || haft__buf_check(&runtime->clean, NULL) != HAFT_OK
        || haft__buf_check(&runtime->body, NULL) != HAFT_OK
        || runtime->body.len > HAFT__LIMIT_JSON_BYTES - ENVELOPE) {
        haft__outcome outcome = {.text =
                                     HAFT__LIT("the tool has changed at its server, and its new "
                                               "definition cannot be used"),
                                 .where = HAFT__LIT("tool_changed"),
                                 .hint = HAFT__LIT("do without it")};
        finish(slot, &outcome);
        return;
    }
    drop_slot(slot);
    haft__live_take(run, haft__buf_str(&runtime->body));
}

static void on_done(void *context, const haft__exec_result *result)
{
    haft__slot *slot = context;
    slot->job = NULL;
    if (!haft__lease_holds(slot->run)) {
        return; /* and the slot is gone */
    }
    haft_error err = {0};
    const haft__json *server = haft__json_get(call_of(slot)->tool->definition, HAFT__LIT("server"));
    if (server != NULL && result->list > 0
        && haft__catalogue_renew(slot->run, haft__json_text(*server), result->list, &err)
               != HAFT_OK) {
        haft__live_fail(slot->run, &err);
        return;
    }
    if (result->renewed.len > 0) {
        renew(slot, result->renewed);
        return;
    }
    haft__outcome outcome = {.ok = result->ok && !result->changed,
                             .unknown = result->started && !result->ok && !result->changed
                                        && (result->timed_out || result->lost),
                             .transient = result->transient && !result->changed,
                             .text = result->text,
                             .where = result->changed ? HAFT__LIT("tool_changed") : result->where,
                             .hint = result->hint,
                             .diff = result->diff,
                             .ms = result->ms};
    if (outcome.ok && is_remembered(call_of(slot)->tool)) {
        remember(slot, result->text);
    }
    finish(slot, &outcome);
}

static void on_progress(void *context, haft_str json)
{
    haft__slot *slot = context;
    haft__buf body;
    haft__buf_init(&body, HAFT__LIMIT_TOOL_RESULT_BYTES);
    haft__buf_add_str(&body, HAFT__LIT("\"kind\":\"call_progress\",\"call\":"));
    haft__json_write_string(&body, call_of(slot)->id);
    haft__buf_add_str(&body, HAFT__LIT(",\"data\":"));
    haft__buf_add_str(&body, json);
    haft__buf_add_char(&body, '}');
    if (haft__buf_check(&body, NULL) == HAFT_OK) {
        haft__log_tell(slot->run, haft__buf_str(&body));
    }
    haft__buf_finish(&body);
}

/* The tool asks a person: recorded, and what is decided about it. */
static void on_ask(void *context, haft__json question, bool durable, haft__json state,
                   uint64_t within_ms)
{
    haft__slot *slot = context;
    haft_run *run = slot->run;
    haft_error err = {0};
    haft__asked asked = {question, durable, state, within_ms};
    haft__buf *body = &run->runtime->body;
    haft__buf_clear(body);
    haft__input_call_asked(body, call_of(slot)->id, &asked);
    haft_status status = haft__buf_check(body, &err);
    if (status == HAFT_OK && body->len > HAFT__LIMIT_JSON_BYTES - ENVELOPE) {
        status = haft__fail(&err, HAFT_TOO_BIG, "", "the question is too long to be written down");
    }
    slot->asks = true;
    if (durable) { /* its job is over */
        slot->job = NULL;
        drop_slot(slot);
    }
    if (status == HAFT_OK) {
        haft__live_take(run, haft__buf_str(body));
    } else {
        haft__live_fail(run, &err);
    }
}

/* It has taken that back: recorded as an answer that nobody gave, which the call goes on with. One
 * that has been answered meanwhile stays so. */
static void on_withdraw(void *context)
{
    haft__slot *slot = context;
    haft__json_member action = {haft__json_string(HAFT__LIT("action")),
                                haft__json_string(HAFT__LIT("cancel"))};
    haft__steer command = {.kind = HAFT__STEER_ANSWER,
                           .call = call_of(slot)->id,
                           .value = haft__json_object(&action, 1),
                           .by = HAFT__BY_SERVER,
                           .why = HAFT__LIT(""),
                           .pause = haft__str(haft__pause_name(HAFT__PAUSE_QUESTION)),
                           .binding = HAFT__LIT(""),
                           .message = HAFT__LIT("")};
    if (slot->asks) {
        (void)!haft__live_command(slot->run, &command, NULL);
    }
}

/* What a tool can ask about its call. Texts end with a NUL, as the public header has them. */
static haft_status facts_of(haft__slot *slot, haft_call_facts *ret_facts, haft_error *err)
{
    const haft__run_call *call = call_of(slot);
    haft_run *run = slot->run;
    const haft__run *state = &run->state;
    uint32_t turns = run->agent->spec->limits.turns;
    haft_str id = haft__arena_copy(&slot->arena, call->id);
    haft_str thread = haft__arena_copy(&slot->arena, state->thread);
    haft_str user = haft__arena_copy(&slot->arena, run->user);
    haft__buf *text = &run->runtime->clean;
    haft__buf_clear(text);
    haft__run_idempotency_key(text, haft__str(run->id), call->id);
    haft_str key = haft__arena_copy(&slot->arena, haft__buf_str(text));
    haft_status status = haft__buf_check(text, err);
    if (status != HAFT_OK) {
        return status;
    }
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
        .attempt = slot->attempt,
        .remaining_turns = turns > state->turn ? turns - state->turn : 0,
        .epoch = run->epoch,
    };
    return HAFT_OK;
}

static haft_status run_slot(haft__slot *slot, haft_error *err)
{
    const haft__run_call *call = call_of(slot);
    haft__exec_call exec = {.spec = slot->run->agent->spec,
                            .tool = call->tool,
                            .approved = call->approved,
                            .arguments = call->arguments,
                            .timeout_ms = call->tool->traits.timeout_ms,
                            .progress = on_progress,
                            .ask = on_ask,
                            .withdraw = on_withdraw,
                            .resume = call->resume};
    haft_status status = facts_of(slot, &exec.facts, err);
    return status == HAFT_OK
               ? haft__exec_start(slot->run->runtime->exec, &exec, on_done, slot, &slot->job, err)
               : status;
}

static haft_status start_slot(haft_run *run, size_t index, haft_error *err)
{
    haft__slot *slot = calloc(1, sizeof(*slot));
    if (slot == NULL) {
        return haft__fail_no_memory(err);
    }
    const haft__run_call *call = &run->state.calls[index];
    *slot = (haft__slot){.run = run,
                         .runtime = run->runtime,
                         .call = index,
                         .attempt = call->attempt,
                         .next = run->slots};
    haft__arena_init(&slot->arena, HAFT__LIMIT_RUN_BYTES);
    run->slots = slot;
    return is_remembered(call->tool) ? recall(slot, err) : run_slot(slot, err);
}

haft_status haft__calls_start(haft_run *run, haft_error *err)
{
    const haft__run *state = &run->state;
    bool durable = haft__log_durable(run);
    haft_status status = HAFT_OK;
    if (haft__loss_waits(run)) {
        return HAFT_OK;
    }
    for (size_t i = state->batch; i < state->call_count && status == HAFT_OK; i++) {
        const haft__run_call *call = &state->calls[i];
        if (!haft__call_may_start(call, durable)) {
            continue;
        }
        haft__slot *slot = find_slot(run, i);
        if (haft__resolve_is_search(call->tool)) {
            status = haft__catalogue_start(run, i, err);
        } else if (slot == NULL) {
            status = start_slot(run, i, err);
        } else if (slot->asks && call->answer_due) {
            slot->asks = false;
            haft__exec_answer(slot->job, haft__call_told(call));
        }
    }
    return status;
}
