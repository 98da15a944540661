/* SPDX-License-Identifier: Apache-2.0 */
/* engine/worker/worker_int.h - what the files of the worker share. */
#ifndef HAFT_ENGINE_WORKER_WORKER_INT_H
#define HAFT_ENGINE_WORKER_WORKER_INT_H

#include "base/limits.h"
#include "engine/worker/worker.h"

/* ---- work_skip.c ---- */

typedef struct haft__skipped {
    char id[HAFT__ID_LENGTH + 1];
    uint64_t wait_ms, until_ms; /* of the loop's clock */
} haft__skipped;

typedef struct haft__skips {
    size_t count;
    haft__skipped items[HAFT__LIMIT_WORK_SKIPPED];
} haft__skips;

/* As many as are skipped, those that go on here, twice: some are still being given back; and those
 * that wait for one of them. */
#define HAFT__SKIP_LIST (HAFT__LIMIT_WORK_SKIPPED + 3 * HAFT__LIMIT_WORK_RUNS)

/* A copy for the store, which reads it while runs come and go here. */
typedef struct haft__skip_list {
    haft_str texts[HAFT__SKIP_LIST];
    char ids[HAFT__SKIP_LIST][HAFT__ID_LENGTH + 1];
} haft__skip_list;

/* The run is left alone for the time that is returned. */
uint64_t haft__skips_add(haft__skips *skips, const char *id, uint64_t now_ms);

/* It went on. */
void haft__skips_forget(haft__skips *skips, const char *id);

/* Those that are left alone now. */
size_t haft__skips_list(const haft__skips *skips, uint64_t now_ms, haft__skip_list *ret_list);

/* One more behind `count` others; false when there is no room. */
bool haft__skip_list_add(haft__skip_list *list, size_t count, const char *id);

/* ---- work.c ---- */

/* What is known of the messages for a run that waits. */
typedef enum haft__work_mail {
    HAFT__MAIL_UNKNOWN,
    HAFT__MAIL_ASKED, /* the store is looking */
    HAFT__MAIL_NONE,
    HAFT__MAIL_SOME, /* they are about to be heard */
} haft__work_mail;

/* A run that goes on here. */
typedef struct haft__work_slot {
    haft__work *work;
    haft_run *run; /* NULL: it is free */
    uint64_t seq;  /* events it had when it was taken */
    haft__work_mail mail;
    haft__store_request receive;
    haft__arena arena;
    haft__timer again;
} haft__work_slot;

struct haft__work {
    haft_runtime *runtime;
    haft__work_options options;
    haft__work_slot *slots; /* `concurrency` of them */
    size_t busy;
    bool hungry; /* a run is to be asked for */
    bool taking, stopping, at_once;
    size_t leaving;     /* runs that are being given back because of that */
    bool found;         /* the last time there was a run to take */
    bool nothing;       /* the last time there was none, of any kind */
    unsigned failures;  /* since a look went well; the first one is told */
    haft_error refused; /* the store is none for this haft any more, and never will be again */
    haft__store_request take;
    uint64_t asked_ms; /* when, on the steady clock */
    haft__arena arena; /* what was taken */
    haft__timer poll;
    uint64_t poll_ms, looked_ms; /* how long to wait now; when lost runs were last looked for */
    uint64_t doubted_ms; /* when a run may have been taken that is not known of here; 0: never */
    uint64_t random;
    haft__skips skips;
    haft__skip_list skipped; /* of the request that is under way */

    /* work_loss.c */
    haft__store_run taken; /* before it is opened; its texts are in `arena` */
    bool lost;             /* somebody had it, and is gone */
    uint32_t losses;       /* how often, at the event it is at */
    char loss_text[48];
    haft__work_slot *suspect; /* one that was lost often and has not got on yet; NULL: none */
    char postponed[HAFT__LIMIT_WORK_RUNS][HAFT__ID_LENGTH + 1]; /* others that wait for that */
    size_t postponed_count;
};

/* The run that was taken: goes on with it; gives it back; tells that it is left, with the error. */
void haft__work_open(haft__work *work);
void haft__work_give_back(haft__work *work);
void haft__work_leave(haft__work *work, const haft_error *error);

/* Tells that the store, or this process, could not do something. */
void haft__work_trouble(haft__work *work, const haft_error *error);

/* ---- work_loss.c ---- */

/* A run was taken: looks how often it was lost, and opens it then, or gives it back. */
void haft__work_look_up(haft__work *work, const haft__store_run *row, bool lost);

/* It goes on in `slot`. */
void haft__work_note_loss(haft__work *work, haft__work_slot *slot);

/* Whether the suspect has got on, or is gone: then others may go on that waited for that. */
void haft__work_look_at_suspect(haft__work *work);

#endif
