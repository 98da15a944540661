/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lease.c - how long the runs of this process are its own, by its own clock.
 *
 * The store says until when by the clock on the wall; here the steady clock counts, from the moment
 * before the store was asked, and a tenth is left over: whoever cannot reach the store, or was
 * stopped and wakes up, stops before another can have taken its runs. What keeps two from writing
 * the same run is the epoch and not this; this keeps them from doing the same things.
 * Tests: tests/engine/lease_test.c, tests/cli/lease_test.py.
 */
#include "base/error.h"
#include "base/limits.h"
#include "base/str.h"
#include "engine/runtime.h"

/* The part of a lease that is not used, and how often it is renewed. */
#define MARGIN   10U
#define RENEWALS 3U
/* What the two clocks may be apart without anybody having set one. */
#define DRIFT_MS 1000

/* ---- one lease ---- */

/* It is nobody's any more, and the store knows. */
static bool is_ended(const haft_run *run)
{
    return run->state.stage == HAFT__RUN_ENDED && run->durable_seq == run->state.seq;
}

/* When it must have been renewed, on the steady clock. */
static uint64_t lease_end(const haft_run *run)
{
    uint64_t ms = run->runtime->leases.ms;
    bool leased = run->runtime->shared && run->leased_ms > 0 && !is_ended(run);
    return leased ? run->leased_ms + ms - ms / MARGIN : UINT64_MAX;
}

haft_status haft__lease_check_delay(const haft_runtime *runtime, uint64_t requested_ms,
                                    haft_error *err)
{
    uint64_t ms = runtime->leases.ms, taken = runtime->steady() - requested_ms;
    if (taken < ms - ms / MARGIN) {
        return HAFT_OK;
    }
    haft_status status = haft__fail(err, HAFT_BAD_STATE, "",
                                    "the store took %llu ms to give a run whose lease is %llu ms; "
                                    "it is given back",
                                    (unsigned long long)taken, (unsigned long long)ms);
    return haft__hint(err, status,
                      "this process was stopped, or the store is slow: a longer HAFT_LEASE");
}

static haft_status fail_expired(const haft_run *run, haft_error *err)
{
    const haft_runtime *runtime = run->runtime;
    unsigned long long ms = runtime->steady() - run->leased_ms;
    if (run->store_error.status != HAFT_OK) {
        haft_status status = haft__fail(err, HAFT_IO, run->store_error.where,
                                        "%s; it was tried for %llu ms, and the run is left as it "
                                        "was before",
                                        run->store_error.message, ms);
        return haft__hint(err, status, "`haft resume %s` goes on once the store can be written to",
                          run->id);
    }
    haft_status status = haft__fail(
        err, HAFT_BAD_STATE, "",
        "the lease of the run is over: nothing was heard of this process for %llu ms", ms);
    return haft__hint(err, status,
                      "it was stopped, or too busy; `haft resume %s` goes on unless another does",
                      run->id);
}

haft_status haft__lease_check(const haft_run *run, haft_error *err)
{
    return run->runtime->steady() < lease_end(run) ? HAFT_OK : fail_expired(run, err);
}

bool haft__lease_holds(haft_run *run)
{
    haft_error err = {0};
    if (run->stage == HAFT__HANDLE_ACTIVE && haft__lease_check(run, &err) != HAFT_OK) {
        haft__run_fail(run, &err);
    }
    return run->stage == HAFT__HANDLE_ACTIVE;
}

/* ---- watching them ---- */

static void watch(haft_runtime *runtime, uint64_t end);

/* Stops those whose lease is over, and watches the others. */
static void stop_expired(void *context)
{
    haft_runtime *runtime = context;
    uint64_t first = UINT64_MAX;
    haft_run *run = runtime->runs;
    while (run != NULL) {
        bool on = run->stage == HAFT__HANDLE_ACTIVE;
        if (on && !haft__lease_holds(run)) {
            run = runtime->runs; /* one that stops may take others with it */
            first = UINT64_MAX;
            continue;
        }
        first = on && lease_end(run) < first ? lease_end(run) : first;
        run = run->next;
    }
    haft__timer_stop(runtime->loop, &runtime->leases.watch);
    if (first < UINT64_MAX) {
        watch(runtime, first);
    }
}

