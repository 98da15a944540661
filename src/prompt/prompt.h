/* SPDX-License-Identifier: Apache-2.0 */
/*
 * prompt/prompt.h - the system prompt, and the transcript of the planner shape.
 *
 * Order: system prompt (instructions, strategic plan, memory files), earlier runs of the thread,
 * the task, this run's turns.
 */
#ifndef HAFT_PROMPT_PROMPT_H
#define HAFT_PROMPT_PROMPT_H

#include "base/buf.h"
#include "format/format.h"
#include "prompt/message.h"
#include "spec/spec.h"

/* Appends a plan as indented JSON after this line, cut at HAFT__LIMIT_PLAN_CHARS code points. */
#define HAFT__PROMPT_PLAN "STRATEGIC PLAN:\n"
void haft__prompt_add_plan(haft__buf *buf, haft__json plan);

/* Appends the system prompt: instructions, then the plan as indented JSON cut at
 * HAFT__LIMIT_PLAN_CHARS code points, then the memory files. Appends nothing if the spec has none
 * of them. `buf` is empty before. */
void haft__prompt_system(haft__buf *buf, const haft__spec *spec);

/* Makes the history of the planner shape: text messages with the roles system, user and assistant.
 * A call is a message of the assistant, its result is the next message of the user, and the task is
 * the last message. `messages` are the messages of the run, including the task. `format` is the
 * text format of calls, whose marks are removed from results; or NULL. The messages live in `arena`
 * and borrow from `messages`. */
HAFT_MUST_USE haft_status haft__prompt_transcript(const haft__messages *messages, haft_str task,
                                                  const haft__format *format, haft__arena *arena,
                                                  haft__messages *ret_messages, haft_error *err);

#endif
