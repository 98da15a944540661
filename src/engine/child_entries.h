/* SPDX-License-Identifier: Apache-2.0 */
/*
 * engine/child_entries.h - the child runs that a process knows, found by id and by state.
 *
 * Finding an entry and changing its state take constant time, so that many children cost no more
 * each than a few. An entry that has gone is freed later, because a caller may still refer to it.
 */
#ifndef HAFT_ENGINE_CHILD_ENTRIES_H
#define HAFT_ENGINE_CHILD_ENTRIES_H

#include "base/hash.h"
#include "base/id.h"

typedef enum haft__child_entry_state {
    HAFT__CHILD_ENTRY_QUEUED,  /* to be opened */
    HAFT__CHILD_ENTRY_OPEN,    /* this process performs it */
    HAFT__CHILD_ENTRY_WAITING, /* it waits, and was released */
    HAFT__CHILD_ENTRY_FOREIGN, /* another process has it */
    HAFT__CHILD_ENTRY_FAILED,  /* it cannot continue here; see `error` */
} haft__child_entry_state;

typedef struct haft__child_entry {
    char id[HAFT__ID_LENGTH + 1], parent[HAFT__ID_LENGTH + 1];
    haft__child_entry_state state;
    haft_run *run; /* of OPEN */
    haft_error error;
    bool leaving; /* it is below a run that is being released */
    bool gone;    /* it is no entry any more, and freed by haft__child_entries_sweep */
    bool kept;    /* it waits for an answer that is given here, and is or will be open for that */
    bool wanted;  /* the same, but so many are kept that it was released */
    uint64_t hash;
    struct haft__child_entry *previous, *next; /* of `active` */
    bool active;
} haft__child_entry;

typedef struct haft__child_entries {
    haft__child_entry **items; /* in the order in which they were added */
    size_t count, capacity, gone;
    haft__child_entry **slots; /* by hash; NULL: free */
    size_t slot_count;         /* a power of 2, or 0 */
    haft__hash_key hash_key;
    /* Those that are QUEUED, OPEN or FOREIGN, in the order in which they became so. */
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

/* Frees those that have gone, if they are many. Changes the positions in `items`. */
void haft__child_entries_sweep(haft__child_entries *entries);

/* Whether the entry is below the run. */
bool haft__child_entries_is_below(const haft__child_entries *entries,
                                  const haft__child_entry *entry, const char *run);

#endif
