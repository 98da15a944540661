/* SPDX-License-Identifier: Apache-2.0 */
/*
 * model/chat.h - a request as JSON text, in the shape most providers share (Chat Completions).
 *
 * The bytes of each message are made once and kept, so that the request of turn n costs what is
 * new in turn n, and begins with exactly the bytes of the request before.
 */
#ifndef HAFT_MODEL_CHAT_H
#define HAFT_MODEL_CHAT_H

#include "model/model.h"

typedef struct haft__chat {
    haft__buf messages; /* the messages so far, with commas between */
    size_t done;        /* how many of them */
    haft__buf tools;    /* the declared tools, with commas between */
    size_t tools_done;
} haft__chat;

void haft__chat_init(haft__chat *chat);
void haft__chat_finish(haft__chat *chat);

/* Brings the kept bytes up to date with what the request has. */
HAFT_MUST_USE haft_status haft__chat_sync(haft__chat *chat, const haft__request *request,
                                          haft_error *err);

/* Appends the whole request. The chat must be in sync with it. */
void haft__chat_write(const haft__chat *chat, const haft__request *request, haft__buf *buf);

/* Appends one message. */
void haft__chat_message(haft__buf *buf, const haft__message *message);

#endif
