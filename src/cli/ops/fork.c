/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fork.c - `haft runs fork`: a run that begins with the events of another.
 *
 * What the other did before is in the events and is not done again. Where it is left: fork_point.c.
 * Tests: tests/cli/fork_test.py, tests/crash/fork_test.py.
 */
#include "base/error.h"
#include "base/limits.h"
#include "base/str.h"
#include "cli/follow/delivery.h"
#include "cli/follow/follow.h"
#include "cli/follow/run_result.h"
#include "cli/input/log_file.h"
#include "cli/ops/event_rewrite.h"
#include "cli/ops/fork_int.h"
#include "cli/ops/spec_drift.h"
#include "cli/ops/thread_copy.h"
#include "cli/terminal/print.h"
#include "io/clock.h"
#include "run/host.h"

/* ---- its events ---- */

/* Who is asked again has time again: all that has happened since the first question of the turn
 * happens as much later as the fork is made later than the last of it. So what was decided with a
 * look at the clock is still what would be decided. */
static haft_status find_time_shift(haft__fork_builder *f)
{
    const haft_runtime *runtime = f->from->runtime;
    uint64_t now = runtime != NULL ? haft__runtime_now(runtime) : haft__clock_now();
    haft_str lines = f->from->lines;
    haft__event event = {.seq = 0};
    haft_status status = HAFT_OK;
    bool due = haft__run_deadline(&f->run) > 0 && now > f->run.last_ms;
    f->shift_ms = due ? now - f->run.last_ms : 0;
    while (due && status == HAFT_OK && event.seq < f->run.seq) {
        haft_str line = haft__str_split(&lines, '\n');
        if (haft__str_trim(line).len > 0) {
            status = haft__event_read(&f->cli->arena, line, f->from->hash_key, &event, f->err);
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
    haft__event_rewrite move = {
        .run = haft__str(f->id), .thread = haft__str(f->thread), .task = f->task};
    uint64_t from = f->shift_from_seq;
    for (uint64_t seq = 0; seq < f->run.seq && status == HAFT_OK;) {
        haft_str line = haft__str_split(&lines, '\n');
        haft__event event;
        if (haft__str_trim(line).len == 0) {
            continue;
        }
        status = haft__event_read(&f->cli->arena, line, f->from->hash_key, &event, f->err);
        if (status == HAFT_OK) {
            move.shift_ms = from > 0 && event.seq >= from ? f->shift_ms : 0;
            status = haft__event_rewrite_for_run(&f->cli->arena, &move, &event, f->err);
        }
        if (status == HAFT_OK) {
            haft__buf_clear(&body);
            haft__event_body(&body, &event);
            haft__event_write(&f->text, ++seq, event.at_ms, haft__str(f->id), haft__buf_str(&body));
            haft__buf_add_char(&f->text, '\n');
        }
    }
    status = status == HAFT_OK ? haft__buf_check(&body, f->err) : status;
    haft__buf_finish(&body);
    return status == HAFT_OK ? haft__buf_check(&f->text, f->err) : status;
}

/* ---- its thread ---- */

static haft_status store_execute(haft__fork_builder *f, haft__store_request *request)
{
    return haft__session_store_execute(f->cli, f->from->runtime, request, f->err);
}

/* A new one, or one that --thread names and that nobody uses yet. */
static haft_status choose_thread(haft__fork_builder *f)
{
    const char *given = haft__args_text(f->args, "thread", NULL);
    if (given == NULL) {
        return haft__runtime_make_id(f->from->runtime, f->thread, f->err);
    }
    if (!haft__id_valid(haft__str(given))) {
        return haft__fail(f->err, HAFT_BAD_INPUT, "--thread",
                          "expected an id of %d lower-case letters and digits, found \"%.64s\"",
                          HAFT__ID_LENGTH, given);
    }
    (void)snprintf(f->thread, sizeof(f->thread), "%s", given);
    haft__store_request list = {.verb = HAFT__STORE_LIST, .thread = haft__str(given), .limit = 1};
    haft_status status = f->from->runtime != NULL ? store_execute(f, &list) : HAFT_OK;
    if (status == HAFT_OK && list.found_count > 0) {
        status = haft__fail(f->err, HAFT_BAD_INPUT, "--thread",
                            "expected a thread without runs, found %.*s in it",
                            HAFT__ARG(list.found[0].id));
        (void)haft__hint(f->err, status, "a fork begins a thread; without --thread it gets an id");
    }
    return status;
}

/* What the other run knew of its thread is copied into the new one. */
static haft_status copy_earlier_runs(haft__fork_builder *f)
{
    haft__store_request past = {
        .verb = HAFT__STORE_THREAD_HISTORY, .thread = f->from->row.thread, .name = f->from->row.id};
    haft_status status = store_execute(f, &past);
    for (size_t i = 0; status == HAFT_OK && i < past.found_count; i++) {
        status = haft__thread_copy_run(f->cli, f->from->runtime, past.found[i].id,
                                       haft__str(f->thread), NULL, f->err);
    }
    return status;
}

/* ---- the store ---- */

static haft_status split_lines(haft__fork_builder *f, haft_str **ret_lines)
{
    haft_str rest = haft__buf_str(&f->text);
    haft_str *lines = haft__arena_array(&f->cli->arena, f->run.seq, sizeof(*lines));
    if (lines == NULL) {
        return haft__arena_fail(&f->cli->arena, f->err);
    }
    for (uint64_t i = 0; i < f->run.seq; i++) {
        lines[i] = haft__str_split(&rest, '\n');
    }
    *ret_lines = lines;
    return HAFT_OK;
}

/* The artifacts so far; their content is in the calls. */
static haft_status gather_artifacts(haft__fork_builder *f, haft__store_artifact **ret_artifacts)
{
    const haft__run *run = &f->run;
    haft__store_artifact *artifacts =
        haft__arena_array(&f->cli->arena, run->artifact_count, sizeof(*artifacts));
    if (artifacts == NULL) {
        return haft__arena_fail(&f->cli->arena, f->err);
    }
    for (size_t i = 0; i < run->artifact_count; i++) {
        const haft__artifact *from = run->artifacts[i];
        const haft__run_call *call = haft__run_find_call(run, from->call);
        const haft__json *content =
            call != NULL ? haft__json_get(call->arguments, HAFT__LIT("content")) : NULL;
        artifacts[i] = (haft__store_artifact){.name = from->name,
                                              .media_type = from->media_type,
                                              .sha256 = from->sha256,
                                              .content = content != NULL ? haft__json_text(*content)
                                                                         : HAFT__LIT("")};
    }
    *ret_artifacts = artifacts;
    return HAFT_OK;
}

/* Puts it into the store. There it waits, also where no call does: who looks for work is to leave
 * it alone until somebody opens it, since what comes next may have been done once already. */
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
    request.line_count = f->run.seq;
    request.artifacts = artifacts;
    request.artifact_count = f->run.artifact_count;
    request.run.id = haft__str(f->id);
    request.run.thread = haft__str(f->thread);
    request.run.parent = f->from->row.id;
    request.run.task = f->task != NULL ? haft__str(f->task) : f->from->row.task;
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

/* ---- going on ---- */

static bool continues(const haft__fork_builder *f)
{
    return f->task != NULL || haft__args_has(f->args, "go") || haft__args_has(f->args, "answer");
}

/* What would not be gone on with is not made. */
static haft_status check_spec(haft__fork_builder *f)
{
    haft__spec_drift spec_drift;
    haft_status status =
        haft__spec_drift_watch(&spec_drift, f->cli, f->args, f->from->runtime, f->err);
    if (status == HAFT_OK) {
        status = haft__spec_drift_check(&spec_drift, &f->run, f->err);
    }
    haft__spec_drift_finish(&spec_drift, f->from->runtime);
    return status;
}

static haft__exit_status open_fork(haft__fork_builder *f)
{
    haft_run *run = NULL;
    haft__spec_drift spec_drift;
    haft_status status =
        haft__spec_drift_watch(&spec_drift, f->cli, f->args, f->from->runtime, f->err);
    if (status == HAFT_OK) {
        status = haft_run_open(f->from->runtime, f->id, &run, f->err);
    }
    haft__exit_status result = status == HAFT_OK ? haft__follow_run(f->cli, f->args, run, f->err)
                                                 : haft__session_exit_status(status);
    haft_run_release(run);
    haft__spec_drift_finish(&spec_drift, f->from->runtime);
    return result;
}

static haft__exit_status continue_fork(haft__fork_builder *f)
{
    const char *answer = haft__args_text(f->args, "answer", NULL);
    if (answer != NULL) {
        haft__delivery delivery = {
            .run = f->id,
            .command = {.kind = HAFT__RUN_COMMAND_ANSWER, .call = haft__str(f->call)},
            .value = answer,
            .text = true};
        return haft__delivery_send(f->cli, f->args, &delivery, f->err);
    }
    return open_fork(f);
}

static haft__exit_status finish(haft__fork_builder *f)
{
    if (!continues(f) && haft__args_has(f->args, "json")) {
        haft__run_result_print_stored(f->cli, f->from->runtime, f->id, NULL);
        return HAFT__EXIT_DONE;
    }
    if (!continues(f)) {
        (void)fprintf(f->cli->out, "%s\n", f->id);
        return HAFT__EXIT_DONE;
    }
    haft__cli_set_run(f->cli, f->id);
    haft__exit_status result = continue_fork(f);
    if (f->err->message[0] != '\0') { /* whatever it is about, the fork is there */
        (void)fprintf(f->cli->errors, "haft: the fork is %s\n", f->id);
    }
    return result;
}

static haft_status prepare(haft__fork_builder *f)
{
    const haft__fork_source *from = f->from;
    haft_status status = haft__fork_find_point(f);
    if (status == HAFT_OK) {
        status = haft__log_file_fold(&f->cli->arena, from->spec, from->name, from->lines, f->at,
                                     from->hash_key, &f->run, f->err);
    }
    if (status == HAFT_OK) {
        status = haft__fork_check_point(f);
    }
    if (status == HAFT_OK && from->runtime != NULL && continues(f)) {
        status = check_spec(f);
    }
    return status == HAFT_OK ? choose_thread(f) : status;
}

/* Its id is made behind those of its past, which are older. */
static haft_status write_events(haft__fork_builder *f)
{
    haft_status status = f->from->runtime != NULL ? copy_earlier_runs(f) : HAFT_OK;
    if (status == HAFT_OK) {
        status = haft__runtime_make_id(f->from->runtime, f->id, f->err);
    }
    if (status == HAFT_OK) {
        status = find_time_shift(f);
    }
    return status == HAFT_OK ? rewrite(f) : status;
}

/* Of a run that has ended the fork is a copy, behind which its thread can go on. */
static haft_status copy_ended_run(haft__fork_builder *f)
{
    haft_status status = copy_earlier_runs(f);
    if (status == HAFT_OK) {
        status = haft__thread_copy_run(f->cli, f->from->runtime, f->from->row.id,
                                       haft__str(f->thread), f->id, f->err);
    }
    if (status == HAFT_OK) {
        (void)fprintf(
            f->cli->errors,
            "haft: the run has ended; 'haft run SPEC TASK --thread %s' goes on behind it\n",
            f->thread);
    }
    return status;
}

static haft_status create_fork(haft__fork_builder *f)
{
    haft_status status = write_events(f);
    return status == HAFT_OK && f->from->runtime != NULL ? store_fork(f) : status;
}

haft__exit_status haft__fork_run(haft__cli *cli, const haft__args *args,
                                 const haft__fork_source *from, haft_error *err)
{
    haft__fork_builder f = {.cli = cli,
                            .args = args,
                            .from = from,
                            .task = haft__args_text(args, "task", NULL),
                            .call = haft__args_text(args, "call", NULL),
                            .err = err};
    haft__buf_init(&f.text, HAFT__LIMIT_RUN_BYTES);
    haft_status status = prepare(&f);
    if (status == HAFT_OK) {
        status = f.branch ? copy_ended_run(&f) : create_fork(&f);
    }
    if (status == HAFT_OK && from->runtime == NULL) {
        haft__print_json(cli->out, haft__buf_str(&f.text));
    }
    haft__buf_finish(&f.text);
    if (status != HAFT_OK) {
        return haft__session_exit_status(status);
    }
    return from->runtime != NULL ? finish(&f) : HAFT__EXIT_DONE;
}
