/* SPDX-License-Identifier: Apache-2.0 */
/* repl.c - sends texts as runs of a thread, and handles the thread's open runs. Tests:
 * tests/cli/chat_test.py. */
#include "cli/chat/repl.h"

#include <stdarg.h>

#include "base/error.h"
#include "base/limits.h"
#include "base/macros.h"
#include "base/str.h"
#include "cli/follow/follow.h"
#include "cli/terminal/print.h"
#include "engine/agent.h"
#include "engine/ops/run_message.h"
#include "engine/ops/stored_run.h"
#include "engine/ops/thread_list.h"
#include "engine/run.h"
#include "run/thread_queue.h"

/* Maximum time of one step of the loop. */
#define STEP_MS 100

void haft__repl_print_note(haft__repl *repl, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    if (!repl->quiet) {
        (void)vfprintf(repl->cli->errors, format, args);
        (void)fputc('\n', repl->cli->errors);
    }
    va_end(args);
}

void haft__repl_print_error(haft__repl *repl, const haft_error *err)
{
    if (err->message[0] != '\0') {
        haft__print_error(repl->cli->errors, err);
    }
}

haft_status haft__repl_store_execute(haft__repl *repl, haft__store_request *request,
                                     haft_error *err)
{
    return haft__session_store_execute(repl->cli, repl->runtime, request, err);
}

/* ---- the agent ---- */

/* Copies the options of the command line and appends `--model model`. The last --model counts. */
static haft_status override_model(haft__repl *repl, const char *model, haft__args *ret_args,
                                  haft_error *err)
{
    static const haft__option option = {"model", 0, HAFT__OPTION_TEXT, "M", ""};
    haft__arena *arena = &repl->cli->arena;
    const haft__args *args = repl->args;
    haft__args_option *given = haft__arena_array(arena, args->given_count + 1, sizeof(*given));
    haft_str model_copy = haft__arena_copy(arena, haft__str(model));
    if (given == NULL || model_copy.ptr == NULL) {
        return haft__arena_fail(arena, err);
    }
    for (size_t i = 0; i < args->given_count; i++) {
        given[i] = args->given[i];
    }
    given[args->given_count] = (haft__args_option){&option, model_copy.ptr};
    *ret_args = *args;
    ret_args->given = given;
    ret_args->given_count++;
    return HAFT_OK;
}

haft_status haft__repl_read_spec(haft__repl *repl, const char *model, const haft__spec **ret_spec,
                                 haft_error *err)
{
    haft__args args = *repl->args;
    haft__spec_file file;
    haft_status status = model != NULL ? override_model(repl, model, &args, err) : HAFT_OK;
    if (status == HAFT_OK) {
        status = haft__spec_file_read(repl->cli, args.words[0], &args, &file, err);
    }
    if (status == HAFT_OK && !haft__spec_file_usable(&file, repl->cli)) {
        status = HAFT_BAD_INPUT; /* the problems of the spec were already printed */
    }
    haft_str hash = {NULL, 0};
    if (status == HAFT_OK) {
        hash = haft__arena_copy(&repl->cli->arena, file.origin.file);
        status = hash.ptr != NULL ? HAFT_OK : haft__arena_fail(&repl->cli->arena, err);
    }
    if (status == HAFT_OK) {
        *ret_spec = file.spec;
        repl->origin = file.origin; /* the runs of an agent with this spec record it */
        repl->origin.file = hash;
    }
    return status;
}

haft_status haft__repl_set_spec(haft__repl *repl, const haft__spec *spec, haft_error *err)
{
    haft_agent *agent = NULL;
    haft_status status = haft__agent_create(repl->runtime, spec, &agent, err);
    if (status == HAFT_OK) {
        haft_agent_release(repl->agent);
        agent->origin = repl->origin;
        repl->agent = agent;
        repl->spec = spec;
    }
    return status;
}

/* ---- runs ---- */

/* Whether the store has not yet replied to a request of a run. A released run can remain in the
 * list without a request if the store failed; waiting for such a run would never end. */
static bool has_pending_request(const haft_runtime *runtime)
{
    bool pending = false;
    for (const haft_run *run = runtime->runs; run != NULL && !pending; run = run->next) {
        pending = haft__log_is_busy(&run->log) || run->query.pending;
    }
    return pending;
}

/* Waits until all store writes of a run are complete. */
static void drain(haft__repl *repl)
{
    haft_error err = {0};
    haft_status status = HAFT_OK;
    while (has_pending_request(repl->runtime) && status == HAFT_OK) {
        status = haft_runtime_step(repl->runtime, STEP_MS, &err);
    }
    haft__repl_print_error(repl, &err);
}

