/* SPDX-License-Identifier: Apache-2.0 */
/* runs_fork.c - `haft runs fork`: creates a run that begins with the events of another run. Tests:
 * tests/cli/fork_test.py, tests/crash/fork_test.py. */
#include "cli/runs/runs_fork.h"

#include <string.h>

#include "base/error.h"
#include "base/str.h"
#include "cli/follow/delivery.h"
#include "cli/follow/follow.h"
#include "cli/follow/run_result.h"
#include "cli/follow/spec_choice.h"
#include "cli/terminal/print.h"
#include "engine/agent.h"
#include "engine/ops/stored_run.h"
#include "graph/program.h"
#include "io/random.h"
#include "run/pause/command.h"

typedef struct fork_command {
    haft__cli *cli;
    const haft__args *args;
    const haft__fork_source *source;
    haft__fork_options options;
    haft__fork fork;
    bool waits; /* the run that is edited has not ended, and stays as it is */
    haft_error *err;
} fork_command;

/* ---- arguments ---- */

haft_status haft__runs_drop_sets(haft__cli *cli, const haft__args *args, haft__args *ret_args,
                                 haft_error *err)
{
    haft__args_option *given =
        haft__arena_array(&cli->arena, args->given_count + 1, sizeof(*given));
    *ret_args = *args;
    ret_args->given = given;
    ret_args->given_count = 0;
    if (given == NULL) {
        return haft__arena_fail(&cli->arena, err);
    }
    for (size_t i = 0; i < args->given_count; i++) {
        if (strcmp(args->given[i].option->name, "set") != 0) {
            given[ret_args->given_count++] = args->given[i];
        }
    }
    return HAFT_OK;
}

/* Reads the values of --set CHANNEL=VALUE. A value that is not JSON is a text. */
static haft_status read_values(fork_command *f)
{
    haft__arena *arena = &f->cli->arena;
    haft__json *values = &f->options.values;
    haft_status status = HAFT_OK;
    size_t at = 0;
    for (const char *word;
         status == HAFT_OK && (word = haft__args_next(f->args, "set", &at)) != NULL;) {
        haft_str text = haft__str(word);
        size_t whole = text.len;
        haft_str channel = haft__str_split(&text, '=');
        haft__json value = haft__json_string(text);
        bool json = false;
        if (channel.len == whole) {
            return haft__fail(f->err, HAFT_BAD_INPUT, "--set",
                              "expected CHANNEL=VALUE, found no =");
        }
        status =
            haft__run_command_read_value(arena, text, f->source->hash_key, &value, &json, f->err);
        value = json ? value : haft__json_string(text);
        status = status == HAFT_BAD_INPUT && !json ? HAFT_OK : status;
        if (status == HAFT_OK) {
            haft__json object =
                values->kind == HAFT__JSON_OBJECT ? *values : haft__json_object(NULL, 0);
            status = haft__graph_set_member(arena, object, channel, value, values, f->err);
        }
    }
    return status;
}

/* `haft runs edit`: the state that the run has now, or in which it has failed or ended. The run
 * that waits is not changed. */
static haft_status read_edit(fork_command *f)
{
    haft__fork_options *options = &f->options;
    haft_str end = f->source->row.end;
    options->as = haft__args_text(f->args, "as", NULL);
    options->by = haft__delivery_user();
    options->continues = f->source->runtime != NULL;
    options->number = UINT64_MAX;
    options->point = haft__str_equal(end, HAFT__LIT("failed")) ? HAFT__FORK_AT_FAILURE
                     : end.len > 0                             ? HAFT__FORK_AT_STEP
                                                               : HAFT__FORK_AT_END;
    if (f->source->spec->graph_rules == NULL) {
        return haft__fail(f->err, HAFT_BAD_INPUT, f->source->name,
                          "the run has no graph, so no state");
    }
    if (!haft__args_has(f->args, "set")) {
        return haft__fail(f->err, HAFT_BAD_INPUT, "--set", "expected CHANNEL=VALUE, found none");
    }
    return read_values(f);
}

