/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fold.c - haft__run_fold: one event more.
 *
 * One function for each kind of event. Events come from a store and are not trusted: every field is
 * looked for and checked, and an event that cannot follow the state is refused.
 * Tests: tests/run/fold_test.c. Fuzzer: fuzz/run_fold.c.
 */
#include <string.h>

#include "base/error.h"
#include "base/limits.h"
#include "base/macros.h"
#include "base/str.h"
#include "prompt/prompt.h"
#include "run/run.h"
#include "json/number.h"

static haft_status fail(const haft__event *event, const char *what, haft_error *err)
{
    char where[64];
    (void)snprintf(where, sizeof(where), "event %llu", (unsigned long long)event->seq);
    return haft__fail(err, HAFT_BAD_INPUT, where, "%s cannot stand here: %s",
                      haft__event_kind_name(event->kind), what);
}

static haft_status want_stage(const haft__run *run, const haft__event *event, haft__run_stage stage,
                              const char *what, haft_error *err)
{
    return run->stage == stage ? HAFT_OK : fail(event, what, err);
}

/* ---- the conversation ---- */

/* The reply was no violation: it becomes part of the conversation. */
static haft_status settle(haft__run *run, haft_error *err)
{
    if (run->settled || run->turn == 0) {
        return HAFT_OK;
    }
    run->settled = true;
    run->correction = HAFT__LIT("");
    size_t count = run->call_count - run->batch;
    haft__message_call *calls = haft__arena_array(run->arena, count, sizeof(*calls));
    if (calls == NULL) {
        return haft__arena_fail(run->arena, err);
    }
    for (size_t i = 0; i < count; i++) {
        const haft__run_call *call = &run->calls[run->batch + i];
        calls[i] = (haft__message_call){call->model_call, call->name, call->raw};
    }
    haft__message message = {.role = HAFT__MESSAGE_ASSISTANT,
                             .text = run->reply.content,
                             .reasoning = run->reply.reasoning,
                             .calls = calls,
                             .call_count = count};
    return haft__messages_add(&run->messages, message, err);
}

/* When the last call of a batch has its result, all results join the conversation, in call order.
 */
static haft_status end_batch(haft__run *run, haft_error *err)
{
    if (!haft__run_batch_done(run)) {
        return HAFT_OK;
    }
    bool all_invalid = run->call_count > run->batch;
    for (size_t i = run->batch; i < run->call_count; i++) {
        const haft__run_call *call = &run->calls[i];
        haft__message message = {.role = HAFT__MESSAGE_TOOL,
                                 .text = call->shown,
                                 .call_id = call->model_call,
                                 .call_name = call->name,
                                 .is_error = call->stage == HAFT__CALL_REFUSED || !call->ok};
        haft_status status = haft__messages_add(&run->messages, message, err);
        if (status != HAFT_OK) {
            return status;
        }
        all_invalid = all_invalid && call->counts_invalid;
    }
    run->invalid_replies = all_invalid ? run->invalid_replies + 1 : 0;
    run->stage = HAFT__RUN_IDLE;
    return HAFT_OK;
}

static haft_status add_user(haft__run *run, haft_str text, haft_error *err)
{
    haft__message message = {.role = HAFT__MESSAGE_USER, .text = text};
    return haft__messages_add(&run->messages, message, err);
}

static haft_status add_system(haft__run *run, haft_error *err)
{
    haft__buf text;
    haft__buf_init(&text, HAFT__LIMIT_RUN_BYTES);
    haft__prompt_system(&text, run->spec);
    haft_status status = haft__buf_check(&text, err);
    if (status == HAFT_OK && text.len > 0) {
        haft_str kept = haft__arena_copy(run->arena, haft__buf_str(&text));
        haft__message message = {.role = HAFT__MESSAGE_SYSTEM, .text = kept};
        status = kept.ptr != NULL ? haft__messages_add(&run->messages, message, err)
                                  : haft__arena_fail(run->arena, err);
    }
    haft__buf_finish(&text);
    return status;
}

/* ---- run and turn ---- */

