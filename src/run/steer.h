/* SPDX-License-Identifier: Apache-2.0 */
/*
 * run/steer.h - what people and clients say to a run: answers, approvals, cancelling.
 *
 * A command may come from another process, through a store, so it has a text form and nothing in it
 * is trusted: it becomes an event only if it fits what the run waits for.
 */
#ifndef HAFT_RUN_STEER_H
#define HAFT_RUN_STEER_H

#include "run/run.h"

typedef enum haft__steer_kind {
    HAFT__STEER_ANSWER,  /* a question, a headless call; an approval: in the tool's place; an
                              unknown outcome: this is what came of it */
    HAFT__STEER_APPROVE, /* an approval, with other arguments if it has a value; an unknown
                              outcome: run it again */
    HAFT__STEER_REJECT,
    HAFT__STEER_CANCEL, /* the whole run */
} haft__steer_kind;

typedef struct haft__steer {
    haft__steer_kind kind;
    haft_str call;    /* its id; "" when only one is pending */
    haft__json value; /* of an answer; the new arguments of an approval, or null */
    haft_str by;      /* who says so */
    haft_str why;     /* of a rejection or a cancelling; may be empty */
} haft__steer;

/* Appends the text form: one JSON object. */
void haft__steer_write(haft__buf *buf, const haft__steer *command);

/* Reads it. Texts point into `text`, which must outlive the command. BAD_INPUT when it is none. */
HAFT_MUST_USE haft_status haft__steer_read(haft__arena *arena, haft_str text,
                                           haft__hash_key hash_key, haft__steer *ret_command,
                                           haft_error *err);

/* Appends the body of the event that it becomes. Nothing is appended when the same has been said
 * before. NOT_FOUND when there is no such call, BAD_STATE when it does not wait for this, or an
 * other answer was given; the message names what is pending. */
HAFT_MUST_USE haft_status haft__steer_apply(const haft__run *run, const haft__steer *command,
                                            haft__buf *buf, haft_error *err);

#endif