static haft_status read_options(fork_command *f)
{
    const haft__args *args = f->args;
    bool at = haft__args_has(args, "at"), turn = haft__args_has(args, "turn");
    bool step = haft__args_has(args, "step");
    haft__fork_options *options = &f->options;
    options->call = haft__args_text(args, "call", NULL);
    options->task = haft__args_text(args, "task", NULL);
    options->thread = haft__args_text(args, "thread", NULL);
    options->number = haft__args_number(args, at ? "at" : step ? "step" : "turn", 0);
    options->as = haft__args_text(args, "as", NULL);
    options->by = haft__delivery_user();
    options->continues =
        options->task != NULL || haft__args_has(args, "go") || haft__args_has(args, "answer");
    if (at + turn + step + (options->call != NULL) + (options->task != NULL) > 1) {
        return haft__fail(
            f->err, HAFT_BAD_INPUT, "",
            "--at, --turn, --step, --call and --task cannot be combined: each names a point");
    }
    if (options->as != NULL && !step) {
        return haft__fail(f->err, HAFT_BAD_INPUT, "--as", "expected --step too, found none");
    }
    if (haft__args_has(args, "answer") && options->call == NULL) {
        return haft__fail(f->err, HAFT_BAD_INPUT, "--answer", "expected --call too, found none");
    }
    options->point = at                      ? HAFT__FORK_AT_EVENT
                     : turn                  ? HAFT__FORK_AT_TURN
                     : step                  ? HAFT__FORK_AT_STEP
                     : options->call != NULL ? HAFT__FORK_AT_CALL
                     : options->task != NULL ? HAFT__FORK_AT_START
                                             : HAFT__FORK_AT_END;
    return step ? read_values(f) : HAFT_OK;
}

