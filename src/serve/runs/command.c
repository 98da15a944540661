/* SPDX-License-Identifier: Apache-2.0 */
/*
 * command.c - answers, approvals and other commands. Tests: tests/serve/api_test.py,
 * tests/serve/many_test.py.
 *
 * The command is checked against the run as it is in the store, and left there as a message for the
 * owner of the run; a run without an owner is claimed by a worker. The response is
 * the outcome: the run has accepted the command or an equal one (200), or another one was first
 * (409). If no process reads the message in time, the response is 202 and the message stays.
 */
#include <string.h>

#include "base/error.h"
#include "base/limits.h"
#include "base/macros.h"
#include "base/str.h"
#include "engine/ops/run_tree.h"
#include "engine/ops/store_access.h"
#include "io/clock.h"
#include "run/event_body.h"
#include "run/host.h"
#include "serve/runs/runs_int.h"

/* Intervals between two looks at the messages of the run. */
#define POLL_MS     10U
#define POLL_MAX_MS 250U

/* Several commands of one request, which are given one after the other. */
typedef struct command_batch {
    haft__json commands;
    uint32_t at;
    haft__buf body;
    haft__json_writer w;
} command_batch;

typedef struct run_command {
    haft__api_call *call;
    command_batch *batch; /* NULL: a single command */
    haft__json body;
    haft__run_command command;
    haft_str run;  /* of the call, which may be below the run of the path */
    haft_str text; /* the message */
    char message[HAFT__ID_LENGTH + 1];
    bool resumes;
    uint64_t since_ms, wait_ms, poll_ms;
    haft__timer timer;
} run_command;

static const struct {
    const char *name;
    haft__run_command_kind kind;
} kinds[] = {
    {"answer", HAFT__RUN_COMMAND_ANSWER}, {"approve", HAFT__RUN_COMMAND_APPROVE},
    {"edit", HAFT__RUN_COMMAND_APPROVE},  {"reject", HAFT__RUN_COMMAND_REJECT},
    {"fail", HAFT__RUN_COMMAND_FAIL},     {"again", HAFT__RUN_COMMAND_AGAIN},
    {"cancel", HAFT__RUN_COMMAND_CANCEL},
};

/* ---- the outcome ---- */

static void next_of_batch(haft__api_call *call);

/* Responds, or records the outcome of a command of a batch. `error` is NULL after a success. */
static void report(haft__api_call *call, uint32_t status, const haft_error *error)
{
    run_command *job = call->state;
    command_batch *batch = job->batch;
    if (batch == NULL) {
        haft__runs_reply(call, status, NULL);
        return;
    }
    haft__json_begin_object(&batch->w);
    haft__field_text(&batch->w, "run", haft__object_string(job->body, "run"));
    haft__field_text_or_null(&batch->w, "call", haft__object_string(job->body, "call"));
    haft__field_number(&batch->w, "status", status);
    if (error != NULL) {
        haft__field_error(&batch->w, error);
    } else {
        haft__field_null(&batch->w, "error");
    }
    haft__json_end_object(&batch->w);
    haft__api_continue(call, next_of_batch);
}

static void end_wait(run_command *job)
{
    haft__api_call *call = job->call;
    if (call->on_gone != NULL) {
        call->on_gone = NULL;
        call->holds--;
    }
    haft__timer_stop(haft__runs_of(call)->runtime->loop, &job->timer);
}

static void on_gone(haft__api_call *call)
{
    run_command *job = call->state;
    haft__timer_stop(haft__runs_of(call)->runtime->loop, &job->timer);
    call->holds--;
    haft__api_release(call);
}

/* Compares with the secrets of the run's agent, as its owner does. */
static haft_status prepare_redactor(run_command *job, const haft__loaded_run *run, haft_error *err)
{
    haft_status status =
        run->agent->redactor == NULL ? haft__agent_load_secrets(run->agent, err) : HAFT_OK;
    job->command.redactor = run->agent->redactor;
    return status;
}

/* Whether the command applies to the loaded run (`*ret_duplicate`: it, or an equal one, has already
 * been accepted). */
