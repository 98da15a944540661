/* SPDX-License-Identifier: Apache-2.0 */
/*
 * worker.c - claims runs of the store and continues many of them on one loop.
 *
 * Each run is inspected after each step of the loop. A waiting run is released only if no message
 * for it is pending, so that an answer that was sent to this process is read. Tests:
 * tests/engine/worker/worker_test.c, tests/cli/worker_test.py.
 */
#include "engine/worker/worker.h"

#include <assert.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/str.h"
#include "engine/agent.h"
#include "engine/run.h"
#include "engine/runtime.h"
#include "engine/worker/worker_int.h"
#include "io/random.h"
#include "run/host.h"

/* Poll interval while messages are being delivered. */
#define DELIVERY_POLL_MS 10U

const char *haft__worker_event_name(haft__worker_event_kind kind)
{
    static const char *const names[] = {
        [HAFT__WORKER_CLAIMED] = "taken",
        [HAFT__WORKER_ENDED] = "ended",
        [HAFT__WORKER_WAITING] = "waits",
        [HAFT__WORKER_SKIPPED] = "left",
        [HAFT__WORKER_LEASE_LOST] = "lost",
        [HAFT__WORKER_RELEASED] = "released",
        [HAFT__WORKER_RELEASE_UNCONFIRMED] = "kept",
        [HAFT__WORKER_ERROR] = "trouble",
    };
    return names[kind];
}

static uint64_t loop_now(const haft__worker *worker)
{
    return haft__loop_now(worker->runtime->loop);
}

/* ---- reports ---- */

static haft_str spec_name(const haft_run *run)
{
    return run->agent != NULL ? run->agent->spec->name : run->opening.row.name;
}

static void notify(haft__worker *worker, haft__worker_event_kind kind, haft_run *run,
                   uint64_t retry_ms)
{
    bool failed = kind == HAFT__WORKER_SKIPPED || kind == HAFT__WORKER_LEASE_LOST;
    haft__worker_event event = {.kind = kind,
                                .run = run->id,
                                .name = spec_name(run),
                                .end = kind == HAFT__WORKER_ENDED ? haft_run_end(run) : "",
                                .turns = run->agent != NULL ? run->state.turn : 0,
                                .error = failed ? &run->error : NULL,
                                .retry_ms = retry_ms,
                                .handle = run};
    worker->options.notify(worker->options.context, &event);
}

void haft__worker_report_error(haft__worker *worker, const haft_error *error)
{
    haft__worker_event event = {.kind = HAFT__WORKER_ERROR,
                                .run = "",
                                .name = HAFT__LIT(""),
                                .end = "",
                                .error = error,
                                .retry_ms = worker->stopping ? 0 : worker->poll_ms};
    if (worker->failures == 0) {
        worker->options.notify(worker->options.context, &event);
    }
    worker->failures++;
}

/* The time from which a run is skipped. */
static uint64_t skip_start_ms(const haft__worker *worker)
{
    return worker->options.once ? UINT64_MAX / 2 : loop_now(worker); /* forever */
}

static void report_skipped(haft__worker *worker, const char *id, haft_str name,
                           const haft_error *error)
{
    haft__worker_event event = {.kind = HAFT__WORKER_SKIPPED,
                                .run = id,
                                .name = name,
                                .end = "",
                                .error = error,
                                .retry_ms =
                                    haft__skip_set_add(&worker->skips, id, skip_start_ms(worker))};
    worker->options.notify(worker->options.context, &event);
}

void haft__worker_skip_run(haft__worker *worker, const haft_error *error)
{
    char id[HAFT__ID_LENGTH + 1];
    (void)snprintf(id, sizeof(id), "%.*s", HAFT__ARG(worker->claimed.id));
    report_skipped(worker, id, worker->claimed.name, error);
}

/* ---- claims ---- */

static void on_poll(void *context)
{
    haft__worker *worker = context;
    worker->needs_poll = true; /* claim_next polls */
}

