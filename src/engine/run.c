/* SPDX-License-Identifier: Apache-2.0 */
/*
 * run.c - continues a run: records each decision, then performs the effect.
 *
 * A call with effects starts only when all earlier events are durable. Model calls and read-only
 * calls do not wait for this. Tests: tests/engine/run_test.c.
 */
#include "engine/run.h"

#include "base/error.h"
#include "base/limits.h"
#include "base/str.h"
#include "engine/agent.h"
#include "engine/command.h"
#include "engine/crash_guard.h"
#include "engine/hook/hook.h"
#include "engine/model_call.h"
#include "engine/runtime.h"
#include "engine/spec_change.h"
#include "engine/telemetry/telemetry.h"
#include "model/conversation.h"
#include "run/decide/call_wait.h"
#include "run/host.h"

/* ---- life cycle ---- */

haft_status haft__run_create(haft_runtime *runtime, haft_run **ret_run, haft_error *err)
{
    haft_run *run = calloc(1, sizeof(*run));
    if (run == NULL) {
        return haft__fail_no_memory(err);
    }
    run->runtime = runtime;
    run->stage = HAFT__HANDLE_OPENING;
    run->user = HAFT__LIT("");
    haft__arena_init(&run->arena, HAFT__LIMIT_RUN_BYTES);
    haft__log_init(&run->log);
    haft__opening_init(&run->opening);
    haft__queue_init(&run->queue);
    haft__thread_state_init(&run->thread_state);
    haft__messages_init(&run->earlier, &run->arena);
    haft__cache_audit_init(&run->cache_audit);
    haft__run_telemetry_init(&run->telemetry);
    run->next = runtime->runs;
    run->link = &runtime->runs;
    if (run->next != NULL) {
        run->next->link = &run->next;
    }
    runtime->runs = run;
    *ret_run = run;
    return HAFT_OK;
}

haft_status haft__run_attach_agent(haft_run *run, haft_agent *agent, haft_error *err)
{
    haft__agent_retain(agent);
    run->agent = agent;
    haft_status status =
        haft__run_init(&run->state, &run->arena, agent->spec, run->runtime->hash_key, err);
    if (status == HAFT_OK && agent->scripted) {
        status = haft__script_start(&agent->script, &run->arena, &run->script, err);
    }
    run->state.scratch = &run->runtime->scratch;
    run->state.specs = haft__spec_change_loader(run);
    haft__run_set_earlier(&run->state, &run->earlier);
    return status;
}

void haft__run_notify_released(haft_run *run)
{
    void (*callback)(haft_run * run, bool available) = run->on_released;
    run->on_released = NULL;
    if (callback != NULL) {
        callback(run, run->lease.state == HAFT__LEASE_NONE || run->state.stage == HAFT__RUN_ENDED);
    }
}

void haft__run_destroy(haft_run *run)
{
    haft__run_notify_released(run);
    haft__telemetry_release(run);
    *run->link = run->next;
    if (run->next != NULL) {
        run->next->link = run->link;
    }
    haft__log_stop_retry(run);
    haft__conversation_destroy(run->conversation);
    haft__cache_audit_finish(&run->cache_audit);
    haft__run_telemetry_finish(&run->telemetry);
    haft__log_finish(&run->log);
    haft__opening_finish(&run->opening);
    haft__queue_finish(&run->queue);
    haft__thread_state_finish(&run->thread_state);
    haft__arena_finish(&run->arena);
    haft_agent_release(run->first_agent != NULL ? run->first_agent : run->agent);
    free(run);
}

void haft__run_stop_operations(haft_run *run)
{
    haft__model_call_stop(run);
    haft__tool_search_stop(run);
    haft__tool_calls_stop(run);
    haft__hooks_stop(run);
    haft__queue_leave(run);
    haft__timer_stop(run->runtime->loop, &run->deadline_timer);
    haft__wall_clock_stop(run);
}

