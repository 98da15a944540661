/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runs.c - `haft runs`: shows runs of the store, or of a file of events. src/cli/runs has the
 * subcommands.
 *
 * A run is named by its id, the beginning of its id, or `last`. It can also be a file with events
 * (`haft run --events > run.jsonl`); then the spec is needed, too. Tests: tests/cli/run_test.py and
 * store_test.py.
 */
#include <string.h>

#include "base/error.h"
#include "cli/runs/runs_fork.h"
#include "cli/runs/runs_request.h"
#include "io/random.h"

static haft__exit_status fork_at(haft__runs_request *a, bool edit)
{
    const haft__args *args = a->args;
    haft__args plain = *args;
    haft_status status = HAFT_OK;
    if (edit || haft__args_has(args, "step")) {
        status = haft__runs_drop_sets(a->cli, args, &plain, a->err);
    }
    a->args = &plain;
    if (status == HAFT_OK) {
        status = haft__runs_read(a, true);
    }
    a->args = args;
    if (status == HAFT_OK && !a->is_stored) {
        status = haft__runs_reject_json(
            a, "the fork of a file is printed as its events, one JSON object a line");
    }
    if (status != HAFT_OK) {
        return haft__session_exit_status(status);
    }
    haft__fork_source from = {.name = a->name,
                              .lines = a->lines,
                              .spec = a->spec,
                              .hash_key = a->hash_key,
                              .row = a->stored.row,
                              .runtime = a->is_stored ? a->runtime : NULL};
    return haft__runs_fork(a->cli, a->args, &from, edit, a->err);
}

static haft__exit_status fork_run(haft__runs_request *a)
{
    return fork_at(a, false);
}

static haft__exit_status edit_run(haft__runs_request *a)
{
    return fork_at(a, true);
}

static const haft__subcommand rows[] = {
    {"list", "", "list the runs, the newest first: id, age, state or end, task"},
    {"show", "ID", "print the result of a run like `haft run --json`; on a terminal, its timeline"},
    {"events", "ID", "print the events of a run, one JSON object per line"},
    {"replay", "ID", "compute all decisions of a run again and compare the bytes"},
    {"fork", "ID", "create a run in a new thread that begins with the events of this one"},
    {"edit", "ID", "change the state of a graph with --set, and continue it in a fork"},
    {"state", "ID", "print the state of a graph after its last step, or after --step"},
    {"artifact", "ID NAME", "print an artifact of a run"},
    {"rm", "ID", "remove a run"},
    {"gc", "", "remove runs by age, number and end, and data that no run needs"},
    {0},
};

/* In the order of `rows`. */
static const struct {
    const char *name;
    size_t words; /* including the subcommand's name */
    haft__exit_status (*run)(haft__runs_request *a);
    const char *no_json; /* why --json is rejected; NULL: --json is supported */
} subcommands[] = {
    {"list", 1, haft__runs_list, NULL},
    {"show", 2, haft__runs_show, NULL},
    {"events", 2, haft__runs_events, "events are always JSON, one object a line"},
    {"replay", 2, haft__runs_replay, NULL},
    {"fork", 2, fork_run, NULL},
    {"edit", 2, edit_run, NULL},
    {"state", 2, haft__runs_state, NULL},
    {"artifact", 3, haft__runs_artifact, "an artifact is printed unchanged"},
    {"rm", 2, haft__runs_remove, NULL},
    {"gc", 1, haft__runs_gc, NULL},
};
_Static_assert(COUNT(rows) == COUNT(subcommands) + 1, "each subcommand has a row");

static haft__exit_status run_subcommand(haft__runs_request *a, size_t index)
{
    const haft__args *args = a->args;
    size_t found = args->word_count > 0 ? args->word_count : 1;
    if (found != subcommands[index].words) {
        haft_status status = haft__fail(a->err, HAFT_BAD_INPUT, subcommands[index].name,
                                        "expected %zu arguments, found %zu",
                                        subcommands[index].words - 1, found - 1);
        (void)haft__hint(a->err, status, "see 'haft help runs'");
        return HAFT__EXIT_USAGE;
    }
    if (subcommands[index].no_json != NULL
        && haft__runs_reject_json(a, subcommands[index].no_json) != HAFT_OK) {
        return HAFT__EXIT_USAGE;
    }
    a->name = found > 1 ? args->words[1] : NULL;
    haft__exit_status result = subcommands[index].run(a);
    haft__stored_run_finish(&a->stored);
    haft_runtime_destroy(a->runtime);
    return result;
}

static haft__exit_status run(haft__cli *cli, const haft__args *args, haft_error *err)
{
    const char *name = args->word_count > 0 ? args->words[0] : "list";
    for (size_t i = 0; i < COUNT(subcommands); i++) {
        if (strcmp(subcommands[i].name, name) == 0) {
            haft__runs_request a = {
                .cli = cli, .args = args, .hash_key = haft__random_hash_key(), .err = err};
            return run_subcommand(&a, i);
        }
    }
    haft_status status = haft__fail(err, HAFT_BAD_INPUT, "",
                                    "expected list, show, events, replay, fork, edit, state, "
                                    "artifact, rm or gc, found '%s'",
                                    name);
    (void)haft__hint(err, status, "see 'haft help runs'");
    return HAFT__EXIT_USAGE;
}

