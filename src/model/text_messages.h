/* SPDX-License-Identifier: Apache-2.0 */
/*
 * model/text_messages.h - the messages of a request to a model whose calls are written in its text:
 * the system prompt teaches the tools; calls and results are ordinary messages. All wire formats
 * share it.
 *
 *     haft__tool_prompt_sync(&prompt, format, request, &changed, err);
 *     haft__tool_prompt_write_system(&prompt, instructions, &text);
 *     while (done < messages->count) {
 *         haft__text_message_write(format, messages, done, &text, &count, err);
 *         done += count;
 *     }
 *     haft__text_turn_write(format, request, &text);
 *
 * Results are sent in a user's message: a server rejects a native result that does not follow
 * native calls.
 */
#ifndef HAFT_MODEL_TEXT_MESSAGES_H
#define HAFT_MODEL_TEXT_MESSAGES_H

#include "format/format.h"
#include "model/model.h"

/* The section of the system prompt that teaches the format and the tools. Heap memory, freed by
 * finish. */
typedef struct haft__tool_prompt {
    haft__buf text;
    size_t tool_count; /* the number of tools in it, and a hash of them */
    uint64_t hash;
} haft__tool_prompt;

void haft__tool_prompt_init(haft__tool_prompt *prompt);
void haft__tool_prompt_finish(haft__tool_prompt *prompt);

/* Empties the section, before it is used for another format. */
void haft__tool_prompt_clear(haft__tool_prompt *prompt);

/* Writes the section again if the request has other tools. *ret_changed: it was written; messages
 * that were sent after the old section have to be sent again. */
HAFT_MUST_USE haft_status haft__tool_prompt_sync(haft__tool_prompt *prompt,
                                                 const haft__format *format,
                                                 const haft__request *request, bool *ret_changed,
                                                 haft_error *err);

/* Appends the system prompt: the instructions, followed by the section. */
void haft__tool_prompt_write_system(const haft__tool_prompt *prompt, haft_str instructions,
                                    haft__buf *buf);

/* Appends the text of the message at `first`. Consecutive results have one text. *ret_count: the
 * messages that it stands for. */
HAFT_MUST_USE haft_status haft__text_message_write(const haft__format *format,
                                                   const haft__messages *messages, size_t first,
                                                   haft__buf *buf, size_t *ret_count,
                                                   haft_error *err);

/* The role of the message with such a text: the results of calls come from the user. */
haft__message_role haft__text_message_role(const haft__message *message);

/* Appends the text that ends the messages of this request only: the correction, or the choice of
 * the turn. Appends nothing if every tool may be called and none is required. */
void haft__text_turn_write(const haft__format *format, const haft__request *request,
                           haft__buf *buf);

#endif