static haft_status on_run_started(haft__run *run, const haft__event *event, haft_error *err)
{
    uint64_t version = 0;
    haft_str hash = {NULL, 0};
    haft_status status = want_stage(run, event, HAFT__RUN_NEW, "the run has started already", err);
    if (status == HAFT_OK) {
        status = haft__event_number(event, "version", &version, err);
    }
    if (status == HAFT_OK && version > HAFT__EVENT_VERSION) {
        status = haft__fail(err, HAFT_UNSUPPORTED, "", "expected events of version %d, found %llu",
                            HAFT__EVENT_VERSION, (unsigned long long)version);
        return haft__hint(err, status, "a newer haft wrote this log; use that one to read it");
    }
    if (status == HAFT_OK) {
        status = haft__event_text(event, "spec", &hash, err);
    }
    if (status == HAFT_OK && !haft__str_equal(hash, run->spec->hash)) {
        status = fail(event, "the run was started with another spec", err);
        return haft__hint(err, status, "the spec has hash %.*s, the run wants %.*s",
                          HAFT__ARG(run->spec->hash), HAFT__ARG(hash));
    }
    if (status == HAFT_OK) {
        status = haft__event_text(event, "task", &run->task, err);
    }
    if (status == HAFT_OK) {
        status = haft__event_text(event, "thread", &run->thread, err);
    }
    if (status != HAFT_OK) {
        return status;
    }
    run->id = event->run;
    run->started_ms = event->at_ms;
    run->stage = HAFT__RUN_IDLE;
    run->settled = true;
    status = add_system(run, err);
    return status == HAFT_OK ? add_user(run, run->task, err) : status;
}

static haft_status read_mode(haft_str name, haft__mode *ret_mode)
{
    static const char *const names[] = {"auto", "any", "tool", "none"};
    for (size_t i = 0; i < COUNT(names); i++) {
        if (haft__str_equal(name, haft__str(names[i]))) {
            *ret_mode = (haft__mode)i;
            return HAFT_OK;
        }
    }
    return HAFT_BAD_INPUT;
}

static haft_status read_allowed(haft__run *run, const haft__event *event, haft_error *err)
{
    const haft__json *names = haft__event_field(event, "allowed");
    if (names == NULL || names->kind != HAFT__JSON_ARRAY) {
        return fail(event, "it has no list of allowed tools", err);
    }
    memset(run->allowed, 0, run->spec->tools.count * sizeof(*run->allowed));
    for (uint32_t i = 0; i < names->count; i++) {
        const haft__tool *tool =
            haft__tools_find(&run->spec->tools, haft__json_text(names->items[i]));
        if (tool == NULL) {
            return fail(event, "it allows a tool the spec does not have", err);
        }
        run->allowed[haft__run_tool_index(run, tool)] = true;
    }
    return HAFT_OK;
}

static haft_status on_turn_started(haft__run *run, const haft__event *event, haft_error *err)
{
    uint64_t turn = 0;
    haft_str mode = {NULL, 0};
    haft_status status =
        want_stage(run, event, HAFT__RUN_IDLE, "the turn before has not ended", err);
    if (status == HAFT_OK) {
        status = haft__event_number(event, "turn", &turn, err);
    }
    if (status == HAFT_OK && turn != (uint64_t)run->turn + 1) {
        status = fail(event, "its turn is not the next one", err);
    }
    if (status == HAFT_OK) {
        status = haft__event_text(event, "mode", &mode, err);
    }
    if (status == HAFT_OK && read_mode(mode, &run->mode) != HAFT_OK) {
        status = fail(event, "its mode is none we know", err);
    }
    if (status == HAFT_OK) {
        status = settle(run, err);
    }
    if (status == HAFT_OK) {
        status = read_allowed(run, event, err);
    }
    if (status != HAFT_OK) {
        return status;
    }
    const haft__json *tool = haft__event_field(event, "tool");
    run->mode_tool = tool != NULL ? haft__json_text(*tool) : HAFT__LIT("");
    run->by_limit = haft__event_flag(event, "final");
    run->turn = (uint32_t)turn;
    run->violations = 0;
    run->correction = HAFT__LIT("");
    run->stage = HAFT__RUN_ASKING;
    return HAFT_OK;
}

