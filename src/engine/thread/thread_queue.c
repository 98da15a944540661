/* SPDX-License-Identifier: Apache-2.0 */
/*
 * thread_queue.c - runs that wait for earlier runs of their thread.
 *
 * The store defines the order: a run may begin when no earlier run of its thread is open. This
 * condition never becomes false again. The store sends no notification, so a waiting run polls.
 * When a run of the thread ends in this process, the waiting run polls immediately. Tests:
 * tests/engine/thread/thread_queue_test.c.
 */
#include "engine/thread/thread_queue.h"

#include <assert.h>

#include "base/error.h"
#include "base/limits.h"
#include "base/macros.h"
#include "base/str.h"
#include "engine/agent.h"
#include "engine/run.h"
#include "engine/runtime.h"
#include "io/owner.h"
#include "run/thread_queue.h"

/* Poll interval while a run is being cancelled in this process. */
#define CANCEL_POLL_MS 10U

/* An earlier run that was sent a cancel command. */
typedef struct haft__cancel_sent {
    char id[HAFT__ID_LENGTH + 1];
    struct haft__cancel_sent *next;
} haft__cancel_sent;

/* ---- states ---- */

static bool may_follow(haft__thread_queue_state state, haft__thread_queue_state next)
{
    switch (state) {
    case HAFT__THREAD_QUEUE_NONE: return next == HAFT__THREAD_QUEUE_UNKNOWN;
    case HAFT__THREAD_QUEUE_UNKNOWN:
        return next == HAFT__THREAD_QUEUE_WAITING || next == HAFT__THREAD_QUEUE_FIRST
               || next == HAFT__THREAD_QUEUE_REJECTED;
    case HAFT__THREAD_QUEUE_WAITING: return next == HAFT__THREAD_QUEUE_FIRST;
    case HAFT__THREAD_QUEUE_FIRST:
        return next == HAFT__THREAD_QUEUE_WAITING || next == HAFT__THREAD_QUEUE_NONE;
    case HAFT__THREAD_QUEUE_REJECTED: return false;
    }
    HAFT__UNREACHABLE();
}

static void set_state(haft__thread_queue *queue, haft__thread_queue_state next)
{
    assert(next == queue->state || may_follow(queue->state, next));
    queue->state = next;
}

void haft__queue_init(haft__thread_queue *queue)
{
    haft__arena_init(&queue->arena, HAFT__LIMIT_RUN_BYTES);
}

void haft__queue_finish(haft__thread_queue *queue)
{
    haft__arena_finish(&queue->arena);
}

void haft__queue_set_unknown(haft__thread_queue *queue)
{
    set_state(queue, HAFT__THREAD_QUEUE_UNKNOWN);
}

void haft__queue_reject(haft__thread_queue *queue)
{
    set_state(queue, HAFT__THREAD_QUEUE_REJECTED);
}

bool haft__queue_is_queued(const haft__thread_queue *queue)
{
    return queue->state != HAFT__THREAD_QUEUE_NONE;
}

static bool is_active_and_queued(const haft_run *run)
{
    return run->stage == HAFT__HANDLE_ACTIVE && haft__queue_is_queued(&run->queue);
}

/* ---- polling ---- */

static void check_queue(void *context);

static void check_queue_in(haft_run *run, uint64_t ms)
{
    haft_error err = {0};
    if (haft__timer_start(run->runtime->loop, &run->queue.timer, ms, check_queue, run, &err)
        != HAFT_OK) {
        haft__run_fail(run, &err);
    }
}

bool haft__queue_retry(haft_run *run, haft_status status)
{
    if (status != HAFT_IO || !is_active_and_queued(run)) {
        return false;
    }
    check_queue_in(run,
                   HAFT__LIMIT_RUN_RETRY_MAX_MS); /* retries until the lease of the run expires */
    return true;
}

/* ---- without an earlier open run ---- */

static void begin_first_turn(haft_run *run)
{
    haft_error err = {0};
    if (!is_active_and_queued(run) || run->state.cancel_asked) {
        return; /* the run was cancelled meanwhile */
    }
    haft_status status = haft__run_insert_earlier(&run->state, &err);
    if (status != HAFT_OK) {
        haft__run_fail(run, &err);
        return;
    }
    set_state(&run->queue, HAFT__THREAD_QUEUE_NONE);
    haft__run_advance(run);
}

static void on_messages(haft__store_request *request)
{
    haft_run *run = request->context;
    if (!haft__run_query_done(run) || !is_active_and_queued(run)) {
        return;
    }
    if (haft__queue_retry(run, request->status)) {
        return;
    }
    if (request->status != HAFT_OK) {
        haft__run_fail(run, &request->error);
    } else if (request->message_count > 0 && run->runtime->shared) {
        check_queue_in(run, CANCEL_POLL_MS); /* until the messages are delivered */
    } else {
        haft__run_load_history(run, run->state.thread, begin_first_turn);
    }
}