void haft__run_fail(haft_run *run, const haft_error *error)
{
    if (run->stage == HAFT__HANDLE_FAILED) {
        return;
    }
    run->stage = HAFT__HANDLE_FAILED;
    run->error = *error;
    haft__log_stop_retry(run);
    if (run->agent != NULL) {
        haft__run_stop_operations(run);
    }
    haft__child_pool_run_changed(run);
    if (!run->released) {
        (void)haft__lease_release(run);
    }
}

uint64_t haft__run_backoff_ms(uint32_t failures)
{
    uint64_t ms = HAFT__LIMIT_RUN_RETRY_MS;
    for (uint32_t i = 1; i < failures && ms < HAFT__LIMIT_RUN_RETRY_MAX_MS; i++) {
        ms *= 2;
    }
    return ms < HAFT__LIMIT_RUN_RETRY_MAX_MS ? ms : HAFT__LIMIT_RUN_RETRY_MAX_MS;
}

void haft__run_drain(haft_run *run)
{
    run->suspended = true;
    if (run->agent != NULL) {
        haft__model_call_stop(run);
        haft__tool_search_stop(run);
        haft__tool_calls_stop_repeatable(run);
        haft__queue_leave(run);
        haft__timer_stop(run->runtime->loop, &run->deadline_timer);
        haft__wall_clock_stop(run);
    }
}

bool haft__run_is_drained(const haft_run *run)
{
    bool opening = run->stage == HAFT__HANDLE_OPENING;
    return !opening
           && (run->stage != HAFT__HANDLE_ACTIVE
               || (run->slots == NULL && run->hooks == NULL && haft__log_is_durable(run)));
}

bool haft__run_is_settled(const haft_run *run)
{
    bool resting = run->effect == HAFT__EFFECT_WAIT || run->effect == HAFT__EFFECT_END;
    return run->stage == HAFT__HANDLE_ACTIVE && resting && haft__log_is_durable(run);
}

bool haft__run_has_open_question(const haft_run *run)
{
    uint64_t newest =
        run->stage == HAFT__HANDLE_ACTIVE ? haft__run_local_question_seq(&run->state) : 0;
    return newest > 0 && newest <= run->log.durable_seq;
}

/* ---- effects ---- */

static void on_deadline(void *context)
{
    haft__run_advance(context);
}

/* Sets the timer for the first deadline of a pause or delay of a call. Other calls may still be
 * running. */
static haft_status set_deadline_timer(haft_run *run, haft_error *err)
{
    uint64_t deadline = haft__run_deadline(&run->state), now = haft__runtime_now(run->runtime);
    /* The delay of a call that waited at the time of the decision may already have ended. */
    uint64_t poll = haft__call_wait_next_poll(&run->state, run->decided_ms);
    deadline = poll > 0 && (deadline == 0 || poll < deadline) ? poll : deadline;
    if (deadline == 0) {
        haft__timer_stop(run->runtime->loop, &run->deadline_timer);
        return HAFT_OK;
    }
    return haft__timer_start(run->runtime->loop, &run->deadline_timer,
                             deadline > now ? deadline - now : 0, on_deadline, run, err);
}

static haft_status perform_effect(haft_run *run, haft_error *err)
{
    if (run->effect != HAFT__EFFECT_CALL_MODEL) {
        haft__model_call_stop(run);
    }
    switch (run->effect) {
    case HAFT__EFFECT_CALL_MODEL:
        return run->model_call == NULL ? haft__model_call_start(run, err) : HAFT_OK;
    case HAFT__EFFECT_SEARCH_TOOLS:
        return haft__tool_search_start(run, HAFT__SEARCH_BEFORE_FIRST_TURN, err);
    case HAFT__EFFECT_READ_THREAD: haft__thread_state_read(run); return HAFT_OK;
    case HAFT__EFFECT_RUN_CALLS: {
        haft_status status = haft__tool_calls_start(run, err);
        status = status == HAFT_OK ? haft__hooks_start(run, err) : status;
        return status == HAFT_OK ? set_deadline_timer(run, err) : status;
    }
    case HAFT__EFFECT_WAIT:
        if (haft__child_is_closing(&run->state)) { /* only its children can still change the run */
            haft__run_stop_operations(run);
        }
        return set_deadline_timer(run, err);
    case HAFT__EFFECT_END: haft__run_stop_operations(run); return HAFT_OK;
    case HAFT__EFFECT_EVENT: return HAFT_OK; /* decide_once has recorded the event */
    }
    HAFT__UNREACHABLE();
}

