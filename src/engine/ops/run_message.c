/* SPDX-License-Identifier: Apache-2.0 */
/*
 * run_message.c - sends a message to a run that another process owns: stores it, and waits until
 * the owner has consumed it. Tests: tests/engine/ops/command_delivery_test.c,
 * tests/cli/store_test.py.
 */
#include "engine/ops/run_message.h"

#include "base/error.h"
#include "base/limits.h"
#include "base/str.h"
#include "engine/ops/store_access.h"
#include "engine/ops/stored_run.h"
#include "engine/run.h"
#include "io/clock.h"
#include "store/move.h"

/* How long the owner may take to consume a message. */
#define CONSUME_TIMEOUT_MS 10000U
#define POLL_MS            50U
#define REPORT_AFTER_MS    1000U /* after this, the wait is reported */
/* After so many attempts, the cause is not that other processes were faster. */
#define MAX_TRIES 100U

/* The wait for a message to be consumed. */
typedef struct message_wait {
    haft__run_message *m;
    haft_run *run; /* the same as m->run */
    haft__arena *arena;
    uint64_t start_ms; /* monotonic time, because somebody may set the wall clock */
    uint64_t lease_ms; /* the owner's lease at the start */
    bool reported;
    haft_str text;    /* the text of the message */
    uint64_t message; /* its id in the store; 0: unknown */
    bool consumed;
    bool ownerless; /* the run no longer has an owner */
    unsigned tries; /* attempts to open the run here */
} message_wait;

static haft_status execute(const message_wait *w, haft__store_request *request, haft_error *err)
{
    return haft__store_access_execute(w->run->runtime, w->arena, request, err);
}

static haft_status fail_unresponsive_owner(message_wait *w, haft_error *err)
{
    w->m->owner_unresponsive = true;
    return haft__fail(err, HAFT_IO, w->run->id,
                      "the process that owns this run does not read its messages; the message "
                      "stays in the store");
}

/* Fails if the run is being moved to another store. The moving process consumes no messages; the
 * message moves with the run and is consumed after the move. */
static haft_status check_not_moving(const haft__store_run *row, haft_error *err)
{
    haft__move move;
    return haft__move_parse_owner(row->owner, &move) ? haft__move_fail(row->id, &move, err)
                                                     : HAFT_OK;
}

/* Checks the owner of the run. A suspended owner cannot consume messages; its run can be claimed
 * when the lease expires. An owner is unresponsive if it renews its lease but does not consume the
 * message within the timeout. */
static haft_status check_owner(message_wait *w, haft_error *err)
{
    haft__store_request request = {.verb = HAFT__STORE_FIND, .name = haft__str(w->run->id)};
    haft_status status = execute(w, &request, err);
    if (status != HAFT_OK) {
        return status;
    }
    const haft__store_run *row = &request.found[0];
    uint64_t waited = haft__clock_monotonic() - w->start_ms;
    w->lease_ms = w->lease_ms == 0 ? row->lease_ms : w->lease_ms;
    w->ownerless = !haft__stored_run_is_owned(w->run->runtime, row);
    if (!w->ownerless && check_not_moving(row, err) != HAFT_OK) {
        return HAFT_BAD_STATE;
    }
    if (!w->ownerless && waited > CONSUME_TIMEOUT_MS && row->lease_ms != w->lease_ms) {
        return fail_unresponsive_owner(w, err);
    }
    if (!w->ownerless && waited > REPORT_AFTER_MS && !w->reported) {
        w->reported = true;
        if (w->m->report != NULL) {
            uint64_t now = haft__runtime_now(w->run->runtime);
            w->m->report(w->m->context, w->run->id, row->lease_ms > now ? row->lease_ms - now : 0);
        }
    }
    return HAFT_OK;
}

/* If the owner has released the run before it consumed the message, opens the run in this process,
 * so that the run consumes the message. (If the command were sent again, the first message would
 * stay in the store and could answer a later question of the same call.) */
static haft_status open_run_here(message_wait *w, haft_error *err)
{
    haft_status status = haft_run_open(w->run->runtime, w->run->id, &w->m->opened, err);
    if (status == HAFT_BAD_STATE && ++w->tries < MAX_TRIES) { /* the run has a new owner or has
                                                               * ended */
        *err = (haft_error){0};
        w->ownerless = false;
        return HAFT_OK;
    }
    return status;
}

