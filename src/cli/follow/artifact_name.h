/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cli/follow/artifact_name.h - the names of artifacts as names of files, and the names that a file
 * system may treat as one.
 */
#ifndef HAFT_CLI_FOLLOW_ARTIFACT_NAME_H
#define HAFT_CLI_FOLLOW_ARTIFACT_NAME_H

#include "base/arena.h"

/* Bytes of a file name, without a number; most file systems allow 255. */
#define HAFT__ARTIFACT_NAME_BYTES 200

/* A valid file name: no slash, no control character, not hidden, not empty, not too long. A name
 * that is cut keeps a short extension. */
void haft__artifact_name_clean(haft_str name, char to[HAFT__ARTIFACT_NAME_BYTES + 1]);

/* Inserts a number above 1 before the extension: report-2.md. .ptr is NULL when out of memory. */
haft_str haft__artifact_name_number(haft__arena *arena, const char *file, unsigned number);

/*
 * A key that two names share if a file system may treat them as one: it may ignore case and may
 * compose or decompose letters. The key has ASCII in lower case; every other character, with the
 * letter that a combining mark belongs to, becomes one placeholder, and so does a row of them. So
 * names that differ only in such letters share a key too. .ptr is NULL when out of memory.
 */
haft_str haft__artifact_name_key(haft__arena *arena, haft_str file);

#endif
