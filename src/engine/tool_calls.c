/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tool_calls.c - performs tool calls: with the script, with cached results, or with executors.
 *
 * A slot is one attempt of one call. Tests: tests/engine/tool_calls_test.c.
 */
#include "engine/tool_calls.h"

#include "base/error.h"
#include "base/limits.h"
#include "base/sha256.h"
#include "base/str.h"
#include "engine/agent.h"
#include "engine/crash_guard.h"
#include "engine/result_artifacts.h"
#include "engine/run.h"
#include "engine/runtime.h"
#include "run/host.h"
#include "run/nested.h"
#include "run/offer/resolve.h"
#include "run/output.h"
#include "run/redact/redact.h"
#include "run/trace.h"
#include "json/write.h"

/* Maximum bytes of an event before its body. */
#define ENVELOPE 1024

static const haft__run_call *call_of(const haft__call_slot *slot)
{
    return &slot->run->state.calls[slot->call];
}

/* ---- slots ---- */

static haft__call_slot *find_slot(const haft_run *run, size_t call)
{
    for (haft__call_slot *slot = run->slots; slot != NULL; slot = slot->next) {
        if (slot->call == call) {
            return slot;
        }
    }
    return NULL;
}

static void free_slot(haft__call_slot *slot)
{
    haft__arena_finish(&slot->arena);
    free(slot);
}

static bool is_store_pending(const haft__call_slot *slot)
{
    return slot->state == HAFT__CALL_SLOT_READING_CACHE
           || slot->state == HAFT__CALL_SLOT_WRITING_CACHE;
}

/* Removes the slot from its run. The slot is freed now, or when its store request is done. */
static void drop_slot(haft__call_slot *slot)
{
    haft_run *run = slot->run;
    for (haft__call_slot **at = &run->slots; *at != NULL; at = &(*at)->next) {
        if (*at == slot) {
            *at = slot->next;
            break;
        }
    }
    slot->run = NULL;
    if (slot->job != NULL) {
        haft__exec_cancel(slot->job);
    }
    if (!is_store_pending(slot)) {
        free_slot(slot);
    }
}

void haft__tool_calls_stop(haft_run *run)
{
    while (run->slots != NULL) {
        drop_slot(run->slots);
    }
}

void haft__tool_calls_stop_repeatable(haft_run *run)
{
    for (haft__call_slot *slot = run->slots, *next; slot != NULL; slot = next) {
        next = slot->next;
        if (haft__call_is_repeatable(call_of(slot))
            || slot->state == HAFT__CALL_SLOT_AWAITING_ANSWER) { /* this process no longer gets the
                                                                  * answer */
            drop_slot(slot);
        }
    }
}

/* ---- outcomes ---- */

/* Reports that an attempt has failed and that another one starts, immediately. */
static void report_retry(haft_run *run, const haft__run_call *call, haft_str reason)
{
    haft__buf body;
    haft__buf_init(&body, HAFT__LIMIT_RUN_BYTES);
    haft__buf_add_str(&body, HAFT__LIT("\"kind\":\"call_retry\",\"call\":"));
    haft__json_write_string(&body, call->id);
    haft__buf_addf(&body, ",\"attempt\":%u,\"reason\":", call->attempt);
    haft__json_write_string(&body, reason);
    haft__buf_add_str(&body, HAFT__LIT(",\"wait_ms\":0}"));
    if (haft__buf_check(&body, NULL) == HAFT_OK) {
        haft__log_notify(run, haft__buf_str(&body));
    }
    haft__buf_finish(&body);
}

