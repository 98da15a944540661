/* SPDX-License-Identifier: Apache-2.0 */
/*
 * prompt/message.h - the conversation with the model, independent of any provider.
 *
 * Messages are append-only and immutable. Therefore src/model serialises each message only once,
 * and each request begins like the previous request.
 */
#ifndef HAFT_PROMPT_MESSAGE_H
#define HAFT_PROMPT_MESSAGE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"

struct haft__tool;

typedef enum haft__message_role {
    HAFT__MESSAGE_SYSTEM,
    HAFT__MESSAGE_USER,
    HAFT__MESSAGE_ASSISTANT,
    HAFT__MESSAGE_TOOL, /* the result of one call */
} haft__message_role;

/* A call in a message of the assistant. */
typedef struct haft__message_call {
    haft_str id; /* chosen by the model or by haft; unique in the conversation */
    haft_str name;
    haft_str arguments; /* JSON text */
    haft_str malformed; /* the reason why the call could not be parsed (`arguments` is then its
                         * original text), or "" */
    bool repaired;      /* the parser repaired the call */
} haft__message_call;

typedef struct haft__message {
    haft__message_role role;
    haft_str text;
    haft_str reasoning; /* for an assistant */
    /* For an assistant: `items` is the same message in the form of the provider that wrote it, a
     * JSON array, or "". It is sent back only to the provider, model and endpoint named here. */
    haft_str items, items_provider, items_model, items_endpoint;
    const haft__message_call *calls; /* for an assistant */
    size_t call_count;
    haft_str call_id, call_name; /* for a tool result: `id` and `name` of the call */
    bool is_error;               /* for a tool result */
    haft_str call;     /* for a tool result: the id of the call in the run, "c3.1"; "" if unknown */
    size_t call_index; /* if `call` is known: its index in the calls of the run */
    bool cleared;      /* for a tool result: its text is a stub (prompt/context.h) */
    bool is_task;      /* for a user: the task of the run */
    uint64_t tokens;   /* its size (prompt/estimate.h); 0: not measured */
    /* For a result of tool_search: the tools that no earlier search had revealed. */
    const struct haft__tool *const *revealed;
    size_t revealed_count;
} haft__message;

typedef struct haft__messages {
    haft__arena *arena;
    haft__message *items;
    size_t count, capacity;
} haft__messages;

void haft__messages_init(haft__messages *messages, haft__arena *arena);

/* Copies the struct; its texts and calls are borrowed and must live as long as the arena. */
HAFT_MUST_USE haft_status haft__messages_add(haft__messages *messages, haft__message message,
                                             haft_error *err);

#endif
