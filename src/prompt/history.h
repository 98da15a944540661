/* SPDX-License-Identifier: Apache-2.0 */
/*
 * prompt/history.h - makes histories that every provider accepts: each call has exactly one result,
 * directly after its message and in the order of the calls.
 */
#ifndef HAFT_PROMPT_HISTORY_H
#define HAFT_PROMPT_HISTORY_H

#include "prompt/message.h"

/* The result that is inserted for a call without a result. */
#define HAFT__HISTORY_NO_RESULT "The call has no result."

bool haft__history_is_valid(const haft__messages *messages);

/* Makes a valid history, in `arena`; texts are borrowed. A call without a result gets an error. A
 * second result of a call is omitted. A result without its call becomes a message of the user. The
 * beginning of the result does not depend on later messages, except for the last results of the
 * beginning. */
HAFT_MUST_USE haft_status haft__history_repair(const haft__messages *messages, haft__arena *arena,
                                               haft__messages *ret_messages, haft_error *err);

#endif
