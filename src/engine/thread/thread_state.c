/* SPDX-License-Identifier: Apache-2.0 */
/* thread_state.c - see engine/thread/thread_state.h. Tests: tests/cli/graph_threads_test.py. */
#include "engine/thread/thread_state.h"

#include "base/limits.h"
#include "base/str.h"
#include "engine/query.h"
#include "engine/run.h"
#include "engine/runtime.h"
#include "run/decide/decide.h"
#include "json/object.h"

void haft__thread_state_init(haft__thread_state *state)
{
    haft__arena_init(&state->arena, HAFT__LIMIT_RUN_BYTES);
}

void haft__thread_state_finish(haft__thread_state *state)
{
    haft__arena_finish(&state->arena);
}

static void query(haft_run *run, haft__store_request request,
                  void (*done)(haft__store_request *request))
{
    haft__run_query_start(run, request, &run->thread_state.arena, done);
}

/* The run whose query is done; NULL if it no longer needs the values. */
static haft_run *finish_query(haft__store_request *request)
{
    haft_run *run = request->context;
    bool removed = request->status == HAFT_NOT_FOUND; /* the earlier run was removed meanwhile */
    if (!haft__run_query_done(run)) {
        return NULL;
    }
    if (run->stage != HAFT__HANDLE_ACTIVE || run->effect != HAFT__EFFECT_READ_THREAD) {
        run->thread_state.reading = false; /* the run was cancelled */
        return NULL;
    }
    if (request->status != HAFT_OK && !removed) {
        haft_error err = request->error;
        run->thread_state.reading = false;
        haft__run_fail(run, &err);
        return NULL;
    }
    return run;
}

static void record(haft_run *run, haft_str from, haft__json values)
{
    haft_error err = {0};
    haft__buf *body = &run->runtime->body;
    haft__buf_clear(body);
    haft__input_thread_state(body, from, values);
    haft_status status = haft__buf_check(body, &err);
    run->thread_state.reading = false;
    haft__arena_reset(&run->thread_state.arena);
    if (status == HAFT_OK) {
        haft__run_record_input(run, haft__buf_str(body));
    } else {
        haft__run_fail(run, &err);
    }
}

static void read_next(haft_run *run);

/* Uses the values in the last event of a run, if the event has values. */
static void on_event(haft__store_request *request)
{
    haft_run *run = finish_query(request);
    haft_error err = {0};
    haft__event event;
    haft_str line = request->text;
    if (run == NULL) {
        return;
    }
    line = haft__str_split(&line, '\n');
    haft_status status =
        request->status == HAFT_OK && line.len > 0
            ? haft__event_read(&run->thread_state.arena, line, run->runtime->hash_key, &event, &err)
            : HAFT_NOT_FOUND;
    if (status != HAFT_OK && status != HAFT_NOT_FOUND) {
        haft__run_fail(run, &err);
        return;
    }
    const haft__json *kept = status == HAFT_OK ? haft__event_field(&event, "kept") : NULL;
    if (kept != NULL && event.kind == HAFT__EVENT_RUN_FINISHED && kept->kind == HAFT__JSON_OBJECT) {
        record(run, event.run, *kept);
    } else {
        read_next(run);
    }
}

static void on_row(haft__store_request *request)
{
    haft_run *run = finish_query(request);
    if (run == NULL) {
        return;
    }
    if (request->status != HAFT_OK || request->found[0].seq == 0) {
        read_next(run);
        return;
    }
    query(run,
          (haft__store_request){.verb = HAFT__STORE_READ_EVENTS,
                                .run.id = request->found[0].id,
                                .after = request->found[0].seq - 1},
          on_event);
}

/* Reads the previous run of the thread. If no run is left, the thread has no values. */
static void read_next(haft_run *run)
{
    haft__thread_state *state = &run->thread_state;
    if (state->left == 0) {
        record(run, HAFT__LIT(""), haft__json_object(NULL, 0));
        return;
    }
    state->left--;
    query(run, (haft__store_request){.verb = HAFT__STORE_FIND, .name = state->runs[state->left].id},
          on_row);
}

static void on_history(haft__store_request *request)
{
    haft_run *run = finish_query(request);
    if (run != NULL) {
        run->thread_state.runs = request->found;
        run->thread_state.left = request->status == HAFT_OK ? request->found_count : 0;
        read_next(run);
    }
}

void haft__thread_state_read(haft_run *run)
{
    if (!run->thread_state.reading && !run->query.pending) {
        run->thread_state.reading = true;
        query(run,
              (haft__store_request){.verb = HAFT__STORE_THREAD_HISTORY,
                                    .thread = run->state.thread,
                                    .name = haft__str(run->id)},
              on_history);
    }
}