static const haft__option options[] = {
    HAFT__OPTION_STORE,
    {"json", 0, HAFT__OPTION_FLAG, NULL,
     "list, show, replay, fork, edit, rm, gc: print one JSON object; state always does"},
    {"cache", 0, HAFT__OPTION_FLAG, NULL,
     "show: how much each request repeats of the one before, and cached tokens"},
    {"tree", 0, HAFT__OPTION_FLAG, NULL, "list, show, events: also the child runs below each run"},
    {"svg", 0, HAFT__OPTION_FLAG, NULL,
     "show: a picture of when the run and its child runs worked, and on what"},
    {"open", 0, HAFT__OPTION_FLAG, NULL, "list: only runs that have not ended"},
    {"thread", 0, HAFT__OPTION_TEXT, "THREAD",
     "list: only runs of this thread; fork: the id of the new thread"},
    {"limit", 0, HAFT__OPTION_NUMBER, "N", "list: at most the N newest"},
    {"at", 0, HAFT__OPTION_NUMBER, "SEQ",
     "fork: after this event, the end of a turn or just before an answer"},
    {"turn", 0, HAFT__OPTION_NUMBER, "N", "fork: at the end of this turn; 0: before the first"},
    {"step", 0, HAFT__OPTION_NUMBER, "N",
     "state, fork: after this step of a graph; 0: after its input"},
    {"diff", 0, HAFT__OPTION_FLAG, NULL, "state: only what the step changed"},
    {"as", 0, HAFT__OPTION_TEXT, "NODE", "edit, fork: the values of --set are writes of this node"},
    {"task", 0, HAFT__OPTION_TEXT, "TEXT", "fork: start with another task, and continue"},
    {"call", 0, HAFT__OPTION_TEXT, "CALL",
     "fork: where this call is pending, or was last answered"},
    {"answer", 0, HAFT__OPTION_TEXT, "VALUE", "fork: answer the call of --call, and continue"},
    {"go", 0, HAFT__OPTION_FLAG, NULL, "fork: continue immediately"},
    {"accept-spec", 0, HAFT__OPTION_FLAG, NULL, "fork: continue with the spec as its file is now"},
    {"stored-spec", 0, HAFT__OPTION_FLAG, NULL,
     "fork: continue with the spec that is stored with the run"},
    {"older", 0, HAFT__OPTION_TEXT, "TIME",
     "gc: remove runs that ended longer ago than this, such as 30d"},
    {"keep", 0, HAFT__OPTION_NUMBER, "N", "gc: remove runs except the last N that ended"},
    {"state", 0, HAFT__OPTION_TEXT, "END", "gc: only runs with this end; may be repeated"},
    {"dry-run", 0, HAFT__OPTION_FLAG, NULL, "gc: only print how many runs it would remove"},
    {"spec", 0, HAFT__OPTION_TEXT, "SPEC", "the spec of the run, if ID is a file of events"},
    {"set", 0, HAFT__OPTION_TEXT, "PATH=VALUE",
     "the same --set that the run was started with; edit, and fork with --step: CHANNEL=VALUE"},
    {"model", 'm', HAFT__OPTION_TEXT, "M", "the same --model that the run was started with"},
    {0},
};

static const haft__example examples[] = {
    {"haft runs list --open", "list the runs that have not ended"},
    {"haft runs show last", "print the result of the newest run"},
    {"haft runs show last --tree",
     "print turns, cost and state of the newest run and of its children"},
    {"haft runs show last --svg", "print a picture of the time that the newest tree of runs took"},
    {"haft runs replay last", "compute the decisions of the newest run again and compare them"},
    {"haft runs fork last --turn 1", "fork the newest run at the end of its first turn"},
    {"haft runs gc --older 30d", "remove runs that ended more than 30 days ago"},
    {"haft runs gc --keep 1000 --state failed --dry-run",
     "print how many failed runs are not among the last 1000"},
    {0},
};

const haft__command haft__cmd_runs = {
    .name = "runs",
    .usage = "[list | show|events|replay|fork|edit|state|rm ID | artifact ID NAME | gc]",
    .summary = "list, show, replay, fork and remove runs",
    .help = "ID is a run's id, the beginning of one, or `last`. It can also be a file with the\n"
            "events of a run, as `haft run --events` prints them; that also needs --spec.\n",
    .options = options,
    .subcommands = rows,
    .examples = examples,
    .exits = HAFT__RUN_EXIT_STATUSES,
    .min_words = 0,
    .max_words = 3,
    .run = run,
    .object = true,
};