static void print_end(haft__repl *repl, const haft_run *run, bool interrupted)
{
    switch (haft_run_state(run)) {
    case HAFT_RUNNING:
        haft__repl_print_note(
            repl, "interrupted; a new message redirects the agent, /resume continues the run");
        break;
    case HAFT_WAITING:
        haft__repl_print_note(
            repl, interrupted
                      ? "interrupted; a new message redirects the agent, /resume asks again"
                      : "/resume answers, /cancel ends the run, /undo continues without it");
        break;
    case HAFT_ENDED:
        if (repl->quiet && run->state.answer.len == 0) {
            (void)fprintf(repl->cli->errors, "the run ended without an answer: %s\n",
                          haft_run_end(run));
        }
        break;
    case HAFT_STOPPED: break; /* the error of the run was printed */
    }
}

/* Follows a run and releases it. */
static void follow(haft__repl *repl, haft_run *run)
{
    haft_error err = {0};
    (void)haft__follow_chat_run(repl->cli, repl->args, run, &err);
    (void)fflush(repl->cli->out);
    haft__repl_print_error(repl, &err);
    haft_state state = haft_run_state(run);
    bool interrupted =
        repl->interrupts.sigint_count > 0 && (state == HAFT_RUNNING || state == HAFT_WAITING);
    print_end(repl, run, interrupted);
    (void)snprintf(repl->interrupted_run, sizeof(repl->interrupted_run), "%s",
                   interrupted ? run->id : "");
    haft_run_release(run);
    drain(repl);
}

/* Stores the text as it was sent, so that /retry can send it again. */
static void remember_sent(haft__repl *repl, haft_str text, const haft_run *run)
{
    haft__buf_clear(&repl->sent);
    haft__buf_add_str(&repl->sent, text);
    (void)snprintf(repl->sent_run, sizeof(repl->sent_run), "%s", haft_run_id(run));
}

static haft_status start(haft__repl *repl, haft_str text, haft_run **ret_run, haft_error *err)
{
    haft_run_options options = HAFT_RUN_OPTIONS_INIT;
    options.thread = repl->thread;
    options.user = haft__session_user(repl->args);
    options.traceparent = haft__session_traceparent();
    haft__buf task;
    haft__buf_init(&task, HAFT__LIMIT_RUN_BYTES);
    haft__buf_add_str(&task, text);
    haft__buf_add_str(&task, haft__buf_str(&repl->inputs));
    size_t length = task.len;
    haft__buf_add_char(&task, '\0');
    haft_status status = haft__buf_check(&task, err);
    if (status == HAFT_OK) {
        status = haft_run_start(repl->agent, task.ptr, &options, ret_run, err);
    }
    if (status == HAFT_OK) {
        task.len = length; /* without the NUL */
        remember_sent(repl, haft__buf_str(&task), *ret_run);
        haft__buf_clear(&repl->inputs);
        repl->input_count = 0;
    }
    haft__buf_finish(&task);
    return status;
}

static bool is_owned_elsewhere(const haft__repl *repl, const haft__store_run *open)
{
    bool ours = haft__str_equal(open->owner, haft__str(repl->runtime->owner));
    return !ours && haft__stored_run_is_owned(repl->runtime, open);
}

/* Whether a new message may be sent while a run of the thread is open. With `interrupt` the message
 * interrupts the open run. With `enqueue` the message waits for a run that another process owns; a
 * run that waits for this person must be answered or cancelled first. */
static bool may_queue_after(const haft__repl *repl, const haft__store_run *open)
{
    switch (haft__multitask_of(repl->spec->multitask)) {
    case HAFT__MULTITASK_ENQUEUE:
        return open->state == HAFT__RUN_STATE_RUNNING && is_owned_elsewhere(repl, open);
    case HAFT__MULTITASK_REJECT: return false;
    case HAFT__MULTITASK_INTERRUPT: return true;
    }
    HAFT__UNREACHABLE();
}

static haft__run_command cancel_command(const char *by, const char *why)
{
    return (haft__run_command){.kind = HAFT__RUN_COMMAND_CANCEL,
                               .call = HAFT__LIT(""),
                               .value = haft__json_null(),
                               .by = haft__str(by),
                               .why = haft__str(why)};
}

/* Cancels the run that the person interrupted, because a new message redirects the agent. The
 * cancelled run stays in the thread. If it was the open run, sets *io_open to NULL. */