/* Jitter of +-25 %, so that workers do not poll in step. */
static void poll_later(haft__worker *worker)
{
    worker->random = worker->random * 6364136223846793005U + 1442695040888963407U;
    uint64_t half = worker->poll_ms / 2;
    uint64_t ms = worker->poll_ms - half / 2 + (worker->random >> 33) % (half + 1);
    haft_error err = {0};
    if (haft__timer_start(worker->runtime->loop, &worker->poll, ms, on_poll, worker, &err)
        != HAFT_OK) {
        haft__worker_report_error(worker, &err);
        worker->needs_poll = true; /* without a timer, poll immediately */
    }
}

static haft__worker_slot *free_slot(haft__worker *worker)
{
    size_t at = 0;
    while (at < worker->options.concurrency && worker->slots[at].run != NULL) {
        at++;
    }
    assert(at < worker->options.concurrency); /* a run is claimed only if a slot is free */
    return &worker->slots[at];
}

static void on_claimed_released(haft__store_request *request)
{
    haft__worker *worker = request->context;
    worker->request_pending = false;
    if (request->status == HAFT_IO) { /* this process may still own the run */
        worker->strays_since_ms = worker->runtime->monotonic_clock();
    }
    if (request->status == HAFT_OK && worker->failures == 0) {
        worker->needs_poll = true;
    } else {
        poll_later(worker);
    }
}

/* The claimed run cannot be opened (out of memory, or its lease expired before it arrived).
 * Releases it so that another worker can claim it immediately. */
void haft__worker_release_claimed(haft__worker *worker)
{
    worker->request_pending = true;
    worker->request = (haft__store_request){.verb = HAFT__STORE_RELEASE,
                                            .run.id = worker->claimed.id,
                                            .run.epoch = worker->claimed.epoch,
                                            .done = on_claimed_released,
                                            .context = worker};
    haft__store_submit(worker->runtime->store, &worker->request);
}

/* Starts a claimed run. */
void haft__worker_open_claimed(haft__worker *worker)
{
    haft__worker_slot *slot = free_slot(worker);
    haft_error err = {0};
    if (haft__run_open_claimed(worker->runtime, &worker->claimed, worker->requested_ms, &slot->run,
                               &err)
        != HAFT_OK) {
        haft__worker_report_error(worker, &err);
        haft__worker_release_claimed(worker);
        return;
    }
    slot->mailbox = HAFT__MAILBOX_UNKNOWN;
    slot->seq = worker->claimed.seq;
    haft__worker_note_crash_count(worker, slot);
    worker->busy++;
    worker->needs_poll = true;
    notify(worker, HAFT__WORKER_CLAIMED, slot->run, 0);
    if (worker->stopping) {
        haft__run_drain(slot->run);
    }
}

/* Lists the runs that this worker owns, as far as it knows. It may own others, because a failed
 * request may have claimed a run, whose lease would then be renewed forever. Returns false if the
 * list is too long. */
static bool list_known_runs(haft__worker *worker)
{
    bool room = true;
    haft__store_request *request = &worker->request;
    for (const haft_run *run = worker->runtime->runs; run != NULL && room; run = run->next) {
        room = haft__skip_list_add(&worker->skip_list, request->skip_count, run->id);
        request->skip_count += room;
    }
    return room;
}

/* Ends the search for stray runs: runs that were claimed by a request that failed. The store may
 * still perform such a request for the duration of a lease. */
static void clear_strays(haft__worker *worker, const haft__store_request *request)
{
    uint64_t since = worker->runtime->monotonic_clock() - worker->strays_since_ms;
    if (request->reclaim_own && !worker->run_found && since > worker->runtime->leases.ms) {
        worker->strays_since_ms = 0;
    }
}

/* Reports a run that the store cannot claim because it is damaged, and polls for another run. */
static void skip_damaged(haft__worker *worker, const haft__store_request *request)
{
    worker->failures = 0;
    worker->poll_ms = worker->options.poll_ms;
    worker->needs_poll = true;
    report_skipped(worker, request->damaged, HAFT__LIT(""), &request->error);
}