static haft_status check_command(run_command *job, const haft__loaded_run *run, bool *ret_duplicate,
                                 haft_error *err)
{
    haft__buf body;
    *ret_duplicate = false;
    haft__buf_init(&body, HAFT__LIMIT_RUN_BYTES);
    haft_status status = prepare_redactor(job, run, err);
    if (status == HAFT_OK) {
        status = haft__run_command_is_duplicate(&run->state, &job->command, ret_duplicate, err);
    }
    if (status == HAFT_OK && !*ret_duplicate) {
        status = haft__run_command_apply(&run->state, &job->command, &body, err);
        *ret_duplicate = status == HAFT_OK && body.len == 0;
    }
    haft__buf_finish(&body);
    return status;
}

static uint32_t http_status_of(haft_status status)
{
    return status == HAFT_BAD_INPUT ? 422 : haft__api_http_status(status);
}

static void on_outcome(haft__api_call *call)
{
    run_command *job = call->state;
    haft_error err = {0};
    bool accepted = false;
    haft_status status = check_command(job, haft__runs_loaded(call), &accepted, &err);
    haft__feed_poke(&haft__runs_of(call)->feed, job->run);
    if (status == HAFT_OK && !accepted) {
        status = haft__fail(&err, HAFT_BAD_STATE, "", "the run did not apply the command");
    }
    if (status == HAFT_OK) {
        report(call, 200, NULL);
    } else {
        haft__api_problem(call, http_status_of(status), &err);
    }
}

/* ---- waiting for the owner ---- */

static void read_messages(haft__api_call *call);

static void on_timer(void *context)
{
    run_command *job = context;
    haft__api_continue(job->call, read_messages);
}

static void on_stored_only(haft__api_call *call)
{
    report(call, 202, NULL);
}

static bool is_unread(const haft__store_request *found, haft_str text)
{
    for (size_t i = 0; i < found->message_count; i++) {
        if (haft__str_equal(found->messages[i].body, text)) {
            return true;
        }
    }
    return false;
}

static void on_messages(haft__api_call *call)
{
    run_command *job = call->state;
    haft__runs *runs = haft__runs_of(call);
    haft_error err = call->store.error;
    if (call->store.status != HAFT_OK) {
        end_wait(job);
        haft__api_fail(call, &err);
        return;
    }
    if (!is_unread(&call->store, job->text)) {
        end_wait(job);
        haft__runs_load(call, job->run, HAFT__LOAD_STATE, on_outcome);
        return;
    }
    if (haft__clock_monotonic() - job->since_ms >= job->wait_ms) {
        end_wait(job);
        haft__runs_load(call, job->run, HAFT__LOAD_STATE, on_stored_only);
        return;
    }
    haft__runtime_poll_messages(runs->runtime);
    if (runs->worker != NULL) {
        haft__worker_poll_now(runs->worker);
    }
    job->poll_ms = job->poll_ms * 2 < POLL_MAX_MS ? job->poll_ms * 2 : POLL_MAX_MS;
    if (haft__timer_start(runs->runtime->loop, &job->timer, job->poll_ms, on_timer, job, &err)
        != HAFT_OK) {
        end_wait(job);
        haft__api_fail(call, &err);
    }
}

static void read_messages(haft__api_call *call)
{
    const run_command *job = call->state;
    call->store = (haft__store_request){.verb = HAFT__STORE_RECEIVE, .run.id = job->run};
    haft__api_submit(call, on_messages);
}

static void on_sent(haft__api_call *call)
{
    run_command *job = call->state;
    haft__runs *runs = haft__runs_of(call);
    if (call->store.status == HAFT_BAD_STATE) { /* it has ended meanwhile */
        haft__runs_load(call, job->run, HAFT__LOAD_STATE, on_outcome);
        return;
    }
    if (call->store.status != HAFT_OK) {
        haft__api_fail(call, &call->store.error);
        return;
    }
    job->since_ms = haft__clock_monotonic();
    job->poll_ms = POLL_MS / 2;
    call->holds++;
    call->on_gone = on_gone;
    haft__runtime_poll_messages(runs->runtime);
    if (runs->worker != NULL) {
        haft__worker_poll_now(runs->worker);
    }
    read_messages(call);
}

void haft__runs_wake(haft__api_call *call, haft_str run, haft__api_step *next)
{
    call->store = (haft__store_request){
        .verb = HAFT__STORE_SEND, .run.id = run, .text = HAFT__LIT("{\"command\":\"resume\"}")};
    haft__api_submit(call, next);
}

