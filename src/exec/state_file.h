/* SPDX-License-Identifier: Apache-2.0 */
/*
 * exec/state_file.h - files in which haft keeps for itself what it has learned: lists of tools,
 * which of them may be called, vectors. They are in one directory of the user's, and nobody else's
 * to write: whoever could write them could accept a tool in the user's name.
 */
#ifndef HAFT_EXEC_STATE_FILE_H
#define HAFT_EXEC_STATE_FILE_H

#include "base/arena.h"
#include "base/hash.h"
#include "haft.h"
#include "json/value.h"

/* The directory of all of them: $XDG_STATE_HOME/haft/mcp or that below HOME; .ptr is NULL when
 * there is no place, or no memory. */
haft_str haft__state_file_directory(haft__arena *arena);

/* The directories above a file, ours alone. What cannot be made shows when it is written. */
void haft__state_file_create_directory(const char *path);

/* The whole file in `arena`. NOT_FOUND when there is none, TOO_BIG past `max`, IO when it cannot be
 * read or others could write it; err->where is the path. */
HAFT_MUST_USE haft_status haft__state_file_read(haft__arena *arena, const char *path, size_t max,
                                                haft_str *ret_text, haft_error *err);

/* The value in a text that was written here: no name in it stands twice. */
HAFT_MUST_USE haft_status haft__state_file_parse(haft__arena *arena, haft_str text,
                                                 haft__hash_key hash_key, haft__json *ret_value,
                                                 haft_error *err);

#endif
