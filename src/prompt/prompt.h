/* SPDX-License-Identifier: Apache-2.0 */
/*
 * prompt/prompt.h - what stands in front of a run's turns, and how results are shown.
 *
 * Order: system prompt (instructions and strategic plan), earlier runs of the thread, the task,
 * this run's turns.
 */
#ifndef HAFT_PROMPT_PROMPT_H
#define HAFT_PROMPT_PROMPT_H

#include "base/buf.h"
#include "prompt/message.h"
#include "spec/spec.h"

/* What is put behind a result that was cut. */
#define HAFT__OBSERVATION_MARK "\n\xE2\x80\xA6 (observation truncated)"

/* Appends the system prompt: instructions, then the plan as indented JSON cut at
 * HAFT__LIMIT_PLAN_CHARS code points. Nothing when the spec has neither. */
void haft__prompt_system(haft__buf *buf, const haft__spec *spec);

/* What the model sees of a result: all of it, or its first `chars` code points and the mark. The
 * text lives in `arena` when it had to be made; .ptr is NULL when there was no memory. */
haft_str haft__prompt_observation(haft__arena *arena, haft_str result, uint32_t chars,
                                  bool *ret_truncated);

/* Appends the planner shape's transcript: a line for each call and each result, the assistant's
 * texts, and the task at the end. `messages` are the run's, task included. */
void haft__prompt_transcript(haft__buf *buf, const haft__messages *messages, haft_str task);

#endif
