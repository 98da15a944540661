/* SPDX-License-Identifier: Apache-2.0 */
/*
 * exec/files/root.h - opens files beneath a root directory only.
 *
 * The kernel enforces this (openat2 with RESOLVE_BENEATH and RESOLVE_NO_SYMLINKS) at the moment of
 * opening: nobody can replace a directory by a symbolic link in between. Without openat2 nothing is
 * opened; no fallback compares path texts. Symbolic links are never followed, even if they point to
 * a file beneath the root.
 */
#ifndef HAFT_EXEC_FILES_ROOT_H
#define HAFT_EXEC_FILES_ROOT_H

#include <sys/stat.h>
#include <sys/types.h>

#include "base/limits.h"
#include "haft.h"

/* A normalised relative path; "." for the root. */
typedef struct haft__files_path {
    char text[HAFT__LIMIT_FILES_PATH_BYTES + 1];
    size_t length;
} haft__files_path;

/* Opens a root: `root` relative to the directory of `spec_path`, or to the working directory if
 * `spec_path` is "". The operator chose the root, so symbolic links in `root` are followed.
 * UNSUPPORTED without openat2. The caller closes the descriptor. */
HAFT_MUST_USE haft_status haft__files_root_open(haft_str spec_path, haft_str root, int *ret_root,
                                                haft_error *err);

/* Parses a path from a model: "" and "." are the root; a trailing slash is ignored. BAD_INPUT for
 * an absolute path, "..", "//" and a NUL; TOO_BIG above HAFT__LIMIT_FILES_PATH_BYTES. */
HAFT_MUST_USE haft_status haft__files_path_parse(haft_str given, haft__files_path *ret_path,
                                                 haft_error *err);

/* A descriptor to read the regular file or directory, or -1 with errno. Never blocks and never
 * follows a symbolic link (ELOOP); ENODEV if it is not a regular file. The caller closes it. */
int haft__files_root_open_file(int root, const char *path, struct stat *ret_info);
int haft__files_root_open_directory(int root, const char *path);

/* Reads until `size` bytes or the end of the file. Returns the number of bytes, or -1 with errno.
 */
ssize_t haft__files_read_full(int fd, char *to, size_t size);

/* An O_PATH descriptor, also for a symbolic link or a device, which is not opened; or -1 with
 * errno. */
int haft__files_root_stat(int root, const char *path, struct stat *ret_info);

#endif
