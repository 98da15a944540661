/* SPDX-License-Identifier: Apache-2.0 */
/*
 * open.c - takes up a run that is in the store: find, claim, read, fold; what it then hears is in
 * catch_up.c.
 *
 * Each step asks the store and goes on in its callback. A run that another process has is only
 * taken when its lease is over, or when that process is no more. Tests: tests/engine/open_test.c.
 */
#include "base/error.h"
#include "base/limits.h"
#include "base/str.h"
#include "engine/runtime.h"
#include "io/owner.h"
#include "run/host.h"

/* ---- asking the store ---- */

/* A run that is released while the store works for it goes when the store is through. */
bool haft__run_query_done(haft_run *run)
{
    run->loading = false;
    if (run->released) {
        haft__run_dispose(run);
        return false;
    }
    return true;
}

/* The run that the store has answered, or NULL when that is the end of it here. */
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

void haft__run_query_start(haft_run *run, haft__store_request request, haft__arena *arena,
                           void (*done)(haft__store_request *request))
{
    request.arena = arena;
    request.done = done;
    request.context = run;
    request.now_ms = haft__runtime_now(run->runtime);
    run->load = request;
    run->loading = true;
    haft__store_submit(run->runtime->store, &run->load);
}

static void query_store(haft_run *run, haft__store_request request,
                        void (*done)(haft__store_request *request))
{
    haft__run_query_start(run, request, &run->loaded, done);
}

/* ---- the thread ---- */

static void on_thread(haft__store_request *request)
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
        status = task.ptr != NULL && answer.ptr != NULL
                     ? haft__run_append_exchange(task, answer, &run->earlier, &err)
                     : haft__arena_fail(&run->arena, &err);
    }
    if (status != HAFT_OK) {
        haft__run_fail(run, &err);
        return;
    }
    run->after_thread(run);
}

