/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fold.c - haft__run_fold: applies one event. One function for each kind of event.
 *
 * Events come from a store and are untrusted: every field is checked, and an event that is not
 * valid in the current state is rejected. model.c applies the events of the model, call.c the
 * events of calls.
 *
 * Tests: tests/run/fold/fold_test.c. Fuzzer: fuzz/run_fold.c.
 */
#include <string.h>

#include "base/error.h"
#include "base/id.h"
#include "base/limits.h"
#include "base/macros.h"
#include "base/str.h"
#include "prompt/initial_messages.h"
#include "prompt/prompt.h"
#include "run/context/context_size.h"
#include "run/fold/fold_int.h"
#include "run/offer/offer.h"
#include "json/object.h"

#define MAX_KEPT_SCRATCH_BYTES ((size_t)256 << 10) /* a larger arena is freed after the event */

void haft__fold_set_error(const haft__event *event, const char *what, haft_error *err)
{
    char where[64];
    (void)snprintf(where, sizeof(where), "event %llu", (unsigned long long)event->seq);
    (void)haft__fail(err, HAFT_BAD_INPUT, where, "%s is not valid here: %s",
                     haft__event_kind_name(event->kind), what);
}

static haft_status fail_number(const haft__event *event, const char *field, uint64_t expected,
                               uint64_t found, haft_error *err)
{
    char what[96];
    (void)snprintf(what, sizeof(what), "expected %s %llu, found %llu", field,
                   (unsigned long long)expected, (unsigned long long)found);
    return haft__fold_fail(event, what, err);
}

haft_status haft__fold_expect_stage(const haft__run *run, const haft__event *event,
                                    haft__run_stage stage, const char *what, haft_error *err)
{
    return run->stage == stage ? HAFT_OK : haft__fold_fail(event, what, err);
}

haft_status haft__fold_copy_json(haft__run *run, const haft__json *value, haft__json *ret_kept,
                                 haft_error *err)
{
    return haft__json_copy(run->arena, value != NULL ? *value : haft__json_null(), ret_kept, err);
}

/* ---- the conversation ---- */

haft_status haft__fold_commit_reply(haft__run *run, haft_error *err)
{
    if (run->reply_committed || run->turn == 0) {
        return HAFT_OK;
    }
    run->reply_committed = true;
    run->correction = HAFT__LIT("");
    size_t count = run->call_count - run->batch;
    haft__message_call *calls = haft__arena_array(run->arena, count, sizeof(*calls));
    if (calls == NULL) {
        return haft__arena_fail(run->arena, err);
    }
    for (size_t i = 0; i < count; i++) {
        const haft__run_call *call = &run->calls[run->batch + i];
        calls[i] = (haft__message_call){call->model_call, call->name, call->raw, call->malformed,
                                        call->repaired};
    }
    haft__message message = {.role = HAFT__MESSAGE_ASSISTANT,
                             .text = run->reply.content,
                             .reasoning = run->reply.reasoning,
                             .items = run->reply.items,
                             .items_provider = run->items_provider,
                             .items_model = run->items_model,
                             .items_endpoint = run->items_endpoint,
                             .calls = calls,
                             .call_count = count};
    return haft__messages_add(&run->messages, message, err);
}

haft_status haft__fold_add_user_message(haft__run *run, haft_str text, haft_error *err)
{
    haft__message message = {.role = HAFT__MESSAGE_USER, .text = text};
    return haft__messages_add(&run->messages, message, err);
}