/* Reads the messages first, because a run that was cancelled while it waited must not begin. */
static void check_messages(haft_run *run)
{
    haft__store_request request = {.verb = HAFT__STORE_RECEIVE, .run.id = haft__str(run->id)};
    haft__run_query_start(run, request, &run->queue.arena, on_messages);
}

/* ---- earlier open runs ---- */

static haft_run *find_local(const haft_runtime *runtime, haft_str id)
{
    for (haft_run *run = runtime->runs; run != NULL; run = run->next) {
        bool active = run->stage == HAFT__HANDLE_ACTIVE && !run->released;
        if (active && haft__str_equal(haft__str(run->id), id)) {
            return run;
        }
    }
    return NULL;
}

static bool cancel_was_sent(const haft_run *run, haft_str id)
{
    const haft__cancel_sent *cancel = run->queue.cancels_sent;
    while (cancel != NULL && !haft__str_equal(haft__str(cancel->id), id)) {
        cancel = cancel->next;
    }
    return cancel != NULL;
}

static haft_status record_cancel(haft_run *run, haft_str id, haft_error *err)
{
    haft__cancel_sent *cancel = haft__arena_alloc(&run->arena, sizeof(*cancel));
    if (cancel == NULL) {
        return haft__arena_fail(&run->arena, err);
    }
    (void)snprintf(cancel->id, sizeof(cancel->id), "%.*s", HAFT__ARG(id));
    cancel->next = run->queue.cancels_sent;
    run->queue.cancels_sent = cancel;
    return HAFT_OK;
}

static haft__run_command make_cancel(const char *interrupter)
{
    return (haft__run_command){.kind = HAFT__RUN_COMMAND_CANCEL,
                               .call = HAFT__LIT(""),
                               .value = haft__json_null(),
                               .by = haft__str(interrupter),
                               .why = HAFT__LIT("a new run of its thread interrupts it")};
}

void haft__queue_cancel(haft_run *run, const char *interrupter)
{
    haft__run_command command = make_cancel(interrupter);
    (void)!haft__run_perform_command(run, &command, NULL); /* fails if the run has ended
                                                            * meanwhile */
}

static void on_sent(haft__store_request *request)
{
    haft_run *run = request->context;
    if (haft__run_query_done(run) && run->stage == HAFT__HANDLE_ACTIVE) {
        check_queue_in(run, 0); /* other runs may be ahead, and this run may have ended */
    }
}

static haft_status send_cancel(haft_run *run, haft_str id, haft_error *err)
{
    haft__run_command command = make_cancel(run->id);
    haft__buf text;
    haft__buf_init(&text, HAFT__LIMIT_STORE_TEXT_BYTES);
    haft__run_command_write(&text, &command);
    haft_status status = haft__buf_check(&text, err);
    haft_str kept = {NULL, 0};
    if (status == HAFT_OK) {
        kept = haft__arena_copy(&run->queue.arena, haft__buf_str(&text));
        status = kept.ptr != NULL ? HAFT_OK : haft__arena_fail(&run->queue.arena, err);
    }
    haft__buf_finish(&text);
    if (status == HAFT_OK) {
        haft__store_request request = {.verb = HAFT__STORE_SEND, .run.id = id, .text = kept};
        haft__run_query_start(run, request, &run->queue.arena, on_sent);
    }
    return status;
}

static haft__queue_ahead inspect_ahead(const haft_run *run, const haft__store_run *row)
{
    const haft_runtime *runtime = run->runtime;
    return (haft__queue_ahead){
        .here = find_local(runtime, row->id) != NULL,
        .owned = row->owner.len > 0 && !haft__owner_is_dead(row->owner)
                 && row->lease_ms > haft__runtime_now(runtime),
        .cancel_requested = cancel_was_sent(run, row->id),
    };
}

static haft_status claim_ahead(haft_run *run, haft_str id, haft_error *err)
{
    haft_status status =
        haft__run_open_by_name(run->runtime, id, false, &run->queue.interrupted, err);
    if (status == HAFT_OK) {
        haft__opening *opening = &run->queue.interrupted->opening;
        opening->mode = HAFT__OPEN_INTERRUPT;
        memcpy(opening->interrupter, run->id, sizeof(run->id));
    }
    return status;
}

static haft__multitask multitask_of(const haft_run *run)
{
    return haft__multitask_of(run->agent->spec->multitask);
}

/* Performs the decision about one earlier run. */
static haft_status handle_ahead(haft_run *run, const haft__store_run *row, haft__queue_ahead ahead,
                                haft_error *err)
{
    haft_status status = HAFT_OK;
    switch (haft__queue_decide(multitask_of(run), ahead)) {
    case HAFT__QUEUE_WAIT: return HAFT_OK;
    case HAFT__QUEUE_CANCEL_LOCAL:
        status = record_cancel(run, row->id, err);
        if (status == HAFT_OK) {
            haft__queue_cancel(find_local(run->runtime, row->id), run->id);
        }
        return status;
    case HAFT__QUEUE_SEND_CANCEL:
        status = run->query.pending ? HAFT_OK : record_cancel(run, row->id, err);
        return status == HAFT_OK && !run->query.pending ? send_cancel(run, row->id, err) : status;
    case HAFT__QUEUE_CLAIM_AND_CANCEL:
        return run->queue.interrupted == NULL ? claim_ahead(run, row->id, err) : HAFT_OK;
    }
    HAFT__UNREACHABLE();
}

