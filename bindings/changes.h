/* SPDX-License-Identifier: Apache-2.0 */
/*
 * changes.h - finds the runs of a runtime that have changed since the last step.
 *
 * The bindings add each run that a program has. After each step they call haft_changes_next until
 * it returns false, and pass events and states to the program. A list is used by one thread at a
 * time, with its runtime.
 */
#ifndef HAFT_BINDINGS_CHANGES_H
#define HAFT_BINDINGS_CHANGES_H

#include <haft.h>

typedef struct haft_changes haft_changes;

typedef struct haft_change {
    size_t slot;      /* of the run, from haft_changes_add */
    haft_state state; /* of the run */
    bool is_event;    /* `event` is the next event of the run; else its state is new */
    haft_event event;
} haft_change;

/* Returns NULL if out of memory. */
haft_changes *haft_changes_create(void);

/* The caller still releases the runs. NULL is allowed. */
void haft_changes_destroy(haft_changes *changes);

/* Adds a run. The slot is valid until it is removed; SIZE_MAX if out of memory. */
size_t haft_changes_add(haft_changes *changes, haft_run *run);
void haft_changes_remove(haft_changes *changes, size_t slot);

/* Whether the program waits for events of the run. Progress events begin when it first does. */
void haft_changes_want_events(haft_changes *changes, size_t slot, bool wanted);

/* Forgets the reported state, so that the next one is reported even if it is the same. */
void haft_changes_expect(haft_changes *changes, size_t slot);

/* Returns the next change: all events of a run that are wanted, then its new state. False: there
 * is no other change; the next call begins with the first run again. */
bool haft_changes_next(haft_changes *changes, haft_change *ret_change);

#endif
