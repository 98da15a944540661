/* SPDX-License-Identifier: Apache-2.0 */
/*
 * engine/open.h - opening a run of the store: find, claim, read, fold, catch up.
 */
#ifndef HAFT_ENGINE_OPEN_H
#define HAFT_ENGINE_OPEN_H

#include "base/arena.h"
#include "base/id.h"
#include "run/event.h"
#include "run/pause/command.h"
#include "store/store.h"

/* The purpose of opening a run. */
typedef enum haft__open_mode {
    HAFT__OPEN_CONTINUE,  /* to continue the run */
    HAFT__OPEN_READ_ONLY, /* to read the run: it has ended, or another process owns it */
    HAFT__OPEN_INTERRUPT, /* to cancel the run because of another run of its thread */
} haft__open_mode;

/* The step that waits for a reply of the store. Steps follow the order of the enum; some are
 * skipped, and none is repeated. */
typedef enum haft__open_state {
    HAFT__OPEN_IDLE,             /* not opened: this process started the run */
    HAFT__OPEN_FINDING,          /* the row of the run with a name */
    HAFT__OPEN_CLAIMING,         /* ownership */
    HAFT__OPEN_CHECKING_CLAIM,   /* after a failed claim: whether the store has committed it */
    HAFT__OPEN_READING_EVENTS,   /* the log */
    HAFT__OPEN_READING_HISTORY,  /* earlier runs of the thread */
    HAFT__OPEN_READING_MESSAGES, /* commands that were sent to the run */
    HAFT__OPEN_DONE,
} haft__open_state;

typedef struct haft__opening {
    haft__open_mode mode;
    haft__open_state state;
    uint64_t claimed_ms; /* monotonic time when the claim was sent */
    haft__arena arena;   /* results of queries */
    haft__store_run row;
    haft_str events;
    uint64_t last_spec_change_seq; /* seq of the last event that replaces the spec; 0: none */
    haft_error agent_error; /* the spec cannot be used, for example without a key; overrides may
                               correct it */
    const haft__store_message *messages; /* sent to the run before it was opened */
    size_t message_count;
    char interrupter[HAFT__ID_LENGTH + 1];  /* in mode INTERRUPT: the id of the later run */
    void (*on_history_read)(haft_run *run); /* continues after haft__run_load_history */

    /* the command of the opener */
    const haft__run_command *command; /* may be NULL */
    haft_error command_error;         /* the reason of a rejection; OK: the command was accepted */
    bool command_rejected;            /* rejected before the run was changed */
} haft__opening;

void haft__opening_init(haft__opening *opening);
void haft__opening_finish(haft__opening *opening);

/* Opens a run of the store: `name` is its id, the beginning of its id, or "last". The handle is
 * OPENING until the run has been read. */
HAFT_MUST_USE haft_status haft__run_open_by_name(haft_runtime *runtime, haft_str name,
                                                 bool read_only, haft_run **ret_run,
                                                 haft_error *err);

/* Opens a run that this process has claimed: the store returned `row` to a request of
 * `requested_ms` (monotonic). */
HAFT_MUST_USE haft_status haft__run_open_claimed(haft_runtime *runtime, const haft__store_run *row,
                                                 uint64_t requested_ms, haft_run **ret_run,
                                                 haft_error *err);

/* Reads the tasks and answers of earlier runs of the thread into `earlier`, then calls `next`. */
void haft__run_load_history(haft_run *run, haft_str thread, void (*next)(haft_run *run));

/* Advances the script past a recorded event: past one reply for a reply of the model, past one
 * result for a finished call. */
void haft__run_advance_script(haft_run *run, const haft__event *event);

/* Whether the run could not be opened because another process owns it. */
bool haft__run_is_owned_elsewhere(const haft_run *run);

#endif