/* ---- decisions ---- */

/* Whether the child that an event starts can be created together with the event: its agent can be
 * loaded. If not, the event is not recorded, because no later event could be stored. */
static bool can_create(haft_run *run, const haft__child *child)
{
    haft_agent *agent = NULL;
    haft_error err = {0};
    if (haft__agent_for_child(run->agent, child, &agent, &err) == HAFT_OK) {
        return true;
    }
    run->blocked = err;
    return false;
}

/* Makes one decision and records it. If it is an effect to be performed, sets run->effect. */
static haft_status decide_once(haft_run *run, uint64_t now, bool *ret_more, haft_error *err)
{
    haft__effect effect = {.kind = HAFT__EFFECT_END};
    haft_status status = haft__tool_calls_use_script(run, ret_more, err);
    if (status != HAFT_OK || *ret_more) {
        return status;
    }
    status = haft__decide(&run->runtime->decider, &run->state, now, &effect, err);
    *ret_more = status == HAFT_OK && effect.kind == HAFT__EFFECT_EVENT;
    if (*ret_more && effect.child != NULL && !can_create(run, effect.child)) {
        *ret_more = false;
        return HAFT_OK;
    }
    if (*ret_more) {
        return haft__log_append(run, now, effect.body, err);
    }
    run->effect = effect.kind;
    run->decided_ms = now;
    return status;
}

/* Whether the run makes no decisions now. A cancelled run does not wait for earlier runs of its
 * thread or for the store. */
static bool is_suspended(const haft_run *run)
{
    bool waits = run->suspended || run->blocked.status != HAFT_OK
                 || haft__queue_is_queued(&run->queue) || haft__log_is_failing(&run->log);
    /* A graph may start children immediately, but the request that creates the graph's run cannot
     * create children. */
    waits = waits || (haft__run_is_graph(&run->state) && !haft__log_is_created(&run->log));
    return waits && !run->state.cancel_asked;
}

void haft__runtime_reset_deadlines(haft_runtime *runtime)
{
    for (haft_run *run = runtime->runs; run != NULL; run = run->next) {
        haft_error err = {0};
        bool waits = run->stage == HAFT__HANDLE_ACTIVE && run->deadline_timer.slot != 0;
        if (waits && set_deadline_timer(run, &err) != HAFT_OK) {
            haft__run_fail(run, &err);
            return; /* the list may have changed; the timers of other runs fire late */
        }
    }
}

/* ---- a store without space ---- */

/* Whether the run has ended, or waits for people or children. */
static bool is_idle(const haft_run *run)
{
    const haft__run *state = &run->state;
    bool answered = false; /* since the last decision */
    for (size_t i = state->batch; i < state->call_count; i++) {
        answered = answered || state->calls[i].stage == HAFT__CALL_ANSWERED;
    }
    return run->effect == HAFT__EFFECT_END || (run->effect == HAFT__EFFECT_WAIT && !answered);
}

static bool has_operations(const haft_run *run)
{
    return run->slots != NULL || run->hooks != NULL || run->model_call != NULL
           || haft__tool_search_is_active(&run->search) || !haft__log_is_durable(run);
}

/* Starts the calls that were already decided, waits for pending operations and records their
 * results. Then fails the run. */
