/* SPDX-License-Identifier: Apache-2.0 */
/*
 * catch_up.c - what a run that was taken up has missed: messages that wait for it, a spec that has
 * changed, calls that whoever had it left behind.
 *
 * Everything that was said before is heard before anything happens to it.
 * Tests: tests/engine/open_test.c, tests/engine/paused_test.c.
 */
#include "base/error.h"
#include "base/limits.h"
#include "base/macros.h"
#include "base/str.h"
#include "engine/runtime.h"
#include "run/host.h"

/* ---- messages ---- */

/* To end a run is to begin nothing more: neither calls that were under way, nor the model. */
static haft_status deliver_cancel(haft_run *run, const haft__run_command *command, haft_error *err)
{
    haft__buf body;
    haft__buf_init(&body, HAFT__LIMIT_RUN_BYTES);
    haft_status status = haft__run_apply_command(run, command, &body, err);
    if (status == HAFT_OK && body.len > 0) {
        status = haft__log_append(run, haft__runtime_now(run->runtime), haft__buf_str(&body), err);
    }
    haft__buf_finish(&body);
    return status;
}

/* Whether it is about a call that waits, as whoever speaks has seen it: then it is heard before
 * another spec, or anything that is decided, can make another thing of the call. */
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
    return state->stage != HAFT__RUN_ENDED && count == 1 && haft__call_is_pending(call);
}

/* Which messages are taken: those that cancel the run come first, then those about calls that wait,
 * all others when it is known what became of calls that were under way. */
typedef enum delivery_phase {
    DELIVER_CANCELS,
    DELIVER_PENDING,
    DELIVER_REST,
} delivery_phase;

static bool is_due(const haft_run *run, delivery_phase now, bool read,
                   const haft__run_command *command)
{
    bool cancels = read && command->kind == HAFT__RUN_COMMAND_CANCEL;
    switch (now) {
    case DELIVER_CANCELS: return cancels;
    case DELIVER_PENDING: return read && !cancels && targets_pending_call(&run->state, command);
    case DELIVER_REST: return !cancels;
    }
    HAFT__UNREACHABLE();
}

static haft_status deliver(haft_run *run, delivery_phase now, const haft__run_command *command,
                           haft_error *err)
{
    haft_error refused = {0};
    haft_status status = HAFT_OK;
    if (now == DELIVER_CANCELS) {
        return deliver_cancel(run, command, err);
    }
    status = (now == DELIVER_PENDING ? haft__run_record_pause_command
                                     : haft__run_record_command)(run, command, &refused);
    if (status != HAFT_OK && run->stage == HAFT__HANDLE_FAILED) {
        *err = refused;
        return refused.status;
    }
    return HAFT_OK;
}

static bool is_acked(const haft_run *run, uint64_t message)
{
    bool found = false;
    for (size_t i = 0; i < run->acked.count; i++) {
        found = found || run->acked.items[i].id == message;
    }
    return found;
}

/* Takes the messages that wait and whose turn it is. What is no command, or fits nothing, is dealt
 * with by that: who sent it sees in the events what became of it. */
static haft_status deliver_messages(haft_run *run, delivery_phase now, haft_error *err)
{
    haft_status status = HAFT_OK;
    for (size_t i = 0; i < run->pending_count && status == HAFT_OK; i++) {
        const haft__store_message *message = &run->pending[i];
        haft__run_command command = {.kind = HAFT__RUN_COMMAND_ANSWER};
        bool read = haft__run_command_read(&run->loaded, message->body, run->runtime->hash_key,
                                           &command, NULL)
                    == HAFT_OK;
        if (is_acked(run, message->id) || !is_due(run, now, read, &command)) {
            continue;
        }
        status = haft__log_ack_message(run, message->id, err);
        if (status == HAFT_OK && read) {
            status = deliver(run, now, &command, err);
        }
    }
    return status;
}

/* ---- what whoever takes it up has to say ---- */

static haft_status check_initial(haft_run *run, haft_error *err)
{
    haft__buf none;
    haft__buf_init(&none, HAFT__LIMIT_RUN_BYTES);
    haft_status status = haft__run_apply_command(run, run->initial, &none, err);
    haft__buf_finish(&none);
    run->initial_rejected = status != HAFT_OK;
    return status;
}

static haft_status initial_status(haft_run *run, haft_status status, haft_error *err)
{
    if (run->stage == HAFT__HANDLE_FAILED) {
        *err = run->initial_error;
        return status;
    }
    return HAFT_OK;
}

