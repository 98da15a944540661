/* SPDX-License-Identifier: Apache-2.0 */
/* runs_fork.c - `haft runs fork`: a run that begins with the events of another. Tests:
 * tests/cli/fork_test.py, tests/crash/fork_test.py. */
#include "cli/runs/runs_fork.h"

#include "base/error.h"
#include "base/str.h"
#include "cli/follow/delivery.h"
#include "cli/follow/follow.h"
#include "cli/follow/run_result.h"
#include "cli/follow/spec_choice.h"
#include "cli/terminal/print.h"

typedef struct fork_command {
    haft__cli *cli;
    const haft__args *args;
    const haft__fork_source *from;
    haft__fork_options options;
    haft__fork fork;
    haft_error *err;
} fork_command;

/* ---- arguments ---- */

static haft_status read_options(fork_command *f)
{
    const haft__args *args = f->args;
    bool at = haft__args_has(args, "at"), turn = haft__args_has(args, "turn");
    haft__fork_options *options = &f->options;
    options->call = haft__args_text(args, "call", NULL);
    options->task = haft__args_text(args, "task", NULL);
    options->thread = haft__args_text(args, "thread", NULL);
    options->number = haft__args_number(args, at ? "at" : "turn", 0);
    options->continues =
        options->task != NULL || haft__args_has(args, "go") || haft__args_has(args, "answer");
    if (at + turn + (options->call != NULL) + (options->task != NULL) > 1) {
        return haft__fail(
            f->err, HAFT_BAD_INPUT, "",
            "--at, --turn, --call and --task cannot be combined: each names the point");
    }
    if (haft__args_has(args, "answer") && options->call == NULL) {
        return haft__fail(f->err, HAFT_BAD_INPUT, "--answer", "expected --call too, found none");
    }
    options->point = at                      ? HAFT__FORK_AT_EVENT
                     : turn                  ? HAFT__FORK_AT_TURN
                     : options->call != NULL ? HAFT__FORK_AT_CALL
                     : options->task != NULL ? HAFT__FORK_AT_START
                                             : HAFT__FORK_AT_END;
    return HAFT_OK;
}

/* Names the wrong option, and one that helps. */
static void explain_refusal(fork_command *f)
{
    static const struct {
        const char *option, *hint; /* or NULL */
    } words[] = {
        [HAFT__FORK_NO_TURN] = {"--turn", NULL},
        [HAFT__FORK_NO_CALL] =
            {"--call", "'haft runs events' shows which calls were 'paused' and 'answered'"},
        [HAFT__FORK_INSIDE_TURN] = {NULL, "--turn N forks at the end of a turn, --call CALL where "
                                          "a call is pending or was answered"},
        [HAFT__FORK_NOTHING_LEFT] = {"--go",
                                     "without --go the thread is copied; continue it with 'haft "
                                     "run SPEC TASK --thread ID'"},
        [HAFT__FORK_BAD_THREAD] = {"--thread", NULL},
        [HAFT__FORK_THREAD_NOT_EMPTY] = {"--thread",
                                         "a fork starts a new thread; without --thread it "
                                         "gets a new id"},
    };
    haft__fork_refusal refusal = f->fork.refusal;
    if (refusal == HAFT__FORK_CALL_UNDER_WAY) {
        (void)haft__hint(f->err, f->err->status, "fork at the end of a turn: --turn %u",
                         f->fork.last_turn);
        return;
    }
    if (words[refusal].option != NULL) {
        haft__error_prepend_location(f->err, words[refusal].option);
    }
    if (words[refusal].hint != NULL) {
        (void)haft__hint(f->err, f->err->status, "%s", words[refusal].hint);
    }
}

/* ---- continuing ---- */

static haft__exit_status open_fork(fork_command *f)
{
    haft_run *run = NULL;
    haft_status status = haft_run_open(f->from->runtime, f->fork.id, &run, f->err);
    haft__exit_status result = status == HAFT_OK ? haft__follow_run(f->cli, f->args, run, f->err)
                                                 : haft__session_exit_status(status);
    haft_run_release(run);
    return result;
}

static haft__exit_status continue_fork(fork_command *f)
{
    const char *answer = haft__args_text(f->args, "answer", NULL);
    if (answer != NULL) {
        haft__delivery delivery = {
            .run = f->fork.id,
            .command = {.kind = HAFT__RUN_COMMAND_ANSWER, .call = haft__str(f->options.call)},
            .value = answer,
            .may_be_text = true};
        return haft__delivery_send(f->cli, f->args, &delivery, f->err);
    }
    return open_fork(f);
}

/* ---- output ---- */

static haft__exit_status print_fork(fork_command *f)
{
    if (f->from->runtime == NULL) {
        haft__print_json(f->cli->out, f->fork.events);
        return HAFT__EXIT_DONE;
    }
    if (f->fork.copied) {
        (void)fprintf(
            f->cli->errors,
            "haft: the run has ended; continue its thread with 'haft run SPEC TASK --thread %s'\n",
            f->fork.thread);
    }
    if (haft__args_has(f->args, "json")) {
        haft__run_result_print_stored(f->cli, f->from->runtime, f->fork.id, NULL);
    } else {
        (void)fprintf(f->cli->out, "%s\n", f->fork.id);
    }
    return HAFT__EXIT_DONE;
}

static haft__exit_status run_fork(fork_command *f)
{
    haft_status status = haft__fork_create(f->from, &f->options, &f->cli->arena, &f->fork, f->err);
    if (status != HAFT_OK) {
        explain_refusal(f);
        return haft__session_exit_status(status);
    }
    if (f->from->runtime == NULL || !f->options.continues) {
        return print_fork(f);
    }
    haft__cli_set_run(f->cli, f->fork.id);
    haft__exit_status result = continue_fork(f);
    if (f->err->message[0] != '\0') { /* the fork exists, whatever the error is about */
        (void)fprintf(f->cli->errors, "haft: the fork is %s\n", f->fork.id);
    }
    return result;
}

haft__exit_status haft__runs_fork(haft__cli *cli, const haft__args *args,
                                  const haft__fork_source *from, haft_error *err)
{
    fork_command f = {.cli = cli, .args = args, .from = from, .err = err};
    haft__spec_choice choice;
    haft_status status = read_options(&f);
    if (status != HAFT_OK) {
        return haft__session_exit_status(status);
    }
    if (from->runtime == NULL || !f.options.continues) {
        return run_fork(&f);
    }
    status = haft__spec_choice_watch(&choice, cli, args, from->runtime, err);
    f.options.drift = &choice.drift;
    haft__exit_status result = status == HAFT_OK ? run_fork(&f) : haft__session_exit_status(status);
    haft__spec_choice_finish(&choice);
    return result;
}