/* Looks at all of them when the first may be over: earlier than needed, if it was renewed. */
static void watch(haft_runtime *runtime, uint64_t end)
{
    haft__leases *leases = &runtime->leases;
    uint64_t now = runtime->steady();
    if (leases->watch.slot == 0 || end < leases->watch_until_ms) {
        leases->watch_until_ms = end;
        /* Without memory for a timer it is only seen when something else happens to the run. */
        (void)!haft__timer_start(runtime->loop, &leases->watch, end > now ? end - now : 0,
                                 stop_expired, runtime, NULL);
    }
}

void haft__lease_set(haft_run *run, uint64_t requested_ms)
{
    run->leased_ms = requested_ms > run->leased_ms ? requested_ms : run->leased_ms;
    if (run->runtime->shared) {
        watch(run->runtime, lease_end(run));
    }
}

/* ---- giving one back ---- */

static void on_released(haft__store_request *request)
{
    haft_run *run = request->context;
    run->loading = false;
    if (request->status == HAFT_OK) {
        run->epoch = 0; /* else it is tried again when the next renewal has been a success */
    }
    haft__run_notify_released(run);
    if (run->released && (run->epoch == 0 || run->runtime->closing)) {
        haft__run_destroy(run);
    }
}

bool haft__lease_release(haft_run *run)
{
    bool ours = run->epoch > 0 && !run->read_only && !is_ended(run);
    if (!ours || run->loading || run->appending) {
        return false;
    }
    run->stage = HAFT__HANDLE_FAILED; /* nothing else happens to it */
    haft__store_request request = {
        .verb = HAFT__STORE_RELEASE, .run.id = haft__str(run->id), .run.epoch = run->epoch};
    haft__run_query_start(run, request, NULL, on_released);
    return true;
}

/* ---- which runs another has ---- */

static void check_unknown_owners(haft_runtime *runtime);
static void set_renewal(haft_runtime *runtime, uint64_t ms);

/* When to try again: soon at first, for there is little time. */
static uint64_t retry_delay(const haft__leases *leases)
{
    uint64_t ms = haft__run_backoff_ms(leases->failures), most = leases->ms / RENEWALS;
    return ms < most ? ms : most;
}

/* Whether the store should have it as this process's. */
static bool is_owned(const haft_run *run)
{
    bool here = run->stage == HAFT__HANDLE_ACTIVE || run->stage == HAFT__HANDLE_OPENING;
    return here && run->epoch > 0 && !run->read_only && !run->released
           && run->state.stage != HAFT__RUN_ENDED;
}

/* Whether the store counts it when the leases are renewed, behind all that it was asked for before:
 * also one that stopped here and was not given back. Else that would stand for one that is lost. */
static bool is_counted(const haft_run *run)
{
    bool creating = !run->created && run->appending;
    bool ending = run->state.stage == HAFT__RUN_ENDED
                  && (is_ended(run) || (run->appending && run->writing_seq == run->state.seq));
    bool dropping = run->stage == HAFT__HANDLE_FAILED && run->loading;
    return (run->epoch > 0 || creating) && !run->read_only && !ending && !dropping;
}

static haft_run *find_unknown_owner(const haft_runtime *runtime)
{
    haft_run *run = runtime->runs;
    while (run != NULL && !(run->owner_unknown && is_owned(run))) {
        run = run->next;
    }
    return run;
}

static void fail_owner_changed(haft_run *run)
{
    haft_error err = {0};
    haft_status status = haft__fail(&err, HAFT_BAD_STATE, "",
                                    "another process has taken the run: nothing was heard of this "
                                    "one for too long");
    (void)haft__hint(&err, status, "`haft runs show %s` says how it goes on there", run->id);
    run->epoch = 0; /* it is not ours to give back */
    haft__run_fail(run, &err);
}

/* What the store says of the one that was asked about, unless that is gone. */
static void check_owner(haft_run *run, const haft__store_request *request)
{
    haft_runtime *runtime = run->runtime;
    const haft__store_run *row = request->status == HAFT_OK ? &request->found[0] : NULL;
    run->owner_unknown = false;
    if (row != NULL && row->epoch == run->epoch
        && haft__str_equal(row->owner, haft__str(runtime->owner))) {
        if (row->lease_ms >= runtime->leases.until_ms) {
            haft__lease_set(run, runtime->leases.requested_ms);
        } else {
            runtime->leases.skipped_locked = true; /* somebody has it locked */
        }
    } else if (run->stage == HAFT__HANDLE_ACTIVE && !run->appending) {
        fail_owner_changed(run); /* else the answer to what it has asked for says so */
    }
}

