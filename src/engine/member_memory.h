/* SPDX-License-Identifier: Apache-2.0 */
/*
 * engine/member_memory.h - which optional members of a request (model/optional_member.h) the models
 * of this process have accepted and rejected. The runs of a runtime share it, so that only the
 * first run sends a member that is rejected. Each run records a rejection in its own events before
 * it leaves the member out. engine/members/refusal_file.h keeps the rejections for later processes.
 */
#ifndef HAFT_ENGINE_MEMBER_MEMORY_H
#define HAFT_ENGINE_MEMBER_MEMORY_H

#include "model/optional_member.h"

/* The known members of one model at one URL. */
typedef struct haft__member_memory {
    struct haft__member_memory *next;
    haft__member_set accepted;             /* of requests that were answered */
    haft__member_set refused;              /* requests without them were answered */
    uint16_t statuses[HAFT__MEMBER_COUNT]; /* of HTTP, for the refused ones */
    bool loaded;                           /* the file of refusals was read */
    size_t url_length;
    char key[]; /* the URL, then the model */
} haft__member_memory;

/* The memory for a model at a URL, which is added to the list if it is new. */
HAFT_MUST_USE haft_status haft__member_memory_find(haft__member_memory **list, haft_str url,
                                                   haft_str model, haft__member_memory **ret_memory,
                                                   haft_error *err);

/* A request with the members `sent` was answered. `refused` was left out of it; those with a status
 * of 500 and more are not kept. True if a refusal is new. */
bool haft__member_memory_learn(haft__member_memory *memory, haft__member_set sent,
                               haft__member_set refused,
                               const uint16_t statuses[HAFT__MEMBER_COUNT]);

/* Frees the list. */
void haft__member_memory_free(haft__member_memory *list);

#endif
