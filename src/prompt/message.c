/* SPDX-License-Identifier: Apache-2.0 */
/* message.c - a growing list of messages. Tests: tests/prompt/message_test.c. */
#include "prompt/message.h"

#include <string.h>

#define FIRST_CAPACITY 16

void haft__messages_init(haft__messages *messages, haft__arena *arena)
{
    *messages = (haft__messages){.arena = arena};
}

haft_status haft__messages_add(haft__messages *messages, haft__message message, haft_error *err)
{
    if (messages->count == messages->capacity) {
        size_t capacity = messages->capacity > 0 ? messages->capacity * 2 : FIRST_CAPACITY;
        haft__message *items = haft__arena_array(messages->arena, capacity, sizeof(*items));
        if (items == NULL) {
            return haft__arena_fail(messages->arena, err);
        }
        if (messages->count > 0) {
            memcpy(items, messages->items, messages->count * sizeof(*items));
        }
        messages->items = items;
        messages->capacity = capacity;
    }
    messages->items[messages->count++] = message;
    return HAFT_OK;
}