static haft_status on_gate_opened(haft__run *run, const haft__event *event, haft_error *err)
{
    haft_status status = want_stage(run, event, HAFT__RUN_IDLE, "a gate opens between turns", err);
    run->gate_opened = run->gate_opened || status == HAFT_OK;
    return status;
}

/* ---- the model ---- */

static uint64_t number_in(const haft__json *object, const char *key)
{
    const haft__json *value = object != NULL ? haft__json_get(*object, haft__str(key)) : NULL;
    int64_t number = 0;
    bool good = value != NULL && haft__number_to_int64(haft__json_text(*value), &number);
    return good && number > 0 ? (uint64_t)number : 0;
}

static void count_usage(haft__run *run, const haft__event *event)
{
    const haft__json *usage = haft__event_field(event, "usage");
    uint64_t input = number_in(usage, "input_tokens"), output = number_in(usage, "output_tokens");
    uint64_t cached = number_in(usage, "cached_tokens");
    cached = cached > input ? input : cached;
    const haft__price *price = &run->spec->model.price;
    run->usage.input_tokens += input;
    run->usage.output_tokens += output;
    run->usage.cached_tokens += cached;
    run->cost_parts +=
        (input - cached) * price->input + cached * price->cached + output * price->output;
    run->usage.cost_micros = run->cost_parts / 1000000;
}

static haft_status grow_calls(haft__run *run, size_t more, haft_error *err)
{
    size_t wanted = run->call_count + more;
    if (wanted <= run->call_capacity) {
        return HAFT_OK;
    }
    size_t capacity = run->call_capacity * 2 > wanted ? run->call_capacity * 2 : wanted;
    haft__run_call *calls = haft__arena_array(run->arena, capacity, sizeof(*calls));
    if (calls == NULL) {
        return haft__arena_fail(run->arena, err);
    }
    if (run->call_count > 0) {
        memcpy(calls, run->calls, run->call_count * sizeof(*calls));
    }
    run->calls = calls;
    run->call_capacity = capacity;
    return HAFT_OK;
}

static haft_str text_in(haft__json object, const char *key)
{
    const haft__json *value = haft__json_get(object, haft__str(key));
    haft_str text = value != NULL ? haft__json_text(*value) : (haft_str){NULL, 0};
    return text.ptr != NULL ? text : HAFT__LIT("");
}

static haft_status add_calls(haft__run *run, const haft__event *event, haft_error *err)
{
    const haft__json *listed = haft__event_field(event, "calls");
    run->batch = run->call_count;
    if (listed == NULL || listed->kind != HAFT__JSON_ARRAY) {
        return HAFT_OK;
    }
    haft_status status = grow_calls(run, listed->count, err);
    for (uint32_t i = 0; status == HAFT_OK && i < listed->count; i++) {
        haft__json entry = listed->items[i];
        haft__run_call call = {.id = text_in(entry, "call"),
                               .model_call = text_in(entry, "model_call"),
                               .name = text_in(entry, "name"),
                               .raw = text_in(entry, "arguments"),
                               .note = HAFT__LIT(""),
                               .verdict = HAFT__LIT(""),
                               .result = HAFT__LIT(""),
                               .shown = HAFT__LIT("")};
        if (call.id.len == 0) {
            return fail(event, "one of its calls has no id", err);
        }
        call.tool = haft__tools_find(&run->spec->tools, call.name);
        run->calls[run->call_count++] = call;
    }
    return status;
}

