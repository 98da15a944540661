/* SPDX-License-Identifier: Apache-2.0 */
/*
 * open_hear.c - what a run that was taken up has missed: messages that wait for it, a spec that has
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
static haft_status take_cancel(haft_run *run, const haft__steer *command, haft_error *err)
{
    haft__buf body;
    haft__buf_init(&body, HAFT__LIMIT_RUN_BYTES);
    haft_status status = haft__live_steer(run, command, &body, err);
    if (status == HAFT_OK && body.len > 0) {
        status = haft__log_append(run, haft__runtime_now(run->runtime), haft__buf_str(&body), err);
    }
    haft__buf_finish(&body);
    return status;
}

/* Whether it is about a call that waits, as whoever speaks has seen it: then it is heard before
 * another spec, or anything that is decided, can make another thing of the call. */
static bool is_about_waiting(const haft__run *state, const haft__steer *command)
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
    return state->stage != HAFT__RUN_ENDED && count == 1 && haft__call_waits(call);
}

/* Which messages are taken: those that cancel the run come first, then those about calls that wait,
 * all others when it is known what became of calls that were under way. */
typedef enum turn {
    TURN_CANCELS,
    TURN_WAITING,
    TURN_REST,
} turn;

static bool is_turn(const haft_run *run, turn now, bool read, const haft__steer *command)
{
    bool cancels = read && command->kind == HAFT__STEER_CANCEL;
    switch (now) {
    case TURN_CANCELS: return cancels;
    case TURN_WAITING: return read && !cancels && is_about_waiting(&run->state, command);
    case TURN_REST: return !cancels;
    }
    HAFT__UNREACHABLE();
}

static haft_status take(haft_run *run, turn now, const haft__steer *command, haft_error *err)
{
    haft_error refused = {0};
    haft_status status = HAFT_OK;
    if (now == TURN_CANCELS) {
        return take_cancel(run, command, err);
    }
    status = (now == TURN_WAITING ? haft__live_hear : haft__live_record)(run, command, &refused);
    if (status != HAFT_OK && run->stage == HAFT__LIVE_FAILED) {
        *err = refused;
        return refused.status;
    }
    return HAFT_OK;
}

static bool is_heard(const haft_run *run, uint64_t message)
{
    bool found = false;
    for (size_t i = 0; i < run->heard.count; i++) {
        found = found || run->heard.items[i].id == message;
    }
    return found;
}

/* Takes the messages that wait and whose turn it is. What is no command, or fits nothing, is dealt
 * with by that: who sent it sees in the events what became of it. */
static haft_status hear(haft_run *run, turn now, haft_error *err)
{
    haft_status status = HAFT_OK;
    for (size_t i = 0; i < run->waiting_count && status == HAFT_OK; i++) {
        const haft__store_message *message = &run->waiting[i];
        haft__steer command = {.kind = HAFT__STEER_ANSWER};
        bool read =
            haft__steer_read(&run->loaded, message->body, run->runtime->hash_key, &command, NULL)
            == HAFT_OK;
        if (is_heard(run, message->id) || !is_turn(run, now, read, &command)) {
            continue;
        }
        status = haft__log_heard(run, message->id, err);
        if (status == HAFT_OK && read) {
            status = take(run, now, &command, err);
        }
    }
    return status;
}

/* ---- what whoever takes it up has to say ---- */

static haft_status check_first(haft_run *run, haft_error *err)
{
    haft__buf none;
    haft__buf_init(&none, HAFT__LIMIT_RUN_BYTES);
    haft_status status = haft__live_steer(run, run->first, &none, err);
    haft__buf_finish(&none);
    run->first_refused = status != HAFT_OK;
    return status;
}

static haft_status taken(haft_run *run, haft_status status, haft_error *err)
{
    if (run->stage == HAFT__LIVE_FAILED) {
        *err = run->first_error;
        return status;
    }
    return HAFT_OK;
}

/* What cannot be said to the run as it is must not have changed it. Said too late, or about what
 * another spec or a crash has made another thing of, it is refused behind that: the run has come so
 * far all the same. */
static haft_status take_first(haft_run *run, bool respecced, bool recovered, haft_error *err)
{
    haft_status status = respecced ? HAFT_OK : check_first(run, err);
    if (status == HAFT_BAD_STATE && recovered) {
        run->first_refused = false;
        *err = (haft_error){0};
    } else if (status != HAFT_OK) {
        return status;
    }
    return taken(run, haft__live_record(run, run->first, &run->first_error), err);
}

/* The yes was for the call under the spec before. When that is another thing now, whoever said it
 * hears so: somebody is asked about that. */
static haft_status look_at_yes(haft_run *run, haft_error *err)
{
    haft__steer said = *run->first;
    haft__buf none;
    haft_status status = haft__live_decide(run, haft__runtime_now(run->runtime), err);
    if (status != HAFT_OK) {
        return status;
    }
    said.binding = said.binding.len > 0 ? said.binding : HAFT__LIT("-"); /* of an older haft */
    haft__buf_init(&none, HAFT__LIMIT_RUN_BYTES);
    (void)!haft__live_steer(run, &said, &none, &run->first_error);
    haft__buf_finish(&none);
    return HAFT_OK;
}

/* ---- calls ---- */

/* Calls that had started when whoever had the run stopped. */
static haft_status recover(haft_run *run, haft_error *err)
{
    haft_runtime *runtime = run->runtime;
    haft__run *state = &run->state;
    haft_status status = HAFT_OK;
    size_t at = 0;
    const haft__run_call *call = NULL;
    while (status == HAFT_OK && (call = haft__run_orphan(state, &at)) != NULL) {
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
static haft_status hear_waiting(haft_run *run, bool first, haft_error *err)
{
    haft_status status = first ? check_first(run, err) : HAFT_OK;
    if (status == HAFT_OK) {
        status = haft__live_expire(run, haft__runtime_now(run->runtime), err);
    }
    if (status == HAFT_OK) {
        status = hear(run, TURN_WAITING, err);
    }
    return status == HAFT_OK && first
               ? taken(run, haft__live_hear(run, run->first, &run->first_error), err)
               : status;
}

/* The spec as it is now, calls that were left, and what could not be said before. */
static haft_status go_over(haft_run *run, bool heard, haft_error *err)
{
    uint64_t before = run->state.seq;
    haft_status status = run->state.expired ? HAFT_OK : haft__respec_check(run, err);
    bool respecced = run->state.seq > before;
    run->first_refused = run->first_refused || (heard && status != HAFT_OK);
    before = run->state.seq;
    if (status == HAFT_OK) {
        status = recover(run, err);
    }
    bool recovered = run->state.seq > before;
    if (status == HAFT_OK) {
        status = hear(run, TURN_REST, err);
    }
    if (status != HAFT_OK || run->first == NULL) {
        return status;
    }
    if (!heard) {
        return take_first(run, respecced, recovered, err);
    }
    bool yes = run->first->kind == HAFT__STEER_APPROVE && run->first_error.status == HAFT_OK;
    return yes && respecced ? look_at_yes(run, err) : HAFT_OK;
}

haft_status haft__open_catch_up(haft_run *run, haft_error *err)
{
    bool cancels = run->first != NULL && run->first->kind == HAFT__STEER_CANCEL;
    haft_status status = cancels ? take_cancel(run, run->first, err) : hear(run, TURN_CANCELS, err);
    if (status != HAFT_OK || run->state.cancel_asked) {
        return status;
    }
    bool first = run->first != NULL && is_about_waiting(&run->state, run->first);
    status = hear_waiting(run, first, err);
    return status == HAFT_OK ? go_over(run, first, err) : status;
}