/* What cannot be said to the run as it is must not have changed it. Said too late, or about what
 * another spec or a crash has made another thing of, it is refused behind that: the run has come so
 * far all the same. */
static haft_status deliver_initial(haft_run *run, bool spec_changed, bool recovered,
                                   haft_error *err)
{
    haft_status status = spec_changed ? HAFT_OK : check_initial(run, err);
    if (status == HAFT_BAD_STATE && recovered) {
        run->initial_rejected = false;
        *err = (haft_error){0};
    } else if (status != HAFT_OK) {
        return status;
    }
    return initial_status(run, haft__run_record_command(run, run->initial, &run->initial_error),
                          err);
}

/* The yes was for the call under the spec before. When that is another thing now, whoever said it
 * hears so: somebody is asked about that. */
static haft_status recheck_approval(haft_run *run, haft_error *err)
{
    haft__run_command said = *run->initial;
    haft__buf none;
    haft_status status = haft__run_record_decisions(run, haft__runtime_now(run->runtime), err);
    if (status != HAFT_OK) {
        return status;
    }
    said.binding = said.binding.len > 0 ? said.binding : HAFT__LIT("-"); /* of an older haft */
    haft__buf_init(&none, HAFT__LIMIT_RUN_BYTES);
    (void)!haft__run_apply_command(run, &said, &none, &run->initial_error);
    haft__buf_finish(&none);
    return HAFT_OK;
}

/* ---- calls ---- */

/* Calls that had started when whoever had the run stopped. */
static haft_status recover_calls(haft_run *run, haft_error *err)
{
    haft_runtime *runtime = run->runtime;
    haft__run *state = &run->state;
    haft_status status = HAFT_OK;
    size_t at = 0;
    const haft__run_call *call = NULL;
    while (status == HAFT_OK && (call = haft__run_next_orphan(state, &at)) != NULL) {
        uint64_t now = haft__runtime_now(runtime);
        haft__effect effect = {.kind = HAFT__EFFECT_END};
        status = haft__decide_recovery(&runtime->decider, state, call, now, &effect, err);
        if (status == HAFT_OK) {
            status = haft__log_append(run, now, effect.body, err);
        }
    }
    return status;
}

/* ---- all of it ---- */

/* What was said about calls that wait, and what nobody said in time. */
static haft_status deliver_pending(haft_run *run, bool first, haft_error *err)
{
    haft_status status = first ? check_initial(run, err) : HAFT_OK;
    if (status == HAFT_OK) {
        status = haft__run_record_expiries(run, haft__runtime_now(run->runtime), err);
    }
    if (status == HAFT_OK) {
        status = deliver_messages(run, DELIVER_PENDING, err);
    }
    return status == HAFT_OK && first ? initial_status(
               run, haft__run_record_pause_command(run, run->initial, &run->initial_error), err)
                                      : status;
}

/* The spec as it is now, calls that were left, and what could not be said before. */
static haft_status check_spec_and_calls(haft_run *run, bool heard, haft_error *err)
{
    uint64_t before = run->state.seq;
    haft_status status = run->state.expired ? HAFT_OK : haft__spec_change_check(run, err);
    bool spec_changed = run->state.seq > before;
    run->initial_rejected = run->initial_rejected || (heard && status != HAFT_OK);
    before = run->state.seq;
    if (status == HAFT_OK) {
        status = recover_calls(run, err);
    }
    bool recovered = run->state.seq > before;
    if (status == HAFT_OK) {
        status = deliver_messages(run, DELIVER_REST, err);
    }
    if (status != HAFT_OK || run->initial == NULL) {
        return status;
    }
    if (!heard) {
        return deliver_initial(run, spec_changed, recovered, err);
    }
    bool yes =
        run->initial->kind == HAFT__RUN_COMMAND_APPROVE && run->initial_error.status == HAFT_OK;
    return yes && spec_changed ? recheck_approval(run, err) : HAFT_OK;
}

haft_status haft__run_catch_up(haft_run *run, haft_error *err)
{
    bool cancels = run->initial != NULL && run->initial->kind == HAFT__RUN_COMMAND_CANCEL;
    haft_status status = cancels ? deliver_cancel(run, run->initial, err)
                                 : deliver_messages(run, DELIVER_CANCELS, err);
    if (status != HAFT_OK || run->state.cancel_asked) {
        return status;
    }
    bool first = run->initial != NULL && targets_pending_call(&run->state, run->initial);
    status = deliver_pending(run, first, err);
    return status == HAFT_OK ? check_spec_and_calls(run, first, err) : status;
}
