/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lease.c - renews, watches and releases the leases of this process.
 *
 * For this process, a lease ends one tenth earlier than in the store. If the process cannot reach
 * the store, or wakes up after it was suspended, it therefore stops its runs before another process
 * can claim them. The epoch prevents two processes from writing the same run; the lease prevents
 * them from performing the same actions. Tests: tests/engine/lease_test.c, tests/cli/lease_test.py.
 */
#include "engine/lease.h"

#include <assert.h>

#include "base/error.h"
#include "base/limits.h"
#include "base/str.h"
#include "engine/run.h"
#include "engine/runtime.h"
#include "engine/telemetry/telemetry.h"

/* This process uses a lease except for 1/MARGIN of its duration, and renews it RENEWALS times
 * before it ends. */
#define MARGIN   10U
#define RENEWALS 3U
/* If wall clock and loop clock differ by more than this, somebody has set the wall clock. */
#define DRIFT_MS 1000

/* ---- one lease ---- */

static bool may_follow(haft__lease_state state, haft__lease_state next)
{
    switch (state) {
    case HAFT__LEASE_NONE: return next == HAFT__LEASE_HELD;
    case HAFT__LEASE_HELD: return true;
    case HAFT__LEASE_UNCONFIRMED: return true;
    case HAFT__LEASE_RELEASING: return next == HAFT__LEASE_NONE || next == HAFT__LEASE_HELD;
    }
    HAFT__UNREACHABLE();
}

static void set_state(haft__lease *lease, haft__lease_state next)
{
    assert(next == lease->state || may_follow(lease->state, next));
    lease->state = next;
}

void haft__lease_acquire(haft__lease *lease, uint64_t epoch)
{
    assert(epoch > 0);
    set_state(lease, HAFT__LEASE_HELD);
    lease->epoch = epoch;
}

void haft__lease_drop(haft__lease *lease)
{
    set_state(lease, HAFT__LEASE_NONE);
    lease->epoch = 0;
}

/* Whether the run has ended in the store, which also ends the lease. */
static bool is_ended(const haft_run *run)
{
    return run->state.stage == HAFT__RUN_ENDED && run->log.durable_seq == run->state.seq;
}

/* The monotonic time when the lease expires for this process. */
static uint64_t lease_end(const haft_run *run)
{
    uint64_t ms = run->runtime->leases.ms;
    bool expires = run->runtime->shared && run->lease.requested_ms > 0 && !is_ended(run);
    return expires ? run->lease.requested_ms + ms - ms / MARGIN : UINT64_MAX;
}

haft_status haft__lease_check_delay(const haft_runtime *runtime, uint64_t requested_ms,
                                    haft_error *err)
{
    uint64_t ms = runtime->leases.ms, elapsed = runtime->monotonic_clock() - requested_ms;
    if (elapsed < ms - ms / MARGIN) {
        return HAFT_OK;
    }
    haft_status status = haft__fail(
        err, HAFT_BAD_STATE, "",
        "the store took %llu ms to claim a run with a lease of %llu ms; the run is released",
        (unsigned long long)elapsed, (unsigned long long)ms);
    return haft__hint(err, status,
                      "this process was stopped, or the store is slow; set a longer HAFT_LEASE");
}

static haft_status fail_expired(const haft_run *run, haft_error *err)
{
    const haft_runtime *runtime = run->runtime;
    unsigned long long ms = runtime->monotonic_clock() - run->lease.requested_ms;
    if (haft__log_is_failing(&run->log)) {
        haft_status status =
            haft__fail(err, HAFT_IO, run->log.error.where,
                       "%s; after %llu ms of retries, the run stays at its last stored event",
                       run->log.error.message, ms);
        return haft__hint(err, status, "`haft resume %s` continues once the store is writable",
                          run->id);
    }
    haft_status status = haft__fail(
        err, HAFT_BAD_STATE, "",
        "the lease of the run has expired: this process did not renew it for %llu ms", ms);
    return haft__hint(
        err, status,
        "this process was suspended or too busy; `haft resume %s` continues the run unless another "
        "process owns it",
        run->id);
}

haft_status haft__lease_check(const haft_run *run, haft_error *err)
{
    return run->runtime->monotonic_clock() < lease_end(run) ? HAFT_OK : fail_expired(run, err);
}

bool haft__lease_enforce(haft_run *run)
{
    haft_error err = {0};
    if (run->stage == HAFT__HANDLE_ACTIVE && haft__lease_check(run, &err) != HAFT_OK) {
        haft__run_fail(run, &err);
    }
    return run->stage == HAFT__HANDLE_ACTIVE;
}