static haft_status finish_on_full_disk(haft_run *run, haft_error *err)
{
    run->stalled = true;
    haft_status status =
        run->effect == HAFT__EFFECT_RUN_CALLS ? haft__tool_calls_start(run, err) : HAFT_OK;
    if (status != HAFT_OK || has_operations(run) || is_idle(run)) {
        return status;
    }
    status = haft__fail(err, HAFT_IO, "",
                        "the disk is full: results of running operations are recorded, and no new "
                        "operation starts");
    return haft__hint(err, status, "free some space, then run `haft resume %s`", run->id);
}

void haft__runtime_set_low_space(haft_runtime *runtime, bool low)
{
    bool recovered = runtime->low_space && !low;
    runtime->low_space = low;
    haft_run *run = recovered ? runtime->runs : NULL;
    while (run != NULL) {
        bool stalled = run->stalled;
        run->stalled = false;
        if (stalled && !run->released) {
            haft__run_advance(run);
        }
        run = stalled ? runtime->runs : run->next; /* the list may have changed */
    }
}

/* ---- a child that cannot be created ---- */

bool haft__run_is_blocked(const haft_run *run)
{
    return run->stage == HAFT__HANDLE_ACTIVE && run->blocked.status != HAFT_OK && !run->suspended
           && !run->state.cancel_asked;
}

/* Like finish_on_full_disk, for a run whose next child cannot be created in this process, for
 * example because the key of its model is missing. The other calls of the reply and the started
 * children are not interrupted, because some calls would run again. */
static haft_status finish_blocked(haft_run *run, haft_error *err)
{
    haft_status status = haft__tool_calls_start(run, err);
    bool busy = has_operations(run) || haft__crash_guard_must_wait(run)
                || haft__log_is_failing(&run->log) || !haft__child_pool_is_settled(run);
    if (status != HAFT_OK || busy) {
        return status;
    }
    *err = run->blocked;
    return err->status;
}

/* Fails a run that cannot continue. First stores earlier inputs, because a call whose result is
 * lost would run twice. */
static void fail_and_store(haft_run *run, const haft_error *err)
{
    if (run->stage == HAFT__HANDLE_ACTIVE) {
        haft__log_flush_rest(run);
    }
    haft__run_fail(run, err);
}

void haft__run_advance(haft_run *run)
{
    if (!haft__lease_enforce(run)) {
        return;
    }
    bool created = haft__log_is_created(&run->log); /* no effect is performed before the run is in
                                                     * the store */
    bool low = run->runtime->low_space && created && !run->state.cancel_asked;
    haft_error err = {0};
    haft_status status = HAFT_OK;
    for (bool more = !is_suspended(run) && !low; more && status == HAFT_OK;) {
        status = decide_once(run, haft__runtime_now(run->runtime), &more, &err);
    }
    if (status == HAFT_OK && created && !is_suspended(run)) {
        status = haft__code_calls_reply(run, &err);
    }
    if (status == HAFT_OK && created && !is_suspended(run)) {
        status = low ? finish_on_full_disk(run, &err) : perform_effect(run, &err);
        status = status == HAFT_OK ? haft__wall_clock_update(run, &err) : status;
    }
    if (status == HAFT_OK && created && haft__run_is_blocked(run)) {
        status = finish_blocked(run, &err);
    }
    if (status != HAFT_OK) {
        fail_and_store(run, &err);
        return;
    }
    haft__log_flush(run);
}

void haft__run_record_input(haft_run *run, haft_str body)
{
    haft_error err = {0};
    haft_status status = haft__log_append(run, haft__runtime_now(run->runtime), body, &err);
    if (status != HAFT_OK) {
        fail_and_store(run, &err);
        return;
    }
    haft__run_advance(run);
}

haft_status haft__run_record_decisions(haft_run *run, uint64_t now, haft_error *err)
{
    haft_status status = HAFT_OK;
    for (bool more = !is_suspended(run); more && status == HAFT_OK;) {
        status = decide_once(run, now, &more, err);
    }
    return status;
}