static haft_status on_model_replied(haft__run *run, const haft__event *event, haft_error *err)
{
    haft_status status =
        want_stage(run, event, HAFT__RUN_ASKING, "nobody has asked the model", err);
    haft_str stop = {NULL, 0};
    if (status == HAFT_OK) {
        status = haft__event_text(event, "stop", &stop, err);
    }
    run->reply = (haft__reply){.content = text_in(event->object, "content"),
                               .reasoning = text_in(event->object, "reasoning"),
                               .model = text_in(event->object, "model")};
    if (status == HAFT_OK && !haft__stop_find(stop, &run->reply.stop)) {
        status = fail(event, "its stop reason is none we know", err);
    }
    if (status == HAFT_OK) {
        status = add_calls(run, event, err);
    }
    if (status != HAFT_OK) {
        return status;
    }
    count_usage(run, event);
    run->settled = false;
    run->stage = HAFT__RUN_JUDGING;
    return HAFT_OK;
}

static haft_status on_model_failed(haft__run *run, const haft__event *event, haft_error *err)
{
    haft_status status =
        want_stage(run, event, HAFT__RUN_ASKING, "nobody has asked the model", err);
    uint64_t http = 0;
    if (status == HAFT_OK) {
        status = haft__event_number(event, "status", &http, err);
    }
    if (status == HAFT_OK) {
        status = haft__event_text(event, "message", &run->failure.message, err);
    }
    run->failure.status = (uint32_t)http;
    run->failed = true;
    return status;
}

static haft_status on_violation(haft__run *run, const haft__event *event, haft_error *err)
{
    haft_status status =
        want_stage(run, event, HAFT__RUN_JUDGING, "there is no reply to judge", err);
    if (status == HAFT_OK) {
        status = haft__event_text(event, "text", &run->correction, err);
    }
    if (status != HAFT_OK) {
        return status;
    }
    run->violations++;
    run->call_count = run->batch; /* the reply is recorded but takes no part in what follows */
    run->settled = true;
    run->stage = HAFT__RUN_ASKING;
    return HAFT_OK;
}

static haft_status on_reminded(haft__run *run, const haft__event *event, haft_error *err)
{
    haft_str text = {NULL, 0};
    haft_status status =
        want_stage(run, event, HAFT__RUN_JUDGING, "there is no reply to judge", err);
    if (status == HAFT_OK) {
        status = haft__event_text(event, "text", &text, err);
    }
    if (status == HAFT_OK) {
        status = settle(run, err);
    }
    run->reminders++;
    run->stage = HAFT__RUN_IDLE;
    return status == HAFT_OK ? add_user(run, text, err) : status;
}

/* ---- calls ---- */

/* The call an event is about, one of the last reply's; the reply counts from now on. */
static haft_status find_call(haft__run *run, const haft__event *event, haft__run_call **ret_call,
                             haft_error *err)
{
    haft_str id = {NULL, 0};
    haft_status status = haft__event_text(event, "call", &id, err);
    if (status != HAFT_OK) {
        return status;
    }
    if (run->stage != HAFT__RUN_JUDGING && run->stage != HAFT__RUN_CALLING) {
        return fail(event, "no calls are being worked on", err);
    }
    for (size_t i = run->batch; i < run->call_count; i++) {
        if (haft__str_equal(run->calls[i].id, id)) {
            *ret_call = &run->calls[i];
            run->stage = HAFT__RUN_CALLING;
            return settle(run, err);
        }
    }
    return fail(event, "there is no such call in the last reply", err);
}

/* What a call is remembered by: its tool and canonical arguments. */
static haft_status sign(haft__run *run, haft__run_call *call, haft_error *err)
{
    haft__buf text;
    haft__buf_init(&text, HAFT__LIMIT_RUN_BYTES);
    haft_status status = haft__run_call_key(&text, call->name, call->arguments, err);
    if (status == HAFT_OK) {
        call->cache_key = haft__arena_copy(run->arena, haft__buf_str(&text));
        call->signature = haft__run_hash(haft__buf_str(&text));
        status = call->cache_key.ptr != NULL ? HAFT_OK : haft__arena_fail(run->arena, err);
    }
    haft__buf_finish(&text);
    return status;
}

