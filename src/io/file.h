/* SPDX-License-Identifier: Apache-2.0 */
/* io/file.h - reads, replaces and locks whole files. */
#ifndef HAFT_IO_FILE_H
#define HAFT_IO_FILE_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/buf.h"
#include "haft.h"

/* Appends the whole file to `text`, whose maximum limits it; "-" is standard input. IO if it cannot
 * be read, TOO_BIG past the maximum; err->where is the path. */
HAFT_MUST_USE haft_status haft__file_read(const char *path, haft__buf *text, haft_error *err);

/* Reads the whole file, at most `max` bytes, into `arena`. Fails as haft__file_read does. */
HAFT_MUST_USE haft_status haft__file_read_arena(haft__arena *arena, const char *path, size_t max,
                                                haft_str *ret_text, haft_error *err);

/* The absolute path, relative to the current working directory; .ptr is NULL if out of memory. */
haft_str haft__file_absolute(haft__arena *arena, const char *path);

/* Writes all bytes with as many calls as needed; false and errno on failure. */
HAFT_MUST_USE bool haft__file_write_all(int fd, haft_str text);

/* Creates or replaces the file at `path` atomically: a concurrent reader sees the old or the new
 * content. Only the owner may read it. IO on failure; err->where is the path. */
HAFT_MUST_USE haft_status haft__file_replace(const char *path, haft_str text, haft_error *err);

/* Takes the lock file PATH.lock, which is never removed. Processes hold the lock only for a moment,
 * so this function waits only for a short time: a process that is stopped while it holds the lock
 * must not block all others. *ret_lock is for haft__file_unlock. IO on failure; err->where is the
 * path. */
HAFT_MUST_USE haft_status haft__file_lock(const char *path, int *ret_lock, haft_error *err);
void haft__file_unlock(int lock);

#endif
