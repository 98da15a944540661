/* SPDX-License-Identifier: Apache-2.0 */
/*
 * engine/member_memory.h - the optional members of a request (model/optional_member.h) that the
 * models of this process have accepted and rejected. The runs of a runtime share this memory, so
 * that only the first run sends a member that is rejected. Each run records a rejection in its own
 * events before it omits the member. engine/members/refusal_file.h stores the rejections for later
 * processes.
 */
#ifndef HAFT_ENGINE_MEMBER_MEMORY_H
#define HAFT_ENGINE_MEMBER_MEMORY_H

#include "base/sha256.h"
#include "model/optional_member.h"

/* The known members of one model at one URL with one set of options. */
typedef struct haft__member_memory {
    struct haft__member_memory *next;
    haft__member_set accepted; /* members of requests that were answered */
    haft__refusals refused;    /* members without which a request was answered */
    bool loaded;               /* the file of refusals was read */
    char key[HAFT__SHA256_HEX];
} haft__member_memory;

/* Finds the memory with this key (haft__refusal_key). Adds it to the list if it is new. */
HAFT_MUST_USE haft_status haft__member_memory_find(haft__member_memory **list, haft_str key,
                                                   haft__member_memory **ret_memory,
                                                   haft_error *err);

/* The members that a run has omitted from an answered request. */
typedef struct haft__left_out {
    haft__member_set members;
    const uint16_t *statuses;        /* HTTP status of the refusal of each member */
    const haft__member_texts *texts; /* refused texts; a hash of 0: unknown, because another
                                      * process sent the member */
} haft__left_out;

/* A request with the members `sent` was answered. Records the accepted members and the refused
 * members of `left_out`, except members with a status of 500 or more and members with an unknown
 * text. Returns true if a refusal is new. */
bool haft__member_memory_learn(haft__member_memory *memory, haft__member_set sent,
                               const haft__left_out *left_out, uint64_t now_ms);

/* Frees the list. */
void haft__member_memory_free(haft__member_memory *list);

#endif
