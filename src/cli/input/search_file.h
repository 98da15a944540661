/* SPDX-License-Identifier: Apache-2.0 */
/* cli/input/search_file.h - tools to be searched, from a file with a JSON object a line. */
#ifndef HAFT_CLI_INPUT_SEARCH_FILE_H
#define HAFT_CLI_INPUT_SEARCH_FILE_H

#include "base/hash.h"
#include "tool/index/search.h"

/* Documents that are kept beside the index. */
typedef struct haft__search_docs {
    haft__arena *arena;
    haft__search_doc *items;
    size_t count, capacity;
} haft__search_docs;

/* Lines whose ids were there before. */
typedef struct haft__search_duplicates {
    size_t first, count; /* the number of the first such line */
} haft__search_duplicates;

/* Adds every line {"id", "name", "server"?, "description", "params" | "input_schema"} of a file;
 * "-" is standard input. Without an id it is the name, behind its server. `scratch` is emptied for
 * each line. An id that was there before is replaced; `ret_duplicates` says where that happened
 * first. IO when the file cannot be read, BAD_INPUT when a line is no such object; err->where
 * begins with the file and the line. `docs` gets copies of all of them, unless it is NULL. */
HAFT_MUST_USE haft_status haft__search_file_read(const char *path, haft__hash_key hash_key,
                                                 haft__arena *scratch, haft__search_index *search,
                                                 haft__search_docs *docs,
                                                 haft__search_duplicates *ret_duplicates,
                                                 haft_error *err);

#endif
