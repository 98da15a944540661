/* SPDX-License-Identifier: Apache-2.0 */
/*
 * model/call_results.h - the results that follow the calls of a turn. For servers that want all
 * results of a turn in one message, in the order of its calls.
 */
#ifndef HAFT_MODEL_CALL_RESULTS_H
#define HAFT_MODEL_CALL_RESULTS_H

#include "prompt/message.h"

/* The text for a call that has no result: such a server requires one for each call. */
#define HAFT__CALL_WITHOUT_RESULT "The call has no result."

/* The messages from some index on that one message of such a server stands for. */
typedef struct haft__call_batch {
    const haft__message *turn;    /* the message before, if it has calls; else NULL */
    const haft__message *results; /* the results that begin here */
    size_t count;
    const haft__message *message; /* the message here, if it is not a result; else NULL */
} haft__call_batch;

haft__call_batch haft__call_results_at(const haft__messages *messages, size_t index);

/* The result of a call; NULL if it is missing. */
const haft__message *haft__call_results_find(const haft__message *results, size_t count,
                                             haft_str call_id);

/* Whether the turn has the call of a result; false without a turn. */
bool haft__call_results_has_call(const haft__message *turn, const haft__message *result);

#endif