/* ---- the command ---- */

/* Writes the message, with an id of its own, so that its outcome can be found in the events. */
static haft_status write_message(run_command *job, haft_error *err)
{
    haft__api_call *call = job->call;
    haft__buf text;
    haft__buf_init(&text, HAFT__LIMIT_STORE_TEXT_BYTES);
    haft_status status = haft__runtime_make_id(haft__runs_of(call)->runtime, job->message, err);
    job->command.message = haft__str(job->message);
    haft__run_command_write(&text, &job->command);
    if (status == HAFT_OK) {
        status = haft__buf_check(&text, err);
    }
    job->text = haft__arena_copy(&call->arena, haft__buf_str(&text));
    haft__buf_finish(&text);
    return status == HAFT_OK && job->text.ptr == NULL ? haft__arena_fail(&call->arena, err)
                                                      : status;
}

/* The target as the client sees it: its pause, and what an approval is bound to. */
static haft_status set_target(run_command *job, const haft__loaded_run *run, haft_error *err)
{
    haft__arena *arena = &job->call->arena;
    haft__run_command *command = &job->command;
    haft__run_command_set_target(&run->state, command);
    command->call = haft__arena_copy(arena, command->call);
    command->binding = haft__arena_copy(arena, command->binding);
    return command->call.ptr != NULL && command->binding.ptr != NULL ? HAFT_OK
                                                                     : haft__arena_fail(arena, err);
}

static void on_target(haft__api_call *call)
{
    run_command *job = call->state;
    const haft__loaded_run *run = haft__runs_loaded(call);
    haft_error err = {0};
    bool accepted = false;
    haft_status status = set_target(job, run, &err);
    if (status == HAFT_OK) {
        status = check_command(job, run, &accepted, &err);
    }
    if (status == HAFT_OK && accepted) { /* a repeated request: the same result */
        report(call, 200, NULL);
        return;
    }
    if (status == HAFT_OK) {
        status = write_message(job, &err);
    }
    if (status != HAFT_OK) {
        haft__api_problem(call, http_status_of(status), &err);
        return;
    }
    call->store =
        (haft__store_request){.verb = HAFT__STORE_SEND, .run.id = job->run, .text = job->text};
    haft__api_submit(call, on_sent);
}

/* The call may belong to a run below the run of the path: "c3.1/c1.2". */
static void on_root(haft__api_call *call)
{
    run_command *job = call->state;
    haft__runs *runs = haft__runs_of(call);
    haft_error err = {0};
    if (job->command.kind != HAFT__RUN_COMMAND_CANCEL) {
        haft_status status =
            haft__run_tree_resolve_call(runs->runtime, &call->arena, job->run, job->command.call,
                                        &job->run, &job->command.call, &err);
        if (status != HAFT_OK) {
            haft__api_problem(call, http_status_of(status), &err);
            return;
        }
    }
    haft__runs_load(call, job->run, HAFT__LOAD_STATE, on_target);
}

static void on_woken(haft__api_call *call)
{
    run_command *job = call->state;
    haft__runs *runs = haft__runs_of(call);
    if (call->store.status != HAFT_OK) {
        haft__api_fail(call, &call->store.error);
        return;
    }
    if (runs->worker != NULL) {
        haft__worker_retry(runs->worker, job->run.ptr);
    }
    report(call, 202, NULL);
}

static void resume(haft__api_call *call)
{
    const run_command *job = call->state;
    if (haft__runs_loaded(call)->row.state == HAFT__RUN_STATE_ENDED) {
        haft__api_reject(call, 409, HAFT_BAD_STATE, "the run has ended");
        return;
    }
    haft__runs_wake(call, job->run, on_woken);
}

static haft__json value_of(haft__json body)
{
    const haft__json *value = haft__object_find(body, "value");
    return value != NULL ? *value : haft__json_null();
}

/* Fills in the command from the body; responds and returns false if the token does not permit it.
 */
