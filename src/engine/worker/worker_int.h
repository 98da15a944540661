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
    uint64_t wait_ms, until_ms; /* `until_ms` by the loop's clock */
} haft__skipped_run;

typedef struct haft__skip_set {
    size_t count;
    haft__skipped_run items[HAFT__LIMIT_WORK_SKIPPED];
} haft__skip_set;

/* Skipped runs, runs that continue here, runs that are being released, and postponed runs. */
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

/* The runs that are skipped now. */
size_t haft__skip_set_list(const haft__skip_set *skips, uint64_t now_ms, haft__skip_list *ret_list);

/* Appends an id after `count` others; false if the list is full. */
bool haft__skip_list_add(haft__skip_list *list, size_t count, const char *id);

/* ---- worker.c ---- */

/* The messages for a run that waits. */
typedef enum haft__mailbox_state {
    HAFT__MAILBOX_UNKNOWN,
    HAFT__MAILBOX_QUERIED, /* a query is pending */
    HAFT__MAILBOX_EMPTY,
    HAFT__MAILBOX_PENDING, /* messages are about to be delivered */
} haft__mailbox_state;

/* A run that continues here. */
typedef struct haft__worker_slot {
    haft__worker *worker;
    haft_run *run; /* NULL: the slot is free */
    uint64_t seq;  /* of its last event when it was claimed */
    haft__mailbox_state mailbox;
    haft__store_request receive;
    haft__arena arena;
    haft__timer delivery_timer; /* until the mailbox is read again */
} haft__worker_slot;

struct haft__worker {
    haft_runtime *runtime;
    haft__worker_options options;
    haft__worker_slot *slots; /* `concurrency` of them */
    size_t busy;              /* number of used slots */
    bool needs_poll;          /* claim_next is to claim a run */
    bool request_pending, stopping, at_once;
    size_t releasing;       /* runs that are being released because it stops */
    bool run_found;         /* the last poll claimed a run */
    bool store_empty;       /* the last poll found none of any kind */
    unsigned failures;      /* in a row; the first one is reported */
    haft_error store_error; /* the store cannot be used by this version any more */
    haft__store_request request;
    uint64_t requested_ms; /* monotonic time when it was sent */
    haft__arena arena;     /* results of `request` */
    haft__timer poll;
    uint64_t poll_ms;           /* current poll interval */
    uint64_t abandoned_poll_ms; /* when abandoned runs were last searched for */
    uint64_t strays_since_ms;   /* monotonic time when a failed request may have claimed a run that
                                 * the worker does not know; 0: never */
    uint64_t random;
    haft__skip_set skips;
    haft__skip_list skip_list; /* of the pending request */

    /* crash_count.c */
    haft__store_run claimed; /* before it is opened; its texts are in `arena` */
    bool abandoned;          /* its owner has disappeared */
    uint32_t crash_count;    /* of its owners, at its current event */
    char crash_text[48];
    haft__worker_slot *suspect; /* a run with a high crash count that has not progressed; or NULL */
    char postponed[HAFT__LIMIT_WORK_RUNS][HAFT__ID_LENGTH + 1]; /* runs that wait for the suspect */
    size_t postponed_run_count;
};

/* For the claimed run: opens it; releases it; reports that it is skipped because of `error`. */
void haft__worker_open_claimed(haft__worker *worker);
void haft__worker_release_claimed(haft__worker *worker);
void haft__worker_skip_run(haft__worker *worker, const haft_error *error);

/* Reports a failure of the store or of this process. */
void haft__worker_report_error(haft__worker *worker, const haft_error *error);

/* ---- crash_count.c ---- */

/* A run was claimed: reads its crash count, then opens or releases it. */
void haft__worker_check_crashes(haft__worker *worker, const haft__store_run *row, bool abandoned);

/* The claimed run continues in `slot`. */
void haft__worker_note_crash_count(haft__worker *worker, haft__worker_slot *slot);

/* If the suspect has progressed or was released, postponed runs may be claimed again. */
void haft__worker_update_suspect(haft__worker *worker);

#endif
