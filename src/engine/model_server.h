/* SPDX-License-Identifier: Apache-2.0 */
/*
 * engine/model_server.h - the requests of this process to one model server: at most so many at
 * once, and none before the time that the server asked for (Retry-After). All runs of a runtime
 * share it.
 */
#ifndef HAFT_ENGINE_MODEL_SERVER_H
#define HAFT_ENGINE_MODEL_SERVER_H

#include <stdbool.h>
#include <stdint.h>

#include "haft.h"

/* A place for one request. Zeroed: neither waiting nor in use. The caller owns the memory. */
typedef struct haft__model_slot {
    struct haft__model_slot *next; /* of those that wait */
    bool in_use, waiting;
    void (*ready)(void *context); /* it has waited, and is in use now */
    void *context;
} haft__model_slot;

typedef struct haft__model_server {
    struct haft__model_server *next;
    uint32_t active;           /* slots in use */
    haft__model_slot *waiting; /* in the order in which they came */
    uint64_t blocked_until_ms; /* clock of the loop; 0: not blocked */
    char url[];
} haft__model_server;

/* The server at a URL, which is added to the list if it is new. */
HAFT_MUST_USE haft_status haft__model_server_find(haft__model_server **list, haft_str url,
                                                  haft__model_server **ret_server, haft_error *err);
void haft__model_server_free(haft__model_server *list);

/* Milliseconds until the server may be asked; 0: now. */
uint64_t haft__model_server_wait_ms(const haft__model_server *server, uint64_t now_ms);

/* No request is sent before `until_ms`. An earlier time does not shorten it. */
void haft__model_server_block(haft__model_server *server, uint64_t until_ms);

/* Takes a slot. If `most` are in use, returns false: slot->ready is called when it is in use. */
bool haft__model_server_acquire(haft__model_server *server, haft__model_slot *slot, uint32_t most);

/* Releases the slot, or stops waiting for one. The first that waits gets it. */
void haft__model_server_release(haft__model_server *server, haft__model_slot *slot);

#endif
