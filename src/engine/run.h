/* SPDX-License-Identifier: Apache-2.0 */
/*
 * engine/run.h - the handle of a run (haft_run): its parts, and how they work together.
 *
 *     api.c           the public functions
 *     run.c           decide, record, perform
 *     log.c           events to the store and to readers
 *     child.c         child runs that a write creates; child_pool.c those that are performed here
 *     lease.c         ownership
 *     open.c          opening a run of the store; catch_up.c what it has missed meanwhile
 *     thread_queue.c  runs of one thread, one after the other
 *     thread_state.c  what the thread keeps for a graph that begins
 *     query.c         store queries of the parts above
 *     model_call.c    model calls; model_progress.c their progress
 *     tool_calls.c    tool calls; tool_search.c tool search
 *     wall_clock.c    limits.wall
 *     spec_change.c   another spec than before
 *     crash_guard.c   runs whose owners crash
 *     command.c       commands: answer, approve, reject, cancel
 *
 * Everything happens on the thread that steps the loop.
 */
#ifndef HAFT_ENGINE_RUN_H
#define HAFT_ENGINE_RUN_H

#include "base/id.h"
#include "engine/lease.h"
#include "engine/log.h"
#include "engine/open.h"
#include "engine/query.h"
#include "engine/thread/thread_queue.h"
#include "engine/thread/thread_state.h"
#include "engine/tool_calls.h"
#include "engine/tool_search.h"
#include "engine/wall_clock.h"
#include "model/cache_audit.h"
#include "model/provider.h"
#include "model/script/script.h"
#include "run/decide/decide.h"

typedef enum haft__handle_stage {
    HAFT__HANDLE_OPENING,   /* the run has not begun, or is being read from the store */
    HAFT__HANDLE_ACTIVE,    /* this process continues it */
    HAFT__HANDLE_READ_ONLY, /* it was only read: it has ended, or another process owns it */
    HAFT__HANDLE_FAILED,    /* it cannot continue here; see `error` */
} haft__handle_stage;

/* The input of a new run. */
typedef struct haft__run_start {
    haft_str task, thread;
    haft__task posted; /* begins the run from the loop */
    bool cancelled;    /* before the run began; recorded when it begins */
} haft__run_start;

/* The position in the script of an agent that does not have the run now. */
typedef struct haft__idle_script {
    haft_str agent; /* as haft_run.agent_name */
    haft__script script;
    bool outdated; /* it is the script of an earlier spec */
    struct haft__idle_script *next;
} haft__idle_script;

struct haft_run {
    haft_runtime *runtime;
    haft_agent *agent;
    haft_agent *first_agent; /* before the first handoff or the first change of the model; it keeps
                              * the others; else NULL */
    haft_str agent_name;     /* of `agent` after that: as haft__run.agent, with the number of failed
                              * models */
    haft_agent *summarised;  /* `agent`, */
    haft_str summarised_name; /* and agent_name, while another model writes a summary; else NULL */
    haft__idle_script *idle_scripts;
    haft_run *next, **link;
    haft__arena arena;
    char id[HAFT__ID_LENGTH + 1]; /* "" before it is known */
    haft_str user;
    haft__run_start start;
    haft__run state;
    haft__messages earlier; /* of the thread */
    haft__script script;
    haft__handle_stage stage;
    haft__effect_kind effect; /* the last decision */
    uint64_t decided_ms;      /* the time for which it was made */
    haft_error error;         /* of stage FAILED */

    /* Independent of the stage and of each other: */
    bool released;  /* the caller has released the handle; the run is destroyed when the store is
                       done */
    bool suspended; /* nothing is decided here: it was only enqueued, or is drained */
    bool stalled;   /* nothing is started because the store has no space */
    haft_error blocked; /* why a child that is due cannot be created here: the run stops when its
                           operations and its other children have finished; status OK if not */

    /* Called once when the store is done with a released run; `available` is whether another
     * process can claim it now. May be NULL. */
    void (*on_released)(haft_run *run, bool available);
    void *released_context;

