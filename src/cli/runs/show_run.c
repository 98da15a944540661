/* SPDX-License-Identifier: Apache-2.0 */
/* show_run.c - `haft runs show`, `events` and `artifact`. Tests: tests/cli/run_test.py,
 * store_test.py, trees_test.py. */
#include "base/error.h"
#include "base/limits.h"
#include "base/str.h"
#include "cli/follow/run_result.h"
#include "cli/runs/runs_cache.h"
#include "cli/runs/runs_request.h"
#include "cli/runs/runs_tree.h"
#include "cli/terminal/print.h"
#include "cli/terminal/waiting_calls.h"
#include "cli/timeline/context_bar.h"
#include "cli/timeline/timeline.h"
#include "engine/ops/event_log.h"
#include "run/context/context_size.h"

/* The context of the last request, and the error of its estimate. */
static void add_context(haft__buf *out, const haft__run *run, bool symbols)
{
    const haft__run_context *c = &run->context;
    if (run->spec == NULL || run->turn == 0 || haft__run_is_graph(run)) {
        return;
    }
    haft__context_bar bar = {.used = haft__context_tokens(run),
                             .tokens = run->spec->model.context_tokens,
                             .reserve = run->spec->context.reserve};
    if (bar.tokens == 0) {
        return;
    }
    haft__buf_add_str(out, HAFT__LIT("context "));
    haft__context_bar_describe(out, &bar, symbols);
    if (c->reported > 0) {
        bool low = c->estimated < c->reported;
        uint64_t error = low ? c->reported - c->estimated : c->estimated - c->reported;
        haft__buf_addf(out, "; the last estimate was %llu %% too %s",
                       (unsigned long long)(error * 100 / c->reported), low ? "low" : "high");
    }
    haft__buf_add_char(out, '\n');
}

/* Prints the events for people. */
static haft__exit_status show_timeline(const haft__runs_request *a, const haft__run *run,
                                       haft__terminal_caps caps)
{
    haft__timeline timeline;
    haft__timeline_init(&timeline, a->spec, caps);
    timeline.verbose = true;
    for (haft_str lines = a->lines; lines.len > 0;) {
        haft__timeline_add_event(&timeline, haft__str_split(&lines, '\n'));
    }
    haft__timeline_add_running(&timeline);
    haft__waiting_calls_add(&timeline.out, run);
    add_context(&timeline.out, run, caps.symbols);
    haft__buf text = timeline.out;
    haft__buf_init(&timeline.out, HAFT__LIMIT_RUN_BYTES);
    haft__timeline_finish(&timeline);
    haft_status status = haft__buf_check(&text, a->err);
    if (status == HAFT_OK) { /* escaped by the timeline, with colours */
        (void)fwrite(text.ptr, 1, text.len, a->cli->out);
    }
    haft__buf_finish(&text);
    return status == HAFT_OK ? HAFT__EXIT_DONE : HAFT__EXIT_FAILED;
}

static haft__exit_status show_cache(const haft__runs_request *a)
{
    haft__buf text;
    haft_status status =
        haft__runs_reject_json(a, "`show --cache` prints lines; its numbers are in the events");
    haft__buf_init(&text, HAFT__LIMIT_RUN_BYTES);
    if (status == HAFT_OK) {
        status = haft__runs_cache_write(&text, a->lines, a->hash_key, a->err);
    }
    if (status == HAFT_OK) {
        (void)fwrite(text.ptr, 1, text.len, a->cli->out);
    }
    haft__buf_finish(&text);
    return haft__runs_exit_status(status);
}

