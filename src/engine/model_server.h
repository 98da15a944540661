/* SPDX-License-Identifier: Apache-2.0 */
/*
 * engine/model_server.h - limits the requests of this process to one model server: a maximum number
 * of concurrent requests, and no request before the time that the server asked for (Retry-After).
 * All runs of a runtime share this limit.
 */
#ifndef HAFT_ENGINE_MODEL_SERVER_H
#define HAFT_ENGINE_MODEL_SERVER_H

#include <stdbool.h>
#include <stdint.h>

#include "haft.h"

/* A slot for one request. A zeroed slot is not waiting and not in use. The caller owns the
 * memory. */
typedef struct haft__model_slot {
    struct haft__model_slot *next; /* next in the list of waiting slots */
    bool in_use, waiting;
    uint32_t max; /* requests to the server, its own included, when it comes into use */
    void (*ready)(void *context); /* called when a waiting slot is in use */
    void *context;
} haft__model_slot;

typedef struct haft__model_server {
    struct haft__model_server *next;
    uint32_t active;           /* slots in use */
    haft__model_slot *waiting; /* waiting slots, in the order of haft__model_server_acquire */
    uint64_t blocked_until_ms; /* clock of the loop; 0: not blocked */
    char url[];
} haft__model_server;

/* Finds the server at a URL. Adds it to the list if it is new. */
HAFT_MUST_USE haft_status haft__model_server_find(haft__model_server **list, haft_str url,
                                                  haft__model_server **ret_server, haft_error *err);
void haft__model_server_free(haft__model_server *list);

/* Milliseconds until a request may be sent to the server; 0: now. */
uint64_t haft__model_server_wait_ms(const haft__model_server *server, uint64_t now_ms);

/* Blocks requests for `wait_ms` from now on, at most for HAFT__LIMIT_MODEL_BLOCK_MS: a wrong header
 * must not end all later runs of a process. An earlier end does not shorten an existing block. */
void haft__model_server_block(haft__model_server *server, uint64_t now_ms, uint64_t wait_ms);

/* Acquires a slot. If `max` slots are in use, or others wait, returns false; slot->ready is called
 * later, when the slot is in use. Slots wait in their order, also if their maxima differ. */
bool haft__model_server_acquire(haft__model_server *server, haft__model_slot *slot, uint32_t max);

/* Releases the slot, or removes it from the waiting slots. The first waiting slots that may then be
 * in use are notified. */
void haft__model_server_release(haft__model_server *server, haft__model_slot *slot);

#endif
