/* SPDX-License-Identifier: Apache-2.0 */
/* exec/files/directory.h - what is in one directory, in a fixed order. */
#ifndef HAFT_EXEC_FILES_DIRECTORY_H
#define HAFT_EXEC_FILES_DIRECTORY_H

#include <stdbool.h>

#include "base/arena.h"

typedef enum haft__entry_kind {
    HAFT__ENTRY_FILE,
    HAFT__ENTRY_DIRECTORY,
    HAFT__ENTRY_LINK,
    HAFT__ENTRY_OTHER, /* FIFO, socket, device */
} haft__entry_kind;

typedef struct haft__entry {
    haft_str name; /* NUL-terminated */
    haft__entry_kind kind;
} haft__entry;

typedef struct haft__listing {
    const haft__entry *entries; /* in the order that their paths have, as bytes */
    size_t count;
    bool cut; /* there were more than asked for */
} haft__listing;

/* What an entry of the directory `fd` is, from the d_type that came with its name; some file
 * systems do not tell (DT_UNKNOWN), and are asked. */
haft__entry_kind haft__listing_kind(int fd, const char *name, unsigned char type);

/* Reads the directory that `fd` is open on, but for "." and "..", at most `most` entries. Lives in
 * `arena`. IO when it cannot be read. */
HAFT_MUST_USE haft_status haft__listing_read(haft__arena *arena, int fd, size_t most,
                                             haft__listing *ret_listing, haft_error *err);

#endif
