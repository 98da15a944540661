/* SPDX-License-Identifier: Apache-2.0 */
/* fork.c - runs that begin with the events of another. Tests: tests/serve/api_test.py. */
#include "engine/ops/fork.h"
#include "base/error.h"
#include "base/limits.h"
#include "base/macros.h"
#include "base/str.h"
#include "serve/runs/runs_int.h"

/* The created fork, while its row is read. */
typedef struct fork_job {
    haft__fork_options options;
    haft__fork fork;
    bool starts;
} fork_job;

static const char *text_of(haft__api_call *call, const char *key)
{
    const haft__json *value = haft__object_find_kind(call->body, key, HAFT__JSON_STRING);
    return value != NULL ? haft__arena_copy(&call->arena, haft__json_text(*value)).ptr : NULL;
}

/* The point of the fork: at most one of at, turn, step, call and task. */
static haft_status read_point(haft__api_call *call, haft__fork_options *options, haft_error *err)
{
    static const struct {
        const char *key;
        haft__fork_point point;
    } points[] = {{"at", HAFT__FORK_AT_EVENT},
                  {"turn", HAFT__FORK_AT_TURN},
                  {"step", HAFT__FORK_AT_STEP},
                  {"call", HAFT__FORK_AT_CALL},
                  {"task", HAFT__FORK_AT_START}};
    size_t found = 0;
    for (size_t i = 0; i < COUNT(points); i++) {
        const haft__json *value = haft__object_find(call->body, points[i].key);
        if (value != NULL && value->kind != HAFT__JSON_NULL) {
            options->point = points[i].point;
            options->number = haft__object_number(call->body, points[i].key, 0);
            found++;
        }
    }
    options->call = text_of(call, "call");
    options->task = text_of(call, "task");
    options->thread = text_of(call, "thread");
    return found <= 1 ? HAFT_OK
                      : haft__fail(err, HAFT_BAD_INPUT, "",
                                   "expected one of at, turn, step, call and task: each names a "
                                   "point");
}

/* A changed state of a graph. */
static void read_values(haft__api_call *call, haft__fork_options *options)
{
    const haft__json *values = haft__object_find_kind(call->body, "set", HAFT__JSON_OBJECT);
    options->values = values != NULL ? *values : haft__json_null();
    options->as = text_of(call, "as");
}

static void on_fork(haft__api_call *call)
{
    haft__runs_reply(call, 201, NULL);
}

static void on_woken(haft__api_call *call)
{
    haft__runs *runs = haft__runs_of(call);
    const fork_job *job = call->state;
    if (call->store.status != HAFT_OK) {
        haft__api_fail(call, &call->store.error);
        return;
    }
    if (runs->worker != NULL) {
        haft__worker_poll_now(runs->worker);
    }
    haft__runs_load(call, haft__str(job->fork.id), HAFT__LOAD_STATE, on_fork);
}

static uint32_t http_status_of(haft_status status)
{
    return status == HAFT_BAD_INPUT ? 422 : haft__api_http_status(status);
}

static void create_fork(haft__api_call *call)
{
    haft__runs *runs = haft__runs_of(call);
    const haft__loaded_run *run = haft__runs_loaded(call);
    fork_job *job = call->state;
    haft_error err = {0};
    haft__fork_source source = {.name = "the run",
                                .lines = run->lines,
                                .spec = run->agent->spec,
                                .hash_key = runs->runtime->hash_key,
                                .row = run->row,
                                .runtime = runs->runtime};
    haft_status status = haft__fork_create(&source, &job->options, &call->arena, &job->fork, &err);
    if (status != HAFT_OK) {
        haft__api_problem(call, http_status_of(status), &err);
        return;
    }
    if (job->starts) {
        haft__runs_wake(call, haft__str(job->fork.id), on_woken);
    } else {
        haft__runs_load(call, haft__str(job->fork.id), HAFT__LOAD_STATE, on_fork);
    }
}

static void create_edit(haft__api_call *call)
{
    const haft__loaded_run *run = haft__runs_loaded(call);
    fork_job *job = call->state;
    if (run->agent->spec->graph_rules == NULL) {
        haft__api_reject(call, 422, HAFT_BAD_INPUT, "the run has no graph, so no state");
        return;
    }
    job->options.point = haft__str_equal(run->row.end, HAFT__LIT("failed")) ? HAFT__FORK_AT_FAILURE
                         : run->row.end.len > 0                             ? HAFT__FORK_AT_STEP
                                                                            : HAFT__FORK_AT_END;
    create_fork(call);
}

void haft__runs_handle_run_fork(haft__api_call *call)
{
    fork_job *job = haft__arena_array(&call->arena, 1, sizeof(*job));
    haft_error err = {0};
    haft_status status = job != NULL ? HAFT_OK : haft__arena_fail(&call->arena, &err);
    if (status == HAFT_OK) {
        job->options.point = HAFT__FORK_AT_END;
        status = read_point(call, &job->options, &err);
    }
    if (status != HAFT_OK) {
        haft__api_problem(call, http_status_of(status), &err);
        return;
    }
    read_values(call, &job->options);
    job->options.by = call->who.name.len > 0 ? call->who.name : HAFT__LIT("api");
    job->starts = haft__object_flag(call->body, "start", job->options.task != NULL);
    job->options.continues = job->starts;
    call->state = job;
    haft__runs_load_path(call, HAFT__LOAD_STATE, create_fork);
}

/* A changed state of a graph: the run that waits stays as it is, and the fork continues. */
void haft__runs_handle_run_edit(haft__api_call *call)
{
    fork_job *job = haft__arena_array(&call->arena, 1, sizeof(*job));
    haft_error err = {0};
    if (job == NULL) {
        (void)haft__arena_fail(&call->arena, &err);
        haft__api_fail(call, &err);
        return;
    }
    job->options.number = UINT64_MAX;
    job->options.by = call->who.name.len > 0 ? call->who.name : HAFT__LIT("api");
    job->options.continues = job->starts = true;
    read_values(call, &job->options);
    call->state = job;
    haft__runs_load_path(call, HAFT__LOAD_STATE, create_edit);
}
