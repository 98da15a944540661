/* SPDX-License-Identifier: Apache-2.0 */
/*
 * model/native.h - whole bodies of providers other than OpenAI: one reply, or the events of a
 * stream. As with model/providers/openai_chat/stream.h, what the body begins with says which it is,
 * and a reply that broke off is HAFT__FAILURE_CUT: nothing of it is made up for.
 */
#ifndef HAFT_MODEL_NATIVE_H
#define HAFT_MODEL_NATIVE_H

#include "base/hash.h"
#include "model/model.h"

/* Whether a body is the events of a stream, each on a line of its own and with nothing around. */
bool haft__native_is_event_lines(haft_str body);

/* Reads a body; the answer lives in `arena`. Fails only for want of memory: whatever is wrong with
 * the bytes becomes the answer's failure. */
typedef haft_status haft__native_read(haft_str body, haft__hash_key hash_key, haft__arena *arena,
                                      haft__model_outcome *ret_answer, haft_error *err);

/* Anthropic's Messages: blocks text, thinking and tool_use. */
haft__native_read haft__anthropic_read;

/* Gemini's generateContent: parts text, thought and functionCall. Ids are empty in most versions.
 */
haft__native_read haft__gemini_read;

/* OpenAI's Responses: items message, reasoning and function_call. */
haft__native_read haft__responses_read;

#endif
