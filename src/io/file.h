/* SPDX-License-Identifier: Apache-2.0 */
/* io/file.h - whole files. */
#ifndef HAFT_IO_FILE_H
#define HAFT_IO_FILE_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/buf.h"
#include "haft.h"

/* Appends the whole file to `text`, whose maximum bounds it; "-" is standard input. IO when it
 * cannot be read, TOO_BIG past the maximum; err->where is the path. */
HAFT_MUST_USE haft_status haft__file_read(const char *path, haft__buf *text, haft_error *err);

/* The whole file in `arena`, at most `max` bytes of it allowed; fails as haft__file_read does. */
HAFT_MUST_USE haft_status haft__file_read_arena(haft__arena *arena, const char *path, size_t max,
                                                haft_str *ret_text, haft_error *err);

/* The path from the root on, as the working directory is now; .ptr is NULL for want of memory. */
haft_str haft__file_absolute(haft__arena *arena, const char *path);

/* Writes all of it, however often that takes; false and errno when it cannot be. */
HAFT_MUST_USE bool haft__file_write_all(int fd, haft_str text);

/* Puts a file in the place of the one at `path`, or where there is none: all of it or nothing, also
 * for who reads it meanwhile. Only we may read it. IO when that cannot be; err->where is the path.
 */
HAFT_MUST_USE haft_status haft__file_replace(const char *path, haft_str text, haft_error *err);

/* Takes the lock of the file at `path`: PATH.lock, which stays behind. Whoever has it keeps it for
 * a moment only, so a moment is waited; somebody who was stopped in the middle must not stop
 * everybody else. *ret_lock is for haft__file_unlock. IO when that cannot be; err->where is the
 * path. */
HAFT_MUST_USE haft_status haft__file_lock(const char *path, int *ret_lock, haft_error *err);
void haft__file_unlock(int lock);

#endif
