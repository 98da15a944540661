/* SPDX-License-Identifier: Apache-2.0 */
/*
 * engine/member_memory.h - which optional members of a request (model/optional_member.h) the models
 * of this process have accepted and rejected. The runs of a runtime share it, so that only the
 * first run sends a member that is rejected. Each run records a rejection in its own events before
 * it leaves the member out. engine/members/refusal_file.h keeps the rejections for later processes.
 */
#ifndef HAFT_ENGINE_MEMBER_MEMORY_H
#define HAFT_ENGINE_MEMBER_MEMORY_H

#include "base/sha256.h"
#include "model/optional_member.h"

/* The known members of one model at one URL with one set of options. */
typedef struct haft__member_memory {
    struct haft__member_memory *next;
    haft__member_set accepted; /* of requests that were answered */
    haft__refusals refused;    /* requests without them were answered */
    bool loaded;               /* the file of refusals was read */
    char key[HAFT__SHA256_HEX];
} haft__member_memory;

/* The memory with this key (haft__refusal_key), which is added to the list if it is new. */
HAFT_MUST_USE haft_status haft__member_memory_find(haft__member_memory **list, haft_str key,
                                                   haft__member_memory **ret_memory,
                                                   haft_error *err);

/* The members that a run has left out of a request that was answered. */
typedef struct haft__left_out {
    haft__member_set members;
    const uint16_t *statuses;        /* of HTTP, for each member */
    const haft__member_texts *texts; /* that were refused; 0: another process asked */
} haft__left_out;

/* A request with the members `sent` was answered. Members with a status of 500 and more are not
 * kept, nor are those whose text is not known. True if a refusal is new. */
bool haft__member_memory_learn(haft__member_memory *memory, haft__member_set sent,
                               const haft__left_out *left_out, uint64_t now_ms);

/* Frees the list. */
void haft__member_memory_free(haft__member_memory *list);

#endif
