/* SPDX-License-Identifier: Apache-2.0 */
/* resume.c - `haft resume`: continues runs that stopped. Tests: tests/cli/store_test.py,
 * tests/cli/threads_test.py. */
#include "base/error.h"
#include "base/limits.h"
#include "cli/commands/resume_all.h"
#include "cli/follow/follow.h"
#include "cli/follow/run_result.h"
#include "cli/follow/spec_choice.h"
#include "cli/runs/runs_fork.h"

static haft__exit_status resume_one(haft__cli *cli, const haft__args *args, haft__spec_drift *drift,
                                    const char *id, haft_error *err)
{
    haft_runtime *runtime = drift->runtime;
    haft_run *run = NULL;
    haft_status status = haft__cli_resolve_run(cli, runtime, &id, err);
    bool continued = false;
    haft__exit_status fork_status =
        status == HAFT_OK ? haft__runs_fork_ended(cli, args, drift, id, &continued, err)
                          : HAFT__EXIT_FAILED;
    if (continued) {
        return fork_status;
    }
    if (status == HAFT_OK) {
        status = haft_run_open(runtime, id, &run, err);
    }
    haft__exit_status result = status == HAFT_OK ? haft__follow_run(cli, args, run, err)
                                                 : haft__session_exit_status(status);
    haft_run_release(run);
    return result;
}

static haft_status check_steps(const haft__args *args, haft_error *err)
{
    uint64_t steps = haft__args_number(args, "steps", 0);
    if (haft__args_has(args, "all")) {
        return haft__fail(err, HAFT_BAD_INPUT, "--steps", "expected one run, found --all");
    }
    return steps >= 1 && steps <= HAFT__LIMIT_GRAPH_STEPS
               ? HAFT_OK
               : haft__fail(err, HAFT_BAD_INPUT, "--steps",
                            "expected a number from 1 to %d, found %llu", HAFT__LIMIT_GRAPH_STEPS,
                            (unsigned long long)steps);
}

static haft__exit_status run(haft__cli *cli, const haft__args *args, haft_error *err)
{
    bool all = haft__args_has(args, "all");
    haft_runtime *runtime = NULL;
    haft_status status = haft__follow_check_options(cli, args, err);
    if (status == HAFT_OK && all == (args->word_count == 1)) {
        status = haft__fail(err, HAFT_BAD_INPUT, "", "expected the id of a run, or --all");
        status = haft__hint(err, status, "'haft runs list' lists the runs");
    }
    if (status == HAFT_OK && haft__args_has(args, "steps")) {
        status = check_steps(args, err);
    }
    if (status != HAFT_OK) {
        return HAFT__EXIT_USAGE;
    }
    status = haft__session_open_existing(cli, args, &runtime, err);
    if (status != HAFT_OK) {
        return haft__session_exit_status(status);
    }
    haft__spec_choice choice;
    haft__exit_status result = HAFT__EXIT_USAGE;
    if (haft__spec_choice_watch(&choice, cli, args, runtime, err) == HAFT_OK) {
        result = all ? haft__resume_all(cli, args, runtime, err)
                     : resume_one(cli, args, &choice.drift, args->words[0], err);
    }
    haft__spec_choice_finish(&choice);
    haft_runtime_destroy(runtime);
    return result;
}

static const haft__option options[] = {
    {"all", 0, HAFT__OPTION_FLAG, NULL, "every open run that no process owns"},
    {"steps", 0, HAFT__OPTION_NUMBER, "N",
     "continue a graph that has ended at its recursion limit, for N further steps"},
    HAFT__OPTION_STORE,
    HAFT__OPTIONS_OVERRIDE,
    HAFT__OPTIONS_SPEC_CHOICE,
    {"yes", 'y', HAFT__OPTION_OPTIONAL_CHOICE, "all",
     "approve calls that are not destructive; =all: all calls"},
    {"artifacts", 0, HAFT__OPTION_TEXT, "DIR", "also write artifacts into this directory"},
    HAFT__OPTIONS_OUTPUT,
    {0},
};

static const haft__example examples[] = {
    {"haft resume last", "continue the newest run"},
    {"haft resume --all", "continue every open run that no process owns"},
    {0},
};

const haft__command haft__cmd_resume = {
    .name = "resume",
    .usage = "ID | --all",
    .summary = "continue a run that has stopped",
    .help =
        "ID is a run's id, the beginning of one, or `last`. A run whose process is gone\n"
        "continues after its last event: calls that may be repeated run again, and for other\n"
        "interrupted calls the run asks what happened. If the spec has changed since, the\n"
        "command prints the changes and fails, unless --accept-spec or --stored-spec chooses a\n"
        "spec.\n\n"
        "A run of a graph that has failed continues in a fork: only the nodes that failed run\n"
        "again, and the results of the others are kept. With --steps N, a run of a graph that\n"
        "has ended at its recursion limit continues in a fork, for at most N further steps.\n\n"
        "--all continues several runs at once, until no run can continue. Each run is reported\n"
        "when it ends or pauses. If another process claims a run, --all skips that run. It waits\n"
        "for such a run only if another run of the same thread is queued after it. If the runs\n"
        "have several exit statuses, the first one in the order 1 2 130 5 6 7 3 4 is used.\n"
        "Status 4 also means that a run is queued after a run that waits for an answer. With\n"
        "--json it prints one object: {\"runs\": [...]} with the results of the runs.\n",
    .options = options,
    .examples = examples,
    .exits = HAFT__RUN_EXIT_STATUSES,
    .min_words = 0,
    .max_words = 1,
    .run = run,
    .result = true,
};
