/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cli/input/tools_file.h - reads definitions of tools from JSON, for commands that run no tools. A
 * tool is a name, or an object with a name, parameters and a description; the object may be in the
 * wrapper of a provider.
 */
#ifndef HAFT_CLI_INPUT_TOOLS_FILE_H
#define HAFT_CLI_INPUT_TOOLS_FILE_H

#include "base/hash.h"
#include "format/format.h"

/* Lives in an arena. */
typedef struct haft__tools_list {
    haft__format_tool *tools;
    size_t count;
} haft__tools_list;

/* Reads an array, or an object with an array "tools". Fails with BAD_INPUT if a tool has no name.
 */
HAFT_MUST_USE haft_status haft__tools_file_parse(haft__arena *arena, haft__json value,
                                                 haft__tools_list *ret_list, haft_error *err);

/* Reads a file; "-" is standard input. err->where begins with its name. */
HAFT_MUST_USE haft_status haft__tools_file_read(haft__arena *arena, const char *path,
                                                haft__hash_key hash_key, haft__tools_list *ret_list,
                                                haft_error *err);

#endif
