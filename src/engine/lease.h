/* SPDX-License-Identifier: Apache-2.0 */
/*
 * engine/lease.h - the leases of this process: how long it owns each of its runs.
 *
 * The store records the end of a lease in wall-clock time. This process measures the lease with the
 * monotonic clock, from the moment before it sent the request, so that it always stops before
 * another process may claim the run.
 */
#ifndef HAFT_ENGINE_LEASE_H
#define HAFT_ENGINE_LEASE_H

#include "base/arena.h"
#include "io/loop.h"
#include "store/store.h"

typedef enum haft__lease_state {
    HAFT__LEASE_NONE,        /* this process does not own the run */
    HAFT__LEASE_HELD,        /* this process owns the run */
    HAFT__LEASE_UNCONFIRMED, /* a renewal covered too few runs: the owner of this run is unknown
                              * until the store is queried */
    HAFT__LEASE_RELEASING,   /* the store is releasing the lease; HELD again if the release fails */
} haft__lease_state;

/* The lease of one run. */
typedef struct haft__lease {
    haft__lease_state state;
    uint64_t epoch;        /* fencing token of the store; 0 in state NONE */
    uint64_t requested_ms; /* monotonic time of the request that set the lease; 0: never set */
} haft__lease;

typedef enum haft__renewal_state {
    HAFT__RENEWAL_IDLE,           /* waiting for the timer, or this process has no run */
    HAFT__RENEWAL_RENEWING,       /* the store renews all leases of this process */
    HAFT__RENEWAL_READING_OWNERS, /* UNCONFIRMED runs are read, one after the other */
} haft__renewal_state;

/* All leases of a runtime: one request renews them together. */
typedef struct haft__leases {
    haft__renewal_state state;
    uint64_t ms;              /* duration of a lease */
    haft__timer renew, watch; /* the next renewal; the end of the lease that expires first */
    uint64_t watch_until_ms;  /* monotonic time of that end, or earlier */
    haft__store_request request;
    uint64_t requested_ms; /* monotonic time before the last renewal was sent */
    uint64_t expected;     /* minimum number of runs that the last renewal must cover */
    uint32_t failures;     /* consecutive failures of renewals */
    uint64_t until_ms;     /* end of the renewed leases by the store's clock; 0: not reported */
    bool skipped_locked;   /* the last renewal skipped a run whose row was locked */
    int64_t offset_ms;     /* wall clock minus loop clock at the last comparison */
    haft__arena arena;     /* results of `request` */
} haft__leases;

/* Sets the duration of leases; 0: the default. BAD_INPUT if it is out of range. */
HAFT_MUST_USE haft_status haft__lease_init(haft_runtime *runtime, uint64_t ms, haft_error *err);
void haft__lease_finish(haft_runtime *runtime);

/* Starts the renewal timer. To be called when a run has been added to the runtime. */
void haft__lease_watch(haft_runtime *runtime);

/* BAD_STATE if a lease that was requested at `requested_ms` (monotonic) expired before the reply
 * arrived. */
HAFT_MUST_USE haft_status haft__lease_check_delay(const haft_runtime *runtime,
                                                  uint64_t requested_ms, haft_error *err);

/* The store has made this process the owner of the run. */
void haft__lease_acquire(haft__lease *lease, uint64_t epoch);

/* This process no longer owns the run. */
void haft__lease_drop(haft__lease *lease);

/* The store has set or extended the lease; the request was sent at `requested_ms` (monotonic). */
void haft__lease_extend(haft_run *run, uint64_t requested_ms);

/* Fails with BAD_STATE if the lease has expired: another process may own the run, so this process
 * must not start operations or record results. Fails with IO if the lease expired because the store
 * failed. */
HAFT_MUST_USE haft_status haft__lease_check(const haft_run *run, haft_error *err);

/* If the lease has expired, fails the run. Returns whether the run is ACTIVE afterwards. */
bool haft__lease_enforce(haft_run *run);

/* Releases the lease of a run that stopped here, so that another process can claim the run
 * immediately. The run is FAILED from then on. If the caller has released the handle, the run is
 * destroyed after the reply of the store; otherwise a failed release is repeated after the next
 * renewal. Returns false if this process does not own the run, or a store request of the run is
 * pending. */
bool haft__lease_release(haft_run *run);

/* Renews immediately if the wall clock was set forward, because other processes compare the end of
 * a lease with the wall clock. */
void haft__lease_check_clock(haft_runtime *runtime);

#endif
