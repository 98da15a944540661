/* SPDX-License-Identifier: Apache-2.0 */
/*
 * catch_up.c - see catch_up.h.
 *
 * Delivers all pending messages before any other decision. Tests: tests/engine/open_test.c,
 * tests/engine/paused_test.c.
 */
#include "engine/catch_up.h"

#include "base/error.h"
#include "base/limits.h"
#include "base/macros.h"
#include "base/str.h"
#include "engine/command.h"
#include "engine/hook/hook.h"
#include "engine/run.h"
#include "engine/runtime.h"
#include "engine/spec_change.h"
#include "run/host.h"

/* ---- messages ---- */

/* Records a cancel command, or a command to a cancelled run, before any decision. A cancelled run
 * starts no call and no model call. */
static haft_status deliver_cancel(haft_run *run, const haft__run_command *command, haft_error *err)
{
    haft__buf body;
    haft__buf_init(&body, HAFT__LIMIT_RUN_BYTES);
    haft_status status = haft__run_redact_and_apply_command(run, command, &body, err);
    if (status == HAFT_OK && body.len > 0) {
        status = haft__log_append(run, haft__runtime_now(run->runtime), haft__buf_str(&body), err);
    }
    haft__buf_finish(&body);
    return status;
}

/* Whether the command applies to a call that is still pending as its sender saw it. Such a command
 * is delivered before a new spec or a decision can change the call. */
static bool targets_pending_call(const haft__run *state, const haft__run_command *command)
{
    const haft__run_call *call = NULL;
    size_t count = 0;
    for (size_t i = state->batch; i < state->call_count; i++) {
        if (state->calls[i].stage == HAFT__CALL_PAUSED) {
            call = &state->calls[i];
            count++;
        }
    }
    if (command->call.len > 0) {
        call = haft__run_find_call(state, command->call);
        count = call != NULL ? 1 : 0;
    }
    return state->stage != HAFT__RUN_ENDED && haft__run_command_is_for_call(command) && count == 1
           && haft__call_is_pending(call);
}

/* The order of delivery. All other messages are delivered after the outcome of interrupted calls is
 * recorded. */
typedef enum delivery_phase {
    DELIVER_CANCELS,
    DELIVER_CHILDREN, /* ends of children: only for a cancelled run, which ignores all later phases
                       */
    DELIVER_PENDING,
    DELIVER_REST,
} delivery_phase;

static bool belongs_to_phase(const haft_run *run, delivery_phase phase, bool read,
                             const haft__run_command *command)
{
    bool cancels = read && command->kind == HAFT__RUN_COMMAND_CANCEL;
    switch (phase) {
    case DELIVER_CANCELS: return cancels;
    case DELIVER_CHILDREN: return read && command->kind == HAFT__RUN_COMMAND_CHILD;
    case DELIVER_PENDING: return read && !cancels && targets_pending_call(&run->state, command);
    case DELIVER_REST: return !cancels;
    }
    HAFT__UNREACHABLE();
}

static haft_status deliver(haft_run *run, delivery_phase phase, const haft__run_command *command,
                           haft_error *err)
{
    haft_error refused = {0};
    haft_status status = HAFT_OK;
    if (phase == DELIVER_CANCELS) {
        return deliver_cancel(run, command, err);
    }
    if (phase == DELIVER_CHILDREN) { /* a rejected message has no effect */
        (void)!deliver_cancel(run, command, &refused);
        return HAFT_OK;
    }
    status = (phase == DELIVER_PENDING ? haft__run_record_pause_command
                                       : haft__run_record_command)(run, command, &refused);
    if (status != HAFT_OK && run->stage == HAFT__HANDLE_FAILED) {
        *err = refused;
        return refused.status;
    }
    return HAFT_OK;
}

/* Delivers the messages of a phase. Also acknowledges messages that are not commands and rejected
 * commands: their senders see the outcome in the events. */
static haft_status deliver_messages(haft_run *run, delivery_phase phase, haft_error *err)
{
    haft_status status = HAFT_OK;
    for (size_t i = 0; i < run->opening.message_count && status == HAFT_OK; i++) {
        const haft__store_message *message = &run->opening.messages[i];
        haft__run_command command = {.kind = HAFT__RUN_COMMAND_ANSWER};
        bool read = haft__run_command_read(&run->opening.arena, message->body,
                                           run->runtime->hash_key, &command, NULL)
                    == HAFT_OK;
        if (haft__log_was_acked(&run->log, message->id)
            || !belongs_to_phase(run, phase, read, &command)) {
            continue;
        }
        status = haft__log_ack_message(&run->log, message->id, err);
        if (status == HAFT_OK && read) {
            status = deliver(run, phase, &command, err);
        }
    }
    return status;
}

/* ---- the command of the opener ---- */

static haft_status check_command(haft_run *run, haft_error *err)
{
    haft__buf body;
    haft__buf_init(&body, HAFT__LIMIT_RUN_BYTES);
    haft_status status = haft__run_redact_and_apply_command(run, run->opening.command, &body, err);
    haft__buf_finish(&body);
    run->opening.command_rejected = status != HAFT_OK;
    return status;
}

static haft_status command_status(haft_run *run, haft_status status, haft_error *err)
{
    if (run->stage == HAFT__HANDLE_FAILED) {
        *err = run->opening.command_error;
        return status;
    }
    return HAFT_OK;
}

