/* SPDX-License-Identifier: Apache-2.0 */
/* mailbox.c - messages for runs, in memory. Tests: tests/store/store_test.c. */
#include <stdlib.h>

#include "base/error.h"
#include "base/limits.h"
#include "base/str.h"
#include "store/memory/memory_int.h"

static haft_status add_message(haft__memory_store *memory, haft__memory_run *run, haft_str body,
                               haft_error *err)
{
    haft__memory_message *message = malloc(sizeof(*message) + body.len);
    if (message == NULL || haft__sorted_array_reserve(&memory->messages, NULL) != HAFT_OK) {
        free(message);
        return haft__fail_no_memory(err);
    }
    char *end = message->bytes;
    *message = (haft__memory_message){.id = ++memory->last_message, .run = run};
    message->body = haft__memory_copy_text(&end, body);
    haft__sorted_array_insert(&memory->messages, memory->messages.count, message);
    run->message_count++;
    return HAFT_OK;
}

haft_status haft__memory_send(haft__memory_store *memory, haft__store_request *request,
                              haft_error *err)
{
    haft__memory_run *run = haft__memory_find_run(memory, request->run.id);
    if (run == NULL) {
        return haft__store_fail_no_run(request->run.id, err);
    }
    haft_status status = haft__store_check_send(request, &run->row, run->message_count, err);
    return status == HAFT_OK ? add_message(memory, run, request->text, err) : status;
}

static bool is_wanted(const haft__memory_message *message, const haft__store_request *request)
{
    const haft__store_run *row = &message->run->row, *asked = &request->run;
    return asked->id.len > 0 ? haft__str_equal(row->id, asked->id)
                             : row->owner.len > 0 && haft__str_equal(row->owner, asked->owner);
}

haft_status haft__memory_receive(haft__memory_store *memory, haft__store_request *request,
                                 haft_error *err)
{
    size_t max_count = memory->messages.count < HAFT__LIMIT_STORE_MESSAGES
                           ? memory->messages.count
                           : HAFT__LIMIT_STORE_MESSAGES;
    haft__store_message *found = haft__arena_array(request->arena, max_count, sizeof(*found));
    size_t count = 0, bytes = 0;
    for (size_t i = 0; found != NULL && i < memory->messages.count && count < max_count
                       && bytes < HAFT__LIMIT_STORE_TEXT_BYTES;
         i++) {
        const haft__memory_message *message = memory->messages.items[i];
        if (is_wanted(message, request)) {
            haft__store_message *to = &found[count++];
            to->id = message->id;
            to->run = haft__arena_copy(request->arena, message->run->row.id);
            to->body = haft__arena_copy(request->arena, message->body);
            found = to->run.ptr != NULL && to->body.ptr != NULL ? found : NULL;
            bytes += message->body.len;
        }
    }
    request->messages = found;
    request->message_count = count;
    return found != NULL ? HAFT_OK : haft__arena_fail(request->arena, err);
}

/* Whether an earlier message of the request has the same id. */
static bool is_repeated(const haft__store_request *request, size_t at)
{
    for (size_t i = 0; i < at; i++) {
        if (request->messages[i].id == request->messages[at].id) {
            return true;
        }
    }
    return false;
}

haft_status haft__memory_check_messages(const haft__memory_store *memory,
                                        const haft__memory_run *run,
                                        const haft__store_request *request, haft_error *err)
{
    for (size_t i = 0; i < request->message_count; i++) {
        const haft__memory_message *message =
            haft__sorted_array_get(&memory->messages, &request->messages[i].id);
        if (message == NULL || message->run != run || is_repeated(request, i)) {
            return haft__store_fail_no_message(request->messages[i].id, run->row.id, err);
        }
    }
    return HAFT_OK;
}

static void drop(haft__memory_store *memory, size_t at)
{
    haft__memory_message *message = memory->messages.items[at];
    message->run->message_count--;
    haft__sorted_array_remove(&memory->messages, at);
    free(message);
}

void haft__memory_consume_messages(haft__memory_store *memory, const haft__store_request *request)
{
    for (size_t i = 0; i < request->message_count; i++) {
        bool found;
        drop(memory,
             haft__sorted_array_lower_bound(&memory->messages, &request->messages[i].id, &found));
    }
}

haft_status haft__memory_send_outgoing(haft__memory_store *memory,
                                       const haft__store_request *request, haft_error *err)
{
    size_t before = memory->messages.count;
    for (size_t i = 0; i < request->outgoing_count; i++) {
        const haft__store_message *message = &request->outgoing[i];
        haft__memory_run *to = haft__memory_find_run(memory, message->run);
        if (to != NULL && to->row.state != HAFT__RUN_STATE_ENDED
            && add_message(memory, to, message->body, err) != HAFT_OK) {
            while (memory->messages.count > before) {
                drop(memory, memory->messages.count - 1);
            }
            return HAFT_NO_MEMORY;
        }
    }
    return HAFT_OK;
}

void haft__memory_drop_messages(haft__memory_store *memory, haft__memory_run *run)
{
    for (size_t i = memory->messages.count; run->message_count > 0 && i > 0; i--) {
        const haft__memory_message *message = memory->messages.items[i - 1];
        if (message->run == run) {
            drop(memory, i - 1);
        }
    }
}
