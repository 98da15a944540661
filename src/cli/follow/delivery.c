/* SPDX-License-Identifier: Apache-2.0 */
/* delivery.c - delivers a command of a user to a run, follows the run and prints its result. Tests:
 * tests/cli/store_test.py. */
#include "cli/follow/delivery.h"

#include <unistd.h>

#include "base/error.h"
#include "base/str.h"
#include "cli/follow/run_result.h"
#include "cli/follow/spec_choice.h"
#include "cli/terminal/diagnostic.h"
#include "engine/ops/command_delivery.h"
#include "engine/ops/run_tree.h"
#include "engine/run.h"
#include "io/environment.h"

haft_str haft__delivery_user(void)
{
    haft_str user = haft__environment_get(NULL, HAFT__LIT("HAFT_USER"));
    if (user.len == 0) {
        user = haft__environment_get(NULL, HAFT__LIT("USER"));
    }
    return user.len > 0 ? user : HAFT__LIT("cli");
}

static void report_wait(void *context, const char *run, uint64_t lease_ms)
{
    const haft__cli *cli = context;
    (void)fprintf(cli->errors,
                  "the process that owns %s does not answer; its lease expires in %llu s\n", run,
                  (unsigned long long)(lease_ms / 1000 + 1));
    (void)fflush(cli->errors);
}

/* Whether the person is at a terminal, where haft can ask the question of the run again. */
static bool can_ask_again(const haft__args *args)
{
    return isatty(STDERR_FILENO) == 1 && !haft__args_has(args, "json")
           && !haft__args_has(args, "events") && !haft__args_has(args, "quiet");
}

static void explain_problem(haft__cli *cli, const haft__delivery *delivery,
                            haft__delivery_problem problem, haft_status status, haft_error *err)
{
    switch (problem) {
    case HAFT__DELIVERY_OTHER_PROBLEM: return;
    case HAFT__DELIVERY_BAD_VALUE:
        haft__diagnostic_print_json_error(cli->errors, delivery->may_be_text ? "VALUE" : "--args",
                                          haft__str(delivery->value != NULL ? delivery->value : ""),
                                          true, err);
        haft__error_prepend_location(err,
                                     "the value"); /* without its text, which may be a secret */
        cli->problem = *err;
        *err = (haft_error){.status = status};
        return;
    case HAFT__DELIVERY_OWNER_UNRESPONSIVE:
        (void)haft__hint(err, status, "after that process has ended, haft resume %s continues it",
                         delivery->run);
        return;
    }
    HAFT__UNREACHABLE();
}

/* Finds the run of the call, which may be below the run that the person named, and the root of its
 * tree. */
static haft_status find_target(haft__cli *cli, haft_runtime *runtime, haft_str *root,
                               haft__command_delivery *request, haft_error *err)
{
    haft_status status =
        haft__run_tree_resolve_call(runtime, &cli->arena, request->run, request->command.call,
                                    &request->run, &request->command.call, err);
    return status == HAFT_OK
               ? haft__run_tree_find_root(runtime, &cli->arena, request->run, root, err)
               : status;
}

static haft_status open_run(haft_runtime *runtime, haft_str id, bool read_only, haft_run **ret_run,
                            haft_error *err)
{
    haft_status status = haft__run_open_by_name(runtime, id, read_only, ret_run, err);
    while (status == HAFT_OK && (*ret_run)->stage == HAFT__HANDLE_OPENING) {
        status = haft_runtime_step(runtime, -1, err);
    }
    return status;
}

/* Returns the exit status after a command to a call of a tree that another process continues. It
 * depends on the whole tree and not on the end of the child. */
static haft__exit_status status_of_tree(haft_runtime *runtime, haft_str root)
{
    haft_run *run = NULL;
    haft_error unread = {0};
    bool pending = haft__run_tree_open(runtime, root, &run, &unread) == HAFT_OK && run != NULL
                   && haft__run_tree_has_pending(run);
    haft_run_release(run);
    return pending ? HAFT__EXIT_WAITING : HAFT__EXIT_DONE;
}

/* Follows only the child, because the root is not continued here. */
static haft__exit_status follow_child(haft__cli *cli, const haft__args *args, haft_runtime *runtime,
                                      haft_str root, haft_str child, haft_error *err)
{
    haft_run *run = haft__child_pool_disown(runtime, child);
    haft__exit_status result = HAFT__EXIT_FAILED;
    if (run != NULL) {
        result = haft__follow_run(cli, args, run, err);
    } else if (open_run(runtime, child, true, &run, err) == HAFT_OK) {
        result = haft__follow_print_result(cli, args, run, err); /* the child has ended or waits */
    }
    if (haft_run_state(run) == HAFT_ENDED) {
        result = status_of_tree(runtime, root);
    }
    haft_run_release(run);
    return result;
}

/* Handles a tree whose root cannot continue here, for example because a variable is not set. The
 * command was delivered, and the child continues. */
static haft__exit_status follow_stuck_tree(haft__cli *cli, const haft__args *args, haft_run *root,
                                           haft_str child, const haft__delivery_result *sent,
                                           haft_error *err)
{
    haft_error stuck = root->error;
    if (sent->owned) {
        cli->problem = stuck; /* --json prints it with the result of the child */
        (void)follow_child(cli, args, root->runtime, haft__str(root->id), child, err);
    }
    haft_status status =
        haft__fail(err, stuck.status, stuck.where,
                   "the command was delivered, but the run %s cannot continue here: %s", root->id,
                   stuck.message);
    if (stuck.hint[0] != '\0') {
        (void)haft__hint(err, status, "%s", stuck.hint);
    }
    return haft__session_exit_status(status);
}