static haft_status take_arguments(haft__run *run, const haft__event *event, haft__run_call *call,
                                  haft_error *err)
{
    const haft__json *arguments = haft__event_field(event, "arguments");
    if (arguments == NULL || call->tool == NULL) {
        return fail(event, "it has no arguments, or the spec has no such tool", err);
    }
    call->arguments = *arguments;
    return sign(run, call, err);
}

static haft_status on_call_started(haft__run *run, const haft__event *event, haft_error *err)
{
    haft__run_call *call = NULL;
    uint64_t attempt = 0;
    haft_status status = find_call(run, event, &call, err);
    if (status == HAFT_OK) {
        status = haft__event_number(event, "attempt", &attempt, err);
    }
    bool fits = status != HAFT_OK || call->stage == HAFT__CALL_ARRIVED
                || call->stage == HAFT__CALL_ANSWERED
                || (call->stage == HAFT__CALL_STARTED && attempt > call->attempt);
    if (!fits) {
        status = fail(event, "the call is past that", err);
    }
    if (status == HAFT_OK) {
        status = take_arguments(run, event, call, err);
    }
    if (status != HAFT_OK) {
        return status;
    }
    const haft__json *note = haft__event_field(event, "note");
    call->note = note != NULL ? haft__json_text(*note) : HAFT__LIT("");
    run->usage.calls += !call->started;
    call->started = true;
    call->attempt = (uint32_t)attempt;
    call->stage = HAFT__CALL_STARTED;
    return HAFT_OK;
}

/* The text of {where, message, hint}, for the model. */
static haft_status error_text(haft__run *run, haft__json error, haft_str *ret_text, haft_error *err)
{
    haft_str where = text_in(error, "where"), hint = text_in(error, "hint");
    haft__buf text;
    haft__buf_init(&text, HAFT__LIMIT_RUN_BYTES);
    haft__buf_add_str(&text, HAFT__LIT("Error: "));
    haft__buf_add_str(&text, text_in(error, "message"));
    if (where.len > 0) {
        haft__buf_add_str(&text, HAFT__LIT(" (at "));
        haft__buf_add_str(&text, where);
        haft__buf_add_char(&text, ')');
    }
    if (hint.len > 0) {
        haft__buf_add_str(&text, HAFT__LIT("\nHint: "));
        haft__buf_add_str(&text, hint);
    }
    haft_status status = haft__buf_check(&text, err);
    if (status == HAFT_OK) {
        *ret_text = haft__arena_copy(run->arena, haft__buf_str(&text));
        status = ret_text->ptr != NULL ? HAFT_OK : haft__arena_fail(run->arena, err);
    }
    haft__buf_finish(&text);
    return status;
}

/* What the model sees: the result, cut, and the note behind it when it brought nothing new. */
static haft_status show(haft__run *run, haft__run_call *call, bool nothing_new, haft_error *err)
{
    bool truncated = false;
    call->shown = haft__prompt_observation(run->arena, call->result,
                                           run->spec->limits.observation_chars, &truncated);
    run->observation = call->shown; /* may become the answer: without what is meant for the model */
    if (call->shown.ptr != NULL && nothing_new && call->note.len > 0) {
        haft_str gap = HAFT__LIT("\n\n"), shown = call->shown;
        char *text = haft__arena_alloc(run->arena, shown.len + gap.len + call->note.len);
        call->shown = (haft_str){text, shown.len + gap.len + call->note.len};
        if (text != NULL) {
            memcpy(text, shown.ptr, shown.len); /* which may have NULs in it */
            memcpy(text + shown.len, gap.ptr, gap.len);
            memcpy(text + shown.len + gap.len, call->note.ptr, call->note.len);
        }
    }
    return call->shown.ptr != NULL ? HAFT_OK : haft__arena_fail(run->arena, err);
}

static bool wants_default(const haft__run *run, const haft__run_call *call)
{
    const haft__wish *wish = &run->spec->choice.default_choice;
    return wish->mode == HAFT__MODE_ANY
           || (wish->mode == HAFT__MODE_TOOL && haft__str_equal(wish->tool, call->name));
}

