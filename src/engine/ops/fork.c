/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fork.c - creates a run that begins with the events of another run.
 *
 * The fork does not repeat the calls that its copied events record. fork_point.c decides where a
 * run can be forked. Tests: tests/engine/ops/fork_test.c, tests/cli/fork_test.py,
 * tests/crash/fork_test.py.
 */
#include <string.h>

#include "base/error.h"
#include "base/limits.h"
#include "base/str.h"
#include "engine/ops/event_log.h"
#include "engine/ops/event_rewrite.h"
#include "engine/ops/fork_int.h"
#include "engine/ops/store_access.h"
#include "engine/ops/thread_copy.h"
#include "graph/run/graph_run.h"
#include "io/clock.h"
#include "run/artifact.h"
#include "run/host.h"

/* ---- events ---- */

/* Finds the time shift, which gives a pending call its full time limit again: the time since the
 * last event is added to the times of all events from the first pause of the turn on. The intervals
 * between these events stay the same, so that decisions that depend on the clock replay. */
static haft_status find_time_shift(haft__fork_builder *f)
{
    const haft_runtime *runtime = f->from->runtime;
    uint64_t now = runtime != NULL ? haft__runtime_now(runtime) : haft__clock_now();
    haft_str lines = f->from->lines;
    haft__event event = {.seq = 0};
    haft_status status = HAFT_OK;
    bool has_deadline = haft__run_deadline(&f->run) > 0 && now > f->run.last_ms;
    f->shift_ms = has_deadline ? now - f->run.last_ms : 0;
    while (has_deadline && status == HAFT_OK && event.seq < f->run.seq) {
        haft_str line = haft__str_split(&lines, '\n');
        if (haft__str_trim(line).len > 0) {
            status = haft__event_read(f->arena, line, f->from->hash_key, &event, f->err);
            if (status == HAFT_OK && event.kind == HAFT__EVENT_MODEL_REPLIED) {
                f->shift_from_seq = 0;
            } else if (status == HAFT_OK && event.kind == HAFT__EVENT_PAUSED) {
                f->shift_from_seq = f->shift_from_seq > 0 ? f->shift_from_seq : event.seq;
            }
        }
    }
    return status;
}

static haft_status rewrite(haft__fork_builder *f)
{
    haft__buf body;
    haft__buf_init(&body, HAFT__LIMIT_RUN_BYTES);
    haft_str lines = f->from->lines;
    haft_status status = HAFT_OK;
    haft__event_rewrite move = {.run = haft__str(f->fork->id),
                                .thread = haft__str(f->fork->thread),
                                .task = f->options->task};
    uint64_t from = f->shift_from_seq;
    for (uint64_t seq = 0; seq < f->run.seq && status == HAFT_OK;) {
        haft_str line = haft__str_split(&lines, '\n');
        haft__event event;
        if (haft__str_trim(line).len == 0) {
            continue;
        }
        status = haft__event_read(f->arena, line, f->from->hash_key, &event, f->err);
        if (status == HAFT_OK) {
            move.shift_ms = from > 0 && event.seq >= from ? f->shift_ms : 0;
            status = haft__event_rewrite_for_run(f->arena, &move, &event, f->err);
        }
        if (status == HAFT_OK) {
            haft__buf_clear(&body);
            haft__event_body(&body, &event);
            haft__event_write(&f->text, ++seq, event.at_ms, haft__str(f->fork->id),
                              haft__buf_str(&body));
            haft__buf_add_char(&f->text, '\n');
        }
    }
    if (status == HAFT_OK && f->change.len > 0) {
        const haft_runtime *runtime = f->from->runtime;
        uint64_t now = runtime != NULL ? haft__runtime_now(runtime) : haft__clock_now();
        haft__event_write(&f->text, f->run.seq + 1, now, haft__str(f->fork->id),
                          haft__buf_str(&f->change));
        haft__buf_add_char(&f->text, '\n');
    }
    status = status == HAFT_OK ? haft__buf_check(&body, f->err) : status;
    haft__buf_finish(&body);
    return status == HAFT_OK ? haft__buf_check(&f->text, f->err) : status;
}

/* ---- thread ---- */

static haft_status store_execute(haft__fork_builder *f, haft__store_request *request)
{
    return haft__store_access_execute(f->from->runtime, f->arena, request, f->err);
}