void haft__run_load_thread(haft_run *run, haft_str thread, void (*next)(haft_run *run))
{
    haft__store_request request = {
        .verb = HAFT__STORE_THREAD_HISTORY, .thread = thread, .name = haft__str(run->id)};
    run->after_thread = next;
    query_store(run, request, on_thread);
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

static void start_opened(haft_run *run)
{
    haft_error err = {0};
    haft_status status =
        haft__spec_change_find_last(run->runtime, run->events, &run->last_spec_change_seq, &err);
    if (status == HAFT_OK) {
        status = fold_events(run, run->events, &err);
    }
    if (status != HAFT_OK) {
        haft__error_prepend_location(&err, run->id);
        haft__run_fail(run, &err);
        return;
    }
    run->durable_seq = run->state.seq;
    run->artifacts_written = run->state.artifact_count;
    run->created = true;
    run->stage = HAFT__HANDLE_ACTIVE;
    if (run->read_only) {
        run->stage = HAFT__HANDLE_READ_ONLY;
    } else if (run->interrupter[0] != '\0') {
        haft__queue_cancel(run, run->interrupter); /* before anything else happens to it */
    } else {
        status = haft__run_catch_up(run, &err);
        if (status != HAFT_OK) {
            haft__run_fail(run, &err);
            return;
        }
        haft__runtime_watch_run(run->runtime);
        if (run->queued && !run->state.cancel_asked) {
            haft__queue_enter(run);
        }
        haft__run_advance(run);
    }
}

static void on_messages(haft__store_request *request)
{
    haft_run *run = finish_request(request);
    if (run != NULL) {
        run->pending = request->messages;
        run->pending_count = request->message_count;
        start_opened(run);
    }
}

static void read_messages(haft_run *run)
{
    haft__store_request request = {.verb = HAFT__STORE_RECEIVE, .run.id = haft__str(run->id)};
    if (run->read_only || !run->runtime->shared) {
        start_opened(run);
    } else {
        query_store(run, request, on_messages);
    }
}

/* Whether it was started and has not begun: nothing has happened to it, but that somebody may have
 * accepted another spec before its turn had come. */
static haft_status detect_queued(haft_run *run, haft_error *err)
{
    haft__arena scratch;
    haft_str lines = run->events;
    haft_status status = HAFT_OK;
    run->queued = !run->read_only && run->row.turns == 0;
    (void)haft__str_split(&lines, '\n');
    haft__arena_init(&scratch, HAFT__LIMIT_RUN_BYTES);
    while (status == HAFT_OK && run->queued && lines.len > 0) {
        haft__event event;
        haft__arena_reset(&scratch);
        status = haft__event_read(&scratch, haft__str_split(&lines, '\n'), run->runtime->hash_key,
                                  &event, err);
        run->queued = status == HAFT_OK && event.kind == HAFT__EVENT_SPEC_CHANGED;
    }
    haft__arena_finish(&scratch);
    return status;
}

static void on_read(haft__store_request *request)
{
    haft_run *run = finish_request(request);
    haft_error err = {0};
    if (run == NULL) {
        return;
    }
    run->events = request->text;
    if (detect_queued(run, &err) != HAFT_OK) {
        haft__error_prepend_location(&err, run->id);
        haft__run_fail(run, &err);
    } else if (run->queued) {
        read_messages(run);
    } else {
        haft__run_load_thread(run, run->row.thread, read_messages);
    }
}

/* ---- the row ---- */

static void load_agent(haft_run *run)
{
    (void)snprintf(run->id, sizeof(run->id), "%.*s", HAFT__ARG(run->row.id));
    haft_agent *agent = NULL;
    haft_error err = {0};
    haft_status status = haft__agent_load_text(
        run->runtime, run->row.spec, run->row.spec_path,
        run->read_only ? HAFT__SPEC_READ_ONLY : HAFT__SPEC_STORED, &agent, &err);
    if (status == HAFT_OK) {
        status = haft__run_attach_agent(run, agent, &err);
        haft_agent_release(agent);
    }
    if (status != HAFT_OK) {
        haft__error_prepend_location(&err, "the run's spec");
        haft__run_fail(run, &err);
        return;
    }
    haft__store_request request = {.verb = HAFT__STORE_READ_EVENTS, .run.id = run->row.id};
    query_store(run, request, on_read);
}

static void start_claimed(haft_run *run, const haft__store_run *row)
{
    run->row = *row;
    run->epoch = row->epoch;
    run->store_error = (haft_error){0};
    haft__lease_set(run, run->claiming_ms);
    haft__lease_watch(run->runtime);
    load_agent(run);
}

/* Of a claim that failed with the store it is not known whether it was kept. A run that nobody
 * goes on with must not be this process's. */
static void on_claim_checked(haft__store_request *request)
{
    haft_run *run = request->context;
    bool ours = request->status == HAFT_OK
                && haft__str_equal(request->found[0].owner, haft__str(run->runtime->owner));
    if (ours) {
        run->epoch = request->found[0].epoch; /* also for giving it back */
    }
    if (!haft__run_query_done(run)) {
        return;
    }
    if (ours) {
        start_claimed(run, &request->found[0]);
    } else {
        haft__run_fail(run, &run->store_error);
    }
}

static void on_claimed(haft__store_request *request)
{
    haft_run *run = request->context;
    if (request->status == HAFT_IO) {
        haft__store_request again = {.verb = HAFT__STORE_FIND, .name = run->row.id};
        run->store_error = request->error;
        query_store(run, again, on_claim_checked);
        return;
    }
    run = finish_request(request);
    if (run != NULL) {
        start_claimed(run, &request->found[0]);
    }
}

static void claim(haft_run *run)
{
    haft_str owner = run->row.owner;
    haft__store_request request = {.verb = HAFT__STORE_CLAIM,
                                   .run.id = run->row.id,
                                   .run.owner = haft__str(run->runtime->owner),
                                   .lease_ms = run->runtime->leases.ms};
    request.dead_owner = haft__owner_is_dead(owner) ? owner : HAFT__LIT("");
    run->claiming_ms = run->runtime->steady();
    query_store(run, request, on_claimed);
}

static void on_found(haft__store_request *request)
{
    haft_run *run = finish_request(request);
    if (run == NULL) {
        return;
    }
    run->row = request->found[0];
    run->read_only = run->read_only || run->row.state == HAFT__RUN_STATE_ENDED;
    if (run->read_only) {
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
    run->read_only = read_only;
    haft_str kept = haft__arena_copy(&run->arena, name);
    if (kept.ptr == NULL) {
        status = haft__arena_fail(&run->arena, err);
        haft__run_destroy(run);
        return status;
    }
    haft__store_request request = {.verb = HAFT__STORE_FIND, .name = kept};
    query_store(run, request, on_found);
    *ret_run = run;
    return HAFT_OK;
}

/* A row that lives as long as the run. */
static bool copy_row(haft_run *run, const haft__store_run *row)
{
    run->row = *row;
    haft_str *texts[] = {&run->row.id,   &run->row.thread,    &run->row.parent, &run->row.user,
                         &run->row.name, &run->row.task,      &run->row.spec,   &run->row.spec_hash,
                         &run->row.end,  &run->row.spec_path, &run->row.answer, &run->row.owner};
    bool kept = true;
    for (size_t i = 0; kept && i < COUNT(texts); i++) {
        *texts[i] = haft__arena_copy(&run->loaded, *texts[i]);
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
        status = haft__arena_fail(&run->loaded, err);
        haft__run_destroy(run);
        return status;
    }
    run->claiming_ms = requested_ms;
    haft__store_run kept = run->row;
    start_claimed(run, &kept);
    *ret_run = run;
    return HAFT_OK;
}
