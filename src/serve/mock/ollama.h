/* SPDX-License-Identifier: Apache-2.0 */
/* serve/mock/ollama.h - the mock model behind Ollama's own API: translates requests of /api/chat
 * into requests of Chat Completions, and writes replies as lines of JSON. */
#ifndef HAFT_SERVE_MOCK_OLLAMA_H
#define HAFT_SERVE_MOCK_OLLAMA_H

#include "base/buf.h"
#include "base/hash.h"
#include "model/model.h"

/* Appends the request in the form of Chat Completions. BAD_INPUT if the body is not a JSON object.
 * Results without ids get the ids of the calls of the last reply, in the order of the calls. */
HAFT_MUST_USE haft_status haft__mock_ollama_translate(haft_str body, haft__hash_key hash_key,
                                                      haft__buf *buf, haft_error *err);

/* Appends a reply: one line with one object. With `stream`, two lines: the whole content, and the
 * line that ends the stream. */
void haft__mock_ollama_write(haft__buf *buf, haft_str model, uint64_t now_ms,
                             const haft__reply *reply, bool stream);

/* Appends {"error": MESSAGE}. */
void haft__mock_ollama_write_error(haft__buf *buf, haft_str message);

#endif
