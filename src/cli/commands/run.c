/* SPDX-License-Identifier: Apache-2.0 */
/* run.c - `haft run`: starts a run and follows it. Tests: tests/cli/run_test.py. */
#include <stdlib.h>

#include "base/error.h"
#include "base/limits.h"
#include "base/str.h"
#include "cli/follow/follow.h"
#include "cli/follow/run_result.h"
#include "cli/input/spec_file.h"
#include "cli/input/task.h"
#include "cli/models/model_hint.h"
#include "cli/terminal/print.h"
#include "engine/agent.h"
#include "engine/run.h"
#include "exec/embeddings/word_vectors.h"

/* Whether the process must still work on a detached run: until the run is stored, and until the
 * open run of its thread has the command to stop (`interrupt`) or the new run has ended. */
static bool is_busy(const haft_run *run)
{
    bool waits = haft__queue_is_queued(&run->queue) && !haft__queue_is_waiting(run);
    return run->log.durable_seq == 0 || (waits && haft_run_state(run) != HAFT_ENDED);
}

/* Prints the id (or with --json the result, or with --events the events) of a detached run. */
static haft__exit_status print_detached(haft__cli *cli, const haft__args *args, haft_run *run,
                                        haft_error *err)
{
    if (haft__args_has(args, "events")) {
        return haft__follow_print_events(cli, run, err) == HAFT_OK ? HAFT__EXIT_DONE
                                                                   : HAFT__EXIT_FAILED;
    }
    if (haft__args_has(args, "json")) {
        haft_status status = haft__run_result_print(cli, run->runtime, &run->state, NULL, err);
        return status == HAFT_OK ? HAFT__EXIT_DONE : HAFT__EXIT_FAILED;
    }
    (void)fprintf(cli->out, "%s\n", run->id);
    return HAFT__EXIT_DONE;
}

/* Stores the run, so that a worker can claim it. */
static haft__exit_status detach(haft__cli *cli, const haft__args *args, haft_run *run,
                                haft_error *err)
{
    haft_status status = HAFT_OK;
    haft__cli_set_run(cli, run->id);
    while (status == HAFT_OK && run->stage != HAFT__HANDLE_FAILED && is_busy(run)) {
        status = haft_runtime_step(run->runtime, -1, err);
    }
    if (status == HAFT_OK && run->stage == HAFT__HANDLE_FAILED) {
        *err = run->error;
        status = err->status;
    }
    if (status != HAFT_OK) {
        return run->queue.state == HAFT__THREAD_QUEUE_REJECTED ? HAFT__EXIT_REFUSED
                                                               : HAFT__EXIT_FAILED;
    }
    return print_detached(cli, args, run, err);
}

static haft__exit_status start(haft__cli *cli, const haft__args *args, haft_agent *agent,
                               const char *task, haft_error *err)
{
    haft_run_options options = HAFT_RUN_OPTIONS_INIT;
    options.thread = haft__args_text(args, "thread", NULL);
    options.user = haft__session_user(args);
    options.traceparent = haft__session_traceparent();
    options.enqueue = haft__args_has(args, "detach");
    haft_run *run = NULL;
    haft_status status = haft_run_start(agent, task, &options, &run, err);
    if (status != HAFT_OK) {
        bool has_place = err->where[0] != '\0';
        if (status == HAFT_BAD_INPUT && !has_place) {
            haft__error_prepend_location(err, "--thread");
        }
        return haft__session_exit_status(status);
    }
    haft__exit_status result =
        options.enqueue ? detach(cli, args, run, err) : haft__follow_run(cli, args, run, err);
    haft_run_release(run);
    return result;
}

/* Warns about a table of word vectors that cannot be used. */
static void check_vectors(const haft__cli *cli)
{
    haft__word_vectors vectors = {.found = false};
    haft_error problem = {.status = HAFT_OK};
    if (getenv("HAFT_VECTORS") == NULL
        || haft__word_vectors_load(NULL, &vectors, &problem) == HAFT_OK) {
        haft__word_vectors_finish(&vectors);
        return;
    }
    (void)fputs("haft: warning: HAFT_VECTORS: ", cli->errors);
    haft__print_escaped(cli->errors, haft__str(problem.where));
    (void)fputs(": ", cli->errors);
    haft__print_escaped(cli->errors, haft__str(problem.message));
    (void)fputs("; tools are searched without word vectors\n", cli->errors);
}

