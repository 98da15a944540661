/* SPDX-License-Identifier: Apache-2.0 */
/*
 * open.c - opens a run of the store: find, claim, read, fold. catch_up.c does the rest.
 *
 * Each step queries the store and continues in its callback. If another process owns the run, the
 * claim succeeds only if the lease has expired or that process is dead.
 * Tests: tests/engine/open_test.c.
 */
#include "engine/open.h"

#include <assert.h>

#include "base/error.h"
#include "base/limits.h"
#include "base/str.h"
#include "engine/agent.h"
#include "engine/catch_up.h"
#include "engine/run.h"
#include "engine/runtime.h"
#include "io/owner.h"
#include "run/host.h"

void haft__opening_init(haft__opening *opening)
{
    haft__arena_init(&opening->arena, HAFT__LIMIT_RUN_BYTES);
}

void haft__opening_finish(haft__opening *opening)
{
    haft__arena_finish(&opening->arena);
}

/* Steps come in the order of the enum. */
static void set_state(haft__opening *opening, haft__open_state next)
{
    assert(next > opening->state);
    opening->state = next;
}

static bool is_read_only(const haft_run *run)
{
    return run->opening.mode == HAFT__OPEN_READ_ONLY;
}

/* ---- queries ---- */

/* The run that the reply is for; NULL if it cannot continue. */
static haft_run *finish_request(haft__store_request *request)
{
    haft_run *run = request->context;
    if (!haft__run_query_done(run)) {
        return NULL;
    }
    if (request->status != HAFT_OK) {
        haft__run_fail(run, &request->error);
        return NULL;
    }
    return run;
}

static void query_store(haft_run *run, haft__open_state state, haft__store_request request,
                        void (*done)(haft__store_request *request))
{
    set_state(&run->opening, state);
    haft__run_query_start(run, request, &run->opening.arena, done);
}

/* ---- history of the thread ---- */

static void on_history(haft__store_request *request)
{
    haft_run *run = request->context;
    haft_error err = request->error;
    haft_status status = request->status;
    if (!haft__run_query_done(run) || haft__queue_retry(run, status)) {
        return;
    }
    for (size_t i = 0; status == HAFT_OK && i < request->found_count; i++) {
        haft_str task = haft__arena_copy(&run->arena, request->found[i].task);
        haft_str answer = haft__arena_copy(&run->arena, request->found[i].answer);
        status = task.ptr != NULL && answer.ptr != NULL ? haft__run_append_exchange(
                     task, answer, request->found[i].end, &run->earlier, &err)
                                                        : haft__arena_fail(&run->arena, &err);
    }
    if (status != HAFT_OK) {
        haft__run_fail(run, &err);
        return;
    }
    run->opening.on_history_read(run);
}

void haft__run_load_history(haft_run *run, haft_str thread, void (*next)(haft_run *run))
{
    haft__store_request request = {
        .verb = HAFT__STORE_THREAD_HISTORY, .thread = thread, .name = haft__str(run->id)};
    run->opening.on_history_read = next;
    haft__run_query_start(run, request, &run->opening.arena, on_history);
}

/* ---- events ---- */

void haft__run_advance_script(haft_run *run, const haft__event *event)
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

static haft_status fold_events(haft_run *run, haft_str lines, haft_error *err)
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
            haft__run_advance_script(run, &event);
            status = haft__run_fold(&run->state, line, err);
        }
    }
    haft__arena_finish(&scratch);
    return status;
}

static void continue_opened(haft_run *run)
{
    haft_error err = {0};
    if (haft__run_catch_up(run, &err) != HAFT_OK) {
        haft__run_fail(run, &err);
        return;
    }
    haft__runtime_watch_run(run->runtime);
    haft__child_pool_add_all(run);
    if (run->state.open_children > 0) { /* a child may have ended since the messages were read */
        haft__child_pool_notify(run->runtime);
    }
    if (haft__queue_is_queued(&run->queue) && !run->state.cancel_asked) {
        haft__queue_enter(run);
    }
    haft__run_advance(run);
}

