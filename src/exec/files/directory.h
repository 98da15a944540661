/* SPDX-License-Identifier: Apache-2.0 */
/* exec/files/directory.h - the entries of one directory, in a fixed order. */
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
    const haft__directory_entry *entries; /* sorted by path, as bytes */
    size_t count;
    bool cut; /* more entries exist than were requested */
} haft__directory_listing;

/* The kind of an entry of the directory `fd`, from the d_type of readdir; uses stat on file systems
 * that return DT_UNKNOWN. */
haft__directory_entry_kind haft__directory_entry_detect_kind(int fd, const char *name,
                                                             unsigned char type);

/* Reads at most `max` entries of the directory `fd`, without "." and "..". The result lives in
 * `arena`. IO if the directory cannot be read. */
HAFT_MUST_USE haft_status haft__directory_read(haft__arena *arena, int fd, size_t max,
                                               haft__directory_listing *ret_listing,
                                               haft_error *err);

#endif