static void on_claimed(haft__store_request *request)
{
    haft__worker *worker = request->context;
    worker->request_pending = false;
    if (request->damaged[0] != '\0') {
        skip_damaged(worker, request);
        return;
    }
    worker->run_found = request->status == HAFT_OK;
    worker->store_empty = request->status == HAFT_NOT_FOUND && !request->quick;
    worker->abandoned_poll_ms = request->quick ? worker->abandoned_poll_ms : loop_now(worker);
    if (worker->run_found || request->status == HAFT_NOT_FOUND) {
        worker->failures = 0;
        worker->poll_ms = worker->options.poll_ms;
        clear_strays(worker, request);
    } else if (request->status == HAFT_UNSUPPORTED) { /* a later version of haft has upgraded the
                                                       * tables */
        worker->store_error = request->error;
        return;
    } else {
        worker->strays_since_ms = worker->runtime->monotonic_clock();
        haft__worker_report_error(worker, &request->error);
        worker->poll_ms = 2 * worker->poll_ms < HAFT__LIMIT_WORK_POLL_MS ? 2 * worker->poll_ms
                                                                         : HAFT__LIMIT_WORK_POLL_MS;
    }
    if (worker->run_found) {
        haft__worker_check_crashes(worker, &request->found[0], request->lost);
    } else if (!worker->stopping) {
        poll_later(worker);
    }
}

/* Whether the next claim does not search for abandoned runs. Claims search for them if no other run
 * can be claimed, and every HAFT__LIMIT_WORK_ABANDONED_MS. */
static bool is_quick_claim(const haft__worker *worker)
{
    return worker->strays_since_ms == 0 && worker->run_found
           && loop_now(worker) < worker->abandoned_poll_ms + HAFT__LIMIT_WORK_ABANDONED_MS;
}

/* Whether the set of skipped runs is full, so that the next claimed run may be a skipped run. */
static bool skip_limit_reached(const haft__worker *worker)
{
    return worker->options.once && worker->skips.count == HAFT__LIMIT_WORK_SKIPPED;
}

static void list_postponed(haft__worker *worker)
{
    haft__store_request *request = &worker->request;
    for (size_t i = 0; i < worker->postponed_run_count; i++) {
        request->skip_count +=
            haft__skip_list_add(&worker->skip_list, request->skip_count, worker->postponed[i]);
    }
}

static void claim_next(haft__worker *worker)
{
    bool full = worker->busy == worker->options.concurrency;
    if (!worker->needs_poll || worker->request_pending || worker->stopping || full
        || skip_limit_reached(worker)) {
        return;
    }
    haft__timer_stop(worker->runtime->loop, &worker->poll);
    worker->needs_poll = worker->store_empty = false;
    haft__arena_reset(&worker->arena);
    worker->request_pending = true;
    worker->requested_ms = worker->runtime->monotonic_clock();
    worker->request = (haft__store_request){
        .verb = HAFT__STORE_CLAIM_NEXT,
        .run.owner = haft__str(worker->runtime->owner),
        .lease_ms = worker->runtime->leases.ms,
        .now_ms = worker->options.use_local_clock ? haft__runtime_now(worker->runtime) : 0,
        .quick = is_quick_claim(worker),
        .skip = worker->skip_list.texts,
        .skip_count = haft__skip_set_list(&worker->skips, loop_now(worker), &worker->skip_list),
        .arena = &worker->arena,
        .done = on_claimed,
        .context = worker};
    list_postponed(worker);
    worker->request.reclaim_own = worker->strays_since_ms != 0 && list_known_runs(worker);
    haft__store_submit(worker->runtime->store, &worker->request);
}

/* ---- releases ---- */

static void release_slot(haft__worker_slot *slot)
{
    haft_run_release(slot->run);
    haft__timer_stop(slot->worker->runtime->loop, &slot->delivery_timer);
    slot->run = NULL;
    slot->mailbox = HAFT__MAILBOX_UNKNOWN;
    slot->worker->busy--;
    slot->worker->needs_poll = true; /* a slot is free, and the next run of the thread may begin */
    slot->worker->store_empty = false;
}

static void on_mailbox_read(haft__store_request *request)
{
    haft__worker_slot *slot = request->context;
    bool none = request->status == HAFT_OK && request->message_count == 0;
    slot->mailbox = none ? HAFT__MAILBOX_EMPTY : HAFT__MAILBOX_PENDING;
}

