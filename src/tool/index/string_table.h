/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tool/index/string_table.h - interned strings with numbers: the words, documents and groups of an
 * index.
 *
 * Unlike haft__map it supports removal, because an index exists for a long time and servers change
 * their tools. A number is stable until its text is removed; then it may be reused.
 */
#ifndef HAFT_TOOL_INDEX_STRING_TABLE_H
#define HAFT_TOOL_INDEX_STRING_TABLE_H

#include <stdint.h>

#include "base/hash.h"
#include "haft.h"

#define HAFT__SEARCH_NONE UINT32_MAX

typedef struct haft__search_string {
    char *text; /* NULL: the number is free */
    size_t length;
    uint64_t hash;
    uint32_t next_free;
} haft__search_string;

typedef struct haft__search_string_table {
    haft__search_string *rows;
    size_t capacity;
    uint32_t limit; /* upper bound of all numbers used so far */
    uint32_t count; /* texts in the table */
    uint32_t first_free;
    uint32_t *slots; /* 1 + a number, 0: empty; the size is a power of two */
    uint32_t slot_count;
    haft__hash_key hash_key;
} haft__search_string_table;

void haft__search_string_table_init(haft__search_string_table *table, haft__hash_key hash_key);
void haft__search_string_table_finish(haft__search_string_table *table);

static inline haft_str haft__search_string_table_text(const haft__search_string_table *table,
                                                      uint32_t number)
{
    return (haft_str){table->rows[number].text, table->rows[number].length};
}

/* HAFT__SEARCH_NONE if the text is not in the table. */
uint32_t haft__search_string_table_find(const haft__search_string_table *table, haft_str text);

/* Adds a text that is not in the table. */
HAFT_MUST_USE haft_status haft__search_string_table_add(haft__search_string_table *table,
                                                        haft_str text, uint32_t *ret_number,
                                                        haft_error *err);
void haft__search_string_table_remove(haft__search_string_table *table, uint32_t number);

#endif
