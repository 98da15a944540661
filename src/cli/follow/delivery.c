/* SPDX-License-Identifier: Apache-2.0 */
/* delivery.c - delivers commands to runs of this process or another. Tests:
 * tests/cli/store_test.py. */
#include "cli/follow/delivery.h"

#include "base/error.h"
#include "base/limits.h"
#include "base/str.h"
#include "cli/follow/message.h"
#include "cli/follow/run_result.h"
#include "cli/follow/spec_choice.h"
#include "cli/terminal/diagnostic.h"
#include "engine/agent.h"
#include "engine/command.h"
#include "engine/run.h"
#include "io/environment.h"

haft_str haft__delivery_user(void)
{
    haft_str user = haft__environment_get(NULL, HAFT__LIT("USER"));
    return user.ptr != NULL && user.len > 0 ? user : HAFT__LIT("cli");
}

static haft_status read_value(haft__cli *cli, const haft_run *run, const haft__delivery *delivery,
                              haft__json *ret_value, haft_error *err)
{
    haft_str text = haft__str(delivery->value);
    bool is_json = true;
    haft_status status = haft__run_command_read_value(&cli->arena, text, run->runtime->hash_key,
                                                      ret_value, &is_json, err);
    haft_str id = delivery->command.call;
    const haft__run_call *call = id.len > 0 ? haft__run_find_call(&run->state, id) : NULL;
    bool wants_json =
        !delivery->text || (call != NULL && haft__pause_kind_of(call->pause)->at_client);
    if (!is_json && !wants_json) {
        *ret_value = haft__json_string(text);
        *err = (haft_error){0};
        return HAFT_OK;
    }
    if (status == HAFT_BAD_INPUT) {
        if (!is_json) {
            (void)haft__hint(err, status, "the value is JSON: write a text as '\"text\"'");
        }
        haft__diagnostic_print_json_error(cli->errors, delivery->text ? "VALUE" : "--args", text,
                                          true, err);
        haft__error_prepend_location(err, "the value"); /* not its text: it may be a secret */
        cli->problem = *err;
        *err = (haft_error){.status = status};
        return status;
    }
    return status;
}

static haft_status complete_command(haft__cli *cli, const haft_run *run,
                                    const haft__delivery *delivery, haft__run_command *ret_command,
                                    haft_error *err)
{
    *ret_command = delivery->command;
    ret_command->by = haft__delivery_user();
    ret_command->value = haft__json_null();
    return delivery->value != NULL ? read_value(cli, run, delivery, &ret_command->value, err)
                                   : HAFT_OK;
}

/* ---- opening the run ---- */

static haft_status wait_until_open(haft_runtime *runtime, const haft_run *run, haft_error *err)
{
    haft_status status = HAFT_OK;
    while (status == HAFT_OK && run->stage == HAFT__HANDLE_OPENING) {
        status = haft_runtime_step(runtime, -1, err);
    }
    if (status == HAFT_OK && run->stage == HAFT__HANDLE_FAILED) {
        status = run->error.status;
        if (err != NULL) {
            *err = run->error;
        }
    }
    return status;
}

/* Reads the run without claiming it. */
static haft_status open_read_only(haft_runtime *runtime, haft_str name, haft_run **ret_run,
                                  haft_error *err)
{
    haft_run *run = NULL;
    haft_status status = haft__run_open_by_name(runtime, name, true, &run, err);
    if (status == HAFT_OK) {
        status = wait_until_open(runtime, run, err);
    }
    if (status != HAFT_OK) {
        haft_run_release(run);
        return status;
    }
    *ret_run = run;
    return HAFT_OK;
}

/* Claims the run with a command; a command that does not apply leaves the run unchanged. *ret_run
 * may be set after a failure, too. */
static haft_status open_with_command(haft_runtime *runtime, haft_str name,
                                     const haft__run_command *command, haft_run **ret_run,
                                     haft_error *err)
{
    haft_status status = haft__run_open_by_name(runtime, name, false, ret_run, err);
    if (status == HAFT_OK) {
        (*ret_run)->opening.command = command;
        status = wait_until_open(runtime, *ret_run, err);
    }
    return status;
}