static haft__exit_status run_spec(haft__cli *cli, const haft__args *args,
                                  const haft__spec_file *file, const char *task, haft_error *err)
{
    haft_runtime *runtime = NULL;
    haft_agent *agent = NULL;
    haft__model_hint_print(cli, args, file->spec);
    haft_status status = haft__session_open(cli, args, &runtime, err);
    if (status != HAFT_OK) {
        return haft__session_exit_status(status);
    }
    status = haft__agent_create(runtime, file->spec, &agent, err);
    if (status == HAFT_OK) {
        check_vectors(cli);
        agent->origin = file->origin;
    }
    haft__exit_status result = status == HAFT_OK ? start(cli, args, agent, task, err)
                                                 : haft__session_agent_exit_status(status);
    haft_agent_release(agent);
    haft_runtime_destroy(runtime);
    return result;
}

static haft__exit_status run(haft__cli *cli, const haft__args *args, haft_error *err)
{
    haft__spec_file file;
    haft__buf task;
    haft__buf_init(&task, HAFT__LIMIT_RUN_BYTES);
    haft_status status = haft__follow_check_options(cli, args, err);
    if (status == HAFT_OK) {
        status = haft__spec_file_read(cli, args->words[0], args, &file, err);
    }
    if (status == HAFT_OK && !haft__spec_file_usable(&file, cli)) {
        status = HAFT_BAD_INPUT; /* the problems of the spec were already printed */
    }
    if (status == HAFT_OK) {
        status = haft__task_read(cli, args, &task, err);
    }
    haft__exit_status result =
        status == HAFT_OK ? run_spec(cli, args, &file, task.ptr, err) : HAFT__EXIT_USAGE;
    haft__buf_finish(&task);
    return result;
}

static const haft__option options[] = {
    {"model", 'm', HAFT__OPTION_TEXT, "M", "use this model instead of the spec's: provider:model"},
    {"set", 0, HAFT__OPTION_TEXT, "PATH=VALUE", "override a part of the spec; may be repeated"},
    {"input", 0, HAFT__OPTION_TEXT, "FILE", "add a file to the task; may be repeated"},
    {"thread", 0, HAFT__OPTION_TEXT, "THREAD",
     "continue this thread: the model sees its earlier runs"},
    HAFT__OPTION_USER,
    HAFT__OPTION_STORE,
    {"yes", 'y', HAFT__OPTION_OPTIONAL_CHOICE, "all",
     "approve calls that are not destructive; =all: all calls"},
    {"artifacts", 0, HAFT__OPTION_TEXT, "DIR", "also write artifacts into this directory"},
    {"detach", 0, HAFT__OPTION_FLAG, NULL, "only store the run, for a worker, and print its id"},
    HAFT__OPTIONS_OUTPUT,
    {0},
};

static const haft__example examples[] = {
    {"haft run agent.yaml 'Count the words of letter.txt'", "run an agent on a task"},
    {"haft run agent.yaml 'Count the words' --model offline --json",
     "no key, no network; print one JSON object"},
    {"haft run agent.yaml --input letter.txt --set limits.turns=5 --quiet",
     "the task is a file; change a limit"},
    {0},
};

const haft__command haft__cmd_run = {
    .name = "run",
    .usage = "SPEC [TASK]",
    .summary = "run an agent",
    .help =
        "Runs the agent that SPEC (YAML or JSON) describes until it ends or waits for a person.\n"
        "The answer goes to standard output, progress to standard error. On a terminal,\n"
        "questions and approvals are asked there. Otherwise the run waits; haft answer, approve\n"
        "or reject continues it. If TASK is -, or if TASK and --input are missing and standard\n"
        "input is a pipe, the task is read from standard input.\n"
        "Models: provider:model, offline, script:FILE, replay:FILE;\n"
        "OPENAI_BASE_URL names another server for openai, with the Chat Completions API.\n",
    .options = options,
    .examples = examples,
    .exits = HAFT__RUN_EXIT_STATUSES,
    .min_words = 1,
    .max_words = 2,
    .run = run,
    .result = true,
};