/* Adds the name of the wrong option to the error, and a hint with an option that works. */
static void explain_refusal(fork_command *f)
{
    static const struct {
        const char *option, *hint; /* or NULL */
    } words[] = {
        [HAFT__FORK_NO_TURN] = {"--turn", NULL},
        [HAFT__FORK_NO_STEP] = {"--step", "'haft runs events' shows its events graph_step"},
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
    bool inside_step = refusal == HAFT__FORK_INSIDE_TURN && f->fork.has_steps;
    if (refusal == HAFT__FORK_CALL_UNDER_WAY || inside_step) {
        (void)haft__hint(f->err, f->err->status,
                         f->fork.has_steps ? "fork at the end of a step: --step %u"
                                           : "fork at the end of a turn: --turn %u",
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
    haft_status status = haft_run_open(f->source->runtime, f->fork.id, &run, f->err);
    haft__exit_status result = status == HAFT_OK ? haft__follow_run(f->cli, f->args, run, f->err)
                                                 : haft__session_exit_status(status);
    haft_run_release(run);
    return result;
}

static haft__exit_status continue_fork(fork_command *f)
{
    const char *answer = haft__args_text(f->args, "answer", NULL);
    if (answer != NULL && f->options.call != NULL) {
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
    if (f->source->runtime == NULL) {
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
        haft__run_result_print_stored(f->cli, f->source->runtime, f->fork.id, NULL);
    } else {
        (void)fprintf(f->cli->out, "%s\n", f->fork.id);
    }
    return HAFT__EXIT_DONE;
}

static haft__exit_status run_fork(fork_command *f)
{
    haft_status status =
        haft__fork_create(f->source, &f->options, &f->cli->arena, &f->fork, f->err);
    if (status != HAFT_OK) {
        explain_refusal(f);
        return haft__session_exit_status(status);
    }
    if (f->source->runtime == NULL || !f->options.continues) {
        return print_fork(f);
    }
    haft__cli_set_run(f->cli, f->fork.id);
    if (f->waits) {
        (void)fprintf(f->cli->errors,
                      "haft: %s continues the run with the other state; 'haft cancel %s' ends the "
                      "run itself\n",
                      f->fork.id, f->source->name);
    }
    haft__exit_status result = continue_fork(f);
    if (f->err->message[0] != '\0') { /* the fork was created before the error */
        (void)fprintf(f->cli->errors, "haft: the fork is %s\n", f->fork.id);
    }
    return result;
}

haft__exit_status haft__runs_fork(haft__cli *cli, const haft__args *args,
                                  const haft__fork_source *source, bool edit, haft_error *err)
{
    fork_command f = {.cli = cli, .args = args, .source = source, .err = err};
    haft__spec_choice choice;
    haft_status status = edit ? read_edit(&f) : read_options(&f);
    if (status != HAFT_OK) {
        return haft__session_exit_status(status);
    }
    if (source->runtime == NULL || !f.options.continues) {
        return run_fork(&f);
    }
    f.waits = edit && source->row.end.len == 0;
    haft__args plain = *args;
    if (f.options.values.kind
        == HAFT__JSON_OBJECT) { /* --set changed the state and must not change the spec */
        status = haft__runs_drop_sets(cli, args, &plain, err);
    }
    if (status != HAFT_OK) {
        return haft__session_exit_status(status);
    }
    status = haft__spec_choice_watch(&choice, cli, &plain, source->runtime, err);
    f.options.drift = &choice.drift;
    haft__exit_status result = status == HAFT_OK ? run_fork(&f) : haft__session_exit_status(status);
    haft__spec_choice_finish(&choice);
    return result;
}

/* ---- after a failure, and at the limit ---- */

static haft__exit_status fork_ended(haft__cli *cli, const haft__args *args, haft__spec_drift *drift,
                                    const haft__stored_run *stored, haft_error *err)
{
    uint32_t more = (uint32_t)haft__args_number(args, "steps", 0);
    haft_runtime *runtime = drift->runtime;
    haft__fork_source source = {.name = haft__arena_copy(&cli->arena, stored->row.id).ptr,
                                .lines = stored->lines,
                                .spec = stored->agent->spec,
                                .hash_key = haft__random_hash_key(),
                                .row = stored->row,
                                .runtime = runtime};
    fork_command f = {.cli = cli,
                      .args = args,
                      .source = &source,
                      .options = {.point = more > 0 ? HAFT__FORK_AT_LIMIT : HAFT__FORK_AT_FAILURE,
                                  .more = more,
                                  .by = haft__delivery_user(),
                                  .continues = true,
                                  .drift = drift},
                      .err = err};
    haft_status status = haft__fork_create(&source, &f.options, &cli->arena, &f.fork, err);
    if (status != HAFT_OK) {
        return haft__session_exit_status(status);
    }
    (void)fprintf(cli->errors, "haft: the run has %s; %s continues it\n",
                  more > 0 ? "ended at its limit" : "failed", f.fork.id);
    haft__cli_set_run(cli, f.fork.id);
    return open_fork(&f);
}

haft__exit_status haft__runs_fork_ended(haft__cli *cli, const haft__args *args,
                                        haft__spec_drift *drift, const char *id,
                                        bool *ret_continued, haft_error *err)
{
    haft_runtime *runtime = drift->runtime;
    haft__stored_run stored = {0};
    haft__store_run row;
    haft__exit_status result = HAFT__EXIT_DONE;
    bool more = haft__args_has(args, "steps");
    *ret_continued = more;
    if (haft__stored_run_find(runtime, &cli->arena, haft__str(id), false, &row, NULL) != HAFT_OK
        || !haft__str_equal(row.end, more ? HAFT__LIT("exhausted") : HAFT__LIT("failed"))) {
        return more ? haft__session_exit_status(
                   haft__fail(err, HAFT_BAD_INPUT, "--steps",
                              "expected a run of a graph that has ended at its recursion limit"))
                    : result;
    }
    haft_status status = haft__stored_run_read(runtime, &cli->arena, row.id, true, &stored, err);
    if (status == HAFT_OK && stored.agent->spec->graph_rules != NULL) {
        *ret_continued = true;
        result = fork_ended(cli, args, drift, &stored, err);
    } else if (more) {
        status = status != HAFT_OK ? status
                                   : haft__fail(err, HAFT_BAD_INPUT, "--steps",
                                                "expected a run of a graph, found an agent");
        result = haft__session_exit_status(status);
    }
    haft__stored_run_finish(&stored);
    return result;
}
