/* SPDX-License-Identifier: Apache-2.0 */
/*
 * engine/worker/worker.h - a worker: claims runs of the store that have no owner and continues
 * them.
 *
 * A worker claims runs up to its concurrency and releases runs that wait for people. If the store
 * has no run to claim, the worker polls again later. A run that cannot continue is also released.
 * This worker skips the run for a time that grows with each attempt; other workers may claim it
 * immediately. docs/scaling.md describes how workers cooperate.
 */
#ifndef HAFT_ENGINE_WORKER_WORKER_H
#define HAFT_ENGINE_WORKER_WORKER_H

#include "haft.h"

typedef struct haft__worker haft__worker;

typedef enum haft__worker_event_kind {
    HAFT__WORKER_CLAIMED,
    HAFT__WORKER_ENDED,
    HAFT__WORKER_WAITING,    /* released: the run waits for a person or a deadline */
    HAFT__WORKER_SKIPPED,    /* released: the run cannot continue in this process, see `error` */
    HAFT__WORKER_LEASE_LOST, /* another process owns the run, or the run was removed */
    HAFT__WORKER_RELEASED,   /* released before its end, because the worker stops */
    HAFT__WORKER_RELEASE_UNCONFIRMED, /* like RELEASED, but the store did not reply: the run can be
                                       * claimed when its lease has expired */
    HAFT__WORKER_ERROR, /* the store cannot be queried for runs, see `error`; reported once */
} haft__worker_event_kind;

/* "taken", "ended", "waits", "left", "lost", "released", "trouble". */
const char *haft__worker_event_name(haft__worker_event_kind kind);

/* Valid during the call of `notify`. */
typedef struct haft__worker_event {
    haft__worker_event_kind kind;
    const char *run; /* the id of the run; "" for ERROR */
    haft_str name;   /* the name in its spec; "" if the spec could not be read */
    const char *end; /* for ENDED, else "" */
    uint32_t turns;
    const haft_error *error; /* for SKIPPED, LEASE_LOST and ERROR, else NULL */
    uint64_t retry_ms;       /* for SKIPPED and ERROR: the time until the next attempt; 0: never */
    haft_run *handle;        /* the run, for reading; NULL for ERROR, and for a run that was skipped
                              * before it was read */
} haft__worker_event;

typedef struct haft__worker_options {
    size_t concurrency;   /* maximum number of concurrent runs; 1 to HAFT__LIMIT_WORK_RUNS */
    uint64_t poll_ms;     /* poll interval; 1 to HAFT__LIMIT_WORK_POLL_MS */
    bool once;            /* skipped runs are not retried; after too many skipped runs
                           * (work.skipped), no more runs are claimed */
    bool use_local_clock; /* deadlines are also checked with this process's clock */
    void (*notify)(void *context, const haft__worker_event *event);
    bool (*answer_waiting)(void *context,
                           haft_run *run); /* called for a waiting run; returns whether it has sent
                                            * a command to the run. May be NULL */
    void *context;
} haft__worker_options;

/* Creates a worker. Fails with BAD_INPUT if a number is out of range, and with UNSUPPORTED if no
 * other process can open the store. The runtime must outlive the worker and must have no other
 * user. */
HAFT_MUST_USE haft_status haft__worker_create(haft_runtime *runtime,
                                              const haft__worker_options *options,
                                              haft__worker **ret_worker, haft_error *err);

/* Whether a slot is free, and the worker does not stop. */
bool haft__worker_has_room(const haft__worker *worker);

/* Gives the worker a run that this process has just started (haft_run_start): the worker continues
 * it as if it had claimed it, and releases it. Returns false if no slot is free or the worker
 * stops; the caller then keeps the run. */
bool haft__worker_adopt(haft__worker *worker, haft_run *run);

/* Claims the run again in the next poll, if it was skipped. */
void haft__worker_retry(haft__worker *worker, const char *run);

/* The number of runs that the worker owns. */
size_t haft__worker_run_count(const haft__worker *worker);

/* Steps the loop, then claims, inspects and releases runs. */
HAFT_MUST_USE haft_status haft__worker_step(haft__worker *worker, haft_error *err);

/* Stops the worker: it claims no more runs, stops operations that can be repeated, and waits for
 * calls with effects. haft__worker_is_stopped returns true when all runs have been released. With
 * `immediately`, calls with effects are stopped, too, and their outcome is unknown. */
void haft__worker_stop(haft__worker *worker, bool immediately);
bool haft__worker_is_stopped(const haft__worker *worker);

/* Whether the worker has no run, and the last poll found none. */
bool haft__worker_is_idle(const haft__worker *worker);

/* Polls for runs in the next step. */
void haft__worker_poll_now(haft__worker *worker);

/* The run of the worker, if it has exactly one run and the last poll found no other run; else
 * NULL. */
haft_run *haft__worker_only_run(const haft__worker *worker);

/* Whether the worker has no run, and polls have failed for some time (work.poll_failures). */
bool haft__worker_store_unreachable(const haft__worker *worker);

/* Releases the runs of the worker. `worker` may be NULL. */
void haft__worker_destroy(haft__worker *worker);

#endif
