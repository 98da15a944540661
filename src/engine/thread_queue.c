/* SPDX-License-Identifier: Apache-2.0 */
/*
 * thread_queue.c - a run whose turn in its thread has not come.
 *
 * The order is the store's: a run may begin when none that was created before it in its thread is
 * open, and once that is so it stays so. Nobody is told when it is; whoever waits looks again, at
 * once when the other ends in this process. Tests: tests/engine/thread_queue_test.c.
 */
#include "run/thread_queue.h"

#include "base/error.h"
#include "base/limits.h"
#include "base/macros.h"
#include "base/str.h"
#include "engine/runtime.h"
#include "io/owner.h"

/* How often is looked while a run is being cancelled here. */
#define CANCEL_POLL_MS 10U

/* One that was asked to end. */
typedef struct haft__cancel_sent {
    char id[HAFT__ID_LENGTH + 1];
    struct haft__cancel_sent *next;
} haft__cancel_sent;

static void check_queue(void *context);

static void check_queue_in(haft_run *run, uint64_t ms)
{
    haft_error err = {0};
    if (haft__timer_start(run->runtime->loop, &run->queue_timer, ms, check_queue, run, &err)
        != HAFT_OK) {
        haft__run_fail(run, &err);
    }
}

bool haft__queue_retry(haft_run *run, haft_status status)
{
    if (status != HAFT_IO || run->stage != HAFT__HANDLE_ACTIVE || !run->queued) {
        return false;
    }
    check_queue_in(run, HAFT__LIMIT_RUN_RETRY_MOST_MS); /* as long as it has its lease */
    return true;
}

/* ---- its turn has come ---- */

static void begin_first_turn(haft_run *run)
{
    haft_error err = {0};
    if (run->stage != HAFT__HANDLE_ACTIVE || !run->queued || run->state.cancel_asked) {
        return; /* it was cancelled meanwhile */
    }
    haft_status status = haft__run_insert_earlier(&run->state, &err);
    if (status != HAFT_OK) {
        haft__run_fail(run, &err);
        return;
    }
    run->queued = false;
    haft__run_advance(run);
}

static void on_messages(haft__store_request *request)
{
    haft_run *run = request->context;
    if (!haft__run_query_done(run) || run->stage != HAFT__HANDLE_ACTIVE || !run->queued) {
        return;
    }
    if (haft__queue_retry(run, request->status)) {
        return;
    }
    if (request->status != HAFT_OK) {
        haft__run_fail(run, &request->error);
    } else if (request->message_count > 0 && run->runtime->shared) {
        check_queue_in(run, CANCEL_POLL_MS); /* until they have been heard */
    } else {
        haft__run_load_thread(run, run->state.thread, begin_first_turn);
    }
}

/* Somebody may have asked it to end while it waited: then it must not begin. */
static void check_messages(haft_run *run)
{
    haft__store_request request = {.verb = HAFT__STORE_RECEIVE, .run.id = haft__str(run->id)};
    haft__run_query_start(run, request, &run->queue_arena, on_messages);
}

/* ---- those that are ahead ---- */

static haft_run *find_local(const haft_runtime *runtime, haft_str id)
{
    for (haft_run *run = runtime->runs; run != NULL; run = run->next) {
        bool live = run->stage == HAFT__HANDLE_ACTIVE && !run->released;
        if (live && haft__str_equal(haft__str(run->id), id)) {
            return run;
        }
    }
    return NULL;
}

static bool cancel_was_sent(const haft_run *run, haft_str id)
{
    const haft__cancel_sent *asked = run->cancels_sent;
    while (asked != NULL && !haft__str_equal(haft__str(asked->id), id)) {
        asked = asked->next;
    }
    return asked != NULL;
}

static haft_status remember_cancel(haft_run *run, haft_str id, haft_error *err)
{
    haft__cancel_sent *asked = haft__arena_alloc(&run->arena, sizeof(*asked));
    if (asked == NULL) {
        return haft__arena_fail(&run->arena, err);
    }
    (void)snprintf(asked->id, sizeof(asked->id), "%.*s", HAFT__ARG(id));
    asked->next = run->cancels_sent;
    run->cancels_sent = asked;
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
    (void)!haft__run_perform_command(run, &command,
                                     NULL); /* if it has ended meanwhile, all the better */
}