/* ---- expiry ---- */

static void watch(haft_runtime *runtime, uint64_t end);

/* Fails the runs whose lease has expired, and watches the others. */
static void stop_expired(void *context)
{
    haft_runtime *runtime = context;
    uint64_t first = UINT64_MAX;
    haft_run *run = runtime->runs;
    while (run != NULL) {
        bool active = run->stage == HAFT__HANDLE_ACTIVE;
        if (active && !haft__lease_enforce(run)) {
            run = runtime->runs; /* failing one run may have removed others from the list */
            first = UINT64_MAX;
            continue;
        }
        first = active && lease_end(run) < first ? lease_end(run) : first;
        run = run->next;
    }
    haft__timer_stop(runtime->loop, &runtime->leases.watch);
    if (first < UINT64_MAX) {
        watch(runtime, first);
    }
}

/* Starts the timer for the lease that expires first. A renewal does not change the timer, so it may
 * fire early and is then restarted. */
static void watch(haft_runtime *runtime, uint64_t end)
{
    haft__leases *leases = &runtime->leases;
    uint64_t now = runtime->monotonic_clock();
    if (leases->watch.slot == 0 || end < leases->watch_until_ms) {
        leases->watch_until_ms = end;
        /* If out of memory, the next operation of the run detects the expiry. */
        (void)!haft__timer_start(runtime->loop, &leases->watch, end > now ? end - now : 0,
                                 stop_expired, runtime, NULL);
    }
}

void haft__lease_extend(haft_run *run, uint64_t requested_ms)
{
    run->lease.requested_ms =
        requested_ms > run->lease.requested_ms ? requested_ms : run->lease.requested_ms;
    if (run->runtime->shared) {
        watch(run->runtime, lease_end(run));
    }
}

/* ---- release ---- */

static void on_released(haft__store_request *request)
{
    haft_run *run = request->context;
    run->query.pending = false;
    if (request->status == HAFT_OK) {
        haft__lease_drop(&run->lease);
    } else {
        set_state(&run->lease,
                  HAFT__LEASE_HELD); /* the release is repeated after the next renewal */
    }
    haft__run_notify_released(run);
    if (run->released && (run->lease.state == HAFT__LEASE_NONE || run->runtime->closing)) {
        haft__run_destroy(run);
    }
}

bool haft__lease_release(haft_run *run)
{
    bool owned = run->lease.state != HAFT__LEASE_NONE && !is_ended(run);
    if (!owned || run->query.pending || haft__log_is_busy(&run->log)) {
        return false;
    }
    run->stage = HAFT__HANDLE_FAILED; /* no other operation may use the run */
    set_state(&run->lease, HAFT__LEASE_RELEASING);
    haft__store_request request = {
        .verb = HAFT__STORE_RELEASE, .run.id = haft__str(run->id), .run.epoch = run->lease.epoch};
    haft__run_query_start(run, request, NULL, on_released);
    return true;
}

/* ---- runs whose owner is unknown ---- */

static void check_unknown_owners(haft_runtime *runtime);
static void set_renewal(haft_runtime *runtime, uint64_t ms);

/* Exponential backoff, but never longer than the time between renewals. */
static uint64_t retry_delay(const haft__leases *leases)
{
    uint64_t ms = haft__run_backoff_ms(leases->failures), max_ms = leases->ms / RENEWALS;
    return ms < max_ms ? ms : max_ms;
}

/* Whether this process still needs the lease: it has the run open and is the owner in the store, as
 * far as it knows. */
static bool is_owned(const haft_run *run)
{
    bool open = run->stage == HAFT__HANDLE_ACTIVE || run->stage == HAFT__HANDLE_OPENING;
    return open && run->lease.state != HAFT__LEASE_NONE && !run->released
           && run->state.stage != HAFT__RUN_ENDED;
}

/* Whether the store will renew the lease of the run if a renewal is sent now, after all earlier
 * requests. This includes a run that has failed but is not yet released. Otherwise the expected
 * number of renewals would be too low, and the process would not detect that another process has
 * claimed a run. */
static bool is_counted(const haft_run *run)
{
    const haft__log *log = &run->log;
    bool owned = run->lease.state != HAFT__LEASE_NONE || log->state == HAFT__LOG_CREATING;
    bool ending =
        run->state.stage == HAFT__RUN_ENDED
        && (is_ended(run) || (haft__log_is_busy(log) && log->writing_seq == run->state.seq));
    bool releasing = run->stage == HAFT__HANDLE_FAILED && run->query.pending;
    return owned && !ending && !releasing;
}