static haft_status write_outcome(haft_run *run, const haft__run_call *call,
                                 const haft__outcome *outcome, haft_error *err)
{
    haft_runtime *runtime = run->runtime;
    uint64_t now = haft__runtime_now(runtime);
    if (!outcome->ok) {
        haft__effect effect = {.kind = HAFT__EFFECT_END};
        haft_status status =
            haft__decide_failed(&runtime->decider, &run->state, call, outcome, now, &effect, err);
        uint32_t attempt = call->attempt;
        run->telemetry.timed_out = outcome->timed_out;
        if (status == HAFT_OK) {
            status = haft__log_append(run, now, effect.body, err);
        }
        if (status == HAFT_OK && call->attempt > attempt) {
            report_retry(run, call, outcome->text);
        }
        return status;
    }
    haft__buf_clear(&runtime->body);
    haft__input_call_finished(&runtime->body, &run->state, call, outcome);
    if (runtime->body.len > HAFT__LIMIT_JSON_BYTES - ENVELOPE) { /* a control character takes 6
                                                                  * bytes */
        haft__outcome replaced = {
            .text = HAFT__LIT("the result is too long for one event: much of it is not text"),
            .where = HAFT__LIT(""),
            .hint = HAFT__LIT("ask for a smaller part"),
            .ms = outcome->ms};
        haft__buf_clear(&runtime->body);
        haft__input_call_finished(&runtime->body, &run->state, call, &replaced);
    }
    haft_status status = haft__buf_check(&runtime->body, err);
    return status == HAFT_OK ? haft__log_append(run, now, haft__buf_str(&runtime->body), err)
                             : status;
}

/* Replaces a result that does not match the tool's output_schema by an error. The text of the error
 * lives in `arena`. */
static haft_status check_output(haft_run *run, const haft__run_call *call, haft__arena *arena,
                                haft__outcome *io_outcome, haft_error *err)
{
    haft_runtime *runtime = run->runtime;
    if (!io_outcome->ok || io_outcome->command || !haft__output_is_checked(call->tool)) {
        return HAFT_OK;
    }
    haft__buf why;
    haft__buf_init(&why, HAFT__LIMIT_TOOL_RESULT_BYTES);
    haft__buf_clear(&runtime->clean);
    bool secret = haft__redact(run->agent->redactor, io_outcome->text, &runtime->clean);
    haft_status status =
        haft__output_check_text(call->tool, io_outcome->text, secret, runtime->decider.checker,
                                arena, run->state.hash_key, &why, err);
    haft_str text = status == HAFT_OK && why.len > 0 ? haft__arena_copy(arena, haft__buf_str(&why))
                                                     : HAFT__LIT("");
    haft__buf_finish(&why);
    if (text.len > 0) {
        *io_outcome = (haft__outcome){.text = text,
                                      .where = HAFT__LIT("output_schema"),
                                      .hint = HAFT__LIT("this is a fault of the tool"),
                                      .ms = io_outcome->ms};
    }
    return status == HAFT_OK && text.ptr == NULL ? haft__arena_fail(arena, err) : status;
}

static void finish_slot(haft__call_slot *slot, const haft__outcome *outcome)
{
    haft_run *run = slot->run;
    haft_error err = {0};
    haft_status status = write_outcome(run, call_of(slot), outcome, &err);
    drop_slot(slot);
    if (status != HAFT_OK) {
        haft__run_fail(run, &err);
        return;
    }
    haft__run_advance(run);
}

/* ---- scripted results ---- */

static bool is_scripted(const haft_run *run, const haft__run_call *call)
{
    return run->agent->scripted && haft__script_has_results(&run->script, call->name);
}

/* Records a scripted result immediately, so that no approval is requested for the call. */
static haft_status use_scripted_result(haft_run *run, const haft__run_call *call, haft_error *err)
{
    haft__script_result result;
    haft__arena_mark mark = haft__arena_save(&run->opening.arena);
    haft_status status =
        haft__script_result_of(&run->script, call->name, &run->opening.arena, &result, err);
    if (status == HAFT_OK) {
        haft__outcome outcome = {
            .ok = result.ok, .text = result.text, .where = HAFT__LIT(""), .hint = result.hint};
        status = check_output(run, call, &run->opening.arena, &outcome, err);
        status = status == HAFT_OK ? write_outcome(run, call, &outcome, err) : status;
    }
    haft__arena_restore(&run->opening.arena, mark);
    return status;
}