static haft_status end_interrupted(haft__repl *repl, const haft__store_run **io_open,
                                   haft_error *err)
{
    haft_run *run = NULL;
    if (*io_open == NULL || !haft__str_equal((*io_open)->id, haft__str(repl->interrupted_run))) {
        return HAFT_OK;
    }
    haft__run_command command = cancel_command("terminal", "a new message");
    haft_status status =
        haft__run_message_post(repl->runtime, &repl->cli->arena, (*io_open)->id, &command, err);
    if (status == HAFT_OK) { /* the opened run reads the command before it continues */
        status = haft_run_open(repl->runtime, repl->interrupted_run, &run, err);
    }
    while (status == HAFT_OK && haft_run_state(run) != HAFT_ENDED) {
        if (haft_run_state(run) == HAFT_STOPPED) {
            *err = run->error;
            status = err->status;
        } else {
            status = haft_runtime_step(repl->runtime, STEP_MS, err);
        }
    }
    haft_run_release(run);
    drain(repl);
    if (status == HAFT_OK) {
        repl->interrupted_run[0] = '\0';
        *io_open = NULL;
    }
    return status;
}

void haft__repl_send(haft__repl *repl, haft_str text)
{
    const haft__store_run *open = NULL;
    haft_run *run = NULL;
    haft_error err = {0};
    haft_status status = haft__repl_find_open_run(repl, &open, &err);
    if (status == HAFT_OK) {
        status = end_interrupted(repl, &open, &err);
    }
    if (status == HAFT_OK && open != NULL && !may_queue_after(repl, open)) {
        haft__repl_print_open_run(repl, open);
        return;
    }
    if (status == HAFT_OK) {
        status = start(repl, text, &run, &err);
    }
    if (status == HAFT_OK) {
        follow(repl, run);
    } else {
        haft__repl_print_error(repl, &err);
    }
}

/* ---- open runs ---- */

haft_status haft__repl_find_open_run(haft__repl *repl, const haft__store_run **ret_open,
                                     haft_error *err)
{
    return haft__thread_find_open_run(repl->runtime, &repl->cli->arena, haft__str(repl->thread),
                                      ret_open, err);
}

void haft__repl_print_open_run(haft__repl *repl, const haft__store_run *open)
{
    haft_error err = {0};
    char id[HAFT__ID_LENGTH + 1];
    (void)snprintf(id, sizeof(id), "%.*s", HAFT__ARG(open->id));
    haft_status status = HAFT_OK;
    if (is_owned_elsewhere(repl, open)) {
        status = haft__fail(&err, HAFT_BAD_STATE, id,
                            "this run of the thread is still running in another process");
        (void)haft__hint(
            &err, status,
            "try again when it has ended; /cancel ends it, /undo continues without it");
    } else {
        bool waits = open->state == HAFT__RUN_STATE_WAITING;
        status = haft__fail(&err, HAFT_BAD_STATE, id, "this run of the thread %s",
                            waits ? "waits for an answer" : "has not ended");
        (void)haft__hint(&err, status,
                         "/resume continues it, /cancel ends it, /undo continues without it");
    }
    haft__repl_print_error(repl, &err);
}

/* Opens the open run. If none exists, prints that and sets *ret_run to NULL. */
static haft_status open_run(haft__repl *repl, char id[HAFT__ID_LENGTH + 1], haft_run **ret_run,
                            haft_error *err)
{
    const haft__store_run *open = NULL;
    haft_status status = haft__repl_find_open_run(repl, &open, err);
    if (status == HAFT_OK && open == NULL) {
        haft__repl_print_note(repl, "no open run in this thread");
    } else if (status == HAFT_OK) {
        (void)snprintf(id, HAFT__ID_LENGTH + 1, "%.*s", HAFT__ARG(open->id));
        status = haft_run_open(repl->runtime, id, ret_run, err);
    }
    return status;
}

void haft__repl_cmd_resume(haft__repl *repl, haft_str argument)
{
    (void)argument;
    char id[HAFT__ID_LENGTH + 1] = "";
    haft_run *run = NULL;
    haft_error err = {0};
    haft_status status = open_run(repl, id, &run, &err);
    if (run != NULL) {
        follow(repl, run);
    } else if (status != HAFT_OK) {
        haft__repl_print_error(repl, &err);
    }
}

void haft__repl_cmd_cancel(haft__repl *repl, haft_str argument)
{
    (void)argument;
    char id[HAFT__ID_LENGTH + 1] = "";
    haft_run *run = NULL;
    haft_error err = {0};
    haft_status status = open_run(repl, id, &run, &err);
    if (status == HAFT_BAD_STATE) {
        haft__run_command command = cancel_command("chat", "");
        err = (haft_error){0};
        status =
            haft__run_message_post(repl->runtime, &repl->cli->arena, haft__str(id), &command, &err);
        if (status == HAFT_OK) {
            haft__repl_print_note(repl, "asked the owner of run %s to cancel it", id);
        }
    } else if (run != NULL) {
        haft__run_command command = cancel_command("terminal", "/cancel");
        status = haft__run_perform_command(run, &command, &err);
        follow(repl, run);
    }
    if (status != HAFT_OK) {
        haft__repl_print_error(repl, &err);
    }
}