static void query_mailbox(haft__worker_slot *slot)
{
    haft_runtime *runtime = slot->worker->runtime;
    slot->mailbox = HAFT__MAILBOX_QUERIED;
    haft__arena_reset(&slot->arena);
    slot->receive = (haft__store_request){.verb = HAFT__STORE_RECEIVE,
                                          .run.id = haft__str(slot->run->id),
                                          .arena = &slot->arena,
                                          .done = on_mailbox_read,
                                          .context = slot};
    haft__store_submit(runtime->store, &slot->receive);
}

static void on_mailbox_timer(void *context)
{
    haft__worker_slot *slot = context;
    slot->mailbox = HAFT__MAILBOX_UNKNOWN;
}

/* Waits until the messages are delivered, because the run may then continue. */
static void wait_for_delivery(haft__worker_slot *slot)
{
    haft__runtime_poll_messages(slot->worker->runtime);
    if (slot->delivery_timer.slot == 0
        && haft__timer_start(slot->worker->runtime->loop, &slot->delivery_timer, DELIVERY_POLL_MS,
                             on_mailbox_timer, slot, NULL)
               != HAFT_OK) {
        slot->mailbox = HAFT__MAILBOX_UNKNOWN;
    }
}

/* Releases a waiting run. If a deadline has passed by the store's clock but not by the local clock,
 * also skips the run for a while; otherwise the worker would claim it repeatedly. */
static void release_waiting(haft__worker_slot *slot)
{
    haft__worker *worker = slot->worker;
    const haft__run *state = &slot->run->state;
    if (haft__run_deadline(state) != 0 && state->seq == slot->seq) {
        (void)haft__skip_set_add(&worker->skips, slot->run->id, skip_start_ms(worker));
    } else {
        haft__skip_set_remove(&worker->skips, slot->run->id);
    }
    notify(worker, HAFT__WORKER_WAITING, slot->run, 0);
    release_slot(slot);
}

/* Releases a run that waits. If a running call has asked the question, the run is not released,
 * because only this process can deliver the answer to the call. */
static void check_waiting(haft__worker_slot *slot)
{
    const haft__worker_options *options = &slot->worker->options;
    if (options->answer_waiting != NULL && options->answer_waiting(options->context, slot->run)) {
        slot->mailbox = HAFT__MAILBOX_UNKNOWN;
        return;
    }
    if (slot->run->slots != NULL) {
        return;
    }
    switch (slot->mailbox) {
    case HAFT__MAILBOX_UNKNOWN: query_mailbox(slot); return;
    case HAFT__MAILBOX_QUERIED: return;
    case HAFT__MAILBOX_PENDING: wait_for_delivery(slot); return;
    case HAFT__MAILBOX_EMPTY: release_waiting(slot); return;
    }
    HAFT__UNREACHABLE();
}

static void check_stopped(haft__worker_slot *slot)
{
    haft__worker *worker = slot->worker;
    haft_status status = slot->run->error.status;
    bool lost = status == HAFT_BAD_STATE || status == HAFT_NOT_FOUND;
    uint64_t retry = haft__skip_set_add(&worker->skips, slot->run->id, skip_start_ms(worker));
    notify(worker, lost ? HAFT__WORKER_LEASE_LOST : HAFT__WORKER_SKIPPED, slot->run, retry);
    release_slot(slot);
}

/* Whether a stopping worker may release the run now. It does not wait for a call that has asked a
 * question, which may take days, or for failing writes, which the next owner checks. */
static bool may_release(const haft__worker_slot *slot, haft_state state)
{
    bool unknown = haft__log_is_failing(&slot->run->log) && slot->run->slots == NULL;
    if (state == HAFT_STOPPED) {
        return slot->run->error.status == HAFT_IO; /* check_stopped reports other errors */
    }
    return slot->worker->stops_immediately || haft__run_is_drained(slot->run)
           || state == HAFT_WAITING || unknown;
}

static void on_run_released(haft_run *run, bool available)
{
    haft__worker *worker = run->released_context;
    worker->releasing--;
    notify(worker, available ? HAFT__WORKER_RELEASED : HAFT__WORKER_RELEASE_UNCONFIRMED, run, 0);
}