/* ---- a run of this process ---- */

/* Follows the run, also if it rejected the command: it may have processed other commands meanwhile,
 * and started what they ask for. */
static haft__exit_status follow_owned(haft__cli *cli, const haft__args *args, haft_run *run,
                                      haft_status status, haft_error *err)
{
    haft_error refused = *err;
    *err = (haft_error){0};
    cli->problem = refused; /* --json prints it with the state of the run */
    haft__exit_status result = haft__follow_run(cli, args, run, err);
    if (status != HAFT_OK) {
        *err = refused;
        result = haft__session_exit_status(status);
    }
    return result;
}

/* The run was claimed with the command. If the command was too late, it is rejected, but its pause
 * has expired: the new owner continues the run. */
static haft__exit_status deliver_here(haft__cli *cli, const haft__args *args, haft_run *run,
                                      const haft__run_command *command, haft_error *err)
{
    haft_status status = run->opening.command_error.status;
    if (run->stage == HAFT__HANDLE_READ_ONLY) { /* it has ended */
        haft__buf none;
        haft__buf_init(&none, HAFT__LIMIT_RUN_BYTES);
        status = haft__run_apply_command(run, command, &none, err);
        haft__buf_finish(&none);
        return status == HAFT_OK ? haft__follow_print_result(cli, args, run, err)
                                 : haft__session_exit_status(status);
    }
    *err = run->opening.command_error;
    return follow_owned(cli, args, run, status, err);
}

/* ---- a run of another process ---- */

/* *ret_mine: see haft__message_deliver. */
static haft_status send_to_owner(haft__cli *cli, haft_run *run, const haft__delivery *delivery,
                                 haft_run **ret_mine, haft_error *err)
{
    haft__run_command command;
    haft__buf text;
    haft__buf_init(&text, HAFT__LIMIT_RUN_BYTES);
    haft_status status = complete_command(cli, run, delivery, &command, err);
    if (status == HAFT_OK) {
        status = haft__agent_load_secrets(run->agent, err);
    }
    if (status == HAFT_OK) {
        command.redactor = run->agent->redactor;
        haft__run_command_write(&text, &command);
        status = haft__buf_check(&text, err);
    }
    if (status == HAFT_OK) {
        status = haft__message_deliver(cli, run, haft__buf_str(&text), ret_mine, err);
    }
    haft__buf_finish(&text);
    return status;
}

/* Before the delivery: whether the command applies to the run. Afterwards (`heard`): whether it
 * took effect, since somebody else may have been faster. A tool that was answered may ask again
 * immediately. */
static haft_status check_effect(haft__cli *cli, haft_run *run, const haft__delivery *delivery,
                                bool heard, haft_error *err)
{
    haft__run_command command;
    haft__buf body;
    bool taken = false;
    haft__buf_init(&body, HAFT__LIMIT_RUN_BYTES);
    haft_status status = complete_command(cli, run, delivery, &command, err);
    if (status == HAFT_OK && heard) {
        status = haft__run_check_duplicate_command(run, &command, &taken, err);
    }
    if (status == HAFT_OK && !taken) {
        status = haft__run_apply_command(run, &command, &body, err);
    }
    if (status == HAFT_OK && heard && body.len > 0) {
        status = haft__fail(err, HAFT_BAD_STATE, run->id, "the run did not take it");
    }
    haft__buf_finish(&body);
    return status;
}

