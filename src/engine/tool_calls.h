/* SPDX-License-Identifier: Apache-2.0 */
/* engine/tool_calls.h - tool calls that run in this process. */
#ifndef HAFT_ENGINE_TOOL_CALLS_H
#define HAFT_ENGINE_TOOL_CALLS_H

#include "base/arena.h"
#include "exec/exec.h"
#include "store/store.h"

typedef enum haft__call_slot_state {
    HAFT__CALL_SLOT_RUNNING,         /* the executor runs the call */
    HAFT__CALL_SLOT_READING_CACHE,   /* the store is queried for a cached result */
    HAFT__CALL_SLOT_AWAITING_ANSWER, /* the tool has asked a question */
    HAFT__CALL_SLOT_WRITING_CACHE,   /* the call has ended; the store writes its result */
} haft__call_slot_state;

/* One attempt of one call. */
typedef struct haft__call_slot {
    haft_run *run; /* NULL after the run has dropped the slot */
    haft_runtime *runtime;
    haft__call_slot_state state;
    uint32_t attempt;
    size_t call; /* index of the call in the run's state */
    haft__exec_job *job;
    uint32_t nested;  /* of code: the number of calls that it has made in this attempt */
    uint32_t waiting; /* of code: the number of the last of them that it waits for; 0: none */
    bool searched;    /* of code: one of these is a tool search */
    haft__store_request request; /* request to the cache */
    haft__arena arena;           /* results of `request`, texts of the call */
    struct haft__call_slot *next;
} haft__call_slot;

/* Passes results to the code that waits for them. Called after each change of the run. */
HAFT_MUST_USE haft_status haft__code_calls_reply(haft_run *run, haft_error *err);

/* The calls of the code of a slot: [{tool, arguments}]. */
void haft__code_calls_record(haft__call_slot *slot, haft__json calls);

/* The tools that code can call, for haft__exec_call.functions. Appends JSON. */
HAFT_MUST_USE haft_status haft__code_calls_write_functions(const haft_run *run, haft__buf *buf,
                                                           haft_error *err);

/* Records the script's result for a call that has started, if the script has one. */
HAFT_MUST_USE haft_status haft__tool_calls_use_script(haft_run *run, bool *ret_used,
                                                      haft_error *err);

/* Starts the calls that may start now. */
HAFT_MUST_USE haft_status haft__tool_calls_start(haft_run *run, haft_error *err);
void haft__tool_calls_stop(haft_run *run);

/* Stops the calls that may be repeated, and those that wait for an answer. */
void haft__tool_calls_stop_repeatable(haft_run *run);

#endif