    uint32_t crash_count; /* owners that crashed at the event it was opened at; 0: not counted */
    haft__timer deadline_timer; /* the first deadline of a pause */
    haft__wall_clock wall_clock;

    haft__lease lease;
    haft__log log;
    haft__opening opening;
    haft__thread_queue queue;
    haft__run_query query;
    haft__thread_state thread_state;

    struct haft__model_call *model_call;       /* NULL: no model call is pending */
    haft__provider_conversation *conversation; /* NULL: nothing was sent yet, or memory was freed */
    haft__cache_audit cache_audit;             /* of its requests to a model server */
    haft__member_texts refused_texts;          /* that its model server rejected */
    uint32_t failed_attempts;                  /* of the request that is sent again with less */
    haft__tool_search search;
    haft__call_slot *slots; /* tool calls that run */
};

/* Creates a run without events. */
HAFT_MUST_USE haft_status haft__run_create(haft_runtime *runtime, haft_run **ret_run,
                                           haft_error *err);

HAFT_MUST_USE haft_status haft__run_attach_agent(haft_run *run, haft_agent *agent, haft_error *err);

/* Decides and records until an effect must be performed, and starts that effect. */
void haft__run_advance(haft_run *run);

/* Records an input whose body is `body`, and advances. */
void haft__run_record_input(haft_run *run, haft_str body);

/* The run cannot continue here. Stops its operations and releases its lease. */
void haft__run_fail(haft_run *run, const haft_error *error);

/* Performs a command of this process or of another one. */
HAFT_MUST_USE haft_status haft__run_perform_command(haft_run *run, const haft__run_command *command,
                                                    haft_error *err);

/* Records a command of an ACTIVE run, after all decisions that are due. Does not advance. */
HAFT_MUST_USE haft_status haft__run_record_command(haft_run *run, const haft__run_command *command,
                                                   haft_error *err);

/* Records a command about a pending call before any decision, except for deadlines that have
 * passed. */
HAFT_MUST_USE haft_status haft__run_record_pause_command(haft_run *run,
                                                         const haft__run_command *command,
                                                         haft_error *err);

/* Records all decisions that are due, and performs none. */
HAFT_MUST_USE haft_status haft__run_record_decisions(haft_run *run, uint64_t now, haft_error *err);

/* Records the deadlines that have passed, and nothing else. */
HAFT_MUST_USE haft_status haft__run_record_expiries(haft_run *run, uint64_t now, haft_error *err);

/* Frees the run; none of its operations or store requests may be pending. */
void haft__run_destroy(haft_run *run);

/* The store is done with a released run, or does not reply: calls `on_released`. */
void haft__run_notify_released(haft_run *run);

/* The handle was released: releases the lease, then frees the run. */
void haft__run_dispose(haft_run *run);

/* Suspends the run and stops what can be repeated: the model call, and calls that may be repeated.
 * Calls with effects run to their end; haft__run_is_drained returns whether they have. Releasing
 * the run then leaves it in the store for another process. */
void haft__run_drain(haft_run *run);
bool haft__run_is_drained(const haft_run *run);

/* Stops the model call, the tool calls, the tool search and all waiting. */
void haft__run_stop_operations(haft_run *run);

/* Restarts the deadline timers of all runs: the wall clock was set. */
void haft__runtime_reset_deadlines(haft_runtime *runtime);

/* Sets whether the store is low on space. Resumes stalled runs if it no longer is. */
void haft__runtime_set_low_space(haft_runtime *runtime, bool low);

/* Milliseconds to wait after this number of failures in a row. */
uint64_t haft__run_backoff_ms(uint32_t failures);

/* Whether the run finishes what it has started and then stops with the error `blocked`. */
bool haft__run_is_blocked(const haft_run *run);

/* Whether the run waits or has ended, and all its events are durable. */
bool haft__run_is_settled(const haft_run *run);

/* Whether a question that only this process can answer is open and durable, even if other
 * operations of the run are pending: its deadline may pass before the run waits. */
bool haft__run_has_open_question(const haft_run *run);

#endif