/* What follows for the rest of the state from a call that has finished. */
static haft_status count_finished(haft__run *run, haft__run_call *call, haft_error *err)
{
    haft__tool_past *past = &run->past[haft__run_tool_index(run, call->tool)];
    past->finished = true;
    past->not_rejected++;
    run->default_satisfied = run->default_satisfied || wants_default(run, call);
    bool is_completion = call->tool->source == HAFT__TOOL_BUILTIN
                         && haft__str_equal(call->name, HAFT__LIT("complete_workflow"));
    run->completed = run->completed || (is_completion && call->ok);
    bool keep = call->ok && call->tool->traits.cache != HAFT__CACHE_NONE && call->cache_key.len > 0;
    return keep ? haft__map_put(&run->results, call->cache_key, call, err) : HAFT_OK;
}

static haft_status on_call_finished(haft__run *run, const haft__event *event, haft_error *err)
{
    haft__run_call *call = NULL;
    haft_status status = find_call(run, event, &call, err);
    if (status != HAFT_OK) {
        return status;
    }
    if (call->tool == NULL || call->stage == HAFT__CALL_FINISHED
        || call->stage == HAFT__CALL_REFUSED) {
        return fail(event, "the call has its result already, or can have none", err);
    }
    if (!call->started && haft__event_field(event, "arguments") != NULL) {
        status =
            take_arguments(run, event, call, err); /* answered from the cache, or by a person */
    }
    const haft__json *error = haft__event_field(event, "error");
    call->ok = haft__event_flag(event, "ok");
    if (status == HAFT_OK && call->ok) {
        status = haft__event_text(event, "result", &call->result, err);
    } else if (status == HAFT_OK && error != NULL) {
        status = error_text(run, *error, &call->result, err);
    } else if (status == HAFT_OK) {
        status = fail(event, "it is not ok but has no error", err);
    }
    if (status == HAFT_OK) {
        haft__progress_call past = {.tool = haft__run_hash(call->name),
                                    .call = call->signature,
                                    .result = haft__run_hash(call->result) | 1,
                                    .failed = !call->ok};
        call->stage = HAFT__CALL_FINISHED;
        status = show(run, call, haft__progress_note(&run->progress, past), err);
    }
    if (status == HAFT_OK) {
        status = count_finished(run, call, err);
    }
    return status == HAFT_OK ? end_batch(run, err) : status;
}

static haft_status on_call_refused(haft__run *run, const haft__event *event, haft_error *err)
{
    haft__run_call *call = NULL;
    haft_str why = {NULL, 0};
    haft_status status = find_call(run, event, &call, err);
    if (status == HAFT_OK) {
        status = haft__event_text(event, "why", &why, err);
    }
    if (status == HAFT_OK) {
        status = haft__event_text(event, "text", &call->shown, err);
    }
    if (status != HAFT_OK) {
        return status;
    }
    if (call->started || call->stage == HAFT__CALL_REFUSED) {
        return fail(event, "the call is past that", err);
    }
    call->stage = HAFT__CALL_REFUSED;
    call->counts_invalid =
        haft__str_equal(why, HAFT__LIT("unknown")) || haft__str_equal(why, HAFT__LIT("invalid"));
    if (call->tool != NULL) {
        haft__tool_past *past = &run->past[haft__run_tool_index(run, call->tool)];
        bool by_person = haft__str_equal(why, HAFT__LIT("denied"));
        past->rejected += by_person;
        past->not_rejected += !by_person;
    }
    if (haft__str_equal(why, HAFT__LIT("repeated"))) {
        haft__progress_note_refused(&run->progress);
    }
    return end_batch(run, err);
}

/* ---- people, artifacts, the end ---- */