/* Uses the thread in the options, which must have no runs, or makes a new id. */
static haft_status choose_thread(haft__fork_builder *f)
{
    const char *id = f->options->thread;
    char *thread = f->fork->thread;
    if (id == NULL) {
        return haft__runtime_make_id(f->from->runtime, thread, f->err);
    }
    if (!haft__id_valid(haft__str(id))) {
        f->fork->refusal = HAFT__FORK_BAD_THREAD;
        return haft__fail(f->err, HAFT_BAD_INPUT, "",
                          "expected an id of %d lower-case letters and digits, found \"%.64s\"",
                          HAFT__ID_LENGTH, id);
    }
    memcpy(thread, id, sizeof(f->fork->thread));
    haft__store_request list = {.verb = HAFT__STORE_LIST, .thread = haft__str(id), .limit = 1};
    haft_status status = f->from->runtime != NULL ? store_execute(f, &list) : HAFT_OK;
    if (status == HAFT_OK && list.found_count > 0) {
        f->fork->refusal = HAFT__FORK_THREAD_NOT_EMPTY;
        status = haft__fail(f->err, HAFT_BAD_INPUT, "",
                            "expected a thread without runs, found %.*s in it",
                            HAFT__ARG(list.found[0].id));
    }
    return status;
}

/* Copies the history of the original run into the new thread. */
static haft_status copy_earlier_runs(haft__fork_builder *f)
{
    haft__store_request past = {
        .verb = HAFT__STORE_THREAD_HISTORY, .thread = f->from->row.thread, .name = f->from->row.id};
    haft_status status = store_execute(f, &past);
    for (size_t i = 0; status == HAFT_OK && i < past.found_count; i++) {
        status = haft__thread_copy_run(f->from->runtime, f->arena, past.found[i].id,
                                       haft__str(f->fork->thread), NULL, f->err);
    }
    return status;
}

/* ---- store ---- */

static uint64_t count_lines(const haft__fork_builder *f)
{
    return f->run.seq + (f->change.len > 0);
}

static haft_status split_lines(haft__fork_builder *f, haft_str **ret_lines)
{
    haft_str rest = haft__buf_str(&f->text);
    haft_str *lines = haft__arena_array(f->arena, count_lines(f), sizeof(*lines));
    if (lines == NULL) {
        return haft__arena_fail(f->arena, f->err);
    }
    for (uint64_t i = 0; i < count_lines(f); i++) {
        lines[i] = haft__str_split(&rest, '\n');
    }
    *ret_lines = lines;
    return HAFT_OK;
}

/* Collects the artifacts that the events name. */
static haft_status gather_artifacts(haft__fork_builder *f, haft__store_artifact **ret_artifacts)
{
    const haft__run *run = &f->run;
    haft__store_artifact *artifacts =
        haft__arena_array(f->arena, run->artifact_count, sizeof(*artifacts));
    if (artifacts == NULL) {
        return haft__arena_fail(f->arena, f->err);
    }
    for (size_t i = 0; i < run->artifact_count; i++) {
        const haft__artifact *from = run->artifacts[i];
        artifacts[i] = (haft__store_artifact){.name = from->name,
                                              .media_type = from->media_type,
                                              .sha256 = from->sha256,
                                              .content = haft__artifact_content(run, from)};
    }
    *ret_artifacts = artifacts;
    return HAFT_OK;
}

/* Stores the fork as waiting, even if no call is pending, so that no worker claims it before
 * somebody opens it. The original run may already have performed the next step of the fork. */
static haft_status store_fork(haft__fork_builder *f)
{
    haft__store_request request = {.verb = HAFT__STORE_CREATE, .run = f->from->row};
    haft_str *lines = NULL;
    haft__store_artifact *artifacts = NULL;
    haft_status status = split_lines(f, &lines);
    if (status == HAFT_OK) {
        status = gather_artifacts(f, &artifacts);
    }
    request.lines = lines;
    request.line_count = count_lines(f);
    request.artifacts = artifacts;
    request.artifact_count = f->run.artifact_count;
    request.run.id = haft__str(f->fork->id);
    request.run.thread = haft__str(f->fork->thread);
    request.run.parent = f->from->row.id;
    if (f->options->task != NULL) {
        request.run.task = haft__str(f->options->task);
    }
    request.run.owner = HAFT__LIT("");
    request.run.epoch = 0;
    request.run.state = HAFT__RUN_STATE_WAITING;
    uint64_t deadline = haft__run_deadline(&f->run);
    request.run.wake_ms = deadline > 0 ? deadline + f->shift_ms : 0;
    request.run.end = request.run.answer = HAFT__LIT("");
    request.run.turns = f->run.turn;
    request.run.calls = f->run.usage.calls;
    request.run.created_ms = request.run.updated_ms = haft__runtime_now(f->from->runtime);
    return status == HAFT_OK ? store_execute(f, &request) : status;
}

