/* SPDX-License-Identifier: Apache-2.0 */
/*
 * exec/skill/folder.h - reads the folder of a skill: SKILL.md, and the files beneath the folder.
 *
 * Symbolic links are followed only above the folder of the skill, where the author of the spec
 * chose the path. Everything else is opened with openat2 beneath the folder (exec/files/root.h). In
 * an error, err->where is the path of the file.
 */
#ifndef HAFT_EXEC_SKILL_FOLDER_H
#define HAFT_EXEC_SKILL_FOLDER_H

#include "base/arena.h"

#define HAFT__SKILL_FILE "SKILL.md"

/* A file of a skill, without SKILL.md. */
typedef struct haft__skill_file {
    haft_str path; /* beneath the folder; NUL-terminated */
    uint64_t size;
} haft__skill_file;

typedef struct haft__skill_listing {
    const haft__skill_file *files; /* sorted by path */
    size_t count;
} haft__skill_listing;

/* Opens the folder, relative to the spec at `spec`. The caller closes it. */
HAFT_MUST_USE haft_status haft__skill_folder_open(haft_str spec, haft_str folder, int *ret_fd,
                                                  haft_error *err);

/* Reads a text in UTF-8 of at most `max` bytes. NOT_FOUND if it does not exist. `folder` is for
 * errors. */
HAFT_MUST_USE haft_status haft__skill_folder_read(haft__arena *arena, int fd, haft_str folder,
                                                  const char *path, size_t max, haft_str *ret_text,
                                                  haft_error *err);

/* Lists the files beneath the folder. Fails if it has a symbolic link, a special file, or more than
 * HAFT__LIMIT_SKILL_FILES files and directories. */
HAFT_MUST_USE haft_status haft__skill_folder_list(haft__arena *arena, int fd, haft_str folder,
                                                  haft__skill_listing *ret_listing,
                                                  haft_error *err);

/* The last part of a path; "" if it is empty, "." or "..". */
haft_str haft__skill_folder_name(haft_str folder);

#endif
