/* SPDX-License-Identifier: Apache-2.0 */
/* tests/tool/search_help.h - indexes of a few tools, and their hits. */
#ifndef HAFT_TESTS_TOOL_SEARCH_HELP_H
#define HAFT_TESTS_TOOL_SEARCH_HELP_H

#include "tool/index/search.h"

typedef struct search_tool {
    const char *id, *name, *group, *text, *schema; /* the schema may be NULL */
} search_tool;

/* Ends the test program if it is out of memory. `vectors` may be NULL. */
haft__search_index *search_make(const search_tool *tools, size_t count,
                                const haft__search_word_vectors *vectors);

haft_status search_add(haft__search_index *search, const search_tool *tool);

/* "id:why id:why", at most `k`; lives until the test ends. */
haft_str search_ids(const haft__search_index *search, haft_str query, size_t k);

/* The same with scores, exact to the last bit. */
haft_str search_scores(const haft__search_index *search, haft_str query, size_t k);

/* A table of vectors as a file; valid until the test ends. `rows` have `dimensions` numbers
 * each, words are in alphabetical order. */
haft_str search_table(const char *const *words, const int8_t *rows, size_t count,
                      uint32_t dimensions);

/* Puts the right checksum into such a file. */
void search_sum(haft_str file);

#endif
