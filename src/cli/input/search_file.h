/* SPDX-License-Identifier: Apache-2.0 */
/* cli/input/search_file.h - reads tools for a search index from a file of JSON objects, one a
 * line. */
#ifndef HAFT_CLI_INPUT_SEARCH_FILE_H
#define HAFT_CLI_INPUT_SEARCH_FILE_H

#include "base/hash.h"
#include "tool/index/search.h"

/* Copies of the indexed documents. */
typedef struct haft__search_docs {
    haft__arena *arena;
    haft__search_doc *items;
    size_t count, capacity;
} haft__search_docs;

/* Lines whose id occurred in an earlier line. */
typedef struct haft__search_duplicates {
    size_t first; /* number of the first such line */
    size_t count;
} haft__search_duplicates;

/* Adds every line {"id", "name", "server"?, "description", "params" | "input_schema"} of a file;
 * "-" is standard input. The default id is the name with its server as prefix. `scratch` is reset
 * for each line. A line replaces an earlier line with the same id; `ret_duplicates` has the number
 * of the first such line. Fails with IO if the file cannot be read, with BAD_INPUT if a line is not
 * such an object; err->where begins with the file and the line. `docs` gets copies of all
 * documents, unless it is NULL. */
HAFT_MUST_USE haft_status haft__search_file_read(const char *path, haft__hash_key hash_key,
                                                 haft__arena *scratch, haft__search_index *search,
                                                 haft__search_docs *docs,
                                                 haft__search_duplicates *ret_duplicates,
                                                 haft_error *err);

#endif