/* Delivers the command of the opener. A command that does not apply to the stored run leaves the
 * run unchanged. If the command is rejected because it is late, or because a new spec or a
 * recovered call has changed its target, the events before it are recorded nevertheless. */
static haft_status deliver_command(haft_run *run, bool spec_changed, bool recovered,
                                   haft_error *err)
{
    haft_status status = spec_changed ? HAFT_OK : check_command(run, err);
    if (status == HAFT_BAD_STATE && recovered) {
        run->opening.command_rejected = false;
        *err = (haft_error){0};
    } else if (status != HAFT_OK) {
        return status;
    }
    return command_status(
        run, haft__run_record_command(run, run->opening.command, &run->opening.command_error), err);
}

/* Checks an approval that was given under the old spec. If the new spec changes the call, the
 * approval is rejected, because the changed call needs a new approval. */
static haft_status recheck_approval(haft_run *run, haft_error *err)
{
    const haft__run_call *call = haft__run_find_call(&run->state, run->opening.command->call);
    if (call != NULL && call->stage == HAFT__CALL_ANSWERED && call->approved) {
        return HAFT_OK; /* the command may have the binding under the old spec */
    }
    haft__buf body;
    haft_status status = haft__run_record_decisions(run, haft__runtime_now(run->runtime), err);
    if (status != HAFT_OK) {
        return status;
    }
    haft__buf_init(&body, HAFT__LIMIT_RUN_BYTES);
    (void)!haft__run_redact_and_apply_command(run, run->opening.command, &body,
                                              &run->opening.command_error);
    haft__buf_finish(&body);
    return HAFT_OK;
}

/* ---- calls ---- */

/* Decides about calls that had started when the last owner stopped. */
static haft_status recover_calls(haft_run *run, haft_error *err)
{
    haft_runtime *runtime = run->runtime;
    haft__run *state = &run->state;
    haft_status status = HAFT_OK;
    size_t at = 0;
    const haft__run_call *call = NULL;
    while (status == HAFT_OK && (call = haft__run_next_interrupted_call(state, &at)) != NULL) {
        uint64_t now = haft__runtime_now(runtime);
        haft__effect effect = {.kind = HAFT__EFFECT_END};
        status = haft__decide_recovery(&runtime->decider, state, call, now, &effect, err);
        if (status == HAFT_OK) {
            status = haft__log_append(run, now, effect.body, err);
        }
    }
    return status;
}

/* ---- in order ---- */

/* Delivers commands to pending calls, and applies deadlines that have passed. `delivers`: the
 * opener's command is such a command. */
static haft_status deliver_pending(haft_run *run, bool delivers, haft_error *err)
{
    haft_status status = delivers ? check_command(run, err) : HAFT_OK;
    if (status == HAFT_OK) {
        status = haft__run_record_expiries(run, haft__runtime_now(run->runtime), err);
    }
    if (status == HAFT_OK) {
        status = deliver_messages(run, DELIVER_PENDING, err);
    }
    return status == HAFT_OK && delivers
               ? command_status(run,
                                haft__run_record_pause_command(run, run->opening.command,
                                                               &run->opening.command_error),
                                err)
               : status;
}

/* Compares the spec, recovers interrupted calls, and delivers the remaining commands. `delivered`:
 * the opener's command has been delivered. */
static haft_status check_spec_and_calls(haft_run *run, bool delivered, haft_error *err)
{
    uint64_t before = run->state.seq;
    haft_status status = run->state.expired ? HAFT_OK : haft__spec_change_check(run, err);
    bool spec_changed = run->state.seq > before;
    run->opening.command_rejected =
        run->opening.command_rejected || (delivered && status != HAFT_OK);
    before = run->state.seq;
    if (status == HAFT_OK) {
        status = recover_calls(run, err);
    }
    if (status == HAFT_OK) {
        status = haft__hooks_recover(run, err);
    }
    bool recovered = run->state.seq > before;
    if (status == HAFT_OK) {
        status = deliver_messages(run, DELIVER_REST, err);
    }
    if (status != HAFT_OK || run->opening.command == NULL) {
        return status;
    }
    if (!delivered) {
        return deliver_command(run, spec_changed, recovered, err);
    }
    bool approved = run->opening.command->kind == HAFT__RUN_COMMAND_APPROVE
                    && run->opening.command_error.status == HAFT_OK;
    return approved && spec_changed ? recheck_approval(run, err) : HAFT_OK;
}

haft_status haft__run_catch_up(haft_run *run, haft_error *err)
{
    bool cancels =
        run->opening.command != NULL && run->opening.command->kind == HAFT__RUN_COMMAND_CANCEL;
    haft_status status = cancels ? deliver_cancel(run, run->opening.command, err)
                                 : deliver_messages(run, DELIVER_CANCELS, err);
    if (status != HAFT_OK || run->state.cancel_asked) {
        return status == HAFT_OK ? deliver_messages(run, DELIVER_CHILDREN, err) : status;
    }
    bool delivers =
        run->opening.command != NULL && targets_pending_call(&run->state, run->opening.command);
    status = deliver_pending(run, delivers, err);
    return status == HAFT_OK ? check_spec_and_calls(run, delivers, err) : status;
}