static void start_opened(haft_run *run)
{
    haft_error err = {0};
    haft_status status = haft__spec_change_find_last(run->runtime, run->opening.events,
                                                     &run->opening.last_spec_change_seq, &err);
    if (status == HAFT_OK) {
        status = fold_events(run, run->opening.events, &err);
    }
    if (status != HAFT_OK) {
        haft__error_prepend_location(&err, run->id);
        haft__run_fail(run, &err);
        return;
    }
    haft__log_set_loaded(run);
    set_state(&run->opening, HAFT__OPEN_DONE);
    run->stage = is_read_only(run) ? HAFT__HANDLE_READ_ONLY : HAFT__HANDLE_ACTIVE;
    haft__child_pool_run_changed(run);
    switch (run->opening.mode) {
    case HAFT__OPEN_CONTINUE: continue_opened(run); return;
    case HAFT__OPEN_READ_ONLY: return;
    case HAFT__OPEN_INTERRUPT: haft__queue_cancel(run, run->opening.interrupter); return;
    }
    HAFT__UNREACHABLE();
}

static void on_messages(haft__store_request *request)
{
    haft_run *run = finish_request(request);
    if (run != NULL) {
        run->opening.messages = request->messages;
        run->opening.message_count = request->message_count;
        start_opened(run);
    }
}

static void read_messages(haft_run *run)
{
    haft__store_request request = {.verb = HAFT__STORE_RECEIVE, .run.id = haft__str(run->id)};
    if (is_read_only(run)) {
        start_opened(run);
    } else {
        query_store(run, HAFT__OPEN_READING_MESSAGES, request, on_messages);
    }
}

/* Whether the run has not begun, because it waits for earlier runs of its thread. Its only other
 * events may be spec_changed. */
static haft_status detect_queued(const haft_run *run, bool *ret_queued, haft_error *err)
{
    haft__arena scratch;
    haft_str lines = run->opening.events;
    haft_status status = HAFT_OK;
    bool queued = !is_read_only(run) && run->opening.row.turns == 0;
    (void)haft__str_split(&lines, '\n');
    haft__arena_init(&scratch, HAFT__LIMIT_RUN_BYTES);
    while (status == HAFT_OK && queued && lines.len > 0) {
        haft__event event;
        haft__arena_reset(&scratch);
        status = haft__event_read(&scratch, haft__str_split(&lines, '\n'), run->runtime->hash_key,
                                  &event, err);
        queued = status == HAFT_OK && event.kind == HAFT__EVENT_SPEC_CHANGED;
    }
    haft__arena_finish(&scratch);
    *ret_queued = queued;
    return status;
}

static void on_read(haft__store_request *request)
{
    haft_run *run = finish_request(request);
    haft_error err = {0};
    bool queued = false;
    if (run == NULL) {
        return;
    }
    run->opening.events = request->text;
    if (detect_queued(run, &queued, &err) != HAFT_OK) {
        haft__error_prepend_location(&err, run->id);
        haft__run_fail(run, &err);
    } else if (queued) {
        haft__queue_set_unknown(&run->queue);
        read_messages(run);
    } else {
        set_state(&run->opening, HAFT__OPEN_READING_HISTORY);
        haft__run_load_history(run, run->opening.row.thread, read_messages);
    }
}

/* ---- the row ---- */

static void load_agent(haft_run *run)
{
    (void)snprintf(run->id, sizeof(run->id), "%.*s", HAFT__ARG(run->opening.row.id));
    haft_agent *agent = NULL;
    haft_error err = {0};
    const haft__store_run *row = &run->opening.row;
    haft_status status = haft__spec_change_load_agent(
        run, row->spec, row->spec_path,
        is_read_only(run) ? HAFT__SPEC_READ_ONLY : HAFT__SPEC_STORED, &agent, &err);
    if (status == HAFT_OK) {
        status = haft__run_attach_agent(run, agent, &err);
        haft_agent_release(agent);
    }
    if (status != HAFT_OK) {
        haft__error_prepend_location(&err, "the run's spec");
        haft__run_fail(run, &err);
        return;
    }
    haft__store_request request = {.verb = HAFT__STORE_READ_EVENTS, .run.id = run->opening.row.id};
    query_store(run, HAFT__OPEN_READING_EVENTS, request, on_read);
}

static void start_claimed(haft_run *run, const haft__store_run *row)
{
    run->opening.row = *row;
    run->error = (haft_error){0};
    haft__lease_acquire(&run->lease, row->epoch);
    haft__lease_extend(run, run->opening.claimed_ms);
    haft__lease_watch(run->runtime);
    load_agent(run);
}

/* Handles the row that is read after a failed claim, because it is unknown whether the store
 * committed the claim. If it did, this process releases the run. */
static void on_claim_checked(haft__store_request *request)
{
    haft_run *run = request->context;
    bool claimed = request->status == HAFT_OK
                   && haft__str_equal(request->found[0].owner, haft__str(run->runtime->owner));
    if (claimed) {
        haft__lease_acquire(&run->lease, request->found[0].epoch); /* also needed to release the
                                                                    * lease */
    }
    if (!haft__run_query_done(run)) {
        return;
    }
    if (claimed) {
        start_claimed(run, &request->found[0]);
    } else {
        haft_error err = run->error;
        haft__run_fail(run, &err);
    }
}

