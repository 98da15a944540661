/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_resume.c - `haft resume`: goes on with runs that stopped. Tests: tests/cli/store_test.py. */
#include "base/error.h"
#include "base/limits.h"
#include "base/str.h"
#include "cli/follow.h"
#include "cli/interrupt.h"

static haft__exit resume_one(haft__cli *cli, const haft__args *args, haft_runtime *runtime,
                             const char *id, haft_error *err)
{
    haft_run *run = NULL;
    haft_status status = haft_run_open(runtime, id, &run, err);
    haft__exit result =
        status == HAFT_OK ? haft__follow(cli, args, run, err) : haft__session_exit(status);
    haft_run_release(run);
    return result;
}

/* Those that run or should; what waits for people goes on waiting. */
static haft__exit resume_all(haft__cli *cli, const haft__args *args, haft_runtime *runtime,
                             haft_error *err)
{
    haft__store_request list = {.verb = HAFT__STORE_LIST, .open_only = true};
    haft_status status = haft__session_ask(cli, runtime, &list, err);
    haft__interrupts interrupts = {0};
    if (status == HAFT_OK) {
        status = haft__interrupts_catch(&interrupts, runtime->loop, err);
    }
    haft__exit worst = status == HAFT_OK ? HAFT__EXIT_DONE : HAFT__EXIT_FAILED;
    for (size_t i = list.found_count;
         status == HAFT_OK && !haft__interrupted(&interrupts) && i-- > 0;) {
        const haft__store_run *row = &list.found[i];
        bool due = row->wake_ms > 0 && row->wake_ms <= haft__runtime_now(runtime);
        if (row->state != HAFT__STATE_RUNNING && !due) {
            continue;
        }
        char id[HAFT__ID_LENGTH + 1];
        (void)snprintf(id, sizeof(id), "%.*s", HAFT__ARG(row->id));
        haft_error failed = {0};
        haft__exit result = resume_one(cli, args, runtime, id, &failed);
        if (failed.message[0] != '\0') {
            (void)fprintf(cli->errors, "%s: %s\n", id, failed.message);
        }
        worst = result != HAFT__EXIT_DONE ? result : worst;
    }
    haft__interrupts_release(&interrupts);
    return worst;
}

static haft__exit run(haft__cli *cli, const haft__args *args, haft_error *err)
{
    bool all = haft__args_has(args, "all");
    haft_runtime *runtime = NULL;
    haft_status status = haft__follow_check(args, err);
    if (status == HAFT_OK && all == (args->word_count == 1)) {
        status = haft__fail(err, HAFT_BAD_INPUT, "", "wanted the id of a run, or --all");
        status = haft__hint(err, status, "'haft runs list' shows what there is");
    }
    if (status != HAFT_OK) {
        return HAFT__EXIT_USAGE;
    }
    status = haft__session_open(cli, args, &runtime, err);
    if (status != HAFT_OK) {
        return HAFT__EXIT_FAILED;
    }
    haft__exit result = all ? resume_all(cli, args, runtime, err)
                            : resume_one(cli, args, runtime, args->words[0], err);
    haft_runtime_destroy(runtime);
    return result;
}

static const haft__option options[] = {
    {"all", 0, HAFT__OPTION_FLAG, NULL, "every run that nobody goes on with"},
    HAFT__OPTION_STORE,
    {"yes", 'y', HAFT__OPTION_MAYBE, "all", "approve what is not destructive; =all: everything"},
    {"artifacts", 0, HAFT__OPTION_TEXT, "DIR", "also write artifacts into this directory"},
    HAFT__OPTIONS_SHOW,
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
            "asked about.\n",
    .options = options,
    .examples = examples,
    .exits = HAFT__EXITS_RUN,
    .min_words = 0,
    .max_words = 1,
    .run = run,
    .result = true,
};