static haft_status on_paused(haft__run *run, const haft__event *event, haft_error *err)
{
    haft__run_call *call = NULL;
    haft_str pause = {NULL, 0};
    haft_status status = find_call(run, event, &call, err);
    if (status == HAFT_OK) {
        status = haft__event_text(event, "pause", &pause, err);
    }
    if (status == HAFT_OK && !call->started) {
        status = take_arguments(run, event, call, err);
    }
    if (status != HAFT_OK) {
        return status;
    }
    if (call->stage != HAFT__CALL_ARRIVED && call->stage != HAFT__CALL_STARTED) {
        return fail(event, "the call is past that", err);
    }
    for (int i = 0; i <= HAFT__PAUSE_UNKNOWN_OUTCOME; i++) {
        if (haft__str_equal(pause, haft__str(haft__pause_name((haft__pause)i)))) {
            call->pause = (haft__pause)i;
        }
    }
    const haft__json *deadline = haft__event_field(event, "deadline");
    const haft__json *on_expire = haft__event_field(event, "on_expire");
    call->on_expire = on_expire != NULL ? *on_expire : haft__json_null();
    if (deadline != NULL && !haft__time_parse(haft__json_text(*deadline), &call->deadline_ms)) {
        return fail(event, "its deadline is no time", err);
    }
    call->stage = HAFT__CALL_PAUSED;
    return HAFT_OK;
}

static haft_status on_answered(haft__run *run, const haft__event *event, haft_error *err)
{
    haft__run_call *call = NULL;
    haft_status status = find_call(run, event, &call, err);
    if (status == HAFT_OK) {
        status = haft__event_text(event, "verdict", &call->verdict, err);
    }
    if (status != HAFT_OK) {
        return status;
    }
    if (call->stage != HAFT__CALL_PAUSED) {
        return fail(event, "nobody has been asked about the call", err);
    }
    const haft__json *value = haft__event_field(event, "value");
    call->value = value != NULL ? *value : haft__json_null();
    call->approved = haft__str_equal(call->verdict, HAFT__LIT("approve"))
                     || haft__str_equal(call->verdict, HAFT__LIT("edit"));
    run->expired = run->expired || haft__str_equal(call->verdict, HAFT__LIT("expire"));
    call->stage = HAFT__CALL_ANSWERED;
    return HAFT_OK;
}

static haft_status on_artifact_stored(haft__run *run, const haft__event *event, haft_error *err)
{
    haft__run_call *call = NULL;
    haft__artifact *artifact = haft__arena_alloc(run->arena, sizeof(*artifact));
    haft_status status =
        artifact != NULL ? find_call(run, event, &call, err) : haft__arena_fail(run->arena, err);
    if (status == HAFT_OK) {
        artifact->call = call->id;
        status = haft__event_text(event, "name", &artifact->name, err);
    }
    if (status == HAFT_OK) {
        status = haft__event_text(event, "media_type", &artifact->media_type, err);
    }
    if (status == HAFT_OK) {
        status = haft__event_text(event, "sha256", &artifact->sha256, err);
    }
    if (status == HAFT_OK) {
        status = haft__event_number(event, "bytes", &artifact->bytes, err);
    }
    if (status != HAFT_OK) {
        return status;
    }
    if (run->artifact_count == run->artifact_capacity) {
        size_t capacity = run->artifact_capacity > 0 ? run->artifact_capacity * 2 : 4;
        const haft__artifact **all = haft__arena_array(run->arena, capacity, sizeof(artifact));
        if (all == NULL) {
            return haft__arena_fail(run->arena, err);
        }
        if (run->artifact_count > 0) {
            memcpy(all, run->artifacts, run->artifact_count * sizeof(artifact));
        }
        run->artifacts = all;
        run->artifact_capacity = capacity;
    }
    run->artifacts[run->artifact_count++] = artifact;
    call->stored = true;
    return HAFT_OK;
}

static haft_status on_cancel_asked(haft__run *run, const haft__event *event, haft_error *err)
{
    if (run->stage == HAFT__RUN_NEW || run->stage == HAFT__RUN_ENDED) {
        return fail(event, "the run is not under way", err);
    }
    const haft__json *why = haft__event_field(event, "why");
    run->cancel_why = why != NULL ? haft__json_text(*why) : HAFT__LIT("");
    run->cancel_asked = true;
    return HAFT_OK;
}

