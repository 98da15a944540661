/* SPDX-License-Identifier: Apache-2.0 */
/* cli/config/trusted_file.h - reads files that haft finds by itself, but only if no other user can
 * have written them. */
#ifndef HAFT_CLI_CONFIG_TRUSTED_FILE_H
#define HAFT_CLI_CONFIG_TRUSTED_FILE_H

#include <stdbool.h>

#include "base/arena.h"

typedef enum haft__trust {
    HAFT__TRUST_FOUND,   /* the file exists and was read */
    HAFT__TRUST_ABSENT,  /* the file does not exist */
    HAFT__TRUST_REFUSED, /* the file exists and was not read */
} haft__trust;

/* Reads a regular file of at most `max` bytes. It must belong to this user or to root, and only the
 * owner and this user's own group may have write permission. A symbolic link is refused unless
 * `follow`. *ret_why is the reason for a refusal. Fails only if out of memory. */
HAFT_MUST_USE haft_status haft__trusted_file_read(haft__arena *arena, const char *path, size_t max,
                                                  bool follow, haft__trust *ret_trust,
                                                  haft_str *ret_text, const char **ret_why,
                                                  haft_error *err);

#endif
