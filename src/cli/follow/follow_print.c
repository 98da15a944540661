/* SPDX-License-Identifier: Apache-2.0 */
/* follow_print.c - prints the result of a run, and how to continue it. Tests:
 * tests/cli/run_test.py. */
#include "base/error.h"
#include "base/limits.h"
#include "base/str.h"
#include "cli/config/config.h"
#include "cli/follow/follow_int.h"
#include "cli/follow/run_result.h"
#include "cli/terminal/pending.h"
#include "cli/terminal/print.h"
#include "engine/ops/run_tree.h"
#include "engine/ops/stored_run.h"
#include "engine/run.h"

/* Whether the run or a run below it waits for an answer. A run that is open for reading only may
 * wait for children that other processes execute. */
static bool waits_for_answer(const haft_run *run)
{
    haft_state state = haft_run_state(run);
    if (state == HAFT_ENDED || run->state.cancel_asked) { /* it ends after its children */
        return false;
    }
    bool has_children = run->stage == HAFT__HANDLE_READ_ONLY && run->state.open_children > 0;
    return (state == HAFT_WAITING && !has_children) || haft__run_tree_has_pending(run);
}

/* If the run is still running, another process owns it and has accepted the command: DONE. */
haft__exit_status haft__follow_exit_status(const haft_run *run)
{
    if (haft_run_state(run) != HAFT_ENDED) {
        return waits_for_answer(run) ? HAFT__EXIT_WAITING : HAFT__EXIT_DONE;
    }
    switch (run->state.end) {
    case HAFT__END_DONE:
    case HAFT__END_DIRECT: return HAFT__EXIT_DONE;
    case HAFT__END_EXHAUSTED:
    case HAFT__END_INCOMPLETE: return HAFT__EXIT_EXHAUSTED;
    case HAFT__END_REFUSED: return HAFT__EXIT_REFUSED;
    case HAFT__END_VIOLATED: return HAFT__EXIT_VIOLATED;
    case HAFT__END_FAILED: return HAFT__EXIT_FAILED;
    case HAFT__END_CANCELLED: return HAFT__EXIT_CANCELLED;
    case HAFT__END_EXPIRED: return HAFT__EXIT_EXPIRED;
    }
    HAFT__UNREACHABLE();
}

haft_status haft__follow_print_event(haft__cli *cli, haft_str json, haft_error *err)
{
    haft__print_json(cli->out, json);
    bool good = putc('\n', cli->out) != EOF && fflush(cli->out) == 0 && ferror(cli->out) == 0;
    return good ? HAFT_OK : haft__fail(err, HAFT_IO, "", "cannot print the event");
}

haft_status haft__follow_print_events(haft__cli *cli, haft_run *run, haft_error *err)
{
    haft_event event;
    haft_status status = HAFT_OK;
    while (status == HAFT_OK && haft_run_next_event(run, &event)) {
        if (event.seq > 0) {
            status = haft__follow_print_event(cli, event.json, err);
        }
    }
    return status;
}

/* Renders the answer of a model as Markdown, and prints the result of a tool unchanged. */
static void print_answer(haft__cli *cli, const haft__args *args, const haft_run *run,
                         haft_str answer)
{
    bool raw = run->state.end != HAFT__END_DONE || haft__config_is_plain(cli, args);
    haft__terminal_caps caps = haft__terminal_caps_detect(cli->out, raw);
    haft__print_markdown(cli->out, answer, &caps);
}

/* The runs above a child can wait without an owner until it ends; a command to the child alone does
 * not continue them. */
static void print_waiting_root(haft__cli *cli, const haft_run *run)
{
    haft_str root = run->state.root;
    haft_error unread = {0};
    haft__store_run row;
    if (haft_run_state(run) == HAFT_ENDED && root.len > 0
        && haft__stored_run_find(run->runtime, &cli->arena, root, true, &row, &unread) == HAFT_OK
        && row.state != HAFT__RUN_STATE_ENDED && !haft__stored_run_is_owned(run->runtime, &row)) {
        (void)fprintf(cli->errors,
                      "the run that started it has not ended; continue it: haft resume %.*s\n",
                      HAFT__ARG(root));
    }
}

haft__exit_status haft__follow_print_remaining(haft__cli *cli, const haft__args *args,
                                               const haft_run *run, bool answer_shown,
                                               haft_error *err)
{
    haft_str answer = haft_run_answer_text(run);
    if (haft__args_has(args, "json")) {
        const haft_error *why = cli->problem.message[0] != '\0' ? &cli->problem : NULL;
        return haft__run_result_print(cli, run->runtime, &run->state, why, err) == HAFT_OK
                   ? haft__follow_exit_status(run)
                   : HAFT__EXIT_FAILED;
    }
    if (!haft__args_has(args, "events") && answer.len > 0 && !answer_shown) {
        print_answer(cli, args, run, answer);
    }
    bool verbose = !haft__args_has(args, "quiet") && !haft__args_has(args, "events");
    haft_state state = haft_run_state(run);
    bool waits = verbose && waits_for_answer(run);
    bool cancelled = state == HAFT_WAITING && run->state.cancel_asked;
    if (verbose && (state == HAFT_RUNNING || (state == HAFT_WAITING && !waits && !cancelled))) {
        (void)fprintf(cli->errors, "another process continues %s\n", run->id);
    }
    if (waits) {
        haft__pending_print(cli->errors, args, run);
    }
    if (verbose) {
        print_waiting_root(cli, run);
    }
    return haft__follow_exit_status(run);
}

haft__exit_status haft__follow_print_result(haft__cli *cli, const haft__args *args,
                                            const haft_run *run, haft_error *err)
{
    return haft__follow_print_remaining(cli, args, run, false, err);
}

haft__exit_status haft__follow_print_since(haft__cli *cli, const haft__args *args,
                                           const haft_run *run, uint64_t seq, haft_error *err)
{
    haft_str lines = haft__args_has(args, "events") ? run->opening.events : HAFT__LIT("");
    haft_status status = HAFT_OK;
    for (uint64_t at = 1; status == HAFT_OK && lines.len > 0; at++) {
        haft_str line = haft__str_split(&lines, '\n');
        if (at > seq) {
            status = haft__follow_print_event(cli, line, err);
        }
    }
    return status == HAFT_OK ? haft__follow_print_result(cli, args, run, err) : HAFT__EXIT_FAILED;
}