static haft_run *find_unconfirmed(const haft_runtime *runtime)
{
    haft_run *run = runtime->runs;
    while (run != NULL && !(run->lease.state == HAFT__LEASE_UNCONFIRMED && is_owned(run))) {
        run = run->next;
    }
    return run;
}

static void fail_owner_changed(haft_run *run)
{
    haft_error err = {0};
    haft_status status = haft__fail(
        &err, HAFT_BAD_STATE, "",
        "another process claimed the run, because this process did not renew its lease in time");
    (void)haft__hint(&err, status, "`haft runs show %s` shows its state", run->id);
    haft__lease_drop(&run->lease);
    haft__telemetry_lease_lost(run->runtime);
    haft__run_fail(run, &err);
}

/* Handles the reply of the store with the owner of an UNCONFIRMED run. */
static void check_owner(haft_run *run, const haft__store_request *request)
{
    haft_runtime *runtime = run->runtime;
    const haft__store_run *row = request->status == HAFT_OK ? &request->found[0] : NULL;
    set_state(&run->lease, HAFT__LEASE_HELD);
    if (row != NULL && row->epoch == run->lease.epoch
        && haft__str_equal(row->owner, haft__str(runtime->owner))) {
        if (row->lease_ms >= runtime->leases.until_ms) {
            haft__lease_extend(run, runtime->leases.requested_ms);
        } else {
            runtime->leases.skipped_locked = true;
        }
    } else if (run->stage == HAFT__HANDLE_ACTIVE && !haft__log_is_busy(&run->log)) {
        fail_owner_changed(run); /* if a write is pending, its reply reports the new owner */
    }
}

static void on_owner_read(haft__store_request *request)
{
    haft_runtime *runtime = request->context;
    haft__leases *leases = &runtime->leases;
    leases->state = HAFT__RENEWAL_IDLE;
    if (request->status != HAFT_OK && request->status != HAFT_NOT_FOUND) {
        /* If the next renewal again covers too few runs, the owners are read again. */
        set_renewal(runtime, HAFT__LIMIT_RUN_RETRY_MS);
        return;
    }
    haft_run *run = find_unconfirmed(runtime);
    if (run != NULL && haft__str_equal(request->name, haft__str(run->id))) {
        check_owner(run, request);
    }
    check_unknown_owners(runtime);
}

/* Reads the owner of one unconfirmed run. If no run is unconfirmed, schedules the next renewal. */
static void check_unknown_owners(haft_runtime *runtime)
{
    haft__leases *leases = &runtime->leases;
    const haft_run *run = find_unconfirmed(runtime);
    haft__arena_reset(&leases->arena);
    haft_str id =
        run != NULL ? haft__arena_copy(&leases->arena, haft__str(run->id)) : (haft_str){0};
    if (id.ptr == NULL) {
        leases->failures = leases->skipped_locked ? leases->failures + 1 : 0;
        set_renewal(runtime, leases->skipped_locked ? retry_delay(leases) : leases->ms / RENEWALS);
        return;
    }
    leases->state = HAFT__RENEWAL_READING_OWNERS;
    leases->request = (haft__store_request){.verb = HAFT__STORE_FIND,
                                            .name = id,
                                            .arena = &leases->arena,
                                            .done = on_owner_read,
                                            .context = runtime};
    haft__store_submit(runtime->store, &leases->request);
}

/* ---- renewal ---- */

/* The renewal covered too few runs, because another process has claimed some of them. */
static void mark_unconfirmed(haft_runtime *runtime)
{
    for (haft_run *run = runtime->runs; run != NULL; run = run->next) {
        haft__lease *lease = &run->lease;
        bool renewed =
            lease->requested_ms > runtime->leases.requested_ms; /* renewed by a later request */
        if (is_owned(run)) {
            set_state(lease, renewed ? HAFT__LEASE_HELD : HAFT__LEASE_UNCONFIRMED);
        }
        if (run->stage == HAFT__HANDLE_FAILED) {
            (void)haft__lease_release(run);
        }
    }
    check_unknown_owners(runtime);
}

static void renew_all(haft_runtime *runtime)
{
    for (haft_run *run = runtime->runs; run != NULL; run = run->next) {
        if (is_owned(run)) {
            haft__lease_extend(run, runtime->leases.requested_ms);
        } else if (run->stage == HAFT__HANDLE_FAILED) {
            (void)haft__lease_release(run);
        }
    }
    set_renewal(runtime, runtime->leases.ms / RENEWALS);
}