/* Reads and folds the run. Rejects --tree for a file, because a file has the events of one run. */
static haft_status read_state(haft__runs_request *a, haft__run *ret_run)
{
    haft_status status = haft__runs_read(a, true);
    if (status == HAFT_OK && haft__args_has(a->args, "svg") && haft__args_has(a->args, "json")) {
        status = haft__fail(a->err, HAFT_BAD_INPUT, "", "--svg and --json cannot be combined");
    }
    if (status == HAFT_OK && !a->is_stored && haft__args_has(a->args, "tree")) {
        status = haft__fail(a->err, HAFT_BAD_INPUT, "--tree", "a file has the events of one run");
        return haft__hint(a->err, status, "name a run of the store by its id");
    }
    if (status == HAFT_OK) {
        status = haft__event_log_fold(&a->cli->arena, a->spec, a->name, a->lines, UINT64_MAX,
                                      a->hash_key, ret_run, a->err);
    }
    if (status == HAFT_OK && a->is_stored) {
        haft__stored_run_apply_row(&a->stored.row, ret_run);
    }
    return status;
}

haft__exit_status haft__runs_show(haft__runs_request *a)
{
    haft__run run = {.seq = 0};
    haft_status status = read_state(a, &run);
    if (status != HAFT_OK) {
        return haft__session_exit_status(status);
    }
    if (haft__args_has(a->args, "svg")) {
        status = haft__runs_tree_svg(a->cli, a->is_stored ? a->runtime : NULL, a->lines, &run,
                                     a->hash_key, a->err);
        return haft__runs_exit_status(status);
    }
    if (haft__args_has(a->args, "tree")) {
        status = haft__runs_tree_show(a->cli, a->runtime, &a->stored, &run,
                                      haft__args_has(a->args, "json"), a->err);
        return haft__runs_exit_status(status);
    }
    if (haft__args_has(a->args, "cache")) {
        return show_cache(a);
    }
    haft__terminal_caps caps =
        haft__terminal_caps_detect(a->cli->out, haft__args_has(a->args, "json"));
    if (caps.live) {
        haft__exit_status result = show_timeline(a, &run, caps);
        if (a->is_stored && run.child_count > 0 && result == HAFT__EXIT_DONE) {
            status = haft__runs_tree_show(a->cli, a->runtime, &a->stored, &run, false, a->err);
            result = haft__runs_exit_status(status);
        }
        if (run.stored_as_waiting && run.stage != HAFT__RUN_CALLING) {
            (void)fputs("waiting: a fork that has not started; `haft resume` starts it\n",
                        a->cli->out);
        } else if (run.seq == 1) {
            (void)fputs("queued: the run waits for an earlier run of its thread, or for a worker\n",
                        a->cli->out);
        }
        return result;
    }
    status = haft__run_result_print(a->cli, a->is_stored ? a->runtime : NULL, &run, NULL, a->err);
    return status == HAFT_OK ? HAFT__EXIT_DONE : HAFT__EXIT_FAILED;
}

static haft__exit_status tree_events(haft__runs_request *a)
{
    haft__run run;
    haft_status status = read_state(a, &run);
    if (status == HAFT_OK) {
        status = haft__runs_tree_events(a->cli, a->runtime, &a->stored, &run, a->err);
    }
    return haft__runs_exit_status(status);
}

haft__exit_status haft__runs_events(haft__runs_request *a)
{
    if (haft__args_has(a->args, "tree")) {
        return tree_events(a);
    }
    haft_status status = haft__runs_read(a, false);
    if (status != HAFT_OK) {
        return haft__session_exit_status(status);
    }
    haft__print_json(a->cli->out, a->lines);
    return HAFT__EXIT_DONE;
}

haft__exit_status haft__runs_artifact(haft__runs_request *a)
{
    haft__store_run row;
    haft__store_request request = {.verb = HAFT__STORE_READ_ARTIFACT,
                                   .name = haft__str(a->args->words[2])};
    haft_status status = haft__runs_open_store(a);
    if (status == HAFT_OK) {
        status = haft__stored_run_find(a->runtime, &a->cli->arena, haft__str(a->name), true, &row,
                                       a->err);
    }
    if (status == HAFT_OK) {
        request.run.id = row.id;
        status = haft__session_store_execute(a->cli, a->runtime, &request, a->err);
    }
    if (status != HAFT_OK) {
        return haft__session_exit_status(status);
    }
    haft__print_content(a->cli->out, request.artifact.content);
    return HAFT__EXIT_DONE;
}
