/* SPDX-License-Identifier: Apache-2.0 */
/* changes.c - finds the runs of a runtime that have changed since the last step. */
#include "changes.h"

#include <stdlib.h>

#define NO_STATE (-1)

typedef struct watched_run {
    haft_run *run; /* NULL: the slot is free */
    int state;     /* as it was reported, or NO_STATE */
    bool wanted;   /* its events */
} watched_run;

struct haft_changes {
    watched_run *runs;
    size_t count, capacity;
    size_t free_slots; /* below count */
    size_t next;       /* where haft_changes_next continues */
};

haft_changes *haft_changes_create(void)
{
    return calloc(1, sizeof(haft_changes));
}

void haft_changes_destroy(haft_changes *changes)
{
    if (changes != NULL) {
        free(changes->runs);
        free(changes);
    }
}

static size_t find_free(const haft_changes *changes)
{
    size_t slot = 0;
    while (changes->runs[slot].run != NULL) {
        slot++;
    }
    return slot;
}

static bool grow(haft_changes *changes)
{
    size_t capacity = changes->capacity > 0 ? 2 * changes->capacity : 16;
    watched_run *runs = realloc(changes->runs, capacity * sizeof(*runs));
    if (runs != NULL) {
        changes->runs = runs;
        changes->capacity = capacity;
    }
    return runs != NULL;
}

size_t haft_changes_add(haft_changes *changes, haft_run *run)
{
    size_t slot = changes->count;
    if (changes->free_slots > 0) {
        slot = find_free(changes);
        changes->free_slots--;
    } else {
        if (slot == changes->capacity && !grow(changes)) {
            return SIZE_MAX;
        }
        changes->count++;
    }
    changes->runs[slot] = (watched_run){.run = run, .state = NO_STATE};
    return slot;
}

void haft_changes_remove(haft_changes *changes, size_t slot)
{
    changes->runs[slot].run = NULL;
    changes->free_slots++;
}

void haft_changes_want_events(haft_changes *changes, size_t slot, bool wanted)
{
    changes->runs[slot].wanted = wanted;
}

void haft_changes_expect(haft_changes *changes, size_t slot)
{
    changes->runs[slot].state = NO_STATE;
}

bool haft_changes_next(haft_changes *changes, haft_change *ret_change)
{
    for (; changes->next < changes->count; changes->next++) {
        watched_run *watched = &changes->runs[changes->next];
        if (watched->run == NULL) {
            continue;
        }
        haft_state state = haft_run_state(watched->run);
        haft_event event = {0};
        if (watched->wanted && haft_run_next_event(watched->run, &event)) {
            *ret_change = (haft_change){changes->next, state, true, event};
            return true;
        }
        if ((int)state != watched->state) {
            watched->state = (int)state;
            *ret_change = (haft_change){changes->next, state, false, event};
            return true;
        }
    }
    changes->next = 0;
    return false;
}