/* Follows a run after a command for a call of its child run `child`. This process continues the
 * whole tree, unless another process owns the root. */
static haft__exit_status follow_tree(haft__cli *cli, const haft__args *args, haft_runtime *runtime,
                                     haft_str root, haft_str child,
                                     const haft__delivery_result *sent, haft_error *err)
{
    haft_run *root_run = NULL;
    if (sent->owned) {
        haft__child_pool_adopt(sent->run);
    }
    haft_status status = open_run(runtime, root, !sent->owned, &root_run, err);
    haft__exit_status result = haft__session_exit_status(status);
    bool stuck = status == HAFT_OK && root_run->stage == HAFT__HANDLE_FAILED;
    if (status == HAFT_OK && haft__run_is_owned_elsewhere(root_run)) {
        result = follow_child(cli, args, runtime, root, child, err);
    } else if (stuck) {
        result = follow_stuck_tree(cli, args, root_run, child, sent, err);
    } else if (status == HAFT_OK) {
        result = sent->owned ? haft__follow_run(cli, args, root_run, err)
                             : haft__follow_print_result(cli, args, root_run, err);
    }
    haft_run_release(root_run);
    return result;
}

/* Follows the run after a command to it or to `child`, a run below it. */
static haft__exit_status follow_sent(haft__cli *cli, const haft__args *args, haft_runtime *runtime,
                                     haft_str root, haft_str child, haft__delivery_result *sent,
                                     haft_error *err)
{
    if (haft__str_equal(root, child)) {
        return sent->owned ? haft__follow_run(cli, args, sent->run, err)
                           : haft__follow_print_since(cli, args, sent->run, sent->seen_seq, err);
    }
    haft__exit_status result = follow_tree(cli, args, runtime, root, child, sent, err);
    sent->run = sent->owned ? NULL : sent->run; /* the pool releases the run */
    return result;
}

/* Follows the run that rejected the command, or the tree of that run: it may have processed other
 * commands, started calls, or applied a deadline. */
static haft__exit_status follow_rejected(haft__cli *cli, const haft__args *args,
                                         haft_runtime *runtime, haft_str root, haft_str child,
                                         haft__delivery_result *sent, haft_status status,
                                         haft_error *err)
{
    haft_error refused = *err;
    *err = (haft_error){0};
    cli->problem = refused; /* --json prints it with the state of the run */
    bool reported = status == HAFT_BAD_STATE && can_ask_again(args);
    if (reported) {
        haft__diagnostic_print_error(cli->errors, &cli->arena, &refused);
    }
    haft__exit_status result = follow_sent(cli, args, runtime, root, child, sent, err);
    bool ended = sent->run != NULL ? haft_run_state(sent->run) == HAFT_ENDED
                                   : err->status == HAFT_OK && result != HAFT__EXIT_WAITING;
    if (reported && ended) {
        return result; /* the person has answered at the terminal */
    }
    *err = reported ? (haft_error){.status = status} : refused;
    return haft__session_exit_status(status);
}

static haft__exit_status deliver(haft__cli *cli, const haft__args *args, haft_runtime *runtime,
                                 const haft__delivery *delivery, haft_error *err)
{
    haft__spec_choice choice;
    haft__delivery_result sent = {.run = NULL};
    haft__command_delivery request = {
        .run = haft__str(delivery->run),
        .command = delivery->command,
        .value = delivery->value != NULL ? haft__str(delivery->value) : (haft_str){NULL, 0},
        .may_be_text = delivery->may_be_text,
        .here_only = haft__args_has(args, "model") || haft__args_has(args, "set"),
        .report = report_wait,
        .context = cli};
    request.command.by = haft__delivery_user();
    request.command.value = haft__json_null();
    haft_status status = haft__spec_choice_watch(&choice, cli, args, runtime, err);
    if (request.command.kind == HAFT__RUN_COMMAND_CANCEL) { /* a cancelled run needs no spec */
        haft__spec_choice_finish(&choice);
    }
    haft_str root = request.run;
    if (status == HAFT_OK && request.command.kind != HAFT__RUN_COMMAND_CANCEL) {
        status = find_target(cli, runtime, &root, &request, err);
    }
    if (status == HAFT_OK) {
        status = haft__command_deliver(runtime, &cli->arena, &request, &sent, err);
    }
    haft__exit_status result = haft__session_exit_status(status);
    if (status != HAFT_OK) {
        explain_problem(cli, delivery, sent.problem, status, err);
    }
    if (sent.owned && status != HAFT_OK) {
        result = follow_rejected(cli, args, runtime, root, request.run, &sent, status, err);
    } else if (status == HAFT_OK) {
        result = follow_sent(cli, args, runtime, root, request.run, &sent, err);
    }
    haft_run_release(sent.run);
    haft__spec_choice_finish(&choice);
    return result;
}

haft__exit_status haft__delivery_send(haft__cli *cli, const haft__args *args,
                                      const haft__delivery *delivery, haft_error *err)
{
    haft_runtime *runtime = NULL;
    haft_status status = haft__follow_check_options(cli, args, err);
    if (status != HAFT_OK) {
        return HAFT__EXIT_USAGE;
    }
    status = haft__session_open_existing(cli, args, &runtime, err);
    if (status != HAFT_OK) {
        return haft__session_exit_status(status);
    }
    haft__delivery named = *delivery; /* resolve "last" once, to one run for the whole command */
    status = haft__cli_resolve_run(cli, runtime, &named.run, err);
    haft__exit_status result = status == HAFT_OK ? deliver(cli, args, runtime, &named, err)
                                                 : haft__session_exit_status(status);
    haft_runtime_destroy(runtime);
    return result;
}