static void on_renewed(haft__store_request *request)
{
    haft_runtime *runtime = request->context;
    haft__leases *leases = &runtime->leases;
    leases->state = HAFT__RENEWAL_IDLE;
    if (request->status != HAFT_OK) {
        leases->failures++;
        set_renewal(runtime, retry_delay(leases));
        return;
    }
    leases->until_ms = request->run.lease_ms;
    leases->skipped_locked = false;
    haft__runtime_set_low_space(runtime, request->low);
    if (request->count < leases->expected) {
        mark_unconfirmed(runtime);
    } else {
        leases->failures = 0;
        renew_all(runtime);
    }
}

static void renew(void *context)
{
    haft_runtime *runtime = context;
    haft__leases *leases = &runtime->leases;
    stop_expired(runtime); /* an expired lease must not be renewed */
    if (runtime->runs == NULL || leases->state != HAFT__RENEWAL_IDLE) {
        return; /* the next run, or the pending reply, starts the timer again */
    }
    leases->expected = 0;
    for (const haft_run *run = runtime->runs; run != NULL; run = run->next) {
        leases->expected += is_counted(run);
    }
    leases->state = HAFT__RENEWAL_RENEWING;
    leases->requested_ms = runtime->monotonic_clock();
    leases->request = (haft__store_request){.verb = HAFT__STORE_RENEW,
                                            .run.owner = haft__str(runtime->owner),
                                            .lease_ms = leases->ms,
                                            .now_ms = haft__runtime_now(runtime),
                                            .done = on_renewed,
                                            .context = runtime};
    haft__store_submit(runtime->store, &leases->request);
}

static void set_renewal(haft_runtime *runtime, uint64_t ms)
{
    /* If out of memory, the leases expire and the runs stop. */
    (void)!haft__timer_start(runtime->loop, &runtime->leases.renew, ms, renew, runtime, NULL);
}

/* ---- interface ---- */

void haft__lease_watch(haft_runtime *runtime)
{
    haft__leases *leases = &runtime->leases;
    if (runtime->shared && leases->state == HAFT__RENEWAL_IDLE && leases->renew.slot == 0) {
        set_renewal(runtime, leases->ms / RENEWALS);
    }
}

/* Wall clock minus loop clock. The loop clock stops while the machine sleeps, so sleep increases
 * the difference in the same way as setting the wall clock forward. */
static int64_t clock_offset(const haft_runtime *runtime)
{
    return (int64_t)haft__runtime_now(runtime) - (int64_t)haft__loop_now(runtime->loop);
}

void haft__lease_check_clock(haft_runtime *runtime)
{
    haft__leases *leases = &runtime->leases;
    int64_t offset = clock_offset(runtime), change = offset - leases->offset_ms;
    leases->offset_ms = offset;
    if (change > DRIFT_MS && leases->renew.slot != 0) {
        set_renewal(runtime, 0);
    }
    if (change > DRIFT_MS || change < -DRIFT_MS) {
        haft__runtime_reset_deadlines(runtime);
    }
    if (leases->watch.slot != 0 && runtime->monotonic_clock() >= leases->watch_until_ms) {
        stop_expired(runtime); /* its timer did not run while the machine slept */
    }
}

haft_status haft__lease_init(haft_runtime *runtime, uint64_t ms, haft_error *err)
{
    if (ms != 0 && (ms < HAFT__LIMIT_RUN_LEASE_MIN_MS || ms > HAFT__LIMIT_RUN_LEASE_MAX_MS)) {
        return haft__fail(
            err, HAFT_BAD_INPUT, "lease", "expected %d to %d milliseconds, found %llu",
            HAFT__LIMIT_RUN_LEASE_MIN_MS, HAFT__LIMIT_RUN_LEASE_MAX_MS, (unsigned long long)ms);
    }
    runtime->leases.ms = ms != 0 ? ms : HAFT__LIMIT_RUN_LEASE_MS;
    runtime->leases.offset_ms = clock_offset(runtime);
    haft__arena_init(&runtime->leases.arena, HAFT__LIMIT_RUN_BYTES);
    return HAFT_OK;
}

void haft__lease_finish(haft_runtime *runtime)
{
    if (runtime->loop != NULL) {
        haft__timer_stop(runtime->loop, &runtime->leases.renew);
        haft__timer_stop(runtime->loop, &runtime->leases.watch);
    }
    haft__arena_finish(&runtime->leases.arena);
}
