/* SPDX-License-Identifier: Apache-2.0 */
/*
 * message.c - sends a message to a run that another process owns: stores it, and waits until the
 * owner has consumed it. Tests: tests/cli/store_test.py.
 */
#include "cli/follow/message.h"

#include "base/error.h"
#include "base/str.h"
#include "engine/run.h"
#include "io/clock.h"
#include "io/owner.h"
#include "store/move.h"

/* How long the owner may take to consume a message. */
#define CONSUME_TIMEOUT_MS 10000U
#define POLL_MS            50U
#define REPORT_AFTER_MS    1000U /* after this, the wait is reported */
/* More attempts mean another problem than faster processes. */
#define MAX_TRIES 100U

/* The wait for a message to be consumed. */
typedef struct message_wait {
    uint64_t start_ms; /* on the monotonic clock: the wall clock may be set meanwhile */
    uint64_t lease_ms; /* the owner's lease at the start */
    bool told;
    haft_str text; /* the message, and its id in the store once known */
    uint64_t message;
    bool heard;     /* the message was consumed */
    bool left;      /* the run has no owner any more */
    unsigned tries; /* attempts to open the run here */
    haft_run *mine; /* the run was opened here; else NULL */
} message_wait;

static haft_status fail_unresponsive_owner(const haft_run *run, haft_error *err)
{
    haft_status status = haft__fail(err, HAFT_IO, run->id,
                                    "the process that has this run does not listen; the message "
                                    "is kept for it");
    return haft__hint(err, status, "haft resume %s takes it up once it is gone", run->id);
}

/* A process that moves a run to another store consumes no messages: the message moves with the run,
 * and is consumed after the move. */
static haft_status check_not_moving(const haft__store_run *row, haft_error *err)
{
    haft__move move;
    return haft__move_parse_owner(row->owner, &move) ? haft__move_fail(row->id, &move, err)
                                                     : HAFT_OK;
}

/* An owner that is stopped cannot consume messages; its run can be claimed when the lease expires.
 * An owner that renews its lease but does not consume the message within the timeout is
 * unresponsive. */
static haft_status check_owner(haft__cli *cli, const haft_run *run, message_wait *w,
                               haft_error *err)
{
    haft__store_request request = {.verb = HAFT__STORE_FIND, .name = haft__str(run->id)};
    haft_status status = haft__session_store_execute(cli, run->runtime, &request, err);
    if (status != HAFT_OK) {
        return status;
    }
    const haft__store_run *row = &request.found[0];
    uint64_t now = haft__clock_now(), waited = haft__clock_monotonic() - w->start_ms;
    w->lease_ms = w->lease_ms == 0 ? row->lease_ms : w->lease_ms;
    w->left = row->owner.len == 0 || row->lease_ms <= now || haft__owner_is_dead(row->owner);
    if (!w->left && check_not_moving(row, err) != HAFT_OK) {
        return HAFT_BAD_STATE;
    }
    if (!w->left && waited > CONSUME_TIMEOUT_MS && row->lease_ms != w->lease_ms) {
        return fail_unresponsive_owner(run, err);
    }
    if (!w->left && waited > REPORT_AFTER_MS && !w->told) {
        w->told = true;
        (void)fprintf(cli->errors,
                      "the process that has %s does not answer; its lease is over in %llu s\n",
                      run->id, (unsigned long long)((row->lease_ms - now) / 1000 + 1));
        (void)fflush(cli->errors);
    }
    return HAFT_OK;
}

/* The owner has left the run before it consumed the message: opens the run here, where it consumes
 * the message. Sending the command again would leave the message in the store, for a later question
 * of the same call. */
static haft_status open_run_here(const haft_run *run, message_wait *w, haft_error *err)
{
    haft_status status = haft_run_open(run->runtime, run->id, &w->mine, err);
    if (status == HAFT_BAD_STATE && ++w->tries < MAX_TRIES) { /* another owner, or it ended */
        *err = (haft_error){0};
        w->left = false;
        return HAFT_OK;
    }
    return status;
}

static haft_status wait_poll_interval(const haft_run *run, const message_wait *w, haft_error *err)
{
    if (w->mine == NULL) {
        haft__clock_sleep(POLL_MS);
        return HAFT_OK;
    }
    haft_status status = haft_runtime_step(run->runtime, (int)POLL_MS, err);
    if (status == HAFT_OK && w->mine->stage == HAFT__HANDLE_FAILED) {
        *err = w->mine->error;
        status = err->status;
    }
    return status;
}

/* Whether the message is gone. The store does not return its id on sending: it is the last message
 * with the same text. Other messages to the run may stay for long. */
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

/* Waits until the owner, which may become this process, has consumed the message. */
static haft_status wait_until_consumed(haft__cli *cli, haft_run *run, message_wait *w,
                                       haft_error *err)
{
    haft_status status = HAFT_OK;
    w->start_ms = haft__clock_monotonic();
    while (status == HAFT_OK && !w->heard) {
        haft__arena_mark mark = haft__arena_save(&cli->arena);
        haft__store_request request = {.verb = HAFT__STORE_RECEIVE, .run.id = haft__str(run->id)};
        status = wait_poll_interval(run, w, err);
        if (status == HAFT_OK) {
            status = haft__session_store_execute(cli, run->runtime, &request, err);
        }
        w->heard = status == HAFT_OK && is_consumed(w, &request);
        if (status == HAFT_OK && !w->heard && w->mine == NULL) {
            status = check_owner(cli, run, w, err);
        }
        haft__arena_restore(&cli->arena, mark);
        if (status == HAFT_OK && w->left && w->mine == NULL) {
            status = open_run_here(run, w, err);
        }
    }
    return status;
}

/* The store rejected the message: the run has ended, which the caller sees when it reads the run,
 * or is being moved to another store. */
static haft_status explain_rejection(haft__cli *cli, const haft_run *run, haft_error *err)
{
    haft__store_request find = {.verb = HAFT__STORE_FIND, .name = haft__str(run->id)};
    *err = (haft_error){0};
    haft_status status = haft__session_store_execute(cli, run->runtime, &find, err);
    return status == HAFT_OK ? check_not_moving(&find.found[0], err) : status;
}

haft_status haft__message_deliver(haft__cli *cli, haft_run *run, haft_str text, haft_run **ret_mine,
                                  haft_error *err)
{
    message_wait w = {.text = text};
    haft__store_request request = {
        .verb = HAFT__STORE_SEND, .run.id = haft__str(run->id), .text = text};
    haft_status status = haft__session_store_execute(cli, run->runtime, &request, err);
    if (status == HAFT_BAD_STATE) {
        return explain_rejection(cli, run, err);
    }
    status = status == HAFT_OK ? wait_until_consumed(cli, run, &w, err) : status;
    *ret_mine = w.mine;
    return status;
}
