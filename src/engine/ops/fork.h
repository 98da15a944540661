/* SPDX-License-Identifier: Apache-2.0 */
/* engine/ops/fork.h - creates a run that begins with the events of another, in a new thread. */
#ifndef HAFT_ENGINE_OPS_FORK_H
#define HAFT_ENGINE_OPS_FORK_H

#include "engine/ops/spec_drift.h"

/* The run to fork. */
typedef struct haft__fork_source {
    const char *name; /* for errors */
    haft_str lines;   /* its events */
    const haft__spec *spec;
    haft__hash_key hash_key;
    haft__store_run row;   /* if it is a run of a store */
    haft_runtime *runtime; /* NULL for a file of events: the fork is returned as text */
} haft__fork_source;

typedef enum haft__fork_point {
    HAFT__FORK_AT_END,
    HAFT__FORK_AT_EVENT,   /* after event `number` */
    HAFT__FORK_AT_TURN,    /* at the end of turn `number`; 0: before the first turn */
    HAFT__FORK_AT_CALL,    /* where `call` is pending, or was answered last */
    HAFT__FORK_AT_START,   /* after the first event: `task` replaces the task */
    HAFT__FORK_AT_STEP,    /* of a graph: after step `number`; UINT64_MAX: after the last */
    HAFT__FORK_AT_FAILURE, /* of a graph that has failed: the nodes that failed run again */
    HAFT__FORK_AT_LIMIT,   /* of a graph that has ended at its recursion limit */
} haft__fork_point;

typedef struct haft__fork_options {
    haft__fork_point point;
    uint64_t number;
    const char *call, *task; /* for AT_CALL and AT_START; NULL otherwise */
    const char *thread;      /* the id of the new thread, which has no runs; NULL: a new id */
    haft__json values;       /* of a graph: {channel: value} changes the state; or null */
    const char *as;          /* with `values`: the node whose writes they are; NULL: none */
    uint32_t more;           /* for AT_LIMIT: the number of further steps */
    haft_str by;             /* who changes the state or continues the graph */
    bool continues;          /* the caller will open the fork: a run that has ended is rejected */
    haft__spec_drift *drift; /* checked before the fork is created, if it continues; may be NULL */
} haft__fork_options;

/* Why no fork was created; each caller adds its own hint. */
typedef enum haft__fork_refusal {
    HAFT__FORK_NOT_REFUSED,      /* success, or another error */
    HAFT__FORK_NO_TURN,          /* the run has no such turn */
    HAFT__FORK_NO_STEP,          /* the run has no such step, or no graph */
    HAFT__FORK_NO_CALL,          /* the call is not pending at that point and was not answered */
    HAFT__FORK_INSIDE_TURN,      /* the event is not the end of a turn */
    HAFT__FORK_CALL_UNDER_WAY,   /* a call would be made twice; `last_turn` is safe */
    HAFT__FORK_NOTHING_LEFT,     /* the run has ended, and cannot continue */
    HAFT__FORK_BAD_THREAD,       /* the thread is not an id */
    HAFT__FORK_THREAD_NOT_EMPTY, /* the thread has runs */
} haft__fork_refusal;

typedef struct haft__fork {
    char id[HAFT__ID_LENGTH + 1], thread[HAFT__ID_LENGTH + 1];
    bool copied;     /* the run had ended: the fork is a copy, and its thread can continue */
    haft_str events; /* of the fork of a file, one a line; in the arena */
    haft__fork_refusal refusal;
    uint32_t last_turn; /* the last turn, or step of a graph, that was complete at that point */
    bool has_steps;     /* the run is one of a graph: `last_turn` is a step */
} haft__fork;

/* Creates the fork. No worker continues it until it is opened. On failure `ret_fork` is filled in,
 * too: `refusal` says why. Results live in `arena`. BAD_INPUT, BAD_STATE. */
HAFT_MUST_USE haft_status haft__fork_create(const haft__fork_source *from,
                                            const haft__fork_options *options, haft__arena *arena,
                                            haft__fork *ret_fork, haft_error *err);

#endif
