/* SPDX-License-Identifier: Apache-2.0 */
/* engine/worker/worker_int.h - what the files of the worker share. */
#ifndef HAFT_ENGINE_WORKER_WORKER_INT_H
#define HAFT_ENGINE_WORKER_WORKER_INT_H

#include "base/limits.h"
#include "engine/worker/worker.h"

/* ---- skip.c ---- */

typedef struct haft__skipped_run {
    char id[HAFT__ID_LENGTH + 1];
    uint64_t wait_ms, until_ms; /* of the loop's clock */
} haft__skipped_run;

typedef struct haft__skip_set {
    size_t count;
    haft__skipped_run items[HAFT__LIMIT_WORK_SKIPPED];
} haft__skip_set;

/* As many as are skipped, those that go on here, twice: some are still being given back; and those
 * that wait for one of them. */
#define HAFT__SKIP_LIST_CAPACITY (HAFT__LIMIT_WORK_SKIPPED + 3 * HAFT__LIMIT_WORK_RUNS)

/* A copy for the store, which reads it while runs come and go here. */
typedef struct haft__skip_list {
    haft_str texts[HAFT__SKIP_LIST_CAPACITY];
    char ids[HAFT__SKIP_LIST_CAPACITY][HAFT__ID_LENGTH + 1];
} haft__skip_list;

/* The run is left alone for the time that is returned. */
uint64_t haft__skip_set_add(haft__skip_set *skips, const char *id, uint64_t now_ms);

/* It went on. */
void haft__skip_set_remove(haft__skip_set *skips, const char *id);

/* Those that are left alone now. */
size_t haft__skip_set_list(const haft__skip_set *skips, uint64_t now_ms, haft__skip_list *ret_list);

/* One more behind `count` others; false when there is no room. */
bool haft__skip_list_add(haft__skip_list *list, size_t count, const char *id);

/* ---- worker.c ---- */

/* What is known of the messages for a run that waits. */
typedef enum haft__mailbox_state {
    HAFT__MAILBOX_UNKNOWN,
    HAFT__MAILBOX_QUERIED, /* the store is looking */
    HAFT__MAILBOX_EMPTY,
    HAFT__MAILBOX_PENDING, /* they are about to be heard */
} haft__mailbox_state;

/* A run that goes on here. */
typedef struct haft__worker_slot {
    haft__worker *worker;
    haft_run *run; /* NULL: it is free */
    uint64_t seq;  /* events it had when it was taken */
    haft__mailbox_state mailbox;
    haft__store_request receive;
    haft__arena arena;
    haft__timer again;
} haft__worker_slot;

struct haft__worker {
    haft_runtime *runtime;
    haft__worker_options options;
    haft__worker_slot *slots; /* `concurrency` of them */
    size_t busy;
    bool needs_poll; /* a run is to be asked for */
    bool request_pending, stopping, at_once;
    size_t releasing;       /* runs that are being given back because of that */
    bool run_found;         /* the last time there was a run to take */
    bool store_empty;       /* the last time there was none, of any kind */
    unsigned failures;      /* since a look went well; the first one is told */
    haft_error store_error; /* the store is none for this haft any more, and never will be again */
    haft__store_request request;
    uint64_t requested_ms; /* when, on the steady clock */
    haft__arena arena;     /* what was taken */
    haft__timer poll;
    uint64_t poll_ms,
        abandoned_poll_ms; /* how long to wait now; when lost runs were last looked for */
    uint64_t
        strays_since_ms; /* when a run may have been taken that is not known of here; 0: never */
    uint64_t random;
    haft__skip_set skips;
    haft__skip_list skip_list; /* of the request that is under way */

    /* crash_count.c */
    haft__store_run claimed; /* before it is opened; its texts are in `arena` */
    bool abandoned;          /* somebody had it, and is gone */
    uint32_t crash_count;    /* how often, at the event it is at */
    char crash_text[48];
    haft__worker_slot *suspect; /* one that was lost often and has not got on yet; NULL: none */
    char postponed[HAFT__LIMIT_WORK_RUNS][HAFT__ID_LENGTH + 1]; /* others that wait for that */
    size_t postponed_run_count;
};

/* The run that was taken: goes on with it; gives it back; tells that it is left, with the error. */
void haft__worker_open_claimed(haft__worker *worker);
void haft__worker_release_claimed(haft__worker *worker);
void haft__worker_skip_run(haft__worker *worker, const haft_error *error);

/* Tells that the store, or this process, could not do something. */
void haft__worker_report_error(haft__worker *worker, const haft_error *error);

/* ---- crash_count.c ---- */

/* A run was taken: looks how often it was lost, and opens it then, or gives it back. */
void haft__worker_check_crashes(haft__worker *worker, const haft__store_run *row, bool abandoned);

/* It goes on in `slot`. */
void haft__worker_note_crash_count(haft__worker *worker, haft__worker_slot *slot);

/* Whether the suspect has got on, or is gone: then others may go on that waited for that. */
void haft__worker_update_suspect(haft__worker *worker);

#endif
