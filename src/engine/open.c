/* SPDX-License-Identifier: Apache-2.0 */
/*
 * open.c - takes up a run that is in the store: find, claim, read, fold, recover.
 *
 * Each step asks the store and goes on in its callback. A run that another process has is only
 * taken when its lease is over, or when that process is no more. Tests: tests/engine/open_test.c.
 */
#include "base/error.h"
#include "base/limits.h"
#include "base/str.h"
#include "engine/runtime.h"
#include "io/owner.h"

/* ---- asking the store ---- */

/* A run that is released while the store works for it goes when the store is through. */
static bool is_wanted(haft_run *run)
{
    run->loading = false;
    if (run->released) {
        haft__live_leave(run);
        return false;
    }
    return true;
}

/* The run that the store has answered, or NULL when that is the end of it here. */
static haft_run *received(haft__store_request *request)
{
    haft_run *run = request->context;
    if (!is_wanted(run)) {
        return NULL;
    }
    if (request->status != HAFT_OK) {
        haft__live_fail(run, &request->error);
        return NULL;
    }
    return run;
}

static void ask_store(haft_run *run, haft__store_request request,
                      void (*done)(haft__store_request *request))
{
    request.arena = &run->loaded;
    request.done = done;
    request.context = run;
    request.now_ms = haft__runtime_now(run->runtime);
    run->load = request;
    run->loading = true;
    haft__store_submit(run->runtime->store, &run->load);
}

/* ---- the thread ---- */

static void on_thread(haft__store_request *request)
{
    haft_run *run = request->context;
    haft_error err = request->error;
    haft_status status = request->status;
    if (!is_wanted(run)) {
        return;
    }
    for (size_t i = 0; status == HAFT_OK && i < request->found_count; i++) {
        haft_str task = haft__arena_copy(&run->arena, request->found[i].task);
        haft_str answer = haft__arena_copy(&run->arena, request->found[i].answer);
        status = task.ptr != NULL && answer.ptr != NULL
                     ? haft__run_leave(task, answer, &run->earlier, &err)
                     : haft__arena_fail(&run->arena, &err);
    }
    if (status != HAFT_OK) {
        haft__live_fail(run, &err);
        return;
    }
    run->after_thread(run);
}

void haft__open_thread(haft_run *run, haft_str thread, void (*next)(haft_run *run))
{
    haft__store_request request = {
        .verb = HAFT__STORE_THREAD, .thread = thread, .name = run->row.id};
    run->after_thread = next;
    ask_store(run, request, on_thread);
}

/* ---- events ---- */

/* Keeps the script's place: one reply for each that was recorded, one result for each call. */
static void count_script(haft_run *run, const haft__event *event)
{
    if (!run->agent->scripted) {
        return;
    }
    bool reply =
        event->kind == HAFT__EVENT_MODEL_REPLIED || event->kind == HAFT__EVENT_MODEL_FAILED;
    const haft__json *tool = haft__event_field(event, "tool");
    if (reply) {
        haft__script_skip_reply(&run->script);
    } else if (event->kind == HAFT__EVENT_CALL_FINISHED && !haft__event_flag(event, "cached")
               && tool != NULL) {
        haft__script_skip_result(&run->script, haft__json_text(*tool));
    }
}

static haft_status fold(haft_run *run, haft_str lines, haft_error *err)
{
    haft__arena scratch;
    haft__arena_init(&scratch, HAFT__LIMIT_RUN_BYTES);
    haft_status status = HAFT_OK;
    while (status == HAFT_OK && lines.len > 0) {
        haft_str line = haft__str_split(&lines, '\n');
        haft__event event;
        haft__arena_reset(&scratch);
        status = haft__event_read(&scratch, line, run->runtime->hash_key, &event, err);
        if (status == HAFT_OK) {
            count_script(run, &event);
            status = haft__run_fold(&run->state, line, err);
        }
    }
    haft__arena_finish(&scratch);
    return status;
}

