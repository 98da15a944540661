/* SPDX-License-Identifier: Apache-2.0 */
/*
 * exec/state_file.h - files of haft's own state: tool lists, accepted tools, vectors. They are in
 * one directory that only the user can write: a process with write access could accept a tool
 * without asking the user.
 */
#ifndef HAFT_EXEC_STATE_FILE_H
#define HAFT_EXEC_STATE_FILE_H

#include "base/arena.h"
#include "base/hash.h"
#include "haft.h"
#include "json/value.h"

/* The directory of all state files: $XDG_STATE_HOME/haft/mcp or the default below HOME. .ptr is
 * NULL if neither variable is set, or when out of memory. */
haft_str haft__state_file_directory(haft__arena *arena);

/* Checks that state files can be written: creates their directory if it is missing. */
HAFT_MUST_USE haft_status haft__state_file_check_directory(haft__arena *arena, haft_error *err);

/* Creates the parent directories of a file, accessible to the user only. Errors surface when the
 * file is written. */
void haft__state_file_create_directory(const char *path);

/* Reads the whole file into `arena`. NOT_FOUND if it does not exist, TOO_BIG above `max`, IO if it
 * cannot be read or others can write it; err->where is the path. */
HAFT_MUST_USE haft_status haft__state_file_read(haft__arena *arena, const char *path, size_t max,
                                                haft_str *ret_text, haft_error *err);

/* Parses a text that haft wrote; rejects duplicate names. */
HAFT_MUST_USE haft_status haft__state_file_parse(haft__arena *arena, haft_str text,
                                                 haft__hash_key hash_key, haft__json *ret_value,
                                                 haft_error *err);

#endif