static void on_owner_read(haft__store_request *request)
{
    haft_runtime *runtime = request->context;
    haft__leases *leases = &runtime->leases;
    leases->request_pending = false;
    if (request->status != HAFT_OK && request->status != HAFT_NOT_FOUND) {
        set_renewal(runtime, HAFT__LIMIT_RUN_RETRY_MS); /* which finds out again */
        return;
    }
    haft_run *run = find_unknown_owner(runtime);
    if (run != NULL && haft__str_equal(request->name, haft__str(run->id))) {
        check_owner(run, request);
    }
    check_unknown_owners(runtime);
}

/* One after the other; then the next renewal is due. */
static void check_unknown_owners(haft_runtime *runtime)
{
    haft__leases *leases = &runtime->leases;
    const haft_run *run = find_unknown_owner(runtime);
    haft__arena_reset(&leases->arena);
    haft_str id =
        run != NULL ? haft__arena_copy(&leases->arena, haft__str(run->id)) : (haft_str){0};
    if (id.ptr == NULL) {
        leases->failures = leases->skipped_locked ? leases->failures + 1 : 0;
        set_renewal(runtime, leases->skipped_locked ? retry_delay(leases) : leases->ms / RENEWALS);
        return;
    }
    leases->request_pending = true;
    leases->request = (haft__store_request){.verb = HAFT__STORE_FIND,
                                            .name = id,
                                            .arena = &leases->arena,
                                            .done = on_owner_read,
                                            .context = runtime};
    haft__store_submit(runtime->store, &leases->request);
}

/* ---- renewing ---- */

/* Fewer than there are: some are another's by now. */
static void mark_owners_unknown(haft_runtime *runtime)
{
    for (haft_run *run = runtime->runs; run != NULL; run = run->next) {
        run->owner_unknown = is_owned(run) && run->leased_ms <= runtime->leases.requested_ms;
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
            haft__lease_set(run, runtime->leases.requested_ms);
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
    leases->request_pending = false;
    if (request->status != HAFT_OK) {
        leases->failures++;
        set_renewal(runtime, retry_delay(leases));
        return;
    }
    leases->until_ms = request->run.lease_ms;
    leases->skipped_locked = false;
    haft__runtime_set_low_space(runtime, request->low);
    if (request->count < leases->expected) {
        mark_owners_unknown(runtime);
    } else {
        leases->failures = 0;
        renew_all(runtime);
    }
}

static void renew(void *context)
{
    haft_runtime *runtime = context;
    haft__leases *leases = &runtime->leases;
    stop_expired(runtime); /* what is over is not renewed */
    if (runtime->runs == NULL || leases->request_pending) {
        return; /* the next run sets the timer again; the answer does */
    }
    leases->expected = 0;
    for (const haft_run *run = runtime->runs; run != NULL; run = run->next) {
        leases->expected += is_counted(run);
    }
    leases->request_pending = true;
    leases->requested_ms = runtime->steady();
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
    /* Without memory for a timer the lease runs out, and the runs stop. */
    (void)!haft__timer_start(runtime->loop, &runtime->leases.renew, ms, renew, runtime, NULL);
}

/* ---- from outside ---- */

void haft__lease_watch(haft_runtime *runtime)
{
    haft__leases *leases = &runtime->leases;
    if (runtime->shared && !leases->request_pending && leases->renew.slot == 0) {
        set_renewal(runtime, leases->ms / RENEWALS);
    }
}

/* Of the clock on the wall from the one that timers go by, which stands still while the machine
 * sleeps: waking up is like having the clock set. */
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
    if (leases->watch.slot != 0 && runtime->steady() >= leases->watch_until_ms) {
        stop_expired(runtime); /* timers stand still while the machine sleeps */
    }
}

haft_status haft__lease_init(haft_runtime *runtime, uint64_t ms, haft_error *err)
{
    if (ms != 0 && (ms < HAFT__LIMIT_RUN_LEASE_LEAST_MS || ms > HAFT__LIMIT_RUN_LEASE_MOST_MS)) {
        return haft__fail(
            err, HAFT_BAD_INPUT, "lease", "expected %d to %d milliseconds, found %llu",
            HAFT__LIMIT_RUN_LEASE_LEAST_MS, HAFT__LIMIT_RUN_LEASE_MOST_MS, (unsigned long long)ms);
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
