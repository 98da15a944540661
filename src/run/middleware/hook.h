/* SPDX-License-Identifier: Apache-2.0 */
/*
 * run/middleware/hook.h - what a hook is asked, and what its reply means.
 *
 *     {event, run, thread, user, name, turn, call, tool, arguments, result, ok, request}
 *     {allow | deny, why, arguments, result, note}
 *
 * docs/middleware.md describes both.
 */
#ifndef HAFT_RUN_MIDDLEWARE_HOOK_H
#define HAFT_RUN_MIDDLEWARE_HOOK_H

#include "model/model.h"
#include "run/middleware/middleware.h"

/* The decision of a hook. */
typedef enum haft__hook_what {
    HAFT__HOOK_ALLOWED,
    HAFT__HOOK_NOTED,    /* allowed, with a note for the model */
    HAFT__HOOK_CHANGED,  /* the call has other arguments */
    HAFT__HOOK_REPLACED, /* the result, or the reply, is another text */
    HAFT__HOOK_DENIED,
    HAFT__HOOK_FAILED, /* the hook gave no valid reply in time */
} haft__hook_what;

typedef struct haft__hook_outcome {
    haft__hook_what what;
    haft_str why;
    haft__json arguments; /* for CHANGED */
    haft_str result;      /* for REPLACED */
    haft_str note;
    uint64_t ms;
} haft__hook_outcome;

/* An open hook: `call` is NULL for the request to the model. */
typedef struct haft__hook_call {
    const haft__run_call *call;
    haft__hook_point at;
    haft_str name;
} haft__hook_call;

/* Finds the open hooks one after the other, starting with *at = 0; false at the end. */
bool haft__hook_next_open(const haft__run *run, size_t *at, haft__hook_call *ret_hook);

/* Writes the request to a hook as one JSON object. `messages` is the conversation of the request to
 * the model, or NULL. */
void haft__hook_write_request(haft__buf *buf, const haft__run *run, haft_str user,
                              const haft__hook_call *hook, const haft__messages *messages);

/* Reads the reply of a hook. A reply that is not valid is the outcome FAILED, with the reason. The
 * outcome lives in `arena` and borrows from `text`. */
HAFT_MUST_USE haft_status haft__hook_read_reply(haft__arena *arena, haft_str text,
                                                haft__hook_point at,
                                                haft__hook_outcome *ret_outcome, haft_error *err);

/* Writes the input `intervention` with the outcome of an open hook. */
void haft__input_hook_decided(haft__buf *buf, const haft__run *run, const haft__hook_call *hook,
                              const haft__hook_outcome *outcome);

#endif
