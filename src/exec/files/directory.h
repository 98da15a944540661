/* SPDX-License-Identifier: Apache-2.0 */
/* exec/files/directory.h - what is in one directory, in a fixed order. */
#ifndef HAFT_EXEC_FILES_DIRECTORY_H
#define HAFT_EXEC_FILES_DIRECTORY_H

#include <stdbool.h>

#include "base/arena.h"

typedef enum haft__directory_entry_kind {
    HAFT__DIRECTORY_ENTRY_FILE,
    HAFT__DIRECTORY_ENTRY_DIRECTORY,
    HAFT__DIRECTORY_ENTRY_LINK,
    HAFT__DIRECTORY_ENTRY_OTHER, /* FIFO, socket, device */
} haft__directory_entry_kind;

typedef struct haft__directory_entry {
    haft_str name; /* NUL-terminated */
    haft__directory_entry_kind kind;
} haft__directory_entry;

typedef struct haft__directory_listing {
    const haft__directory_entry *entries; /* in the order that their paths have, as bytes */
    size_t count;
    bool cut; /* there were more than asked for */
} haft__directory_listing;

/* What an entry of the directory `fd` is, from the d_type that came with its name; some file
 * systems do not tell (DT_UNKNOWN), and are asked. */
haft__directory_entry_kind haft__directory_entry_detect_kind(int fd, const char *name,
                                                             unsigned char type);

/* Reads the directory that `fd` is open on, but for "." and "..", at most `most` entries. Lives in
 * `arena`. IO when it cannot be read. */
HAFT_MUST_USE haft_status haft__directory_read(haft__arena *arena, int fd, size_t most,
                                               haft__directory_listing *ret_listing,
                                               haft_error *err);

#endif