static haft__exit_status deliver_to_owner(haft__cli *cli, const haft__args *args,
                                          haft_runtime *runtime, const haft__delivery *delivery,
                                          haft_error *err)
{
    haft_run *before = NULL, *after = NULL, *mine = NULL;
    char message[HAFT__ID_LENGTH + 1];
    haft_status status = open_read_only(runtime, haft__str(delivery->run), &before, err);
    haft__delivery named = *delivery;
    if (status == HAFT_OK) {
        status = check_effect(cli, before, delivery, false, err);
    }
    if (status == HAFT_OK) { /* the id identifies the message even if parts of it were redacted */
        status = haft__runtime_make_id(runtime, message, err);
        named.command.message = (haft_str){message, HAFT__ID_LENGTH};
    }
    if (status == HAFT_OK) {
        status = send_to_owner(cli, before, &named, &mine, err);
    }
    if (status == HAFT_OK) {
        status = open_read_only(runtime, haft__str(before->id), &after, err);
    }
    if (status == HAFT_OK) {
        status = check_effect(cli, after, &named, true, err);
    }
    haft__exit_status result = haft__session_exit_status(status);
    if (mine != NULL) {
        result = follow_owned(cli, args, mine, status, err);
    } else if (status == HAFT_OK) {
        result = haft__follow_print_since(cli, args, after, before->state.seq, err);
    }
    haft_run_release(before);
    haft_run_release(after);
    haft_run_release(mine);
    return result;
}

/* ---- both ---- */

/* Binds the command to the pause that is open now: it applies to no later one. */
static haft_status bind_to_pause(haft__cli *cli, haft_runtime *runtime, haft__delivery *delivery,
                                 haft__run_command *ret_command, haft_error *err)
{
    haft_run *seen = NULL;
    haft__run_command *command = &delivery->command;
    haft_status status = open_read_only(runtime, haft__str(delivery->run), &seen, err);
    if (status == HAFT_OK) {
        haft__run_command_set_target(&seen->state, command);
        command->call = haft__arena_copy(&cli->arena, command->call);
        command->binding = haft__arena_copy(&cli->arena, command->binding);
        bool kept = command->call.ptr != NULL && command->binding.ptr != NULL;
        status = kept ? complete_command(cli, seen, delivery, ret_command, err)
                      : haft__arena_fail(&cli->arena, err);
    }
    haft_run_release(seen);
    return status;
}

static haft__exit_status deliver(haft__cli *cli, const haft__args *args, haft_runtime *runtime,
                                 haft__delivery *delivery, haft_error *err)
{
    haft_run *run = NULL;
    haft__run_command command;
    haft__spec_choice choice;
    haft__exit_status result;
    haft_status status = bind_to_pause(cli, runtime, delivery, &command, err);
    if (status != HAFT_OK) {
        return haft__session_exit_status(status);
    }
    status = haft__spec_choice_watch(&choice, cli, args, runtime, err);
    if (command.kind == HAFT__RUN_COMMAND_CANCEL) { /* a cancelled run needs no choice of a spec */
        haft__spec_choice_finish(&choice);
    }
    if (status == HAFT_OK) {
        status = open_with_command(runtime, haft__str(delivery->run), &command, &run, err);
    }
    if (status == HAFT_OK) {
        result = deliver_here(cli, args, run, &command, err);
    } else if (status == HAFT_BAD_STATE && run != NULL && !run->opening.command_rejected) {
        *err = (haft_error){0};
        result = deliver_to_owner(cli, args, runtime, delivery, err);
    } else {
        result = haft__session_exit_status(status);
    }
    haft_run_release(run);
    haft__spec_choice_finish(&choice);
    return result;
}

haft__exit_status haft__delivery_send(haft__cli *cli, const haft__args *args,
                                      const haft__delivery *delivery, haft_error *err)
{
    haft_runtime *runtime = NULL;
    haft_status status = haft__follow_check_options(args, err);
    if (status != HAFT_OK) {
        return HAFT__EXIT_USAGE;
    }
    status = haft__session_open_existing(cli, args, &runtime, err);
    if (status != HAFT_OK) {
        return haft__session_exit_status(status);
    }
    haft__delivery named = *delivery; /* "last" means the same run throughout the command */
    status = haft__cli_resolve_run(cli, runtime, &named.run, err);
    haft__exit_status result = status == HAFT_OK ? deliver(cli, args, runtime, &named, err)
                                                 : haft__session_exit_status(status);
    haft_runtime_destroy(runtime);
    return result;
}