haft_status haft__run_record_expiries(haft_run *run, uint64_t now, haft_error *err)
{
    haft__decider *decider = &run->runtime->decider;
    haft_status status = HAFT_OK;
    const haft__run_call *call = NULL;
    while (status == HAFT_OK && (call = haft__run_find_overdue(&run->state, now)) != NULL) {
        haft__effect effect = {.kind = HAFT__EFFECT_END};
        status = haft__decide_expiry(decider, &run->state, call, now, &effect, err);
        if (status == HAFT_OK) {
            status = haft__log_append(run, now, effect.body, err);
        }
    }
    return status;
}

/* Records the events of a command. `recorded` is the result of recording the events before it. */
static haft_status record_at(haft_run *run, const haft__run_command *command, uint64_t now,
                             haft_status recorded, haft_error failed, haft_error *err)
{
    haft_status status = HAFT_OK;
    haft__buf body;
    haft__buf_init(&body, HAFT__LIMIT_RUN_BYTES);
    if (recorded == HAFT_OK) {
        status = haft__run_redact_and_apply_command(run, command, &body, err);
    }
    if (recorded == HAFT_OK && status == HAFT_OK && body.len > 0) {
        recorded = haft__log_append(run, now, haft__buf_str(&body), &failed);
    }
    haft__buf_finish(&body);
    if (recorded != HAFT_OK) {
        fail_and_store(run, &failed);
        if (err != NULL) {
            *err = failed;
        }
        return recorded;
    }
    return status;
}

/* First records all pending decisions, so that an answer after the deadline is rejected. Decisions
 * and command get the same time, so that a replay detects the deadline at the same event. */
haft_status haft__run_record_command(haft_run *run, const haft__run_command *command,
                                     haft_error *err)
{
    uint64_t now = haft__runtime_now(run->runtime);
    haft_error failed = {0};
    haft_status recorded = haft__run_record_decisions(run, now, &failed);
    return record_at(run, command, now, recorded, failed, err);
}

haft_status haft__run_record_pause_command(haft_run *run, const haft__run_command *command,
                                           haft_error *err)
{
    uint64_t now = haft__runtime_now(run->runtime);
    haft_error failed = {0};
    haft_status recorded = haft__run_record_expiries(run, now, &failed);
    return record_at(run, command, now, recorded, failed, err);
}

static haft_status apply_and_advance(haft_run *run, const haft__run_command *command,
                                     haft_error *err)
{
    haft_status status = haft__run_record_command(run, command, err);
    if (run->stage == HAFT__HANDLE_ACTIVE) {
        haft__run_advance(run);
    }
    return status;
}

/* Returns the error of a run that has failed. */
static haft_status fail_as(const haft_run *run, haft_error *err)
{
    if (err != NULL) {
        *err = run->error;
    }
    return run->error.status;
}

haft_status haft__run_perform_command(haft_run *run, const haft__run_command *command,
                                      haft_error *err)
{
    if (run->stage == HAFT__HANDLE_OPENING && command->kind == HAFT__RUN_COMMAND_CANCEL) {
        run->start.cancelled = true; /* the cancellation is recorded when the run begins */
        return HAFT_OK;
    }
    if (run->stage == HAFT__HANDLE_FAILED) {
        return fail_as(run, err);
    }
    if (run->stage != HAFT__HANDLE_ACTIVE) {
        return haft__fail(err, HAFT_BAD_STATE, "",
                          run->stage == HAFT__HANDLE_READ_ONLY
                              ? "the run has ended, or another process owns it"
                              : "the run is not open yet");
    }
    if (haft__log_is_failing(&run->log) && command->kind != HAFT__RUN_COMMAND_CANCEL) {
        haft_status status = haft__fail(err, HAFT_IO, run->log.error.where,
                                        "%s; the command was not recorded", run->log.error.message);
        return haft__hint(err, status, "repeat the command once the store is writable");
    }
    return haft__lease_enforce(run) ? apply_and_advance(run, command, err) : fail_as(run, err);
}