haft_status haft__tool_calls_use_script(haft_run *run, bool *ret_used, haft_error *err)
{
    const haft__run *state = &run->state;
    *ret_used = false;
    for (size_t i = state->batch; i < state->call_count; i++) {
        const haft__run_call *call = &state->calls[i];
        bool started =
            call->stage == HAFT__CALL_STARTED
            && (haft__call_is_external(call) || call->tool->source == HAFT__TOOL_HEADLESS);
        if (started && is_scripted(run, call)) {
            *ret_used = true;
            return use_scripted_result(run, call, err);
        }
    }
    return HAFT_OK;
}

/* ---- cached results ---- */

/* Whether the node of the call sets the scope and the lifetime of the cache, which replace those of
 * the tool. */
static bool has_node_cache(const haft__run_call *call)
{
    return call->node != NULL && call->node->cache != HAFT__CACHE_NONE;
}

static haft__cache_scope scope_of(const haft__run_call *call)
{
    return has_node_cache(call) ? call->node->cache : call->tool->traits.cache;
}

static bool is_cached_call(const haft__run_call *call)
{
    haft__cache_scope scope = scope_of(call);
    return scope == HAFT__CACHE_THREAD || scope == HAFT__CACHE_GLOBAL;
}

/* The key of a cached result: the definition of the tool and the arguments. Tools with the same
 * name and different definitions do not share results. */
static haft_status cache_key_of(haft__call_slot *slot, haft_str *ret_key, haft_error *err)
{
    const haft__run_call *call = call_of(slot);
    char digest[HAFT__SHA256_HEX];
    haft__buf text;
    haft__buf_init(&text, HAFT__LIMIT_RUN_BYTES);
    haft__json_write(&text, call->tool->definition);
    haft__buf_add_str(&text,
                      slot->run->agent->spec->path); /* paths are relative to the spec file */
    haft__buf_add_char(&text, '\n');
    haft__buf_add_str(&text, call->cache_key);
    if (has_node_cache(call)) {
        haft__buf_add_char(&text, '\n');
        haft__buf_add_str(&text, call->node->cache_key);
    }
    haft_status status = haft__buf_check(&text, err);
    haft__sha256_hex(haft__buf_str(&text), digest);
    haft__buf_finish(&text);
    if (status == HAFT_OK) {
        *ret_key = haft__arena_copy(&slot->arena, (haft_str){digest, sizeof(digest)});
        status = ret_key->ptr != NULL ? HAFT_OK : haft__arena_fail(&slot->arena, err);
    }
    return status;
}

static haft_str cache_scope(const haft__call_slot *slot)
{
    return scope_of(call_of(slot)) == HAFT__CACHE_GLOBAL ? HAFT__LIT("global")
                                                         : slot->run->state.thread;
}

static haft_status run_slot(haft__call_slot *slot, haft_error *err);

static void on_cache_read(haft__store_request *request)
{
    haft__call_slot *slot = request->context;
    haft_run *run = slot->run;
    slot->state = HAFT__CALL_SLOT_RUNNING;
    slot->runtime->cache_requests--;
    if (run == NULL) {
        free_slot(slot);
        return;
    }
    if (request->status == HAFT_OK) {
        haft__outcome outcome = {.ok = true, .cached = true, .text = request->text};
        finish_slot(slot, &outcome);
        return;
    }
    haft_error err = {0}; /* an error of the cache is treated as a miss */
    if (!haft__lease_enforce(run)) {
        return;
    }
    if (run_slot(slot, &err) != HAFT_OK) {
        haft__run_fail(run, &err);
    }
}

static haft_status read_cache(haft__call_slot *slot, haft_error *err)
{
    haft_str key = {NULL, 0};
    haft_status status = cache_key_of(slot, &key, err);
    if (status != HAFT_OK) {
        return status;
    }
    slot->request = (haft__store_request){.verb = HAFT__STORE_CACHE_GET,
                                          .scope = cache_scope(slot),
                                          .name = key,
                                          .now_ms = haft__runtime_now(slot->run->runtime),
                                          .arena = &slot->arena,
                                          .done = on_cache_read,
                                          .context = slot};
    slot->state = HAFT__CALL_SLOT_READING_CACHE;
    slot->runtime->cache_requests++;
    haft__store_submit(slot->runtime->store, &slot->request);
    return HAFT_OK;
}