static void on_sent(haft__store_request *request)
{
    haft_run *run = request->context;
    if (haft__run_query_done(run) && run->stage == HAFT__HANDLE_ACTIVE) {
        check_queue_in(run, 0); /* there may be others; this one may have ended just now */
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
        kept = haft__arena_copy(&run->queue_arena, haft__buf_str(&text));
        status = kept.ptr != NULL ? HAFT_OK : haft__arena_fail(&run->queue_arena, err);
    }
    haft__buf_finish(&text);
    if (status == HAFT_OK) {
        haft__store_request request = {.verb = HAFT__STORE_SEND, .run.id = id, .text = kept};
        haft__run_query_start(run, request, &run->queue_arena, on_sent);
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
    haft_status status = haft__run_open_by_name(run->runtime, id, false, &run->interrupted, err);
    if (status == HAFT_OK) {
        memcpy(run->interrupted->interrupter, run->id, sizeof(run->id));
    }
    return status;
}

static haft__multitask multitask_of(const haft_run *run)
{
    return haft__multitask_of(run->agent->spec->multitask);
}

/* Does about one run what is to be done. */
static haft_status handle_ahead(haft_run *run, const haft__store_run *row, haft__queue_ahead ahead,
                                haft_error *err)
{
    haft_status status = HAFT_OK;
    switch (haft__queue_decide(multitask_of(run), ahead)) {
    case HAFT__QUEUE_WAIT: return HAFT_OK;
    case HAFT__QUEUE_CANCEL_LOCAL:
        status = remember_cancel(run, row->id, err);
        if (status == HAFT_OK) {
            haft__queue_cancel(find_local(run->runtime, row->id), run->id);
        }
        return status;
    case HAFT__QUEUE_SEND_CANCEL:
        status = run->loading ? HAFT_OK : remember_cancel(run, row->id, err);
        return status == HAFT_OK && !run->loading ? send_cancel(run, row->id, err) : status;
    case HAFT__QUEUE_CLAIM_AND_CANCEL:
        return run->interrupted == NULL ? claim_ahead(run, row->id, err) : HAFT_OK;
    }
    HAFT__UNREACHABLE();
}

/* Lets go of one that was taken up, once it has been cancelled. */
static void check_interrupted(haft_run *run)
{
    haft_run *taken = run->interrupted;
    haft_state state = haft_run_state(taken);
    bool lost = state == HAFT_STOPPED && taken->error.status == HAFT_BAD_STATE;
    bool failed = state == HAFT_STOPPED && !lost; /* else somebody else has it by now */
    haft_error err = taken->error;
    if (lost || failed || taken->stage == HAFT__HANDLE_READ_ONLY || state == HAFT_ENDED) {
        run->interrupted = NULL;
        haft_run_release(taken);
    }
    if (failed) {
        haft__error_prepend_location(&err, run->ahead);
        haft__run_fail(run, &err);
    }
}

static void note_ahead(haft_run *run, const haft__store_run *first, haft__queue_ahead ahead)
{
    (void)snprintf(run->ahead, sizeof(run->ahead), "%.*s", HAFT__ARG(first->id));
    run->ahead_state = first->state;
    run->ahead_abandoned = !ahead.here && !ahead.owned;
}

static void on_ahead(haft__store_request *request)
{
    haft_run *run = request->context;
    if (!haft__run_query_done(run) || run->stage != HAFT__HANDLE_ACTIVE || !run->queued) {
        return;
    }
    haft_error err = request->error;
    haft_status status = request->status;
    if (haft__queue_retry(run, status)) {
        return;
    }
    if (status == HAFT_OK && request->found_count == 0) {
        run->ahead[0] = '\0';
        run->queue_known = true;
        check_messages(run);
        return;
    }
    const haft__store_run *rows = request->found; /* which `request` may soon be used again */
    for (size_t i = request->found_count; status == HAFT_OK && i-- > 0;) {
        haft__queue_ahead ahead = inspect_ahead(run, &rows[i]);
        note_ahead(run, &rows[i], ahead);                  /* the first of them remains */
        status = handle_ahead(run, &rows[i], ahead, &err); /* the last first: none is to begin */
    }
    run->queue_known = true;
    if (status != HAFT_OK) {
        haft__run_fail(run, &err);
    } else if (!run->loading) {
        check_queue_in(run, run->interrupted != NULL ? CANCEL_POLL_MS : HAFT__LIMIT_RUN_LISTEN_MS);
    }
}

/* Who only waits for its turn need not know more than the first; one that interrupts tells all. */
static void check_queue(void *context)
{
    haft_run *run = context;
    if (run->interrupted != NULL) {
        check_interrupted(run);
    }
    if (run->stage != HAFT__HANDLE_ACTIVE || !run->queued || run->loading) {
        return;
    }
    haft__arena_reset(&run->queue_arena);
    haft__store_request request = {.verb = HAFT__STORE_PREDECESSORS, .run.id = haft__str(run->id)};
    request.limit = multitask_of(run) == HAFT__MULTITASK_INTERRUPT ? 0 : 1;
    haft__run_query_start(run, request, &run->queue_arena, on_ahead);
}

/* ---- from outside ---- */

void haft__queue_enter(haft_run *run)
{
    check_queue(run);
}

void haft__queue_leave(haft_run *run)
{
    haft_run *taken = run->interrupted;
    run->interrupted = NULL;
    haft__timer_stop(run->runtime->loop, &run->queue_timer);
    haft_run_release(taken);
}

void haft__queue_wake(haft_runtime *runtime, haft_str thread)
{
    for (haft_run *run = runtime->runs; run != NULL; run = run->next) {
        bool waits =
            run->queued && run->queue_known && run->stage == HAFT__HANDLE_ACTIVE && !run->loading;
        if (waits && haft__str_equal(run->state.thread, thread)) {
            check_queue_in(run, 0);
        }
    }
}

bool haft__queue_is_waiting(const haft_run *run)
{
    return run->queued && run->queue_known && run->ahead[0] != '\0' && run->interrupted == NULL
           && !run->loading;
}
