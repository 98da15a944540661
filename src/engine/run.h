/* SPDX-License-Identifier: Apache-2.0 */
/*
 * engine/run.h - the handle of a run (haft_run), and the files that implement its parts:
 *
 *     api.c           the public functions
 *     run.c           decides, records, performs
 *     log.c           passes events to the store and to readers
 *     child.c         child runs that a write creates; child_pool.c performs child runs
 *     lease.c         ownership
 *     open.c          opens a run of the store; catch_up.c delivers its pending messages
 *     thread_queue.c  starts the runs of a thread one after the other
 *     thread_state.c  reads the values of the thread for a new graph
 *     query.c store queries of the parts above
 *     model_call.c    model calls; model_progress.c their progress
 *     tool_calls.c    tool calls; tool_search.c tool search
 *     hook/           hooks of middleware
 *     wall_clock.c    limits.wall
 *     spec_change.c   replaces the spec of the run
 *     crash_guard.c   ends runs whose owners crash
 *     command.c       commands: answer, approve, reject, cancel
 *
 * All functions run on the thread that steps the loop.
 */
#ifndef HAFT_ENGINE_RUN_H
#define HAFT_ENGINE_RUN_H

#include "base/id.h"
#include "engine/lease.h"
#include "engine/log.h"
#include "engine/open.h"
#include "engine/query.h"
#include "engine/telemetry/run_telemetry.h"
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
    HAFT__HANDLE_ACTIVE,    /* this process continues the run */
    HAFT__HANDLE_READ_ONLY, /* the run was only read: it has ended, or another process owns it */
    HAFT__HANDLE_FAILED,    /* the run cannot continue in this process; see `error` */
} haft__handle_stage;

/* The input of a new run. */
typedef struct haft__run_start {
    haft_str task, thread;
    haft_str traceparent; /* of the caller; "" without one */
    haft__json messages;  /* the conversation that the run begins with; null: only the task */
    haft__task posted;    /* begins the run on the loop */
    bool cancelled;       /* cancelled before the run began; recorded when it begins */
} haft__run_start;

/* The position in the script of an agent that is not the current agent of the run. */
typedef struct haft__idle_script {
    haft_str agent; /* name, as in haft_run.agent_name */
    haft__script script;
    bool outdated; /* the script belongs to an earlier spec */
    struct haft__idle_script *next;
} haft__idle_script;

struct haft_run {
    haft_runtime *runtime;
    haft_agent *agent;
    haft_agent *first_agent; /* the agent before the first handoff or change of the model, which
                              * owns the other agents; NULL if there was no such change */
    haft_str agent_name;     /* name of `agent` after such a change: haft__run.agent with the number
                              * of failed models */
    haft_agent *summarised;  /* `agent` before it was replaced to write a summary; else NULL */
    haft_str summarised_name; /* agent_name before that */
    haft__idle_script *idle_scripts;
    haft_run *next, **link;
    haft__arena arena;
    char id[HAFT__ID_LENGTH + 1]; /* "" before it is known */
    haft_str user;
    haft__run_start start;
    haft__run state;
    haft__messages earlier; /* messages of earlier runs of the thread */
    haft__script script;
    haft__handle_stage stage;
    haft__effect_kind effect; /* the last decision */
    uint64_t decided_ms;      /* the time of the last decision */
    haft_error error;         /* for stage FAILED */

    /* Independent of the stage and of each other: */
    bool released;  /* the caller has released the handle; the run is destroyed after its pending
                     * store request */
    bool suspended; /* makes no decisions: the run was only enqueued, or is drained */
    bool stalled;   /* starts no operations, because the store has no space */
    haft_error blocked; /* the reason why the next child cannot be created: the run stops when its
                         * operations and its other children have finished. Status OK: no such
                         * child */

    /* Called once when a released run has no more store requests. `available`: another process can
     * claim the run now. May be NULL. */
    void (*on_released)(haft_run *run, bool available);
    void *released_context;

    uint32_t crash_count; /* number of owners that crashed at the event at which it was opened; 0:
                           * not counted */
    haft__timer deadline_timer; /* fires at the first deadline of a pause */
    haft__wall_clock wall_clock;

