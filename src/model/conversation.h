/* SPDX-License-Identifier: Apache-2.0 */
/*
 * model/conversation.h - the requests of a run to its model: the part that is the same in every
 * wire format.
 *
 *     haft__conversation_create(provider, &conversation, err);           once for each run
 *     haft__conversation_write(conversation, &request, &options, &body, err);   once for each turn
 *     haft__conversation_destroy(conversation);
 *
 * The text of messages and tools is kept: a request writes only what is new, and begins with the
 * bytes of the request before. The functions of a wire format (model/provider.h) add one message,
 * declare one tool, and write the body around the kept text.
 */
#ifndef HAFT_MODEL_CONVERSATION_H
#define HAFT_MODEL_CONVERSATION_H

#include "model/provider_tool.h"
#include "json/write.h"

/* The caller destroys it. `provider` must outlive it. */
HAFT_MUST_USE haft_status haft__conversation_create(const haft__provider *provider,
                                                    haft__provider_conversation **ret_conversation,
                                                    haft_error *err);

/* NULL is fine. */
void haft__conversation_destroy(haft__provider_conversation *conversation);

/* Appends the body of a request. Its messages continue those of the request before. A request may
 * be in another format than its conversation: it is then written from the beginning, and the kept
 * text stays for the next request. Of options->options, `reserved_options` are not sent. */
HAFT_MUST_USE haft_status haft__conversation_write(haft__provider_conversation *conversation,
                                                   const haft__request *request,
                                                   const haft__provider_request_options *options,
                                                   haft__buf *buf, haft_error *err);

/* ---- for wire formats ---- */

/* Whether the message has items that the model of the conversation wrote at this endpoint. No other
 * model or server gets them: they are signed or encrypted, and may be private. */
bool haft__conversation_owns_items(const haft__provider_conversation *conversation,
                                   const haft__message *message);

/* The declared tools as JSON text, separated by commas; empty if the request declares none. */
haft_str haft__conversation_tools(const haft__provider_conversation *conversation,
                                  const haft__request *request);

/* Writes the member `tools`, if there are any: those that run at the provider, which never change,
 * and after them `before`, the declared tools, `after`. Returns whether it was written. */
bool haft__conversation_add_tools(const haft__provider_conversation *conversation,
                                  haft__json_writer *w, const haft__request *request,
                                  haft__provider_tool_writer *write, haft_str before,
                                  haft_str after);

/* Adds the wire name of a tool. A call of another model may have no name: "_" stands for it. */
void haft__conversation_add_name(haft__json_writer *w, haft_str name);

/* Writes one tool: {name, description, SCHEMA_KEY: its schema by these rules}. */
void haft__conversation_write_tool(haft__json_writer *w, const haft__tool *tool,
                                   const char *schema_key, const haft__tool_schema_rules *rules);

/* Appends one tool as {type: function, function: {name, description, parameters}}. */
void haft__conversation_write_function(haft__buf *buf, const haft__tool *tool,
                                       const haft__tool_schema_rules *rules);

/* The tool that the request names, for providers that can only declare it alone; NULL if the
 * request names none. */
const haft__tool *haft__conversation_named_tool(const haft__request *request);

#endif
