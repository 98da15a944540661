/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cli/follow/artifact_name.h - converts names of artifacts to names of files, and detects names
 * that are the same name for a file system.
 */
#ifndef HAFT_CLI_FOLLOW_ARTIFACT_NAME_H
#define HAFT_CLI_FOLLOW_ARTIFACT_NAME_H

#include "base/arena.h"

/* Maximum length of a file name in bytes, without a number; most file systems allow 255. */
#define HAFT__ARTIFACT_NAME_BYTES 200

/* Converts a name to a valid file name: no slash, no control character, not hidden, not empty, not
 * too long. A truncated name keeps a short extension. */
void haft__artifact_name_clean(haft_str name, char ret_file[HAFT__ARTIFACT_NAME_BYTES + 1]);

/* Inserts a number before the extension: report-2.md. The number 1 changes nothing. .ptr is NULL if
 * out of memory. */
haft_str haft__artifact_name_number(haft__arena *arena, const char *file, unsigned number);

/*
 * Returns a key for comparing file names. Two names have the same key if a file system may treat
 * them as the same name, because it ignores case or composes letters. The key has ASCII letters in
 * lower case. A sequence of other characters, with the letter before a combining mark, becomes one
 * placeholder, so names that differ only in such characters also have the same key. .ptr is NULL if
 * out of memory.
 */
haft_str haft__artifact_name_key(haft__arena *arena, haft_str file);

#endif
