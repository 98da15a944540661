/* SPDX-License-Identifier: Apache-2.0 */
/* message.c - a growing list of messages. Tests: tests/prompt/message_test.c. */
#include "prompt/message.h"

#include <string.h>

#include "base/vec.h"

void haft__messages_init(haft__messages *messages, haft__arena *arena)
{
    *messages = (haft__messages){.arena = arena};
}

haft_status haft__messages_add(haft__messages *messages, haft__message message, haft_error *err)
{
    haft__message *items =
        haft__vec_reserve_in(messages->arena, messages->items, messages->count, &messages->capacity,
                             messages->count + 1, sizeof(*items));
    if (items == NULL) {
        return haft__arena_fail(messages->arena, err);
    }
    messages->items = items;
    messages->items[messages->count++] = message;
    return HAFT_OK;
}
