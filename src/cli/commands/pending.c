/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pending.c - `haft pending`: the pending calls of one tree or of the whole store, and the commands
 * that answer them.
 *
 * docs/schemas/pending.schema.json describes the JSON. Tests: tests/cli/pending_test.py.
 */
#include "cli/terminal/pending.h"
#include "base/limits.h"
#include "base/str.h"
#include "cli/follow/run_result.h"
#include "cli/session.h"
#include "cli/terminal/print.h"
#include "engine/ops/run_list.h"
#include "engine/ops/run_tree.h"
#include "engine/ops/store_access.h"
#include "run/event_body.h"
#include "run/host.h"
#include "run/result.h"

typedef struct listing {
    haft__cli *cli;
    const haft__args *args;
    haft_runtime *runtime;
    bool json;
    haft__buf text; /* of the JSON object */
    haft__json_writer w;
    size_t count; /* pending calls */
    haft_error *err;
} listing;

/* ---- one run ---- */

static void write_command(void *context, haft_str command, const char *note)
{
    (void)note;
    haft__json_add_str(context, command);
}

static void write_call(listing *l, const haft_run *run, const haft__run_call *call)
{
    bool child = run->state.root.len > 0;
    haft__json_writer *w = &l->w;
    haft__json_begin_object(w);
    haft__field_text(w, "root", child ? run->state.root : haft__str(run->id));
    haft__result_write_pending(w, &run->state, call);
    if (!child) { /* the fields of a child are written already */
        haft__field_text(w, "run", haft__str(run->id));
        haft__field_text(w, "agent", run->state.spec->name);
    }
    haft__json_key(w, "commands");
    haft__json_begin_array(w);
    haft__pending_each_command(l->args, run, call, write_command, w);
    haft__json_end_array(w);
    haft__json_end_object(w);
}

static void add_run(listing *l, const haft_run *run, bool *io_any)
{
    const haft__run *state = &run->state;
    for (size_t i = state->batch; haft__run_takes_answers(state) && i < state->call_count; i++) {
        if (state->calls[i].stage != HAFT__CALL_PAUSED) {
            continue;
        }
        l->count++;
        if (l->json) {
            write_call(l, run, &state->calls[i]);
            continue;
        }
        if (!*io_any) {
            (void)fprintf(l->cli->out, "%s%.*s\n", l->count > 1 ? "\n" : "",
                          HAFT__ARG(state->root.len > 0 ? state->root : haft__str(run->id)));
        }
        *io_any = true;
        haft__pending_print_call(l->cli->out, l->args, run, &state->calls[i]);
    }
}

/* ---- one tree ---- */

static haft_status add_tree(listing *l, haft_str root)
{
    haft_run *run = NULL;
    haft__run_tree tree = {.runs = NULL};
    bool any = false;
    haft_status status = haft__run_tree_open(l->runtime, root, &run, l->err);
    if (status == HAFT_OK && run != NULL && run->state.stage != HAFT__RUN_ENDED) {
        status = haft__run_tree_read(l->runtime, &run->state, true, &tree, l->err);
        add_run(l, run, &any);
    }
    for (size_t i = 0; status == HAFT_OK && i < tree.count; i++) {
        add_run(l, tree.runs[i], &any);
    }
    haft__run_tree_finish(&tree);
    haft_run_release(run);
    return status;
}

static haft_status add_named(listing *l, const char *name)
{
    haft_str root = HAFT__LIT("");
    haft_status status = haft__cli_resolve_run(l->cli, l->runtime, &name, l->err);
    if (status == HAFT_OK) {
        status =
            haft__run_tree_find_root(l->runtime, &l->cli->arena, haft__str(name), &root, l->err);
    }
    return status == HAFT_OK ? add_tree(l, root) : status;
}

/* ---- the store ---- */

/* Reports a run that cannot be read; the list of the other runs continues. */
static void report_unread(listing *l, haft_str id)
{
    (void)fprintf(l->cli->errors, "haft: %.*s cannot be read: ", HAFT__ARG(id));
    haft__print_escaped(l->cli->errors, haft__str(l->err->message));
    (void)fputc('\n', l->cli->errors);
    *l->err = (haft_error){0};
}

static haft_status add_all(listing *l)
{
    haft__run_list_filter filter = {
        .thread = HAFT__LIT(""), .before = HAFT__LIT(""), .open_only = true};
    haft__run_list page = {.count = 1};
    haft_status status = HAFT_OK;
    while (status == HAFT_OK && page.count > 0) {
        status = haft__run_list_read(l->runtime, &l->cli->arena, &filter, &page, l->err);
        for (size_t i = 0; status == HAFT_OK && i < page.count; i++) {
            const haft__store_run *row = &page.items[i];
            filter.before = row->id;
            if (!haft__store_run_is_child(row) && add_tree(l, row->id) != HAFT_OK) {
                report_unread(l, row->id);
            }
        }
    }
    return status;
}

/* Whether the store does not exist, so that no run is pending. */
static bool is_store_missing(const listing *l)
{
    const char *url = NULL;
    haft_error ignored = {0}; /* opening the store reports it */
    return haft__session_store_url(l->cli, l->args, &url, &ignored) == HAFT_OK
           && haft__store_access_missing_file(url) != NULL;
}

static haft_status list_pending(listing *l)
{
    const char *name = l->args->word_count > 0 ? l->args->words[0] : NULL;
    if (name == NULL && is_store_missing(l)) {
        return HAFT_OK;
    }
    haft_status status = haft__session_open_existing(l->cli, l->args, &l->runtime, l->err);
    if (status == HAFT_OK) {
        status = name != NULL ? add_named(l, name) : add_all(l);
    }
    return status;
}

static haft__exit_status run(haft__cli *cli, const haft__args *args, haft_error *err)
{
    listing l = {.cli = cli, .args = args, .json = haft__args_has(args, "json"), .err = err};
    haft__buf_init(&l.text, HAFT__LIMIT_RUN_BYTES);
    haft__json_writer_init(&l.w, &l.text);
    haft__json_begin_object(&l.w);
    haft__json_key(&l.w, "pending");
    haft__json_begin_array(&l.w);
    haft_status status = list_pending(&l);
    haft__json_end_array(&l.w);
    haft__json_end_object(&l.w);
    if (status == HAFT_OK && l.json) {
        status = haft__print_json_line(cli->out, &l.text, err);
    } else if (status == HAFT_OK && l.count == 0) {
        (void)fputs("no pending calls\n", cli->errors);
    }
    haft__buf_finish(&l.text);
    haft_runtime_destroy(l.runtime);
    return status == HAFT_OK ? HAFT__EXIT_DONE : haft__session_exit_status(status);
}

static const haft__option options[] = {
    {"json", 0, HAFT__OPTION_FLAG, NULL, "print one JSON object"},
    HAFT__OPTION_STORE,
    HAFT__OPTION_NO_CONFIG,
    {0},
};

static const haft__example examples[] = {
    {"haft pending", "the pending calls of all runs"},
    {"haft pending last --json", "the same for the newest run and all runs below it, as JSON"},
    {0},
};

const haft__command haft__cmd_pending = {
    .name = "pending",
    .usage = "[ID]",
    .summary = "list pending calls, and the commands that answer them",
    .help =
        "Lists the pending questions, approvals and calls of all runs that have not ended, or\n"
        "of the tree of the run ID: path, kind, tool, the agent that asks, deadline, question,\n"
        "and the commands that answer it. The command claims no run and changes nothing.\n",
    .options = options,
    .examples = examples,
    .min_words = 0,
    .max_words = 1,
    .run = run,
    .object = true,
};