    haft__lease lease;
    haft__log log;
    haft__opening opening;
    haft__thread_queue queue;
    haft__run_query query;
    haft__thread_state thread_state;

    struct haft__model_call *model_call;       /* NULL: no model call is pending */
    haft__provider_conversation *conversation; /* NULL: no request was sent, or memory was freed */
    haft__cache_audit cache_audit;             /* audit of its requests to a model server */
    haft__member_texts refused_texts;          /* texts that its model server rejected */
    uint32_t failed_attempts; /* failed attempts of the request that is repeated without refused
                                 members */
    haft__tool_search search;
    haft__call_slot *slots;        /* running tool calls */
    struct haft__hook_slot *hooks; /* running hooks of middleware */
    haft__run_telemetry telemetry;
};

/* Creates a run without events. */
HAFT_MUST_USE haft_status haft__run_create(haft_runtime *runtime, haft_run **ret_run,
                                           haft_error *err);

HAFT_MUST_USE haft_status haft__run_attach_agent(haft_run *run, haft_agent *agent, haft_error *err);

/* Makes and records decisions until an effect must be performed, and starts that effect. */
void haft__run_advance(haft_run *run);

/* Records an input whose body is `body`, and advances. */
void haft__run_record_input(haft_run *run, haft_str body);

/* Fails the run: stops its operations and releases its lease. */
void haft__run_fail(haft_run *run, const haft_error *error);

/* Performs a command of this process or of another one. */
HAFT_MUST_USE haft_status haft__run_perform_command(haft_run *run, const haft__run_command *command,
                                                    haft_error *err);

/* Records a command of an ACTIVE run, after all pending decisions. Does not advance the run. */
HAFT_MUST_USE haft_status haft__run_record_command(haft_run *run, const haft__run_command *command,
                                                   haft_error *err);

/* Records a command to a pending call. Before it, records only deadlines that have passed, no other
 * decision. */
HAFT_MUST_USE haft_status haft__run_record_pause_command(haft_run *run,
                                                         const haft__run_command *command,
                                                         haft_error *err);

/* Records all pending decisions, and performs no effect. */
HAFT_MUST_USE haft_status haft__run_record_decisions(haft_run *run, uint64_t now, haft_error *err);

/* Records only the deadlines that have passed. */
HAFT_MUST_USE haft_status haft__run_record_expiries(haft_run *run, uint64_t now, haft_error *err);

/* Frees the run; none of its operations or store requests may be pending. */
void haft__run_destroy(haft_run *run);

/* Calls `on_released`, when a released run has no more store requests or the store does not
 * reply. */
void haft__run_notify_released(haft_run *run);

/* Releases the lease of a run whose handle was released, then frees the run. */
void haft__run_dispose(haft_run *run);

/* Suspends the run and stops the model call and the calls that can be repeated. Calls with effects
 * continue; haft__run_is_drained returns true when they have ended. Another process can claim the
 * run after it is released. */
void haft__run_drain(haft_run *run);
bool haft__run_is_drained(const haft_run *run);

/* Stops the model call, the tool calls, the tool search and all timers. */
void haft__run_stop_operations(haft_run *run);

/* Restarts the deadline timers of all runs after the wall clock was set. */
void haft__runtime_reset_deadlines(haft_runtime *runtime);

/* Sets whether the store is low on space. Resumes stalled runs if it no longer is. */
void haft__runtime_set_low_space(haft_runtime *runtime, bool low);

/* Milliseconds to wait after this number of consecutive failures. */
uint64_t haft__run_backoff_ms(uint32_t failures);

/* Whether the run only finishes its started operations and then stops with the error `blocked`. */
bool haft__run_is_blocked(const haft_run *run);

/* Whether the run waits or has ended, and all its events are durable. */
bool haft__run_is_settled(const haft_run *run);

/* Whether a question whose answer only this process can deliver is open and durable. Other
 * operations of the run may be pending; the deadline of the question may pass before they end. */
bool haft__run_has_open_question(const haft_run *run);

#endif
