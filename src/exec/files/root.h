/* SPDX-License-Identifier: Apache-2.0 */
/*
 * exec/files/root.h - opening files beneath a root directory, and nowhere else.
 *
 * The kernel keeps the promise (openat2 with RESOLVE_BENEATH and RESOLVE_NO_SYMLINKS) at the very
 * moment a file is opened: nobody can swap a directory for a symbolic link in between. Where the
 * kernel cannot, nothing is opened; there is no second way that compares texts. Symbolic links are
 * not followed, also those that stay inside.
 */
#ifndef HAFT_EXEC_FILES_ROOT_H
#define HAFT_EXEC_FILES_ROOT_H

#include <sys/stat.h>
#include <sys/types.h>

#include "base/limits.h"
#include "haft.h"

/* A path as the kernel takes it: relative, without names that say nothing; "." for the root. */
typedef struct haft__files_path {
    char text[HAFT__LIMIT_FILES_PATH_BYTES + 1];
    size_t length;
} haft__files_path;

/* Opens a root: `root` relative to the directory that `spec_path` is in, or to the working
 * directory when that is "". The operator chose it: symbolic links are followed here. UNSUPPORTED
 * where there is no openat2. The caller closes it. */
HAFT_MUST_USE haft_status haft__files_root_open(haft_str spec_path, haft_str root, int *ret_root,
                                                haft_error *err);

/* Takes what a model wrote: "" and "." are the root, a slash at the end does not count. BAD_INPUT
 * for an absolute path, "..", "//" and a NUL; TOO_BIG past HAFT__LIMIT_FILES_PATH_BYTES. */
HAFT_MUST_USE haft_status haft__files_path_parse(haft_str given, haft__files_path *ret_path,
                                                 haft_error *err);

/* A descriptor of the regular file or directory to read from, or -1 with errno. They never wait and
 * never follow a symbolic link (ELOOP); what is no regular file is ENODEV. The caller closes it. */
int haft__files_root_open_file(int root, const char *path, struct stat *ret_info);
int haft__files_root_open_directory(int root, const char *path);

/* Reads until `size` bytes are there, or the file ends. How many, or -1 with errno. */
ssize_t haft__files_read_full(int fd, char *to, size_t size);

/* A descriptor that only stands for what is there, also for a symbolic link or a device, without
 * opening it; or -1 with errno. */
int haft__files_root_stat(int root, const char *path, struct stat *ret_info);

#endif