/* ---- fork ---- */

/* Writes the changes that a person makes in the fork of a graph. */
static haft_status write_change(haft__fork_builder *f)
{
    const haft__fork_options *options = f->options;
    if (options->values.kind == HAFT__JSON_OBJECT) {
        return haft__graph_write_edit(&f->run, options->values,
                                      options->as != NULL ? haft__str(options->as) : HAFT__LIT(""),
                                      options->by, &f->change, f->err);
    }
    switch (options->point) {
    case HAFT__FORK_AT_FAILURE:
        return haft__graph_write_retry(&f->run, options->by, &f->change, f->err);
    case HAFT__FORK_AT_LIMIT:
        return haft__graph_write_more_steps(&f->run, options->more, options->by, &f->change,
                                            f->err);
    case HAFT__FORK_AT_END:
    case HAFT__FORK_AT_EVENT:
    case HAFT__FORK_AT_TURN:
    case HAFT__FORK_AT_CALL:
    case HAFT__FORK_AT_START:
    case HAFT__FORK_AT_STEP: return HAFT_OK;
    }
    HAFT__UNREACHABLE();
}

static haft_status prepare(haft__fork_builder *f)
{
    const haft__fork_source *from = f->from;
    haft_status status = haft__fork_find_point(f);
    if (status == HAFT_OK) {
        status = haft__event_log_fold(f->arena, from->spec, from->name, from->lines, f->at,
                                      from->hash_key, &f->run, f->err);
    }
    if (status == HAFT_OK) {
        status = haft__fork_check_point(f);
    }
    if (status == HAFT_OK) {
        status = write_change(f);
    }
    if (status == HAFT_OK && f->options->drift != NULL && f->options->continues) {
        status = haft__spec_drift_check(f->options->drift, &f->run, f->err);
    }
    return status == HAFT_OK ? choose_thread(f) : status;
}

/* Ids increase with time. The fork gets its id after its history is copied, so that its id is the
 * greatest id in its thread. */
static haft_status write_events(haft__fork_builder *f)
{
    haft_status status = f->from->runtime != NULL ? copy_earlier_runs(f) : HAFT_OK;
    if (status == HAFT_OK) {
        status = haft__runtime_make_id(f->from->runtime, f->fork->id, f->err);
    }
    if (status == HAFT_OK) {
        status = find_time_shift(f);
    }
    return status == HAFT_OK ? rewrite(f) : status;
}

/* Copies a run that has ended, and its history, into the new thread, so that the thread can
 * continue with another run. */
static haft_status copy_ended_run(haft__fork_builder *f)
{
    haft_status status = copy_earlier_runs(f);
    f->fork->copied = true;
    return status == HAFT_OK
               ? haft__thread_copy_run(f->from->runtime, f->arena, f->from->row.id,
                                       haft__str(f->fork->thread), f->fork->id, f->err)
               : status;
}

static haft_status return_events(haft__fork_builder *f)
{
    f->fork->events = haft__arena_copy(f->arena, haft__buf_str(&f->text));
    return f->fork->events.ptr != NULL ? HAFT_OK : haft__arena_fail(f->arena, f->err);
}

static haft_status create(haft__fork_builder *f)
{
    haft_status status = write_events(f);
    if (status != HAFT_OK) {
        return status;
    }
    return f->from->runtime != NULL ? store_fork(f) : return_events(f);
}

haft_status haft__fork_create(const haft__fork_source *from, const haft__fork_options *options,
                              haft__arena *arena, haft__fork *ret_fork, haft_error *err)
{
    haft__fork_builder f = {
        .from = from, .options = options, .arena = arena, .fork = ret_fork, .err = err};
    *ret_fork = (haft__fork){.copied = false};
    haft__buf_init(&f.text, HAFT__LIMIT_RUN_BYTES);
    haft__buf_init(&f.change, HAFT__LIMIT_RUN_BYTES);
    haft_status status = prepare(&f);
    if (status == HAFT_OK) {
        status = f.is_copy ? copy_ended_run(&f) : create(&f);
    }
    haft__buf_finish(&f.text);
    haft__buf_finish(&f.change);
    return status;
}
