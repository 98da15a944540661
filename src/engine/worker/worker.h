/* SPDX-License-Identifier: Apache-2.0 */
/*
 * engine/worker/worker.h - a worker: claims runs of the store that have no owner and continues
 * them.
 *
 * A worker claims as many runs as it may continue at once, releases those that wait for people, and
 * polls again after a while if the store has none to claim. A run that cannot continue here is
 * released, too, and skipped by this worker for a time that grows with each attempt; other workers
 * may claim it immediately. docs/scaling.md describes how workers cooperate.
 */
#ifndef HAFT_ENGINE_WORKER_WORKER_H
#define HAFT_ENGINE_WORKER_WORKER_H

#include "haft.h"

typedef struct haft__worker haft__worker;

typedef enum haft__worker_event_kind {
    HAFT__WORKER_CLAIMED,
    HAFT__WORKER_ENDED,
    HAFT__WORKER_WAITING,             /* for a person or a deadline: it was released */
    HAFT__WORKER_SKIPPED,             /* it cannot continue here, see `error`: it was released */
    HAFT__WORKER_LEASE_LOST,          /* another process owns it, or it was removed */
    HAFT__WORKER_RELEASED,            /* the worker stops: it was released before its end */
    HAFT__WORKER_RELEASE_UNCONFIRMED, /* the same, but the store did not reply: it can be
                                       * claimed when its lease has expired */
    HAFT__WORKER_ERROR, /* the store cannot be queried for runs, see `error`; reported once */
} haft__worker_event_kind;

/* "taken", "ended", "waits", "left", "lost", "released", "trouble". */
const char *haft__worker_event_name(haft__worker_event_kind kind);

/* Valid during the call of `notify`. */
typedef struct haft__worker_event {
    haft__worker_event_kind kind;
    const char *run; /* its id; "" for ERROR */
    haft_str name;   /* of its spec; "" if that could not be read */
    const char *end; /* of ENDED, else "" */
    uint32_t turns;
    const haft_error *error; /* of SKIPPED, LEASE_LOST and ERROR, else NULL */
    uint64_t retry_ms;       /* of SKIPPED and ERROR: the time until the next attempt; 0: never */
    haft_run *handle;        /* may be read and followed; NULL for ERROR, and for a run that was
                              * skipped before it was read */
} haft__worker_event;

typedef struct haft__worker_options {
    size_t concurrency;   /* runs at once; 1 to HAFT__LIMIT_WORK_RUNS */
    uint64_t poll_ms;     /* poll interval; 1 to HAFT__LIMIT_WORK_POLL_MS */
    bool once;            /* skipped runs are not tried again; if too many were skipped
                           * (work.skipped), no other run is claimed either */
    bool use_local_clock; /* deadlines are checked by this process's clock, too */
    void (*notify)(void *context, const haft__worker_event *event);
    bool (*answer_waiting)(void *context,
                           haft_run *run); /* called for a run that waits; returns whether it
                                            * has sent a command. May be NULL */
    void *context;
} haft__worker_options;

/* BAD_INPUT for a number out of range; UNSUPPORTED for a store that no other process can open. The
 * runtime must outlive the worker and must not be used by anything else. */
HAFT_MUST_USE haft_status haft__worker_create(haft_runtime *runtime,
                                              const haft__worker_options *options,
                                              haft__worker **ret_worker, haft_error *err);

/* Steps the loop, then claims, inspects and releases runs. */
HAFT_MUST_USE haft_status haft__worker_step(haft__worker *worker, haft_error *err);

/* Claims no more runs, stops what can be repeated and lets calls with effects finish.
 * haft__worker_is_stopped returns true when all runs have been released. With `at_once`, calls with
 * effects are stopped, too: their outcome is unknown. */
void haft__worker_stop(haft__worker *worker, bool at_once);
bool haft__worker_is_stopped(const haft__worker *worker);

/* Whether the worker has no run, and the last poll found none. */
bool haft__worker_is_idle(const haft__worker *worker);

/* Polls for runs in the next step. */
void haft__worker_poll_now(haft__worker *worker);

/* The run of the worker if it has exactly one and the last poll found no other; else NULL. */
haft_run *haft__worker_only_run(const haft__worker *worker);

/* Whether the worker has no run, and polls have failed for some time (work.poll_failures). */
bool haft__worker_store_unreachable(const haft__worker *worker);

/* Releases the runs of the worker. `worker` may be NULL. */
void haft__worker_destroy(haft__worker *worker);

#endif