static void on_cache_written(haft__store_request *request)
{
    haft__call_slot *slot = request->context; /* the call of the slot has ended */
    slot->runtime->cache_requests--;
    free_slot(slot);
}

/* Stores the result for other runs; the slot exists until the write is done. Errors are ignored, so
 * that the next run calls the tool again. */
static void write_cache(haft__call_slot *slot, haft_str result)
{
    const haft__run_call *call = call_of(slot);
    haft_runtime *runtime = slot->run->runtime;
    haft_str scope = haft__arena_copy(&slot->arena, cache_scope(slot)), key = {NULL, 0};
    haft__buf_clear(&runtime->clean);
    (void)haft__redact(slot->run->agent->redactor, result, &runtime->clean);
    bool clean = haft__buf_check(&runtime->clean, NULL) == HAFT_OK;
    haft_str text = haft__arena_copy(&slot->arena, haft__buf_str(&runtime->clean));
    if (!clean || scope.ptr == NULL || text.ptr == NULL
        || cache_key_of(slot, &key, NULL) != HAFT_OK) {
        return;
    }
    slot->request =
        (haft__store_request){.verb = HAFT__STORE_CACHE_PUT,
                              .scope = scope,
                              .name = key,
                              .text = text,
                              .now_ms = haft__runtime_now(runtime),
                              .lease_ms = has_node_cache(call) ? call->node->cache_ttl_ms
                                                               : call->tool->traits.cache_ttl_ms,
                              .done = on_cache_written,
                              .context = slot};
    slot->state = HAFT__CALL_SLOT_WRITING_CACHE;
    runtime->cache_requests++;
    haft__store_submit(runtime->store, &slot->request);
}

/* ---- executors ---- */

/* Records the new definition of the tool, so that the call is decided again. A definition that
 * contains a secret cannot be used. */
static void record_changed_tool(haft__call_slot *slot, haft_str tool)
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
        finish_slot(slot, &outcome);
        return;
    }
    drop_slot(slot);
    haft__run_record_input(run, haft__buf_str(&runtime->body));
}

static void on_done(void *context, const haft__exec_result *result)
{
    haft__call_slot *slot = context;
    slot->job = NULL;
    if (!haft__lease_enforce(slot->run)) {
        return; /* the slot has been freed */
    }
    haft_error err = {0};
    const haft__json *server = haft__json_get(call_of(slot)->tool->definition, HAFT__LIT("server"));
    if (server != NULL && result->list > 0
        && haft__tool_search_refresh_list(slot->run, haft__json_text(*server), result->list, &err)
               != HAFT_OK) {
        haft__run_fail(slot->run, &err);
        return;
    }
    if (result->renewed.len > 0) {
        record_changed_tool(slot, result->renewed);
        return;
    }
    haft__outcome outcome = {.ok = result->ok && !result->changed,
                             .command = result->command,
                             .unknown = result->started && !result->ok && !result->changed
                                        && (result->timed_out || result->lost),
                             .transient = result->transient && !result->changed,
                             .timed_out = result->timed_out,
                             .text = result->text,
                             .where = result->changed ? HAFT__LIT("tool_changed") : result->where,
                             .hint = result->hint,
                             .diff = result->diff,
                             .diverged = result->diverged,
                             .sandbox = result->sandbox,
                             .ms = result->ms};
    if (check_output(slot->run, call_of(slot), &slot->arena, &outcome, &err) != HAFT_OK) {
        haft__run_fail(slot->run, &err);
        return;
    }
    if (outcome.ok && result->blob_count > 0) {
        if (haft__result_artifacts_store(slot->run, call_of(slot), result, &slot->arena,
                                         &outcome.text, &err)
            != HAFT_OK) {
            haft__run_fail(slot->run, &err);
            return;
        }
    } else if (outcome.ok && !outcome.command && is_cached_call(call_of(slot))) {
        write_cache(slot, result->text);
    }
    finish_slot(slot, &outcome);
}

