/* SPDX-License-Identifier: Apache-2.0 */
/* model/providers/anthropic/request_int.h - shared by the files of
 * model/providers/anthropic/request.h. Private to its folder. */
#ifndef HAFT_MODEL_PROVIDERS_ANTHROPIC_REQUEST_INT_H
#define HAFT_MODEL_PROVIDERS_ANTHROPIC_REQUEST_INT_H

#include "model/call_results.h"
#include "model/providers/anthropic/request.h"
#include "json/write.h"

/* ---- request_message.c ---- */

/* Appends an assistant's message in the neutral form. */
void haft__anthropic_add_turn(haft__anthropic_chat *chat, const haft__message *message);

/* Appends an assistant's message in the form in which the model wrote it: the items of a JSON
 * array, without brackets. */
void haft__anthropic_add_items(haft__anthropic_chat *chat, haft_str items);

/* Appends the results of a turn: one for each call, in the order of the calls. A result that
 * reveals deferred tools of the request refers to them. */
void haft__anthropic_add_results(haft__anthropic_chat *chat, const haft__request *request,
                                 const haft__call_batch *batch);

/* Appends a last text to messages that were written to `buf`. Like them, the message is not closed.
 */
void haft__anthropic_end_with(haft__buf *buf, const haft__anthropic_chat *chat, haft_str text);

/* ---- request_options.c ---- */

/* Writes tool_choice. */
void haft__anthropic_write_choice(const haft__provider *provider, haft__json_writer *w,
                                  const haft__request *request,
                                  const haft__provider_request_options *options);

/* Writes the limit of the reply, the constraint, `stream` and the options of the spec. */
void haft__anthropic_write_options(const haft__provider *provider, haft__json_writer *w,
                                   const haft__request *request,
                                   const haft__provider_request_options *options);

/* ---- items.c: the blocks of a reply, in the form in which the model wrote them ---- */

/* Finds the items that a message is sent back as, without brackets. Empty if it has none, or if
 * they cannot be used: they are of another provider or model, their calls have other ids than the
 * message, or they are bound to another prefix. */
HAFT_MUST_USE haft_status haft__anthropic_find_items(const haft__anthropic_chat *chat,
                                                     const haft__request *request,
                                                     const haft__message *message,
                                                     haft_str *ret_items, haft_error *err);

#endif
