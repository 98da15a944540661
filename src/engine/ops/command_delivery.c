/* SPDX-License-Identifier: Apache-2.0 */
/* command_delivery.c - delivers commands to runs of this process or another. Tests:
 * tests/engine/ops/command_delivery_test.c, tests/cli/store_test.py. */
#include "engine/ops/command_delivery.h"

#include "base/error.h"
#include "base/limits.h"
#include "base/str.h"
#include "engine/agent.h"
#include "engine/command.h"
#include "engine/run.h"

typedef struct sender {
    haft_runtime *runtime;
    haft__arena *arena;
    const haft__command_delivery *delivery;
    haft__run_command command; /* complete, and bound to a pause */
    haft__delivery_result *result;
} sender;

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

/* Claims the run and applies the command; a command that does not apply leaves the run unchanged.
 * *ret_run may be set after a failure, too. */
static haft_status open_with_command(const sender *s, haft_run **ret_run, haft_error *err)
{
    haft_status status = haft__run_open_by_name(s->runtime, s->delivery->run, false, ret_run, err);
    if (status == HAFT_OK) {
        (*ret_run)->opening.command = &s->command;
        status = wait_until_open(s->runtime, *ret_run, err);
        (*ret_run)->opening.command = NULL; /* the run may outlive the command */
    }
    return status;
}

/* ---- the command ---- */

/* Reads the value of the command. A headless call requires JSON. */
static haft_status read_value(sender *s, const haft_run *run, haft_error *err)
{
    bool is_json = true;
    haft_str text = s->delivery->value, id = s->command.call;
    haft_status status = haft__run_command_read_value(s->arena, text, run->runtime->hash_key,
                                                      &s->command.value, &is_json, err);
    const haft__run_call *call = id.len > 0 ? haft__run_find_call(&run->state, id) : NULL;
    bool at_client = call != NULL && haft__pause_kind_of(call->pause)->at_client;
    if (!is_json && s->delivery->may_be_text && !at_client) {
        s->command.value = haft__json_string(text);
        *err = (haft_error){0};
        return HAFT_OK;
    }
    if (status == HAFT_BAD_INPUT) {
        s->result->problem = HAFT__DELIVERY_BAD_VALUE;
        if (!is_json) {
            (void)haft__hint(err, status, "the value is JSON: write a text as '\"text\"'");
        }
    }
    return status;
}

/* Completes the command and binds it to the current pause, so that it does not apply to a later
 * pause. */
static haft_status bind_to_pause(sender *s, haft_error *err)
{
    haft_run *seen = NULL;
    haft__run_command *command = &s->command;
    *command = s->delivery->command;
    haft_status status = open_read_only(s->runtime, s->delivery->run, &seen, err);
    if (status == HAFT_OK) {
        haft__run_command_set_target(&seen->state, command);
        command->call = haft__arena_copy(s->arena, command->call);
        command->binding = haft__arena_copy(s->arena, command->binding);
        bool copied = command->call.ptr != NULL && command->binding.ptr != NULL;
        status = copied ? HAFT_OK : haft__arena_fail(s->arena, err);
    }
    if (status == HAFT_OK && s->delivery->value.ptr != NULL) {
        status = read_value(s, seen, err);
    }
    haft_run_release(seen);
    return status;
}

/* ---- a run of this process ---- */

/* Reports the outcome for a run that was claimed with the command, or that has ended. If the
 * command was late, it is rejected, but this process stays the owner and continues the run, because
 * its pause has expired. */
static haft_status deliver_here(sender *s, haft_run *run, haft_error *err)
{
    s->result->run = run;
    s->result->owned = run->stage != HAFT__HANDLE_READ_ONLY;
    if (s->result->owned) {
        *err = run->opening.command_error;
        return err->status;
    }
    haft__buf unused;
    haft__buf_init(&unused, HAFT__LIMIT_RUN_BYTES);
    s->result->seen_seq = run->state.seq;
    haft_status status = haft__run_redact_and_apply_command(run, &s->command, &unused, err);
    haft__buf_finish(&unused);
    return status;
}

