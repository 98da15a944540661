/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cli/config/user_approvals.h - the standing approvals of a user: approvals.json among the user's
 * settings.
 *
 * Only the user can write the file; haft does not read one that others can write. A row applies to
 * one hash (haft__binding_make_user); the other members are for people.
 */
#ifndef HAFT_CLI_CONFIG_USER_APPROVALS_H
#define HAFT_CLI_CONFIG_USER_APPROVALS_H

#include "base/arena.h"
#include "haft.h"

/* Hex digits of the hash that name an approval. */
#define HAFT__USER_APPROVAL_ID_LENGTH 12

typedef struct haft__user_approval {
    haft_str hash;      /* 64 hex digits */
    haft_str tool;      /* its name */
    haft_str source;    /* "command", "mcp", ... */
    haft_str directory; /* of the spec; "" if it does not matter */
    haft_str since;     /* the time at which it was given */
    bool destructive;
} haft__user_approval;

typedef struct haft__user_approvals {
    haft__user_approval *items; /* the oldest first */
    size_t count;
} haft__user_approvals;

/* Reads the file; a file that does not exist has no approvals. Fails with IO if others can write
 * it, with BAD_INPUT if it is not what haft wrote, with TOO_BIG above
 * HAFT__LIMIT_CONFIG_BYTES. */
HAFT_MUST_USE haft_status haft__user_approvals_read(haft__arena *arena, const char *path,
                                                    haft__user_approvals *ret_approvals,
                                                    haft_error *err);

/* The approval with that hash; NULL without one. */
const haft__user_approval *haft__user_approvals_find(const haft__user_approvals *approvals,
                                                     haft_str hash);

/* Adds an approval to the file, unless it has the hash already. */
HAFT_MUST_USE haft_status haft__user_approvals_add(const char *path,
                                                   const haft__user_approval *approval,
                                                   haft_error *err);

/* Removes the approvals whose hash begins with `id`; all of them if it is "". */
HAFT_MUST_USE haft_status haft__user_approvals_remove(const char *path, haft_str id,
                                                      size_t *ret_removed, haft_error *err);

#endif
