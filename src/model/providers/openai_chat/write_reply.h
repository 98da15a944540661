/* SPDX-License-Identifier: Apache-2.0 */
/*
 * model/providers/openai_chat/write_reply.h - writes a neutral reply as the response to a Chat
 * Completions request, whole or as a stream of server-sent events. The reverse of what a client
 * reads.
 *
 * Errors stay in the buffer: append freely, then call haft__buf_check.
 */
#ifndef HAFT_MODEL_PROVIDERS_OPENAI_CHAT_WRITE_REPLY_H
#define HAFT_MODEL_PROVIDERS_OPENAI_CHAT_WRITE_REPLY_H

#include "model/providers/openai_chat/parse_request.h"

/* Members of every part of a response. */
typedef struct haft__chat_reply_header {
    haft_str id; /* "chatcmpl-1" */
    haft_str model;
    uint64_t created;   /* seconds since 1970 */
    bool include_usage; /* of a stream: usage in a separate chunk, null in the others */
} haft__chat_reply_header;

/* Prepares a reply for sending: calls get the names that their tools have in the request (wire
 * names if they are not declared), and ids "call_1", "call_2" ... counted by *counter if they have
 * none, or one that an earlier call of the reply has. */
HAFT_MUST_USE haft_status haft__chat_prepare_reply(haft__arena *arena,
                                                   const haft__chat_parsed *asked,
                                                   uint64_t *counter, haft__reply *reply,
                                                   haft_error *err);

/* Appends the body of a whole response. */
void haft__chat_write_reply(haft__buf *buf, const haft__chat_reply_header *head,
                            const haft__reply *reply);

/* A stream, event by event: the first has the role (its content is null if only calls follow), the
 * others have one delta each (HAFT__DELTA_CALL_END writes none, _USAGE only if usage is included; a
 * text whose `stop` is a refusal is a refusal), the last ends the stream. */
void haft__chat_write_first_chunk(haft__buf *buf, const haft__chat_reply_header *head,
                                  bool only_calls);
void haft__chat_write_chunk(haft__buf *buf, const haft__chat_reply_header *head,
                            const haft__delta *delta);
void haft__chat_write_done(haft__buf *buf);

/* Appends all events of a whole reply, its texts in pieces. */
void haft__chat_write_stream(haft__buf *buf, const haft__chat_reply_header *head,
                             const haft__reply *reply);

/* Appends the body of an error response. `param` may be empty and `code` NULL: null. */
void haft__chat_write_error(haft__buf *buf, haft_str message, const char *type, haft_str param,
                            const char *code);

#endif
