/* SPDX-License-Identifier: Apache-2.0 */
/*
 * prompt/history.h - histories that every provider accepts: each call has exactly one result,
 * directly after its message and in the order of the calls.
 */
#ifndef HAFT_PROMPT_HISTORY_H
#define HAFT_PROMPT_HISTORY_H

#include "prompt/message.h"

/* The result of a call that has none. */
#define HAFT__HISTORY_NO_RESULT "The call has no result."

bool haft__history_is_valid(const haft__messages *messages);

/* Makes a valid history, in `arena`; texts are borrowed. A call without a result gets an error, a
 * second result is left out, and a result without its call becomes a message of the user. The
 * beginning of a history does not depend on what follows it, except for its last results. */
HAFT_MUST_USE haft_status haft__history_repair(const haft__messages *messages, haft__arena *arena,
                                               haft__messages *ret_messages, haft_error *err);

#endif
