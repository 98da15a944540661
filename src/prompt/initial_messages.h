/* SPDX-License-Identifier: Apache-2.0 */
/*
 * prompt/initial_messages.h - the conversation that a run begins with, if its client has one.
 *
 * JSON, in the order of the conversation:
 *
 *     [{"role": "user", "content": TEXT},
 *      {"role": "assistant", "content": TEXT, "calls": [{"id", "name", "arguments": OBJECT}]},
 *      {"role": "tool", "call": ID, "content": TEXT}]
 *
 * The last message of the user is the task of the run.
 */
#ifndef HAFT_PROMPT_INITIAL_MESSAGES_H
#define HAFT_PROMPT_INITIAL_MESSAGES_H

#include "prompt/message.h"
#include "json/value.h"

/* Checks the form. BAD_INPUT or TOO_BIG with the JSON Pointer of the problem in err->where. The
 * client may be wrong about calls: history.h repairs a conversation with missing results. */
HAFT_MUST_USE haft_status haft__initial_messages_check(haft__json messages, haft_error *err);

/* Adds the task to a list, as its last message of the user. */
HAFT_MUST_USE haft_status haft__initial_messages_append(haft__arena *arena, haft_str task,
                                                        haft__json *io_messages, haft_error *err);

/* The task of messages that have been checked. */
haft_str haft__initial_messages_task(haft__json messages);

/* Adds messages that have been checked to `to`, with its arena. Texts are borrowed from
 * `messages`. */
HAFT_MUST_USE haft_status haft__initial_messages_add(haft__json messages, haft__messages *to,
                                                     haft_error *err);

#endif
