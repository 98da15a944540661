/* SPDX-License-Identifier: Apache-2.0 */
/* engine/worker/worker_int.h - declarations that the files of the worker share. */
#ifndef HAFT_ENGINE_WORKER_WORKER_INT_H
#define HAFT_ENGINE_WORKER_WORKER_INT_H

#include "base/arena.h"
#include "base/id.h"
#include "base/limits.h"
#include "engine/worker/worker.h"
#include "io/loop.h"
#include "store/store.h"

/* ---- skip.c ---- */

typedef struct haft__skipped_run {
    char id[HAFT__ID_LENGTH + 1];
    uint64_t wait_ms, until_ms; /* `until_ms` is loop time */
} haft__skipped_run;

typedef struct haft__skip_set {
    size_t count;
    haft__skipped_run items[HAFT__LIMIT_WORK_SKIPPED];
} haft__skip_set;

/* Enough for skipped runs, runs of this worker, runs that are being released, and postponed
 * runs. */
#define HAFT__SKIP_LIST_CAPACITY (HAFT__LIMIT_WORK_SKIPPED + 3 * HAFT__LIMIT_WORK_RUNS)

/* A copy for the store, which reads it while the set changes. */
typedef struct haft__skip_list {
    haft_str texts[HAFT__SKIP_LIST_CAPACITY];
    char ids[HAFT__SKIP_LIST_CAPACITY][HAFT__ID_LENGTH + 1];
} haft__skip_list;

/* Adds the run. Returns the milliseconds for which it is skipped. */
uint64_t haft__skip_set_add(haft__skip_set *skips, const char *id, uint64_t now_ms);

/* Removes the run, which has continued. */
void haft__skip_set_remove(haft__skip_set *skips, const char *id);

/* Copies the ids of the runs that are skipped now. Returns their number. */
size_t haft__skip_set_list(const haft__skip_set *skips, uint64_t now_ms, haft__skip_list *ret_list);

/* Appends an id after `count` other ids. Returns false if the list is full. */
bool haft__skip_list_add(haft__skip_list *list, size_t count, const char *id);

/* ---- worker.c ---- */

/* The state of the messages for a waiting run. */
typedef enum haft__mailbox_state {
    HAFT__MAILBOX_UNKNOWN,
    HAFT__MAILBOX_QUERIED, /* a query is pending */
    HAFT__MAILBOX_EMPTY,
    HAFT__MAILBOX_PENDING, /* messages are about to be delivered */
} haft__mailbox_state;

/* A run of this worker. */
typedef struct haft__worker_slot {
    haft__worker *worker;
    haft_run *run; /* NULL: the slot is free */
    uint64_t seq;  /* seq of its last event when it was claimed */
    haft__mailbox_state mailbox;
    haft__store_request receive;
    haft__arena arena;
    haft__timer delivery_timer; /* fires when the mailbox must be read again */
} haft__worker_slot;

struct haft__worker {
    haft_runtime *runtime;
    haft__worker_options options;
    haft__worker_slot *slots; /* array of `concurrency` slots */
    size_t busy;              /* number of used slots */
    bool needs_poll;          /* claim_next must claim a run */
    bool request_pending, stopping, stops_immediately;
    size_t releasing;       /* number of runs that are being released because the worker stops */
    bool run_found;         /* the last poll claimed a run */
    bool store_empty;       /* the last poll found no run, not even an abandoned run */
    unsigned failures;      /* number of consecutive failures; the first is reported */
    haft_error store_error; /* set if this version of haft can no longer use the store */
    haft__store_request request;
    uint64_t requested_ms; /* monotonic time when `request` was sent */
    haft__arena arena;     /* results of `request` */
    haft__timer poll;
    uint64_t poll_ms;           /* current poll interval */
    uint64_t abandoned_poll_ms; /* time of the last search for abandoned runs */
    uint64_t strays_since_ms;   /* monotonic time when a failed request may have claimed a run
                                 * without the worker's knowledge; 0: never */
    uint64_t random;
    haft__skip_set skips;
    haft__skip_list skip_list; /* list of the pending request */

    /* crash_count.c */
    haft__store_run claimed; /* the claimed run before it is opened; its texts are in `arena` */
    bool abandoned;          /* the owner of the claimed run has disappeared */
    uint32_t crash_count;    /* crashes of its owners at its current event */
    char crash_text[48];
    haft__worker_slot *suspect; /* a run with a high crash count that has not progressed; or NULL */
    char postponed[HAFT__LIMIT_WORK_RUNS][HAFT__ID_LENGTH + 1]; /* runs that wait for the suspect */
    size_t postponed_run_count;
};

/* Three alternatives for the claimed run: open it; release it; report that it is skipped because of
 * `error`. */
void haft__worker_open_claimed(haft__worker *worker);
void haft__worker_release_claimed(haft__worker *worker);
void haft__worker_skip_run(haft__worker *worker, const haft_error *error);

/* Reports a failure of the store or of this process. */
void haft__worker_report_error(haft__worker *worker, const haft_error *error);

/* ---- crash_count.c ---- */

/* Reads the crash count of a claimed run, then opens or releases the run. */
void haft__worker_check_crashes(haft__worker *worker, const haft__store_run *row, bool abandoned);

/* The claimed run continues in `slot`. */
void haft__worker_note_crash_count(haft__worker *worker, haft__worker_slot *slot);

/* If the suspect has progressed or was released, postponed runs may be claimed again. */
void haft__worker_update_suspect(haft__worker *worker);

#endif