static bool read_command(haft__api_call *call, run_command *job, haft_str name)
{
    for (size_t i = 0; i < COUNT(kinds); i++) {
        if (haft__str_equal(name, haft__str(kinds[i].name))) {
            job->command.kind = kinds[i].kind;
        }
    }
    bool of_run = job->command.kind == HAFT__RUN_COMMAND_CANCEL || job->resumes;
    if (!haft__principal_may(&call->who, of_run ? HAFT__ROLE_RUN : HAFT__ROLE_ANSWER)) {
        haft__api_reject(call, 403, HAFT_BAD_INPUT,
                         of_run ? "the token does not permit to cancel or resume runs"
                                : "the token does not permit to answer");
        return false;
    }
    job->command.call = haft__object_string(job->body, "call");
    job->command.value = value_of(job->body);
    job->command.why = haft__object_string(job->body, "why");
    job->command.binding = haft__object_string(job->body, "binding");
    job->command.always = haft__object_flag(job->body, "always", false);
    job->command.pause = HAFT__LIT("");
    job->command.message = HAFT__LIT("");
    job->command.by = call->who.name.len > 0 ? call->who.name : HAFT__LIT("api");
    job->wait_ms = haft__object_number(job->body, "wait", HAFT__LIMIT_SERVE_COMMAND_WAIT_S) * 1000U;
    return true;
}

/* Gives the command of `body` to the run. */
static void begin(haft__api_call *call, haft_str run, haft_str name, haft__json body,
                  command_batch *batch)
{
    run_command *job = haft__arena_array(&call->arena, 1, sizeof(*job));
    haft_error err = {0};
    if (job == NULL) {
        call->intercept = NULL; /* the other commands would fail, too */
        (void)haft__arena_fail(&call->arena, &err);
        haft__api_fail(call, &err);
        return;
    }
    job->call = call;
    job->run = run;
    job->body = body;
    job->batch = batch;
    job->resumes = haft__str_equal(name, HAFT__LIT("resume"));
    call->state = job;
    if (read_command(call, job, name)) {
        haft__runs_load(call, run, job->resumes ? HAFT__LOAD_STATE : HAFT__LOAD_ROW,
                        job->resumes ? resume : on_root);
    }
}

void haft__runs_handle_run_command(haft__api_call *call)
{
    begin(call, call->params.values[0], haft__object_string(call->body, "command"), call->body,
          NULL);
}

void haft__runs_handle_run_cancel(haft__api_call *call)
{
    begin(call, call->params.values[0], HAFT__LIT("cancel"), call->body, NULL);
}

/* ---- batches ---- */

static void intercept(haft__api_call *call, uint32_t status, const haft_error *error)
{
    report(call, status, error);
}

static void next_of_batch(haft__api_call *call)
{
    command_batch *batch = ((run_command *)call->state)->batch;
    if (batch->at == batch->commands.count) {
        haft__json_end_array(&batch->w);
        haft__json_end_object(&batch->w);
        call->intercept = NULL;
        haft__api_reply_json(call, 200, &batch->body);
        return;
    }
    haft__json one = batch->commands.items[batch->at++];
    begin(call, haft__object_string(one, "run"), haft__object_string(one, "command"), one, batch);
}

static void finish_body(void *body)
{
    haft__buf_finish(body);
}

/* Each command of the batch has its own outcome. */
void haft__runs_handle_commands(haft__api_call *call)
{
    command_batch *batch = haft__arena_array(&call->arena, 1, sizeof(*batch));
    run_command *first = haft__arena_array(&call->arena, 1, sizeof(*first));
    haft_error err = {0};
    haft_status status =
        batch != NULL && first != NULL ? HAFT_OK : haft__arena_fail(&call->arena, &err);
    if (status == HAFT_OK) {
        haft__buf_init(&batch->body, HAFT__LIMIT_RUN_BYTES);
        status = haft__arena_on_release(&call->arena, finish_body, &batch->body, &err);
    }
    if (status == HAFT_OK
        && haft__object_array(call->body, "commands").count > HAFT__LIMIT_SERVE_BATCH) {
        status = haft__fail(&err, HAFT_TOO_BIG, "/commands", "expected at most %d commands",
                            HAFT__LIMIT_SERVE_BATCH);
    }
    if (status != HAFT_OK) {
        haft__api_fail(call, &err);
        return;
    }
    batch->commands = haft__object_array(call->body, "commands");
    haft__json_writer_init(&batch->w, &batch->body);
    haft__json_begin_object(&batch->w);
    haft__json_key(&batch->w, "results");
    haft__json_begin_array(&batch->w);
    first->batch = batch;
    call->state = first;
    call->intercept = intercept;
    next_of_batch(call);
}