static void on_progress(void *context, haft_str json)
{
    haft__call_slot *slot = context;
    haft__buf body;
    haft__buf_init(&body, HAFT__LIMIT_TOOL_RESULT_BYTES);
    haft__buf_add_str(&body, HAFT__LIT("\"kind\":\"call_progress\",\"call\":"));
    haft__json_write_string(&body, call_of(slot)->id);
    haft__buf_add_str(&body, HAFT__LIT(",\"data\":"));
    haft__buf_add_str(&body, json);
    haft__buf_add_char(&body, '}');
    if (haft__buf_check(&body, NULL) == HAFT_OK) {
        haft__log_notify(slot->run, haft__buf_str(&body));
    }
    haft__buf_finish(&body);
}

/* The tool asks a person a question: records it and advances. */
static void on_ask(void *context, haft__json question, bool durable, haft__json state,
                   uint64_t within_ms)
{
    haft__call_slot *slot = context;
    haft_run *run = slot->run;
    haft_error err = {0};
    haft__elicitation elicitation = {question, durable, state, within_ms};
    haft__buf *body = &run->runtime->body;
    haft__buf_clear(body);
    haft__input_call_asked(body, call_of(slot)->id, &elicitation);
    haft_status status = haft__buf_check(body, &err);
    if (status == HAFT_OK && body->len > HAFT__LIMIT_JSON_BYTES - ENVELOPE) {
        status = haft__fail(&err, HAFT_TOO_BIG, "", "the question is too long for one event");
    }
    slot->state = HAFT__CALL_SLOT_AWAITING_ANSWER;
    if (durable) { /* the executor's job has ended */
        slot->job = NULL;
        drop_slot(slot);
    }
    if (status == HAFT_OK) {
        haft__run_record_input(run, haft__buf_str(body));
    } else {
        haft__run_fail(run, &err);
    }
}

/* The tool withdraws its question: records an answer with the action "cancel", and the call
 * continues with this answer. An answer that was recorded before stays valid. */
static void on_withdraw(void *context)
{
    haft__call_slot *slot = context;
    haft__json_member action = {haft__json_string(HAFT__LIT("action")),
                                haft__json_string(HAFT__LIT("cancel"))};
    haft__run_command command = {.kind = HAFT__RUN_COMMAND_ANSWER,
                                 .call = call_of(slot)->id,
                                 .value = haft__json_object(&action, 1),
                                 .by = HAFT__BY_SERVER,
                                 .why = HAFT__LIT(""),
                                 .pause = haft__str(haft__pause_name(haft__pause_of_elicitation())),
                                 .binding = HAFT__LIT(""),
                                 .message = HAFT__LIT("")};
    if (slot->state == HAFT__CALL_SLOT_AWAITING_ANSWER) {
        (void)!haft__run_perform_command(slot->run, &command, NULL);
    }
}

/* Collects the facts of a call for its tool. Texts end with a NUL, as the public header
 * requires. */
static haft_status collect_facts(haft__call_slot *slot, haft_call_facts *ret_facts, haft_error *err)
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
    haft__run_add_idempotency_key(text, haft__str(run->id), call->id);
    haft_str key = haft__arena_copy(&slot->arena, haft__buf_str(text));
    char *trace = haft__arena_array(&slot->arena, HAFT__TRACE_PARENT_LENGTH + 1, 1);
    haft_status status = haft__buf_check(text, err);
    if (status != HAFT_OK) {
        return status;
    }
    if (id.ptr == NULL || thread.ptr == NULL || user.ptr == NULL || key.ptr == NULL
        || trace == NULL) {
        return haft__arena_fail(&slot->arena, err);
    }
    haft__trace_context context = haft__trace_of_run(state);
    context.span = haft__trace_span_of_call(key, slot->attempt);
    haft__trace_write(&context, trace);
    *ret_facts = (haft_call_facts){
        .struct_size = sizeof(haft_call_facts),
        .call = id.ptr,
        .run = run->id,
        .thread = thread.ptr,
        .user = user.ptr,
        .idempotency_key = key.ptr,
        .attempt = slot->attempt,
        .remaining_turns = turns > state->turn ? turns - state->turn : 0,
        .epoch = run->lease.epoch,
        .traceparent = trace,
    };
    return HAFT_OK;
}