/* Calls that had started when whoever had the run stopped. */
static haft_status recover(haft_run *run, haft_error *err)
{
    haft_runtime *runtime = run->runtime;
    haft__run *state = &run->state;
    haft_status status = HAFT_OK;
    bool calling = state->stage == HAFT__RUN_CALLING && !state->cancel_asked && !state->expired;
    for (size_t i = state->batch; calling && status == HAFT_OK && i < state->call_count; i++) {
        const haft__run_call *call = &state->calls[i];
        if (haft__call_needs_host(call)) {
            uint64_t now = haft__runtime_now(runtime);
            haft__effect effect = {.kind = HAFT__EFFECT_END};
            status = haft__decide_recovery(&runtime->decider, state, call, now, &effect, err);
            if (status == HAFT_OK) {
                status = haft__log_append(run, now, effect.body, err);
            }
        }
    }
    return status;
}

static void go_on(haft_run *run)
{
    haft_error err = {0};
    haft_status status = fold(run, run->events, &err);
    if (status != HAFT_OK) {
        haft__error_at(&err, run->id);
        haft__live_fail(run, &err);
        return;
    }
    run->durable_seq = run->state.seq;
    run->artifacts_written = run->state.artifact_count;
    run->created = true;
    run->stage = HAFT__LIVE_ON;
    if (run->look_only) {
        run->stage = HAFT__LIVE_SEEN;
    } else {
        status = recover(run, &err);
        if (status != HAFT_OK) {
            haft__live_fail(run, &err);
            return;
        }
        haft__runtime_watch(run->runtime);
        haft__live_go_on(run);
    }
}

static void on_read(haft__store_request *request)
{
    haft_run *run = received(request);
    if (run == NULL) {
        return;
    }
    run->events = request->text;
    haft__open_thread(run, run->row.thread, go_on);
}

/* ---- the row ---- */

static void load_agent(haft_run *run)
{
    (void)snprintf(run->id, sizeof(run->id), "%.*s", HAFT__ARG(run->row.id));
    haft_agent *agent = NULL;
    haft_error err = {0};
    haft_status status = haft__agent_load_text(run->runtime, run->row.spec, run->row.spec_path,
                                               run->look_only, &agent, &err);
    if (status == HAFT_OK) {
        status = haft__live_join(run, agent, &err);
        haft_agent_release(agent);
    }
    if (status != HAFT_OK) {
        haft__error_at(&err, "the run's spec");
        haft__live_fail(run, &err);
        return;
    }
    haft__store_request request = {.verb = HAFT__STORE_READ, .run.id = run->row.id};
    ask_store(run, request, on_read);
}

static void on_claimed(haft__store_request *request)
{
    haft_run *run = received(request);
    if (run == NULL) {
        return;
    }
    run->row = request->found[0];
    run->epoch = run->row.epoch;
    load_agent(run);
}

static void claim(haft_run *run)
{
    haft_str owner = run->row.owner;
    haft__store_request request = {.verb = HAFT__STORE_CLAIM,
                                   .run.id = run->row.id,
                                   .run.owner = haft__str(run->runtime->owner),
                                   .lease_ms = HAFT__LEASE_MS};
    request.dead_owner = haft__owner_is_dead(owner) ? owner : HAFT__LIT("");
    ask_store(run, request, on_claimed);
}

static void on_found(haft__store_request *request)
{
    haft_run *run = received(request);
    if (run == NULL) {
        return;
    }
    run->row = request->found[0];
    run->look_only = run->look_only || run->row.state == HAFT__STATE_ENDED;
    if (run->look_only) {
        load_agent(run);
    } else {
        claim(run);
    }
}

haft_status haft__open_start(haft_runtime *runtime, haft_str name, bool look_only,
                             haft_run **ret_run, haft_error *err)
{
    haft_run *run = NULL;
    haft_status status = haft__live_create(runtime, &run, err);
    if (status != HAFT_OK) {
        return status;
    }
    run->look_only = look_only;
    haft_str kept = haft__arena_copy(&run->arena, name);
    if (kept.ptr == NULL) {
        status = haft__arena_fail(&run->arena, err);
        haft__live_destroy(run);
        return status;
    }
    haft__store_request request = {.verb = HAFT__STORE_FIND, .name = kept};
    ask_store(run, request, on_found);
    *ret_run = run;
    return HAFT_OK;
}
