/* SPDX-License-Identifier: Apache-2.0 */
/* child_entries.c - see engine/child_entries.h. Tests: tests/engine/child_entries_test.c. */
#include "engine/child_entries.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "base/str.h"
#include "base/vec.h"

#define FIRST_SLOTS 64

void haft__child_entries_finish(haft__child_entries *entries)
{
    for (size_t i = 0; i < entries->count; i++) {
        free(entries->items[i]);
    }
    free(entries->items);
    free(entries->slots);
    *entries = (haft__child_entries){.items = NULL};
}

/* ---- by id ---- */

haft__child_entry *haft__child_entries_find(const haft__child_entries *entries, haft_str id)
{
    if (entries->slot_count == 0) {
        return NULL;
    }
    uint64_t hash = haft__hash(entries->hash_key, id);
    size_t mask = entries->slot_count - 1;
    for (size_t at = hash & mask; entries->slots[at] != NULL; at = (at + 1) & mask) {
        haft__child_entry *entry = entries->slots[at];
        if (entry->hash == hash && !entry->removed && haft__str_equal(haft__str(entry->id), id)) {
            return entry;
        }
    }
    return NULL;
}

static void put_in_slot(haft__child_entries *entries, haft__child_entry *entry)
{
    size_t mask = entries->slot_count - 1, at = entry->hash & mask;
    while (entries->slots[at] != NULL) {
        at = (at + 1) & mask;
    }
    entries->slots[at] = entry;
}

/* Ensures that one more entry fits; at most half of the slots are used. */
static bool grow_slots(haft__child_entries *entries)
{
    size_t slot_count = entries->slot_count > 0 ? entries->slot_count : FIRST_SLOTS;
    while ((entries->count + 1) * 2 > slot_count) {
        slot_count *= 2;
    }
    if (slot_count == entries->slot_count) {
        return true;
    }
    haft__child_entry **slots = calloc(slot_count, sizeof(haft__child_entry *));
    if (slots == NULL) {
        return false;
    }
    free(entries->slots);
    entries->slots = slots;
    entries->slot_count = slot_count;
    for (size_t i = 0; i < entries->count; i++) {
        put_in_slot(entries, entries->items[i]);
    }
    return true;
}

/* ---- active ---- */

static void set_active(haft__child_entries *entries, haft__child_entry *entry, bool active)
{
    if (entry->active == active) {
        return;
    }
    entry->active = active;
    if (active) {
        entry->previous = entries->last;
        entry->next = NULL;
        *(entries->last != NULL ? &entries->last->next : &entries->first) = entry;
        entries->last = entry;
    } else {
        *(entry->previous != NULL ? &entry->previous->next : &entries->first) = entry->next;
        *(entry->next != NULL ? &entry->next->previous : &entries->last) = entry->previous;
    }
}

void haft__child_entries_set_state(haft__child_entries *entries, haft__child_entry *entry,
                                   haft__child_entry_state state)
{
    entry->state = state;
    set_active(entries, entry,
               !entry->removed
                   && (state == HAFT__CHILD_ENTRY_QUEUED || state == HAFT__CHILD_ENTRY_OPEN
                       || state == HAFT__CHILD_ENTRY_FOREIGN));
}

/* ---- adding and removing ---- */

haft__child_entry *haft__child_entries_add(haft__child_entries *entries, haft_str id,
                                           haft_str parent)
{
    haft__child_entry **items =
        haft__vec_reserve(entries->items, &entries->capacity, entries->count + 1, sizeof(*items));
    entries->items = items != NULL ? items : entries->items;
    haft__child_entry *entry =
        items != NULL && grow_slots(entries) ? calloc(1, sizeof(*entry)) : NULL;
    if (entry == NULL) {
        return NULL;
    }
    (void)snprintf(entry->id, sizeof(entry->id), "%.*s", HAFT__ARG(id));
    (void)snprintf(entry->parent, sizeof(entry->parent), "%.*s", HAFT__ARG(parent));
    entry->hash = haft__hash(entries->hash_key, haft__str(entry->id));
    entries->items[entries->count++] = entry;
    put_in_slot(entries, entry);
    haft__child_entries_set_state(entries, entry, HAFT__CHILD_ENTRY_QUEUED);
    return entry;
}

void haft__child_entries_remove(haft__child_entries *entries, haft__child_entry *entry)
{
    if (!entry->removed) {
        entry->removed = true;
        entries->removed_count++;
        set_active(entries, entry, false);
    }
}

void haft__child_entries_sweep(haft__child_entries *entries)
{
    size_t count = 0;
    if (entries->removed_count * 2 < entries->count || entries->removed_count == 0) {
        return;
    }
    memset(entries->slots, 0, entries->slot_count * sizeof(haft__child_entry *));
    for (size_t i = 0; i < entries->count; i++) {
        if (entries->items[i]->removed) {
            free(entries->items[i]);
        } else {
            entries->items[count++] = entries->items[i];
            put_in_slot(entries, entries->items[count - 1]);
        }
    }
    entries->count = count;
    entries->removed_count = 0;
}

bool haft__child_entries_is_below(const haft__child_entries *entries,
                                  const haft__child_entry *entry, const char *run)
{
    const char *parent = entry->parent;
    for (uint32_t depth = 0; depth <= HAFT__LIMIT_CHILD_DEPTH; depth++) {
        if (strcmp(parent, run) == 0) {
            return true;
        }
        const haft__child_entry *above = haft__child_entries_find(entries, haft__str(parent));
        if (above == NULL) {
            return false;
        }
        parent = above->parent;
    }
    return false;
}