/* The timeout of the call. A node of a graph may set a shorter or longer timeout than its tool. */
static uint64_t timeout_of(const haft__run_call *call)
{
    bool own = call->node != NULL && call->node->timeout_ms > 0;
    return own ? call->node->timeout_ms : call->tool->traits.timeout_ms;
}

static void on_called(void *context, haft__json calls)
{
    haft__code_calls_record(context, calls);
}

/* Lists the functions that the code can call. */
static haft_status find_functions(haft__call_slot *slot, haft_str *ret_functions, haft_error *err)
{
    haft__buf text;
    haft__buf_init(&text, HAFT__LIMIT_RUN_BYTES);
    haft_status status = haft__code_calls_write_functions(slot->run, &text, err);
    if (status == HAFT_OK) {
        *ret_functions = haft__arena_copy(&slot->arena, haft__buf_str(&text));
        status = ret_functions->ptr != NULL ? HAFT_OK : haft__arena_fail(&slot->arena, err);
    }
    haft__buf_finish(&text);
    return status;
}

static haft_status run_slot(haft__call_slot *slot, haft_error *err)
{
    const haft__run_call *call = call_of(slot);
    haft__exec_call exec = {.spec = slot->run->agent->spec,
                            .tool = call->tool,
                            .approved = call->approved,
                            .takes_command = call->node != NULL,
                            .arguments = call->arguments,
                            .timeout_ms = timeout_of(call),
                            .progress = on_progress,
                            .ask = on_ask,
                            .withdraw = on_withdraw,
                            .cleaner = haft__redactor_cleaner(slot->run->agent->redactor),
                            .resume = call->resume,
                            .functions = HAFT__LIT(""),
                            .called = on_called};
    haft_status status = collect_facts(slot, &exec.facts, err);
    if (status == HAFT_OK && haft__call_runs_code(call)) {
        status = find_functions(slot, &exec.functions, err);
    }
    if (status == HAFT_OK && call->node != NULL && call->node->reads_state) {
        haft__run *state = &slot->run->state;
        status =
            state->spec->graph_rules->make_input(state, call, &slot->arena, &exec.arguments, err);
    }
    return status == HAFT_OK
               ? haft__exec_start(slot->run->runtime->exec, &exec, on_done, slot, &slot->job, err)
               : status;
}

static haft_status start_slot(haft_run *run, size_t index, haft_error *err)
{
    haft__call_slot *slot = calloc(1, sizeof(*slot));
    if (slot == NULL) {
        return haft__fail_no_memory(err);
    }
    const haft__run_call *call = &run->state.calls[index];
    *slot = (haft__call_slot){.run = run,
                              .runtime = run->runtime,
                              .call = index,
                              .attempt = call->attempt,
                              .next = run->slots};
    haft__arena_init(&slot->arena, HAFT__LIMIT_RUN_BYTES);
    run->slots = slot;
    return is_cached_call(call) ? read_cache(slot, err) : run_slot(slot, err);
}

haft_status haft__tool_calls_start(haft_run *run, haft_error *err)
{
    const haft__run *state = &run->state;
    bool durable = haft__log_is_durable(run);
    haft_status status = HAFT_OK;
    if (haft__crash_guard_must_wait(run)) {
        return HAFT_OK;
    }
    for (size_t i = state->batch; i < state->call_count && status == HAFT_OK; i++) {
        const haft__run_call *call = &state->calls[i];
        if (!haft__call_may_start(call, durable)) {
            continue;
        }
        haft__call_slot *slot = find_slot(run, i);
        if (haft__resolve_is_search_tool(call->tool)) {
            status = haft__tool_search_start(run, i, err);
        } else if (slot == NULL) {
            status = start_slot(run, i, err);
        } else if (slot->state == HAFT__CALL_SLOT_AWAITING_ANSWER && call->answer_due) {
            slot->state = HAFT__CALL_SLOT_RUNNING;
            haft__exec_answer(slot->job, haft__call_elicitation_answer(call));
        }
    }
    return status;
}