/* Releases the interrupted run after it was cancelled. */
static void check_interrupted(haft_run *run)
{
    haft_run *interrupted = run->queue.interrupted;
    haft_state state = haft_run_state(interrupted);
    bool stopped = state == HAFT_STOPPED;
    bool claimed_elsewhere = stopped && interrupted->error.status == HAFT_BAD_STATE;
    bool failed = stopped && !claimed_elsewhere;
    haft_error err = interrupted->error;
    if (stopped || interrupted->stage == HAFT__HANDLE_READ_ONLY || state == HAFT_ENDED) {
        run->queue.interrupted = NULL;
        haft_run_release(interrupted);
    }
    if (failed) {
        haft__error_prepend_location(&err, run->queue.ahead.id);
        haft__run_fail(run, &err);
    }
}

static void set_ahead(haft_run *run, const haft__store_run *first, haft__queue_ahead ahead)
{
    haft__run_ahead *known = &run->queue.ahead;
    (void)snprintf(known->id, sizeof(known->id), "%.*s", HAFT__ARG(first->id));
    known->state = first->state;
    known->abandoned = !ahead.here && !ahead.owned;
}

static void on_ahead(haft__store_request *request)
{
    haft_run *run = request->context;
    if (!haft__run_query_done(run) || !is_active_and_queued(run)) {
        return;
    }
    haft_error err = request->error;
    haft_status status = request->status;
    if (haft__queue_retry(run, status)) {
        return;
    }
    if (status == HAFT_OK && request->found_count == 0) {
        run->queue.ahead.id[0] = '\0';
        set_state(&run->queue, HAFT__THREAD_QUEUE_FIRST);
        check_messages(run);
        return;
    }
    const haft__store_run *rows = request->found; /* handle_ahead may reuse `request` */
    if (status == HAFT_OK) {
        set_state(&run->queue, HAFT__THREAD_QUEUE_WAITING);
    }
    for (size_t i = request->found_count; status == HAFT_OK && i-- > 0;) {
        haft__queue_ahead ahead = inspect_ahead(run, &rows[i]);
        set_ahead(run, &rows[i], ahead);                   /* the last iteration sets the first
                                                            * run */
        status = handle_ahead(run, &rows[i], ahead, &err); /* newest first, so that no earlier run
                                                            * begins when the run before it ends */
    }
    if (status != HAFT_OK) {
        haft__run_fail(run, &err);
    } else if (!run->query.pending) {
        check_queue_in(run,
                       run->queue.interrupted != NULL ? CANCEL_POLL_MS : HAFT__LIMIT_RUN_LISTEN_MS);
    }
}

/* Queries the earlier open runs. A run that only waits needs the first of them; a run that
 * interrupts needs all of them. */
static void check_queue(void *context)
{
    haft_run *run = context;
    if (run->queue.interrupted != NULL) {
        check_interrupted(run);
    }
    if (!is_active_and_queued(run) || run->query.pending) {
        return;
    }
    haft__arena_reset(&run->queue.arena);
    haft__store_request request = {.verb = HAFT__STORE_PREDECESSORS, .run.id = haft__str(run->id)};
    request.limit = multitask_of(run) == HAFT__MULTITASK_INTERRUPT ? 0 : 1;
    haft__run_query_start(run, request, &run->queue.arena, on_ahead);
}

/* ---- interface ---- */

void haft__queue_enter(haft_run *run)
{
    check_queue(run);
}

void haft__queue_leave(haft_run *run)
{
    haft_run *interrupted = run->queue.interrupted;
    run->queue.interrupted = NULL;
    haft__timer_stop(run->runtime->loop, &run->queue.timer);
    haft_run_release(interrupted);
}

void haft__queue_wake(haft_runtime *runtime, haft_str thread)
{
    for (haft_run *run = runtime->runs; run != NULL; run = run->next) {
        bool known = run->queue.state == HAFT__THREAD_QUEUE_WAITING
                     || run->queue.state == HAFT__THREAD_QUEUE_FIRST;
        bool polls = known && run->stage == HAFT__HANDLE_ACTIVE && !run->query.pending;
        if (polls && haft__str_equal(run->state.thread, thread)) {
            check_queue_in(run, 0);
        }
    }
}

bool haft__queue_is_waiting(const haft_run *run)
{
    return run->queue.state == HAFT__THREAD_QUEUE_WAITING && run->queue.interrupted == NULL
           && !run->query.pending;
}
