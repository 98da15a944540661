/* SPDX-License-Identifier: Apache-2.0 */
/* model_server.c - see model_server.h. Tests: tests/engine/model_server_test.c. */
#include "engine/model_server.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/limits.h"
#include "base/str.h"

haft_status haft__model_server_find(haft__model_server **list, haft_str url,
                                    haft__model_server **ret_server, haft_error *err)
{
    haft__model_server *server = *list;
    while (server != NULL && !haft__str_equal(haft__str(server->url), url)) {
        server = server->next;
    }
    if (server == NULL) {
        server = calloc(1, sizeof(*server) + url.len + 1);
        if (server == NULL) {
            return haft__fail_no_memory(err);
        }
        memcpy(server->url, url.ptr, url.len);
        server->next = *list;
        *list = server;
    }
    *ret_server = server;
    return HAFT_OK;
}

void haft__model_server_free(haft__model_server *list)
{
    while (list != NULL) {
        haft__model_server *next = list->next;
        free(list);
        list = next;
    }
}

uint64_t haft__model_server_wait_ms(const haft__model_server *server, uint64_t now_ms)
{
    return server->blocked_until_ms > now_ms ? server->blocked_until_ms - now_ms : 0;
}

void haft__model_server_block(haft__model_server *server, uint64_t now_ms, uint64_t wait_ms)
{
    uint64_t until_ms =
        now_ms + (wait_ms < HAFT__LIMIT_MODEL_BLOCK_MS ? wait_ms : HAFT__LIMIT_MODEL_BLOCK_MS);
    server->blocked_until_ms =
        until_ms > server->blocked_until_ms ? until_ms : server->blocked_until_ms;
}

static void add_waiting(haft__model_server *server, haft__model_slot *slot)
{
    haft__model_slot **end = &server->waiting;
    while (*end != NULL) {
        end = &(*end)->next;
    }
    slot->next = NULL;
    slot->waiting = true;
    *end = slot;
}

static void remove_waiting(haft__model_server *server, haft__model_slot *slot)
{
    haft__model_slot **at = &server->waiting;
    while (*at != NULL && *at != slot) {
        at = &(*at)->next;
    }
    if (*at != NULL) {
        *at = slot->next;
    }
    slot->waiting = false;
}

bool haft__model_server_acquire(haft__model_server *server, haft__model_slot *slot, uint32_t max)
{
    slot->max = max;
    if (server->active >= max || server->waiting != NULL) {
        add_waiting(server, slot);
        return false;
    }
    server->active++;
    slot->in_use = true;
    return true;
}

void haft__model_server_release(haft__model_server *server, haft__model_slot *slot)
{
    if (slot->waiting) {
        remove_waiting(server, slot);
    }
    if (slot->in_use) {
        slot->in_use = false;
        server->active--;
    }
    while (server->waiting != NULL && server->active < server->waiting->max) {
        haft__model_slot *first = server->waiting;
        remove_waiting(server, first);
        server->active++;
        first->in_use = true;
        first->ready(first->context);
    }
}
