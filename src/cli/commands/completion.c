/* SPDX-License-Identifier: Apache-2.0 */
/*
 * completion.c - `haft completion`: completion scripts for shells, and the candidates that the
 * scripts ask for: runs, threads, models, commands.
 *
 * A query for candidates must be fast, silent and without side effects: it never creates a store.
 * Tests: tests/cli/completion_test.py.
 */
#include <string.h>

#include "base/error.h"
#include "base/str.h"
#include "cli/completion/completion.h"
#include "cli/session.h"
#include "cli/terminal/print.h"
#include "model/provider.h"

/* Maximum number of runs to offer. */
#define MAX_CANDIDATES 50

/* ---- from the store ---- */

static bool list(haft__cli *cli, const haft__args *args, haft__store_request *request,
                 haft_runtime **ret_runtime)
{
    return haft__session_open_existing(cli, args, ret_runtime, NULL) == HAFT_OK
           && haft__session_store_execute(cli, *ret_runtime, request, NULL) == HAFT_OK;
}

static void print_runs(haft__cli *cli, const haft__args *args)
{
    haft__store_request request = {.verb = HAFT__STORE_LIST, .limit = MAX_CANDIDATES};
    haft_runtime *runtime = NULL;
    if (list(cli, args, &request, &runtime)) {
        for (size_t i = 0; i < request.found_count; i++) {
            const haft__store_run *row = &request.found[i];
            if (!haft__id_valid(row->id)) {
                continue; /* shells evaluate candidates, and the store might not be trusted */
            }
            haft_str state = row->state == HAFT__RUN_STATE_ENDED
                                 ? row->end
                                 : haft__str(haft__run_state_name(row->state));
            (void)fprintf(cli->out, "%.*s\t%.*s: ", HAFT__ARG(row->id), HAFT__ARG(state));
            haft__print_excerpt(cli->out, row->task);
            (void)putc('\n', cli->out);
        }
        (void)fputs(request.found_count > 0 ? "last\tthe newest run\n" : "", cli->out);
    }
    haft_runtime_destroy(runtime);
}

/* Whether an earlier row has the same thread. */
static bool is_thread_listed(const haft__store_request *request, size_t at)
{
    for (size_t i = 0; i < at; i++) {
        if (haft__str_equal(request->found[i].thread, request->found[at].thread)) {
            return true;
        }
    }
    return false;
}

static void print_threads(haft__cli *cli, const haft__args *args)
{
    haft__store_request request = {.verb = HAFT__STORE_LIST, .limit = MAX_CANDIDATES};
    haft_runtime *runtime = NULL;
    if (list(cli, args, &request, &runtime)) {
        for (size_t i = 0; i < request.found_count; i++) {
            if (haft__id_valid(request.found[i].thread) && !is_thread_listed(&request, i)) {
                (void)fprintf(cli->out, "%.*s\t", HAFT__ARG(request.found[i].thread));
                haft__print_excerpt(cli->out, request.found[i].task);
                (void)putc('\n', cli->out);
            }
        }
    }
    haft_runtime_destroy(runtime);
}

/* ---- from tables ---- */

static void print_models(haft__cli *cli, const haft__args *args)
{
    size_t count;
    const haft__provider *providers = haft__providers(&count);
    (void)args;
    (void)fputs("offline\tneeds no key and no network\nscript:\treplies from a file\n"
                "replay:\tthe replies of a log of events\n",
                cli->out);
    for (size_t i = 0; i < count; i++) {
        if (strchr(providers[i].name, ' ') == NULL) {
            (void)fprintf(cli->out, "%s:\t%s\n", providers[i].name, providers[i].base_url);
        }
    }
}

static void print_commands(haft__cli *cli, const haft__args *args)
{
    size_t count;
    const haft__command *const *commands = haft__command_table(&count);
    (void)args;
    for (size_t i = 0; i < count; i++) {
        if (!commands[i]->hidden) {
            (void)fprintf(cli->out, "%s\t%s\n", commands[i]->name, commands[i]->summary);
        }
    }
}

/* ---- the command ---- */

static void print_bash(haft__cli *cli, const haft__args *args)
{
    (void)args;
    haft__completion_print_bash(cli->out);
}

static void print_zsh(haft__cli *cli, const haft__args *args)
{
    (void)args;
    haft__completion_print_zsh(cli->out);
}

static void print_fish(haft__cli *cli, const haft__args *args)
{
    (void)args;
    haft__completion_print_fish(cli->out);
}

static const struct {
    const char *name;
    void (*print)(haft__cli *cli, const haft__args *args);
} parts[] = {
    {"bash", print_bash},         {"zsh", print_zsh},         {"fish", print_fish},
    {"runs", print_runs},         {"threads", print_threads}, {"models", print_models},
    {"commands", print_commands},
};

static haft__exit_status run(haft__cli *cli, const haft__args *args, haft_error *err)
{
    for (size_t i = 0; i < COUNT(parts); i++) {
        if (strcmp(parts[i].name, args->words[0]) == 0) {
            parts[i].print(cli, args);
            return HAFT__EXIT_DONE;
        }
    }
    haft_status status = haft__fail(err, HAFT_BAD_INPUT, "",
                                    "expected bash, zsh or fish, found '%s'", args->words[0]);
    (void)haft__hint(err, status, "see 'haft help completion'");
    return HAFT__EXIT_USAGE;
}

static const haft__option options[] = {HAFT__OPTION_STORE, {0}};

static const haft__example examples[] = {
    {"haft completion bash > haft.bash", "source it in ~/.bashrc if haft is not installed"},
    {"haft completion runs", "the completions for a run"},
    {0},
};

const haft__command haft__cmd_completion = {
    .name = "completion",
    .usage = "bash|zsh|fish|runs|threads|models|commands",
    .summary = "print a script that completes command lines in a shell",
    .help =
        "bash, zsh and fish print the script for that shell. `make install` puts these scripts\n"
        "where the shells look for them (bash needs bash-completion). The scripts call haft\n"
        "completion with one of the other words while you type: it prints a line for each\n"
        "completion, with a tab and a description. The command never creates a store or fails.\n",
    .options = options,
    .examples = examples,
    .min_words = 1,
    .max_words = 1,
    .run = run,
    .examines_config = true,
};
