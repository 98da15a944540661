/* SPDX-License-Identifier: Apache-2.0 */
/* model/native.h - whole response bodies of providers other than OpenAI: one reply, or the events
 * of a stream. As with model/providers/openai_chat/stream.h, the start of the body says which. A
 * reply that was cut is HAFT__FAILURE_CUT; nothing of it is completed. */
#ifndef HAFT_MODEL_NATIVE_H
#define HAFT_MODEL_NATIVE_H

#include "base/hash.h"
#include "model/model.h"

/* Whether a body is a list of stream events, one per line, with nothing around them. */
bool haft__native_is_event_lines(haft_str body);

/* Reads a body; the outcome lives in `arena`. Fails only if out of memory: any error in the bytes
 * becomes the outcome's failure. */
typedef haft_status haft__native_read(haft_str body, haft__hash_key hash_key, haft__arena *arena,
                                      haft__model_outcome *ret_answer, haft_error *err);

/* Gemini's generateContent: parts text, thought and functionCall. Most versions send no ids. */
haft__native_read haft__gemini_read;

#endif
