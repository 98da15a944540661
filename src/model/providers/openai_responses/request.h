/* SPDX-License-Identifier: Apache-2.0 */
/*
 * model/providers/openai_responses/request.h - requests to the Responses API as JSON text.
 *
 * Every request has the whole conversation and `store: false`: the server keeps nothing. A
 * request begins with exactly the bytes of the request before: model, tools, input. Members that
 * change from turn to turn follow them. Tools that a search reveals are declared by an item of the
 * input, so that the list of tools stays the same.
 */
#ifndef HAFT_MODEL_PROVIDERS_OPENAI_RESPONSES_REQUEST_H
#define HAFT_MODEL_PROVIDERS_OPENAI_RESPONSES_REQUEST_H

#include "model/conversation.h"

typedef struct haft__responses_conversation {
    haft__provider_conversation head;
    /* Of the last request: the number of tools that the history declares, and their form. */
    size_t appended;
    haft__tool_writer *write_tool;
} haft__responses_conversation;

haft__tool_writer *haft__responses_tool_writer(const haft__provider_conversation *text,
                                               const haft__request *request,
                                               const haft__provider_request_options *options);

void haft__responses_add_content(haft__provider_conversation *text, haft__message_role role,
                                 haft_str content);

HAFT_MUST_USE haft_status haft__responses_add_message(haft__provider_conversation *text,
                                                      const haft__request *request,
                                                      haft_error *err);

bool haft__responses_is_stale(haft__provider_conversation *text, const haft__request *request);

void haft__responses_write_body(haft__provider_conversation *text, const haft__request *request,
                                const haft__provider_request_options *options, haft_str last,
                                haft__buf *buf);

/* Appends the input items of one message, separated by commas; at least one. */
void haft__responses_write_message(const haft__provider_conversation *text, haft__buf *buf,
                                   const haft__message *message);

/* After the last result of a turn: appends an item with the tools that these results reveal and
 * that the history has to declare. */
void haft__responses_add_revealed_tools(haft__provider_conversation *text,
                                        const haft__request *request);

/* Appends the declaration of a tool. */
void haft__responses_write_tool(haft__buf *buf, const haft__tool *tool);
/* The same without `strict`, with the tool's own schema. */
void haft__responses_write_lenient_tool(haft__buf *buf, const haft__tool *tool);

#endif
