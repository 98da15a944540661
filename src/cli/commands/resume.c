/* SPDX-License-Identifier: Apache-2.0 */
/* resume.c - `haft resume`: continues runs that stopped. Tests: tests/cli/store_test.py,
 * tests/cli/threads_test.py. */
#include "base/error.h"
#include "cli/commands/resume_all.h"
#include "cli/follow/follow.h"
#include "cli/follow/run_result.h"
#include "cli/follow/spec_choice.h"

static haft__exit_status resume_one(haft__cli *cli, const haft__args *args, haft_runtime *runtime,
                                    const char *id, haft_error *err)
{
    haft_run *run = NULL;
    haft_status status = haft__cli_resolve_run(cli, runtime, &id, err);
    if (status == HAFT_OK) {
        status = haft_run_open(runtime, id, &run, err);
    }
    haft__exit_status result = status == HAFT_OK ? haft__follow_run(cli, args, run, err)
                                                 : haft__session_exit_status(status);
    haft_run_release(run);
    return result;
}

static haft__exit_status run(haft__cli *cli, const haft__args *args, haft_error *err)
{
    bool all = haft__args_has(args, "all");
    haft_runtime *runtime = NULL;
    haft_status status = haft__follow_check_options(args, err);
    if (status == HAFT_OK && all == (args->word_count == 1)) {
        status = haft__fail(err, HAFT_BAD_INPUT, "", "wanted the id of a run, or --all");
        status = haft__hint(err, status, "'haft runs list' shows what there is");
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
                     : resume_one(cli, args, runtime, args->words[0], err);
    }
    haft__spec_choice_finish(&choice);
    haft_runtime_destroy(runtime);
    return result;
}

static const haft__option options[] = {
    {"all", 0, HAFT__OPTION_FLAG, NULL, "every run that nobody goes on with"},
    HAFT__OPTION_STORE,
    HAFT__OPTIONS_SPEC_CHOICE,
    {"yes", 'y', HAFT__OPTION_OPTIONAL_CHOICE, "all",
     "approve what is not destructive; =all: everything"},
    {"artifacts", 0, HAFT__OPTION_TEXT, "DIR", "also write artifacts into this directory"},
    HAFT__OPTIONS_OUTPUT,
    {0},
};

static const haft__example examples[] = {
    {"haft resume last", "go on with the newest run"},
    {"haft resume --all", "go on with every run that nobody goes on with"},
    {0},
};

const haft__command haft__cmd_resume = {
    .name = "resume",
    .usage = "ID | --all",
    .summary = "go on with a run that stopped",
    .help = "ID is a run's id, the beginning of one, or `last`. A run whose process is gone is\n"
            "taken up where its last event left it: calls that may be repeated are, others are\n"
            "asked about. A run whose spec has changed since is refused, and what has changed is\n"
            "shown, unless --accept-spec or --stored-spec says which one is meant.\n\n"
            "--all goes on with several runs at once, each told of as a whole, until nothing is\n"
            "left that can be done; what another process takes\n"
            "meanwhile is left to it, and what has its place behind that is waited for. The exit\n"
            "status is the worst of those it went on with, the first that is there of\n"
            "1 2 130 5 6 7 3 4: 4 when one waits for somebody, or is behind one that does. With "
            "--json it is one object: {\"runs\": [...]} with\n"
            "the results of the runs it went on with.\n",
    .options = options,
    .examples = examples,
    .exits = HAFT__RUN_EXIT_STATUSES,
    .min_words = 0,
    .max_words = 1,
    .run = run,
    .result = true,
};
