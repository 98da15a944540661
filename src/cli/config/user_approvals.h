/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cli/config/user_approvals.h - the standing approvals of a user: approvals.json among the user's
 * settings.
 *
 * haft reads the file only if no other user can write it. A row applies to the calls with its hash
 * (haft__binding_make_user); `haft approvals` prints the other members.
 */
#ifndef HAFT_CLI_CONFIG_USER_APPROVALS_H
#define HAFT_CLI_CONFIG_USER_APPROVALS_H

#include "base/arena.h"
#include "haft.h"

/* Number of hex digits of the hash that identify an approval. */
#define HAFT__USER_APPROVAL_ID_LENGTH 12

typedef struct haft__user_approval {
    haft_str hash;      /* 64 hex digits */
    haft_str tool;      /* its name */
    haft_str source;    /* "command", "mcp", ... */
    haft_str directory; /* of the spec; "" if the hash does not depend on it */
    haft_str since;     /* time of the approval */
    bool destructive;
} haft__user_approval;

typedef struct haft__user_approvals {
    haft__user_approval *items; /* the oldest first */
    size_t count;
} haft__user_approvals;

/* Reads the file. Returns no approvals if it does not exist. Fails with IO if other users can write
 * it, with BAD_INPUT if its content is invalid, with TOO_BIG above HAFT__LIMIT_CONFIG_BYTES. */
HAFT_MUST_USE haft_status haft__user_approvals_read(haft__arena *arena, const char *path,
                                                    haft__user_approvals *ret_approvals,
                                                    haft_error *err);

/* Returns the approval with a hash; NULL if none exists. */
const haft__user_approval *haft__user_approvals_find(const haft__user_approvals *approvals,
                                                     haft_str hash);

/* Adds an approval to the file, unless the file has an approval with this hash. */
HAFT_MUST_USE haft_status haft__user_approvals_add(const char *path,
                                                   const haft__user_approval *approval,
                                                   haft_error *err);

/* Removes the approvals whose hash begins with `id`; removes all approvals if `id` is "". */
HAFT_MUST_USE haft_status haft__user_approvals_remove(const char *path, haft_str id,
                                                      size_t *ret_removed, haft_error *err);

#endif