static haft_status wait_poll_interval(const message_wait *w, haft_error *err)
{
    if (w->m->opened == NULL) {
        haft__clock_sleep(POLL_MS);
        return HAFT_OK;
    }
    haft_status status = haft_runtime_step(w->run->runtime, (int)POLL_MS, err);
    if (status == HAFT_OK && w->m->opened->stage == HAFT__HANDLE_FAILED) {
        *err = w->m->opened->error;
        status = err->status;
    }
    return status;
}

/* Whether the message was consumed. The store does not return the id of a sent message, so the id
 * is that of the last message with the same text. Other messages to the run may stay for a long
 * time. */
static bool is_consumed(message_wait *w, const haft__store_request *found)
{
    uint64_t there = 0;
    for (size_t i = 0; i < found->message_count; i++) {
        const haft__store_message *message = &found->messages[i];
        bool same =
            w->message == 0 ? haft__str_equal(message->body, w->text) : message->id == w->message;
        there = same ? message->id : there;
    }
    w->message = there;
    return there == 0;
}

/* Waits until the owner has consumed the message. This process may become the owner. */
static haft_status wait_until_consumed(message_wait *w, haft_error *err)
{
    haft_status status = HAFT_OK;
    w->start_ms = haft__clock_monotonic();
    while (status == HAFT_OK && !w->consumed) {
        haft__arena_mark mark = haft__arena_save(w->arena);
        haft__store_request request = {.verb = HAFT__STORE_RECEIVE,
                                       .run.id = haft__str(w->run->id)};
        status = wait_poll_interval(w, err);
        if (status == HAFT_OK) {
            status = execute(w, &request, err);
        }
        w->consumed = status == HAFT_OK && is_consumed(w, &request);
        if (status == HAFT_OK && !w->consumed && w->m->opened == NULL) {
            status = check_owner(w, err);
        }
        haft__arena_restore(w->arena, mark);
        if (status == HAFT_OK && w->ownerless && w->m->opened == NULL) {
            status = open_run_here(w, err);
        }
    }
    return status;
}

/* Explains why the store rejected the message. If the run is being moved to another store, fails.
 * If the run has ended, succeeds, because the caller reads the run afterwards. */
static haft_status explain_rejection(const message_wait *w, haft_error *err)
{
    haft__store_request find = {.verb = HAFT__STORE_FIND, .name = haft__str(w->run->id)};
    *err = (haft_error){0};
    haft_status status = execute(w, &find, err);
    return status == HAFT_OK ? check_not_moving(&find.found[0], err) : status;
}

haft_status haft__run_message_deliver(haft__run_message *message, haft__arena *arena,
                                      haft_error *err)
{
    haft__buf text;
    message_wait w = {.m = message, .run = message->run, .arena = arena};
    message->opened = NULL;
    message->owner_unresponsive = false;
    haft__buf_init(&text, HAFT__LIMIT_RUN_BYTES);
    haft__run_command_write(&text, message->command);
    haft_status status = haft__buf_check(&text, err);
    w.text = haft__buf_str(&text);
    haft__store_request send = {
        .verb = HAFT__STORE_SEND, .run.id = haft__str(w.run->id), .text = w.text};
    if (status == HAFT_OK) {
        status = execute(&w, &send, err);
        status = status == HAFT_OK          ? wait_until_consumed(&w, err)
                 : status == HAFT_BAD_STATE ? explain_rejection(&w, err)
                                            : status;
    }
    haft__buf_finish(&text);
    return status;
}

haft_status haft__run_message_post(haft_runtime *runtime, haft__arena *arena, haft_str run,
                                   const haft__run_command *command, haft_error *err)
{
    haft__buf text;
    haft__buf_init(&text, HAFT__LIMIT_STORE_TEXT_BYTES);
    haft__run_command_write(&text, command);
    haft_status status = haft__buf_check(&text, err);
    haft__store_request send = {
        .verb = HAFT__STORE_SEND, .run.id = run, .text = haft__buf_str(&text)};
    if (status == HAFT_OK) {
        status = haft__store_access_execute(runtime, arena, &send, err);
    }
    haft__buf_finish(&text);
    return status;
}