static void on_claimed(haft__store_request *request)
{
    haft_run *run = request->context;
    if (request->status == HAFT_IO) {
        haft__store_request find = {.verb = HAFT__STORE_FIND, .name = run->opening.row.id};
        run->error =
            request->error; /* becomes the error of the run if the claim was not committed */
        query_store(run, HAFT__OPEN_CHECKING_CLAIM, find, on_claim_checked);
        return;
    }
    run = finish_request(request);
    if (run != NULL) {
        start_claimed(run, &request->found[0]);
    }
}

static void claim(haft_run *run)
{
    haft_str owner = run->opening.row.owner;
    haft__store_request request = {.verb = HAFT__STORE_CLAIM,
                                   .run.id = run->opening.row.id,
                                   .run.owner = haft__str(run->runtime->owner),
                                   .lease_ms = run->runtime->leases.ms};
    request.dead_owner = haft__owner_is_dead(owner) ? owner : HAFT__LIT("");
    run->opening.claimed_ms = run->runtime->monotonic_clock();
    query_store(run, HAFT__OPEN_CLAIMING, request, on_claimed);
}

static void on_found(haft__store_request *request)
{
    haft_run *run = finish_request(request);
    if (run == NULL) {
        return;
    }
    run->opening.row = request->found[0];
    if (run->opening.row.state == HAFT__RUN_STATE_ENDED) {
        run->opening.mode = HAFT__OPEN_READ_ONLY;
    }
    if (is_read_only(run)) {
        load_agent(run);
    } else {
        claim(run);
    }
}

haft_status haft__run_open_by_name(haft_runtime *runtime, haft_str name, bool read_only,
                                   haft_run **ret_run, haft_error *err)
{
    haft_run *run = NULL;
    haft_status status = haft__run_create(runtime, &run, err);
    if (status != HAFT_OK) {
        return status;
    }
    run->opening.mode = read_only ? HAFT__OPEN_READ_ONLY : HAFT__OPEN_CONTINUE;
    haft_str kept = haft__arena_copy(&run->arena, name);
    if (kept.ptr == NULL) {
        status = haft__arena_fail(&run->arena, err);
        haft__run_destroy(run);
        return status;
    }
    haft__store_request request = {.verb = HAFT__STORE_FIND, .name = kept};
    query_store(run, HAFT__OPEN_FINDING, request, on_found);
    *ret_run = run;
    return HAFT_OK;
}

/* Copies the row into the arena of the run. */
static bool copy_row(haft_run *run, const haft__store_run *row)
{
    run->opening.row = *row;
    haft_str *texts[] = {
        &run->opening.row.id,        &run->opening.row.thread,    &run->opening.row.parent,
        &run->opening.row.user,      &run->opening.row.name,      &run->opening.row.task,
        &run->opening.row.spec,      &run->opening.row.spec_hash, &run->opening.row.end,
        &run->opening.row.spec_path, &run->opening.row.answer,    &run->opening.row.owner};
    bool kept = true;
    for (size_t i = 0; kept && i < COUNT(texts); i++) {
        *texts[i] = haft__arena_copy(&run->opening.arena, *texts[i]);
        kept = texts[i]->ptr != NULL;
    }
    return kept;
}

haft_status haft__run_open_claimed(haft_runtime *runtime, const haft__store_run *row,
                                   uint64_t requested_ms, haft_run **ret_run, haft_error *err)
{
    haft_run *run = NULL;
    haft_status status = haft__lease_check_delay(runtime, requested_ms, err);
    if (status == HAFT_OK) {
        status = haft__run_create(runtime, &run, err);
    }
    if (status != HAFT_OK) {
        return status;
    }
    if (!copy_row(run, row)) {
        status = haft__arena_fail(&run->opening.arena, err);
        haft__run_destroy(run);
        return status;
    }
    run->opening.claimed_ms = requested_ms;
    haft__store_run kept = run->opening.row;
    start_claimed(run, &kept);
    *ret_run = run;
    return HAFT_OK;
}

/* After a claim, the row names this process as the owner. */
bool haft__run_is_owned_elsewhere(const haft_run *run)
{
    return run->stage == HAFT__HANDLE_FAILED && run->error.status == HAFT_BAD_STATE
           && !haft__str_equal(run->opening.row.owner, haft__str(run->runtime->owner));
}
