/* SPDX-License-Identifier: Apache-2.0 */
/*
 * prompt/prompt.h - the system prompt, and the transcript of the planner shape.
 *
 * Order: system prompt (instructions and strategic plan), earlier runs of the thread, the task,
 * this run's turns.
 */
#ifndef HAFT_PROMPT_PROMPT_H
#define HAFT_PROMPT_PROMPT_H

#include "base/buf.h"
#include "prompt/message.h"
#include "spec/spec.h"

/* Appends the system prompt: instructions, then the plan as indented JSON cut at
 * HAFT__LIMIT_PLAN_CHARS code points. Appends nothing if the spec has neither. */
void haft__prompt_system(haft__buf *buf, const haft__spec *spec);

/* Appends the transcript of the planner shape: a line for each call and each result, the
 * assistant's texts, and the task at the end. `messages` are those of the run, task included. */
void haft__prompt_transcript(haft__buf *buf, const haft__messages *messages, haft_str task);

#endif
