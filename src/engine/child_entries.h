/* SPDX-License-Identifier: Apache-2.0 */
/*
 * engine/child_entries.h - the list of child runs that a process performs or watches.
 *
 * Finding an entry by id and changing its state take constant time. A removed entry is freed later,
 * because a caller may still refer to it.
 */
#ifndef HAFT_ENGINE_CHILD_ENTRIES_H
#define HAFT_ENGINE_CHILD_ENTRIES_H

#include "base/hash.h"
#include "base/id.h"

typedef enum haft__child_entry_state {
    HAFT__CHILD_ENTRY_QUEUED,  /* to be opened */
    HAFT__CHILD_ENTRY_OPEN,    /* this process owns the run */
    HAFT__CHILD_ENTRY_WAITING, /* the run waits and was released */
    HAFT__CHILD_ENTRY_FOREIGN, /* another process owns the run */
    HAFT__CHILD_ENTRY_FAILED,  /* the run cannot continue in this process; see `error` */
} haft__child_entry_state;

typedef struct haft__child_entry {
    char id[HAFT__ID_LENGTH + 1], parent[HAFT__ID_LENGTH + 1];
    haft__child_entry_state state;
    haft_run *run; /* the handle, in state OPEN */
    haft_error error;
    bool releasing;  /* a run above is being released */
    bool removed;    /* haft__child_entries_sweep will free the entry */
    bool kept_open;  /* stays open, or is queued, while it waits for an answer from this process */
    bool wants_open; /* was released while it waits for such an answer: too many are open */
    uint64_t hash;
    struct haft__child_entry *previous, *next; /* in the list of active entries */
    bool active;
} haft__child_entry;

typedef struct haft__child_entries {
    haft__child_entry **items; /* in the order in which they were added */
    size_t count, capacity, removed_count;
    haft__child_entry **slots; /* by hash; NULL: free */
    size_t slot_count;         /* a power of 2, or 0 */
    haft__hash_key hash_key;
    /* The list of active entries: QUEUED, OPEN or FOREIGN, in the order in which they became
     * active. */
    haft__child_entry *first, *last;
} haft__child_entries;

void haft__child_entries_finish(haft__child_entries *entries);

/* NULL if no entry has the id. */
haft__child_entry *haft__child_entries_find(const haft__child_entries *entries, haft_str id);

/* Adds a QUEUED entry; NULL if out of memory. */
haft__child_entry *haft__child_entries_add(haft__child_entries *entries, haft_str id,
                                           haft_str parent);

void haft__child_entries_set_state(haft__child_entries *entries, haft__child_entry *entry,
                                   haft__child_entry_state state);
void haft__child_entries_remove(haft__child_entries *entries, haft__child_entry *entry);

/* Frees the removed entries if there are many. Changes the positions in `items`. */
void haft__child_entries_sweep(haft__child_entries *entries);

/* Whether the entry is below the run. */
bool haft__child_entries_is_below(const haft__child_entries *entries,
                                  const haft__child_entry *entry, const char *run);

#endif
