/* SPDX-License-Identifier: Apache-2.0 */
/* cli/config/trusted_file.h - files that are found and not named: read only if nobody else can have
 * written them. */
#ifndef HAFT_CLI_CONFIG_TRUSTED_FILE_H
#define HAFT_CLI_CONFIG_TRUSTED_FILE_H

#include <stdbool.h>

#include "base/arena.h"

typedef enum haft__trust {
    HAFT__TRUST_FOUND,   /* and read */
    HAFT__TRUST_ABSENT,  /* there is none */
    HAFT__TRUST_REFUSED, /* there is one, and it is not read */
} haft__trust;

/* Reads a regular file of at most `max` bytes that belongs to this user or to root and that no one
 * else may write: not all users, and of groups only that of this user. A symbolic link is refused
 * unless `follow`. *ret_why is what is wrong with one that is refused. Fails for want of memory
 * only. */
HAFT_MUST_USE haft_status haft__trusted_file_read(haft__arena *arena, const char *path, size_t max,
                                                  bool follow, haft__trust *ret_trust,
                                                  haft_str *ret_text, const char **ret_why,
                                                  haft_error *err);

#endif