static haft_status on_run_finished(haft__run *run, const haft__event *event, haft_error *err)
{
    haft_str end = {NULL, 0};
    haft_status status = haft__event_text(event, "end", &end, err);
    if (status == HAFT_OK && (run->stage == HAFT__RUN_NEW || run->stage == HAFT__RUN_ENDED)) {
        status = fail(event, "the run is not under way", err);
    }
    if (status == HAFT_OK) {
        status = settle(run, err);
    }
    if (status != HAFT_OK) {
        return status;
    }
    for (int i = 0; i <= HAFT__END_EXPIRED; i++) {
        if (haft__str_equal(end, haft__str(haft__end_name((haft__end)i)))) {
            const haft__json *error = haft__event_field(event, "error");
            run->end = (haft__end)i;
            run->stage = HAFT__RUN_ENDED;
            run->answer = text_in(event->object, "answer");
            run->end_reason = text_in(event->object, "reason");
            run->forced_final = haft__event_flag(event, "forced_final");
            run->end_error = error != NULL ? *error : haft__json_null();
            return HAFT_OK;
        }
    }
    return fail(event, "its end is none we know", err);
}

/* Events whose meaning is their being there; the run itself does not change. */
static haft_status on_noted(haft__run *run, const haft__event *event, haft_error *err)
{
    return run->stage != HAFT__RUN_NEW ? HAFT_OK : fail(event, "the run has not started", err);
}

static haft_status take(haft__run *run, const haft__event *event, haft_error *err)
{
    switch (event->kind) {
    case HAFT__EVENT_RUN_STARTED: return on_run_started(run, event, err);
    case HAFT__EVENT_TURN_STARTED: return on_turn_started(run, event, err);
    case HAFT__EVENT_GATE_OPENED: return on_gate_opened(run, event, err);
    case HAFT__EVENT_MODEL_REPLIED: return on_model_replied(run, event, err);
    case HAFT__EVENT_MODEL_FAILED: return on_model_failed(run, event, err);
    case HAFT__EVENT_VIOLATION: return on_violation(run, event, err);
    case HAFT__EVENT_REMINDED: return on_reminded(run, event, err);
    case HAFT__EVENT_CALL_STARTED: return on_call_started(run, event, err);
    case HAFT__EVENT_CALL_FINISHED: return on_call_finished(run, event, err);
    case HAFT__EVENT_CALL_REFUSED: return on_call_refused(run, event, err);
    case HAFT__EVENT_PAUSED: return on_paused(run, event, err);
    case HAFT__EVENT_ANSWERED: return on_answered(run, event, err);
    case HAFT__EVENT_ARTIFACT_STORED: return on_artifact_stored(run, event, err);
    case HAFT__EVENT_CANCEL_ASKED: return on_cancel_asked(run, event, err);
    case HAFT__EVENT_RUN_FINISHED: return on_run_finished(run, event, err);
    case HAFT__EVENT_TOOLS_REVEALED:
    case HAFT__EVENT_TOOLS_HIDDEN:
    case HAFT__EVENT_CHILD_STARTED:
    case HAFT__EVENT_CHILD_FINISHED:
    case HAFT__EVENT_GRAPH_STEP: return on_noted(run, event, err);
    }
    HAFT__UNREACHABLE();
}

haft_status haft__run_fold(haft__run *run, haft_str line, haft_error *err)
{
    haft_str kept = haft__arena_copy(run->arena, line);
    if (kept.ptr == NULL) {
        return haft__arena_fail(run->arena, err);
    }
    haft__event event;
    haft_status status = haft__event_read(run->arena, kept, run->hash_key, &event, err);
    if (status != HAFT_OK) {
        return status;
    }
    if (event.seq != run->seq + 1) {
        return fail(&event, "its number is not the next one", err);
    }
    if (run->seq > 0 && !haft__str_equal(event.run, run->id)) {
        return fail(&event, "it belongs to another run", err);
    }
    if (run->stage == HAFT__RUN_ENDED) {
        return fail(&event, "the run has ended", err);
    }
    status = take(run, &event, err);
    run->seq = event.seq;
    run->last_ms = event.at_ms;
    return status;
}
