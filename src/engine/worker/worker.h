/* SPDX-License-Identifier: Apache-2.0 */
/*
 * engine/worker/worker.h - goes on with runs of the store that nobody goes on with: what a worker
 * does.
 *
 * It takes as many as it may have at once, gives back those that wait for people, and asks again
 * after a while when there is nothing to do. A run that cannot go on here is given back, too, and
 * not taken again by this worker for a time that grows with each attempt; others may take it at
 * once. docs/scaling.md says how workers work together.
 */
#ifndef HAFT_ENGINE_WORKER_WORKER_H
#define HAFT_ENGINE_WORKER_WORKER_H

#include "engine/runtime.h"

typedef struct haft__worker haft__worker;

typedef enum haft__worker_event_kind {
    HAFT__WORKER_CLAIMED,
    HAFT__WORKER_ENDED,
    HAFT__WORKER_WAITING,             /* for somebody, or a deadline: it was given back */
    HAFT__WORKER_SKIPPED,             /* it cannot go on here, see `error`: it was given back */
    HAFT__WORKER_LEASE_LOST,          /* another process has it by now, or it is gone */
    HAFT__WORKER_RELEASED,            /* the worker stops: it was given back in the middle */
    HAFT__WORKER_RELEASE_UNCONFIRMED, /* the same, but the store did not answer: it is free when its
                                         lease ends */
    HAFT__WORKER_ERROR, /* the store cannot be asked for runs, see `error`; told once */
} haft__worker_event_kind;

/* "taken", "ended", "waits", "left", "lost", "released", "trouble". */
const char *haft__worker_event_name(haft__worker_event_kind kind);

/* What has happened; valid while it is told. */
typedef struct haft__worker_event {
    haft__worker_event_kind kind;
    const char *run; /* its id; "" for trouble */
    haft_str name;   /* of its spec; "" when that could not be read */
    const char *end; /* of one that has ended, else "" */
    uint32_t turns;
    const haft_error *error; /* of LEFT, LOST and TROUBLE, else NULL */
    uint64_t retry_ms;       /* of LEFT and TROUBLE: not before then; 0: never */
    haft_run *handle;        /* may be read, and gone along with; NULL for trouble, and for one that
                              * was left before it was read */
} haft__worker_event;

typedef struct haft__worker_options {
    size_t concurrency; /* runs at once; 1 to HAFT__LIMIT_WORK_RUNS */
    uint64_t poll_ms;   /* how long to wait when there is nothing; 1 to HAFT__LIMIT_WORK_POLL_MS */
    bool once;          /* what could not go on here is not tried again, nor others behind too many
                         * such (work.skipped) */
    bool use_local_clock; /* deadlines have come by this process's clock, too */
    void (*notify)(void *context, const haft__worker_event *event);
    bool (*answer_waiting)(void *context,
                           haft_run *run); /* of one that waits: whether somebody here had
                                            * something to say to it. May be NULL */
    void *context;
} haft__worker_options;

/* TOO_BIG or BAD_INPUT for a number that cannot be; UNSUPPORTED for a store that nobody else can
 * reach. The runtime must outlive it and is used by nobody else. */
HAFT_MUST_USE haft_status haft__worker_create(haft_runtime *runtime,
                                              const haft__worker_options *options,
                                              haft__worker **ret_worker, haft_error *err);

/* Steps the loop, and does what there is to do then. */
HAFT_MUST_USE haft_status haft__worker_step(haft__worker *worker, haft_error *err);

/* Takes no more, ends what can be begun again and lets calls with effects end:
 * haft__worker_is_stopped says when all is given back. With `at_once` these are ended, too: what
 * came of them is unknown. */
void haft__worker_stop(haft__worker *worker, bool at_once);
bool haft__worker_is_stopped(const haft__worker *worker);

/* Whether it has no run, and there was none to take when it looked last. */
bool haft__worker_is_idle(const haft__worker *worker);

/* Looks for runs in the next step, whenever it did so last. */
void haft__worker_poll_now(haft__worker *worker);

/* The only run it has, if there was no other when it looked last; NULL: there is not one alone. */
haft_run *haft__worker_only_run(const haft__worker *worker);

/* Whether it has no run, and the store could not be asked for one for some time (work.tries). */
bool haft__worker_store_unreachable(const haft__worker *worker);

/* Gives back what it has. Fine with NULL. */
void haft__worker_destroy(haft__worker *worker);

#endif
