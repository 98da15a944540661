/* SPDX-License-Identifier: Apache-2.0 */
/*
 * string_table.c - open addressing with linear probing. A removal leaves no tombstone: the entries
 * after it move up. Tests: tests/tool/index/string_table_test.c.
 */
#include "tool/index/string_table.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/str.h"
#include "base/vec.h"

#define FIRST_SLOTS 128U

void haft__search_string_table_init(haft__search_string_table *table, haft__hash_key hash_key)
{
    *table = (haft__search_string_table){.hash_key = hash_key, .first_free = HAFT__SEARCH_NONE};
}

void haft__search_string_table_finish(haft__search_string_table *table)
{
    for (uint32_t i = 0; i < table->limit; i++) {
        free(table->rows[i].text);
    }
    free(table->rows);
    free(table->slots);
    haft__search_string_table_init(table, table->hash_key);
}

/* The slot of a text, or the empty slot for it. An empty slot always exists. */
static uint32_t find_slot(const haft__search_string_table *table, haft_str text, uint64_t hash)
{
    uint32_t mask = table->slot_count - 1, at = (uint32_t)hash & mask;
    while (table->slots[at] != 0) {
        const haft__search_string *row = &table->rows[table->slots[at] - 1];
        if (row->hash == hash && haft__str_equal((haft_str){row->text, row->length}, text)) {
            break;
        }
        at = (at + 1) & mask;
    }
    return at;
}

uint32_t haft__search_string_table_find(const haft__search_string_table *table, haft_str text)
{
    if (table->count == 0) {
        return HAFT__SEARCH_NONE;
    }
    uint32_t slot = find_slot(table, text, haft__hash(table->hash_key, text));
    return table->slots[slot] != 0 ? table->slots[slot] - 1 : HAFT__SEARCH_NONE;
}

/* ---- adding ---- */

static void put_slot(uint32_t *slots, uint32_t mask, uint64_t hash, uint32_t number)
{
    uint32_t at = (uint32_t)hash & mask;
    while (slots[at] != 0) {
        at = (at + 1) & mask;
    }
    slots[at] = number + 1;
}

/* At most half of the slots are full. */
static haft_status grow_slots(haft__search_string_table *table, haft_error *err)
{
    uint32_t count = table->slot_count > 0 ? table->slot_count * 2 : FIRST_SLOTS;
    uint32_t *slots = calloc(count, sizeof(*slots));
    if (slots == NULL) {
        return haft__fail_no_memory(err);
    }
    for (uint32_t i = 0; i < table->limit; i++) {
        if (table->rows[i].text != NULL) {
            put_slot(slots, count - 1, table->rows[i].hash, i);
        }
    }
    free(table->slots);
    table->slots = slots;
    table->slot_count = count;
    return HAFT_OK;
}

static haft_status grow_rows(haft__search_string_table *table, haft_error *err)
{
    haft__search_string *rows =
        haft__vec_reserve(table->rows, &table->capacity, (size_t)table->limit + 1, sizeof(*rows));
    if (rows == NULL) {
        return haft__fail_no_memory(err);
    }
    table->rows = rows;
    return HAFT_OK;
}

static haft_status make_room(haft__search_string_table *table, haft_error *err)
{
    haft_status status = HAFT_OK;
    if (table->first_free == HAFT__SEARCH_NONE && table->limit == table->capacity) {
        status = grow_rows(table, err);
    }
    if (status == HAFT_OK && table->count >= table->slot_count / 2) {
        status = grow_slots(table, err);
    }
    return status;
}

haft_status haft__search_string_table_add(haft__search_string_table *table, haft_str text,
                                          uint32_t *ret_number, haft_error *err)
{
    haft_status status = make_room(table, err);
    char *copy = status == HAFT_OK ? haft__str_duplicate(text) : NULL;
    if (copy == NULL) {
        return status == HAFT_OK ? haft__fail_no_memory(err) : status;
    }
    uint32_t number = table->first_free;
    if (number == HAFT__SEARCH_NONE) {
        number = table->limit++;
    } else {
        table->first_free = table->rows[number].next_free;
    }
    uint64_t hash = haft__hash(table->hash_key, text);
    table->rows[number] = (haft__search_string){.text = copy, .length = text.len, .hash = hash};
    put_slot(table->slots, table->slot_count - 1, hash, number);
    table->count++;
    *ret_number = number;
    return HAFT_OK;
}

/* ---- removing ---- */

/* Empties a slot and moves up the entries after it that a search could not reach across the gap. */
static void close_gap(haft__search_string_table *table, uint32_t gap)
{
    uint32_t mask = table->slot_count - 1, at = gap;
    while (true) {
        table->slots[gap] = 0;
        uint32_t home = 0;
        do {
            at = (at + 1) & mask;
            if (table->slots[at] == 0) {
                return;
            }
            home = (uint32_t)table->rows[table->slots[at] - 1].hash & mask;
        } while (((at - home) & mask) < ((at - gap) & mask)); /* its home slot is after the gap */
        table->slots[gap] = table->slots[at];
        gap = at;
    }
}

void haft__search_string_table_remove(haft__search_string_table *table, uint32_t number)
{
    haft__search_string *row = &table->rows[number];
    close_gap(table, find_slot(table, (haft_str){row->text, row->length}, row->hash));
    free(row->text);
    *row = (haft__search_string){.text = NULL, .next_free = table->first_free};
    table->first_free = number;
    table->count--;
}