/* Releases a run of a stopping worker. Reports the release when the store has confirmed it; with
 * options.once immediately, because the caller then reads the run. If the store has failed before,
 * shortens its timeout. */
static void release_stopping(haft__worker_slot *slot)
{
    if (haft__log_is_failing(&slot->run->log) || slot->run->error.status == HAFT_IO) {
        haft__store_set_timeout(slot->worker->runtime->store, HAFT__LIMIT_WORK_FAST_STOP_MS);
    }
    if (slot->worker->options.once) {
        notify(slot->worker, HAFT__WORKER_RELEASED, slot->run, 0);
    } else {
        slot->worker->releasing++;
        slot->run->on_released = on_run_released;
        slot->run->released_context = slot->worker;
    }
    release_slot(slot);
}

static void check_slot(haft__worker_slot *slot)
{
    haft__worker *worker = slot->worker;
    haft_state state = haft_run_state(slot->run);
    if (state == HAFT_ENDED) {
        haft__skip_set_remove(&worker->skips, slot->run->id);
        notify(worker, HAFT__WORKER_ENDED, slot->run, 0);
        release_slot(slot);
    } else if (worker->stopping && may_release(slot, state)) {
        release_stopping(slot);
    } else if (state == HAFT_STOPPED) {
        check_stopped(slot);
    } else if (state == HAFT_WAITING) {
        check_waiting(slot);
    } else if (slot->mailbox == HAFT__MAILBOX_EMPTY) {
        slot->mailbox = HAFT__MAILBOX_UNKNOWN; /* the run continues and may wait again later */
    }
}

/* ---- interface ---- */

bool haft__worker_has_room(const haft__worker *worker)
{
    return !worker->stopping && worker->busy < worker->options.concurrency;
}

bool haft__worker_adopt(haft__worker *worker, haft_run *run)
{
    if (!haft__worker_has_room(worker)) {
        return false;
    }
    haft__worker_slot *slot = free_slot(worker);
    slot->run = run;
    slot->mailbox = HAFT__MAILBOX_UNKNOWN;
    slot->seq = 0;
    worker->busy++;
    return true;
}

void haft__worker_retry(haft__worker *worker, const char *run)
{
    haft__skip_set_remove(&worker->skips, run);
    worker->needs_poll = true;
}

size_t haft__worker_run_count(const haft__worker *worker)
{
    return worker->busy;
}

haft_status haft__worker_step(haft__worker *worker, haft_error *err)
{
    claim_next(worker);
    haft_status status = haft_runtime_step(worker->runtime, -1, err);
    for (size_t i = 0; status == HAFT_OK && i < worker->options.concurrency; i++) {
        haft__worker_slot *slot = &worker->slots[i];
        if (slot->run != NULL && slot->mailbox != HAFT__MAILBOX_QUERIED) {
            check_slot(slot);
        }
    }
    haft__worker_update_suspect(worker);
    if (status == HAFT_OK && worker->store_error.status != HAFT_OK) {
        status = worker->store_error.status;
        if (err != NULL) {
            *err = worker->store_error;
        }
    }
    return status;
}

void haft__worker_stop(haft__worker *worker, bool immediately)
{
    worker->stopping = true;
    worker->stops_immediately = worker->stops_immediately || immediately;
    haft__timer_stop(worker->runtime->loop, &worker->poll);
    haft__store_set_timeout(worker->runtime->store, worker->stops_immediately
                                                        ? HAFT__LIMIT_WORK_FAST_STOP_MS
                                                        : HAFT__LIMIT_WORK_STOP_MS);
    for (size_t i = 0; i < worker->options.concurrency; i++) {
        if (worker->slots[i].run != NULL) {
            haft__run_drain(worker->slots[i].run);
        }
    }
}

bool haft__worker_is_stopped(const haft__worker *worker)
{
    return worker->stopping && !worker->request_pending && worker->busy == 0
           && worker->releasing == 0;
}