haft_status haft__fold_add_system_prompt(haft__run *run, haft_error *err)
{
    haft__buf text;
    haft__buf_init(&text, HAFT__LIMIT_RUN_BYTES);
    haft__prompt_system(&text, run->spec);
    haft__offer_write_early_tools(&text, run->spec, run->tools);
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

/* Adds the task, or the conversation that ends with it. */
static haft_status add_initial_messages(haft__run *run, const haft__event *event, haft_error *err)
{
    size_t before = run->messages.count;
    haft__json kept = haft__json_null();
    haft_error why = {0};
    haft__message task = {.role = HAFT__MESSAGE_USER, .text = run->task, .is_task = true};
    haft_status status =
        haft__fold_copy_json(run, haft__event_field(event, "messages"), &kept, err);
    if (status == HAFT_OK && kept.kind == HAFT__JSON_NULL) {
        status = haft__messages_add(&run->messages, task, err);
    } else if (status == HAFT_OK) {
        if (haft__initial_messages_check(kept, &why) != HAFT_OK
            || !haft__str_equal(haft__initial_messages_task(kept), run->task)) {
            return haft__fold_fail(event, "its messages are no conversation with the task", err);
        }
        status = haft__initial_messages_add(kept, &run->messages, err);
    }
    run->initial_count = run->messages.count - before;
    return status;
}

static haft_status on_run_started(haft__run *run, const haft__event *event, haft_error *err)
{
    uint64_t version = 0;
    haft_str hash = {NULL, 0};
    haft_status status =
        haft__fold_expect_stage(run, event, HAFT__RUN_NEW, "the run has already started", err);
    if (status == HAFT_OK && !haft__id_valid(event->run)) {
        status = haft__fold_fail(event, "the run id is not valid", err);
    }
    if (status == HAFT_OK) {
        status = haft__event_number(event, "version", &version, err);
    }
    if (status == HAFT_OK && version > HAFT__EVENT_VERSION) {
        status = haft__fail(err, HAFT_UNSUPPORTED, "", "expected events of version %d, found %llu",
                            HAFT__EVENT_VERSION, (unsigned long long)version);
        return haft__hint(err, status, "a newer haft wrote this log; use that version to read it");
    }
    if (status == HAFT_OK) {
        status = haft__event_text(event, "spec", &hash, err);
    }
    if (status == HAFT_OK && !haft__str_equal(hash, run->spec->hash)) {
        status = haft__fold_fail(event, "the run was started with another spec", err);
        return haft__hint(err, status, "the spec has hash %.*s, the run needs %.*s",
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
    run->file = haft__object_text(event->object, "file");
    run->traceparent = haft__object_text(event->object, "traceparent");
    run->started_ms = event->at_ms;
    run->stage = HAFT__RUN_IDLE;
    run->reply_committed = true;
    status = haft__fold_child_of(run, event, err);
    if (status == HAFT_OK) {
        status = haft__fold_personal(run, event, HAFT__REDACT_INPUT, err);
    }
    if (status == HAFT_OK) {
        status = haft__fold_copy_json(run, haft__event_field(event, "set"), &run->overrides, err);
    }
    if (status == HAFT_OK) {
        status = haft__fold_copy_json(run, haft__event_field(event, "variables"),
                                      &run->model_variables, err);
    }
    if (status == HAFT_OK) {
        status =
            haft__fold_copy_json(run, haft__event_field(event, "prices"), &run->model_prices, err);
    }
    if (status == HAFT_OK) {
        status = haft__fold_resolve_model(run, err);
    }
    if (status == HAFT_OK && haft__run_is_graph(run)) {
        return haft__fold_graph_started(run, event, err);
    }
    if (status == HAFT_OK) {
        status = haft__fold_add_search_tool(run, err);
    }
    if (status == HAFT_OK) {
        status = haft__fold_add_system_prompt(run, err);
    }
    for (size_t i = 0; status == HAFT_OK && run->earlier != NULL && i < run->earlier->count; i++) {
        status = haft__messages_add(&run->messages, run->earlier->items[i], err);
    }
    return status == HAFT_OK ? add_initial_messages(run, event, err) : status;
}

static haft_status read_mode(haft_str name, haft__choice_mode *ret_mode)
{
    static const char *const names[] = {"auto", "any", "tool", "none"};
    for (size_t i = 0; i < COUNT(names); i++) {
        if (haft__str_equal(name, haft__str(names[i]))) {
            *ret_mode = (haft__choice_mode)i;
            return HAFT_OK;
        }
    }
    return HAFT_BAD_INPUT;
}

static haft_status read_allowed(haft__run *run, const haft__event *event, haft_error *err)
{
    const haft__json *names = haft__event_field(event, "allowed");
    if (names == NULL || names->kind != HAFT__JSON_ARRAY) {
        return haft__fold_fail(event, "\"allowed\" is not a list", err);
    }
    memset(run->allowed, 0, run->tools->count * sizeof(*run->allowed));
    for (uint32_t i = 0; i < names->count; i++) {
        const haft__tool *tool = haft__tools_find(run->tools, haft__json_text(names->items[i]));
        if (tool == NULL) {
            return haft__fold_fail(event, "an allowed tool is not a tool of the run", err);
        }
        run->allowed[haft__run_tool_index(run, tool)] = true;
    }
    return HAFT_OK;
}

/* Records the threshold of the gate when a data tool is offered for the first time. Later it can
 * only decrease, when tools become unreachable. */
static void fix_threshold(haft__run *run, const haft__event *event)
{
    const haft__json *gate = haft__event_field(event, "gate");
    uint64_t threshold = gate != NULL ? haft__object_number(*gate, "threshold", 0) : 0;
    if (threshold > 0 && (run->gate_threshold == 0 || threshold < run->gate_threshold)) {
        run->gate_threshold = (uint32_t)threshold;
    }
}

static haft_status on_turn_started(haft__run *run, const haft__event *event, haft_error *err)
{
    uint64_t turn = 0;
    haft_str mode = {NULL, 0};
    haft_status status =
        haft__fold_expect_stage(run, event, HAFT__RUN_IDLE, "the previous turn has not ended", err);
    if (status == HAFT_OK) {
        status = haft__event_number(event, "turn", &turn, err);
    }
    if (status == HAFT_OK && turn != (uint64_t)run->turn + 1) {
        status = fail_number(event, "turn", (uint64_t)run->turn + 1, turn, err);
    }
    if (status == HAFT_OK) {
        status = haft__event_text(event, "mode", &mode, err);
    }
    if (status == HAFT_OK && read_mode(mode, &run->mode) != HAFT_OK) {
        status = haft__fold_fail(event, "the value of \"mode\" is not known", err);
    }
    if (status == HAFT_OK) {
        status = haft__fold_commit_reply(run, err);
    }
    if (status == HAFT_OK) {
        status = read_allowed(run, event, err);
    }
    if (status != HAFT_OK) {
        return status;
    }
    const haft__json *tool = haft__event_field(event, "tool");
    run->mode_tool = tool != NULL ? haft__json_text(*tool) : HAFT__LIT("");
    const haft__tool *named = haft__tools_find(run->tools, run->mode_tool);
    if (run->mode == HAFT__MODE_TOOL
        && (named == NULL || !run->allowed[haft__run_tool_index(run, named)])) {
        return haft__fold_fail(event, "the required tool is not in the list of allowed tools", err);
    }
    run->forced_by_limit = haft__event_flag(event, "final");
    fix_threshold(run, event);
    run->constraint = HAFT__CONSTRAINT_NONE;
    run->turn = (uint32_t)turn;
    run->shown_before_turn = run->shown_count;
    run->turn_seq = event->seq;
    haft__fold_reset_request(run);
    run->violations = 0;
    run->continuations = 0;
    run->numbered_calls = 0;
    run->correction = HAFT__LIT("");
    run->stage = HAFT__RUN_AWAITING_REPLY;
    status = haft__context_measure_declared(run, err);
    return status == HAFT_OK ? haft__fold_add_demand(run, err) : status;
}

static haft_status on_gate_opened(haft__run *run, const haft__event *event, haft_error *err)
{
    haft_status status =
        haft__fold_expect_stage(run, event, HAFT__RUN_IDLE, "a gate opens only between turns", err);
    run->gate_opened = run->gate_opened || status == HAFT_OK;
    return status;
}

/* ---- the end ---- */

static haft_status on_cancel_asked(haft__run *run, const haft__event *event)
{
    const haft__json *why = haft__event_field(event, "why");
    run->cancel_why = why != NULL ? haft__json_text(*why) : HAFT__LIT("");
    run->cancel_asked = true;
    return HAFT_OK;
}

static haft_status on_limit_reached(haft__run *run, const haft__event *event, haft_error *err)
{
    uint64_t used = 0;
    haft_status status = haft__event_number(event, "used_ms", &used, err);
    bool parent = haft__str_equal(haft__object_text(event->object, "limit"), HAFT__LIT("parent"));
    run->parent_limit_reached = run->parent_limit_reached || parent;
    run->wall_reached = run->wall_reached || !parent;
    run->worked_ms = used > run->worked_ms ? used : run->worked_ms;
    return status;
}

static haft_status on_run_finished(haft__run *run, const haft__event *event, haft_error *err)
{
    haft_str end = {NULL, 0};
    haft_status status = haft__event_text(event, "end", &end, err);
    bool answered =
        haft__str_equal(end, HAFT__LIT("done")) || haft__str_equal(end, HAFT__LIT("direct"));
    bool open = !haft__run_is_graph(run) && !haft__run_batch_done(run);
    if (status == HAFT_OK && answered && !run->forced_by_limit && open) {
        status = haft__fold_fail(event, "calls have no result yet", err);
    }
    if (status == HAFT_OK) {
        status = haft__fold_commit_reply(run, err);
    }
    if (status != HAFT_OK) {
        return status;
    }
    for (int i = 0; i <= HAFT__END_EXPIRED; i++) {
        if (haft__str_equal(end, haft__str(haft__end_name((haft__end)i)))) {
            const haft__json *error = haft__event_field(event, "error");
            run->end = (haft__end)i;
            run->stage = HAFT__RUN_ENDED;
            run->answer = haft__object_text(event->object, "answer");
            run->end_reason = haft__object_text(event->object, "reason");
            run->forced_final = haft__event_flag(event, "forced_final");
            return haft__fold_copy_json(run, error, &run->end_error, err);
        }
    }
    return haft__fold_fail(event, "the value of \"end\" is not known", err);
}

static haft_status fold_event(haft__run *run, const haft__event *event, haft_error *err)
{
    switch (event->kind) {
    case HAFT__EVENT_RUN_STARTED: return on_run_started(run, event, err);
    case HAFT__EVENT_TURN_STARTED: return on_turn_started(run, event, err);
    case HAFT__EVENT_GATE_OPENED: return on_gate_opened(run, event, err);
    case HAFT__EVENT_CONTEXT_CHANGED: return haft__fold_context_changed(run, event, err);
    case HAFT__EVENT_SUMMARY_STARTED: return haft__fold_summary_started(run, event, err);
    case HAFT__EVENT_CONSTRAINED: return haft__fold_constrained(run, event, err);
    case HAFT__EVENT_OPTION_REFUSED: return haft__fold_option_refused(run, event, err);
    case HAFT__EVENT_MODEL_REPLIED: return haft__fold_model_replied(run, event, err);
    case HAFT__EVENT_MODEL_FAILED: return haft__fold_model_failed(run, event, err);
    case HAFT__EVENT_VIOLATION: return haft__fold_violation(run, event, err);
    case HAFT__EVENT_REMINDED: return haft__fold_reminded(run, event, err);
    case HAFT__EVENT_HOOK_STARTED: return haft__fold_hook_started(run, event, err);
    case HAFT__EVENT_INTERVENTION: return haft__fold_intervention(run, event, err);
    case HAFT__EVENT_CALL_REQUESTED: return haft__fold_call_requested(run, event, err);
    case HAFT__EVENT_CALL_STARTED: return haft__fold_call_started(run, event, err);
    case HAFT__EVENT_CALL_ASKED: return haft__fold_call_asked(run, event, err);
    case HAFT__EVENT_CALL_FINISHED: return haft__fold_call_finished(run, event, err);
    case HAFT__EVENT_CALL_REFUSED: return haft__fold_call_refused(run, event, err);
    case HAFT__EVENT_PAUSED: return haft__fold_paused(run, event, err);
    case HAFT__EVENT_ANSWERED: return haft__fold_answered(run, event, err);
    case HAFT__EVENT_ARTIFACT_STORED: return haft__fold_artifact_stored(run, event, err);
    case HAFT__EVENT_SPEC_CHANGED: return haft__fold_spec_changed(run, event, err);
    case HAFT__EVENT_LIMIT_REACHED: return on_limit_reached(run, event, err);
    case HAFT__EVENT_CANCEL_ASKED: return on_cancel_asked(run, event);
    case HAFT__EVENT_RUN_FINISHED: return on_run_finished(run, event, err);
    case HAFT__EVENT_TOOLS_REVEALED: return haft__fold_tools_revealed(run, event, err);
    case HAFT__EVENT_TOOLS_HIDDEN: return haft__fold_tools_hidden(run, event, err);
    case HAFT__EVENT_CHILD_STARTED: return haft__fold_child_started(run, event, err);
    case HAFT__EVENT_CHILD_FINISHED: return haft__fold_child_finished(run, event, err);
    case HAFT__EVENT_HANDED_OFF: return haft__fold_handed_off(run, event, err);
    case HAFT__EVENT_MODEL_CHANGED: return haft__fold_model_changed(run, event, err);
    case HAFT__EVENT_THREAD_STATE: return haft__fold_thread_state(run, event, err);
    case HAFT__EVENT_GRAPH_STEP: return haft__fold_graph_step(run, event, err);
    }
    HAFT__UNREACHABLE();
}

/* The working time that ends with this event: the time since the last event, limited to the
 * duration that the model or tool reports. Any other time is not counted, because the run waited
 * for a person or had no owner. The time of parallel calls counts once. */
static uint64_t worked_ms_of(const haft__run *run, const haft__event *event)
{
    uint64_t took = 0, passed = event->at_ms > run->last_ms ? event->at_ms - run->last_ms : 0;
    if (run->seq == 0 || haft__event_field(event, "ms") == NULL
        || haft__event_number(event, "ms", &took, NULL) != HAFT_OK) {
        return 0;
    }
    return took < passed ? took : passed;
}

static haft_status fold_next(haft__run *run, const haft__event *event, haft_error *err)
{
    if (event->seq != run->seq + 1) {
        return fail_number(event, "seq", run->seq + 1, event->seq, err);
    }
    if (run->seq > 0 && !haft__str_equal(event->run, run->id)) {
        return haft__fold_fail(event, "the event belongs to another run", err);
    }
    if (run->stage == HAFT__RUN_ENDED) {
        return haft__fold_fail(event, "the run has ended", err);
    }
    if (run->stage == HAFT__RUN_NEW && event->kind != HAFT__EVENT_RUN_STARTED) {
        return haft__fold_fail(event, "the run has not started", err);
    }
    haft_status status = fold_event(run, event, err);
    if (status == HAFT_OK && haft__run_is_graph(run)) {
        status = run->spec->graph_rules->fold(run, event, err);
    }
    haft__context_measure_history(run);
    run->worked_ms += worked_ms_of(run, event);
    run->seq = event->seq;
    run->last_ms = event->at_ms;
    return status;
}

/* Reads and folds one line. The texts of the event live as long as the run. Its JSON values are in
 * `scratch`; haft__fold_copy_json copies the values that the run stores. */
static haft_status fold_line(haft__run *run, haft_str line, haft__arena *scratch, haft_error *err)
{
    haft_str kept = haft__arena_copy(run->arena, line);
    if (kept.ptr == NULL) {
        return haft__arena_fail(run->arena, err);
    }
    haft__event event;
    haft_status status =
        haft__event_read_split(run->arena, scratch, kept, run->hash_key, &event, err);
    return status == HAFT_OK ? fold_next(run, &event, err) : status;
}

haft_status haft__run_fold(haft__run *run, haft_str line, haft_error *err)
{
    haft__arena own = {0}, *scratch = run->scratch != NULL ? run->scratch : &own;
    haft__arena_init(&own, 0);
    haft_status status = fold_line(run, line, scratch, err);
    if (scratch->total > MAX_KEPT_SCRATCH_BYTES) {
        haft__arena_finish(scratch); /* such a large event is rare: free the memory */
    }
    haft__arena_reset(scratch);
    haft__arena_finish(&own);
    return status;
}
