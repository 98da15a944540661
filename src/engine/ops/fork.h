/* SPDX-License-Identifier: Apache-2.0 */
/* engine/ops/fork.h - creates a run that begins with the events of another run, in a new thread. */
#ifndef HAFT_ENGINE_OPS_FORK_H
#define HAFT_ENGINE_OPS_FORK_H

#include "engine/ops/spec_drift.h"

/* The run to fork. */
typedef struct haft__fork_source {
    const char *name; /* for errors */
    haft_str lines;   /* its events */
    const haft__spec *spec;
    haft__hash_key hash_key;
    haft__store_run row;   /* if the run is in a store */
    haft_runtime *runtime; /* NULL for a file of events: the fork is returned as text */
} haft__fork_source;

typedef enum haft__fork_point {
    HAFT__FORK_AT_END,
    HAFT__FORK_AT_EVENT,   /* after event `number` */
    HAFT__FORK_AT_TURN,    /* at the end of turn `number`; 0: before the first turn */
    HAFT__FORK_AT_CALL,    /* where `call` is pending, or before its last answer */
    HAFT__FORK_AT_START,   /* after the first event: `task` replaces the task */
    HAFT__FORK_AT_STEP,    /* graphs only: after step `number`; UINT64_MAX: after the last step */
    HAFT__FORK_AT_FAILURE, /* failed graphs only: the failed nodes run again */
    HAFT__FORK_AT_LIMIT,   /* graphs only: before the end of a graph that has reached its recursion
                            * limit */
} haft__fork_point;

typedef struct haft__fork_options {
    haft__fork_point point;
    uint64_t number;
    const char *call, *task; /* for AT_CALL and AT_START; NULL otherwise */
    const char *thread;      /* the id of the new thread, which has no runs; NULL: a new id */
    haft__json values;       /* graphs only: {channel: value} changes the state; or null */
    const char *as; /* with `values`: the node that is recorded as their writer; NULL: none */
    uint32_t more;  /* for AT_LIMIT: the number of further steps */
    haft_str by;    /* the person who changes the state or continues the graph */
    bool continues; /* the caller will open the fork, so a run that has ended is
                     * rejected */
    haft__spec_drift *drift; /* checked before the fork is created, if it continues; may be NULL */
} haft__fork_options;

/* The reason why no fork was created; each caller adds its own hint. */
typedef enum haft__fork_refusal {
    HAFT__FORK_NOT_REFUSED,      /* success, or another error */
    HAFT__FORK_NO_TURN,          /* the run has no such turn */
    HAFT__FORK_NO_STEP,          /* the run has no such step, or no graph */
    HAFT__FORK_NO_CALL,          /* the call is not pending at that point and was not answered */
    HAFT__FORK_INSIDE_TURN,      /* the event is not the end of a turn */
    HAFT__FORK_CALL_UNDER_WAY,   /* a call would run twice; a fork after `last_turn` is safe */
    HAFT__FORK_NOTHING_LEFT,     /* the run has ended and cannot continue */
    HAFT__FORK_BAD_THREAD,       /* the thread is not an id */
    HAFT__FORK_THREAD_NOT_EMPTY, /* the thread has runs */
} haft__fork_refusal;

typedef struct haft__fork {
    char id[HAFT__ID_LENGTH + 1], thread[HAFT__ID_LENGTH + 1];
    bool copied;     /* the run had ended: the fork is a copy, and its thread can continue */
    haft_str events; /* the events of the fork of a file, one per line; in the arena */
    haft__fork_refusal refusal;
    uint32_t last_turn; /* the last turn, or step of a graph, that was complete at that point */
    bool has_steps;     /* the run is a graph: `last_turn` is a step */
} haft__fork;

/* Creates the fork. No worker continues it until it is opened. Also fills in `ret_fork` on failure:
 * `refusal` is the reason. Results live in `arena`. Fails with BAD_INPUT or BAD_STATE. */
HAFT_MUST_USE haft_status haft__fork_create(const haft__fork_source *from,
                                            const haft__fork_options *options, haft__arena *arena,
                                            haft__fork *ret_fork, haft_error *err);

#endif