/* ---- a run of another process ---- */

static haft_status send_to_owner(sender *s, haft_run *before, haft_run **ret_opened,
                                 haft_error *err)
{
    haft__run_command command = s->command;
    haft__run_message message = {.run = before,
                                 .command = &command,
                                 .report = s->delivery->report,
                                 .context = s->delivery->context};
    haft_status status = haft__agent_load_secrets(before->agent, err);
    if (status == HAFT_OK) {
        command.redactor = before->agent->redactor;
        status = haft__run_message_deliver(&message, s->arena, err);
    }
    *ret_opened = message.opened;
    if (message.owner_unresponsive) {
        s->result->problem = HAFT__DELIVERY_OWNER_UNRESPONSIVE;
    }
    return status;
}

/* Before the delivery, checks whether the command applies to the run. After the delivery (`sent`),
 * checks whether it took effect, because another command may have arrived first. The tool may
 * already have asked its next question. */
static haft_status check_effect(const sender *s, haft_run *run, bool sent, haft_error *err)
{
    haft__buf body;
    bool duplicate = false;
    haft_status status = HAFT_OK;
    haft__buf_init(&body, HAFT__LIMIT_RUN_BYTES);
    if (sent) {
        status = haft__run_redact_and_compare_command(run, &s->command, &duplicate, err);
    }
    if (status == HAFT_OK && !duplicate) {
        status = haft__run_redact_and_apply_command(run, &s->command, &body, err);
    }
    if (status == HAFT_OK && sent && body.len > 0) {
        status = haft__fail(err, HAFT_BAD_STATE, run->id, "the run did not apply the command");
    }
    haft__buf_finish(&body);
    return status;
}

static haft_status deliver_to_owner(sender *s, haft_error *err)
{
    haft_run *before = NULL, *after = NULL, *opened = NULL;
    char message[HAFT__ID_LENGTH + 1];
    haft_status status = open_read_only(s->runtime, s->delivery->run, &before, err);
    if (status == HAFT_OK) {
        s->result->seen_seq = before->state.seq;
        status = check_effect(s, before, false, err);
    }
    if (status == HAFT_OK) { /* the id identifies the message even if parts of it were redacted */
        status = haft__runtime_make_id(s->runtime, message, err);
        s->command.message = (haft_str){message, HAFT__ID_LENGTH};
    }
    if (status == HAFT_OK) {
        status = send_to_owner(s, before, &opened, err);
    }
    if (status == HAFT_OK) {
        status = open_read_only(s->runtime, haft__str(before->id), &after, err);
    }
    if (status == HAFT_OK) {
        status = check_effect(s, after, true, err);
    }
    s->command.message = HAFT__LIT(""); /* `message` is a local variable */
    haft_run_release(before);
    s->result->owned = opened != NULL;
    s->result->run = opened != NULL ? opened : after;
    if (opened != NULL) {
        haft_run_release(after);
    }
    return status;
}

haft_status haft__command_deliver(haft_runtime *runtime, haft__arena *arena,
                                  const haft__command_delivery *delivery,
                                  haft__delivery_result *ret_result, haft_error *err)
{
    haft_run *run = NULL;
    haft_error unused = {0};
    haft_error *why = err != NULL ? err : &unused;
    sender s = {.runtime = runtime, .arena = arena, .delivery = delivery, .result = ret_result};
    *ret_result = (haft__delivery_result){.run = NULL};
    haft_status status = bind_to_pause(&s, why);
    if (status != HAFT_OK) {
        return status;
    }
    status = open_with_command(&s, &run, why);
    if (status == HAFT_OK) {
        return deliver_here(&s, run, why);
    }
    bool owned_elsewhere =
        status == HAFT_BAD_STATE && run != NULL && !run->opening.command_rejected;
    if (owned_elsewhere && !delivery->here_only) {
        *why = (haft_error){0};
        status = deliver_to_owner(&s, why);
    }
    haft_run_release(run);
    return status;
}