bool haft__worker_is_idle(const haft__worker *worker)
{
    bool nothing = (!worker->needs_poll && worker->store_empty) || skip_limit_reached(worker);
    return !worker->request_pending && nothing && worker->busy == 0;
}

void haft__worker_poll_now(haft__worker *worker)
{
    worker->needs_poll = true;
}

haft_run *haft__worker_only_run(const haft__worker *worker)
{
    if (worker->busy != 1 || worker->request_pending || worker->needs_poll
        || !worker->store_empty) {
        return NULL;
    }
    size_t at = 0;
    while (worker->slots[at].run == NULL) {
        at++;
    }
    return worker->slots[at].run;
}

bool haft__worker_store_unreachable(const haft__worker *worker)
{
    return !worker->request_pending && worker->failures >= HAFT__LIMIT_WORK_POLL_FAILURES
           && worker->busy == 0;
}

static haft_status check_options(const haft_runtime *runtime, const haft__worker_options *options,
                                 haft_error *err)
{
    if (options->concurrency == 0 || options->concurrency > HAFT__LIMIT_WORK_RUNS) {
        return haft__fail(err, HAFT_BAD_INPUT, "",
                          "expected a concurrency of 1 to %d runs, found %zu",
                          HAFT__LIMIT_WORK_RUNS, options->concurrency);
    }
    if (options->poll_ms == 0 || options->poll_ms > HAFT__LIMIT_WORK_POLL_MS) {
        return haft__fail(err, HAFT_BAD_INPUT, "",
                          "expected a poll interval of 1 to %d ms, found %llu",
                          HAFT__LIMIT_WORK_POLL_MS, (unsigned long long)options->poll_ms);
    }
    if (!runtime->shared) {
        haft_status status =
            haft__fail(err, HAFT_UNSUPPORTED, "", "other processes cannot use this store");
        return haft__hint(err, status,
                          "--store " HAFT__STORE_SHARED_URLS
                          " names a store that processes can share");
    }
    return HAFT_OK;
}

haft_status haft__worker_create(haft_runtime *runtime, const haft__worker_options *options,
                                haft__worker **ret_worker, haft_error *err)
{
    haft_status status = check_options(runtime, options, err);
    if (status != HAFT_OK) {
        return status;
    }
    haft__worker *worker = calloc(1, sizeof(*worker));
    haft__worker_slot *slots = calloc(options->concurrency, sizeof(*slots));
    if (worker == NULL || slots == NULL) {
        free(worker);
        free(slots);
        return haft__fail_no_memory(err);
    }
    worker->runtime = runtime;
    runtime->children.disabled = true; /* workers claim every free run */
    worker->options = *options;
    worker->poll_ms = options->poll_ms;
    worker->needs_poll = true;
    worker->slots = slots;
    haft__arena_init(&worker->arena, HAFT__LIMIT_RUN_BYTES);
    for (size_t i = 0; i < options->concurrency; i++) {
        slots[i].worker = worker;
        haft__arena_init(&slots[i].arena, HAFT__LIMIT_RUN_BYTES);
    }
    if (!haft__random_bytes(&worker->random, sizeof(worker->random))) {
        worker->random = haft__runtime_now(runtime);
    }
    *ret_worker = worker;
    return HAFT_OK;
}

/* Whether store requests are pending. */
static bool has_open_requests(const haft__worker *worker)
{
    bool open = worker->request_pending || worker->releasing > 0;
    for (size_t i = 0; i < worker->options.concurrency; i++) {
        open = open || worker->slots[i].mailbox == HAFT__MAILBOX_QUERIED;
    }
    return open;
}

void haft__worker_destroy(haft__worker *worker)
{
    if (worker == NULL) {
        return;
    }
    haft__worker_stop(worker, true);
    while (has_open_requests(worker) && haft_runtime_step(worker->runtime, -1, NULL) == HAFT_OK) {
    }
    for (size_t i = 0; i < worker->options.concurrency; i++) {
        if (worker->slots[i].run != NULL) {
            release_slot(&worker->slots[i]);
        }
        haft__arena_finish(&worker->slots[i].arena);
    }
    haft__arena_finish(&worker->arena);
    free(worker->slots);
    free(worker);
}
