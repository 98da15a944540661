/* SPDX-License-Identifier: Apache-2.0 */
/* migrate_runs.c - see migrate_runs.h. Tests: tests/engine/ops/migrate_test.c,
 * tests/cli/migrate_test.py. */
#include "engine/ops/migrate_runs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/id.h"
#include "base/limits.h"
#include "base/macros.h"
#include "base/str.h"
#include "base/vec.h"

/* A run of the old store. */
typedef struct run_entry {
    char id[HAFT__ID_LENGTH + 1];
    char parent[HAFT__ID_LENGTH + 1]; /* for a child run: its parent; else "" */
    bool selected, done;
} run_entry;

typedef struct batch {
    haft__migration *m;
    const haft__migrate_runs_options *options;
    run_entry *entries; /* sorted by id */
    size_t count, capacity;
    haft__migrate_totals totals;
    haft_error *err;
} batch;

/* ---- selecting runs ---- */

static haft_status add_entry(batch *b, const haft__store_run *row)
{
    run_entry *entries =
        haft__vec_reserve(b->entries, &b->capacity, b->count + 1, sizeof(*entries));
    if (entries == NULL) {
        return haft__fail_no_memory(b->err);
    }
    b->entries = entries;
    run_entry *entry = &b->entries[b->count++];
    *entry = (run_entry){.selected = b->options->names == NULL};
    (void)snprintf(entry->id, sizeof(entry->id), "%.*s", HAFT__ARG(row->id));
    if (haft__store_run_is_child(row)) {
        (void)snprintf(entry->parent, sizeof(entry->parent), "%.*s", HAFT__ARG(row->parent));
    }
    return HAFT_OK;
}

/* Reads all runs of the old store, page by page from the greatest id, and reverses their order. */
static haft_status list_all(batch *b)
{
    haft__store_request list = {.verb = HAFT__STORE_LIST, .arena = &b->m->arena};
    haft_status status = HAFT_OK;
    char last[HAFT__ID_LENGTH + 1] = "";
    do {
        haft__arena_reset(&b->m->arena);
        list.name = haft__str(last);
        status = haft__store_submit_and_wait(b->m->from, &list, b->err);
        for (size_t i = 0; status == HAFT_OK && i < list.found_count; i++) {
            status = add_entry(b, &list.found[i]);
        }
        if (status == HAFT_OK && b->entries != NULL) {
            memcpy(last, b->entries[b->count - 1].id, sizeof(last));
        }
    } while (status == HAFT_OK && list.found_count == HAFT__LIMIT_STORE_LIST);
    size_t left = b->entries != NULL ? b->count : 0;
    for (size_t i = 0; status == HAFT_OK && i + 1 < left; i++) {
        run_entry swapped = b->entries[i];
        b->entries[i] = b->entries[--left];
        b->entries[left] = swapped;
    }
    return status;
}

static int compare_id(const void *key, const void *item)
{
    return strcmp(key, ((const run_entry *)item)->id);
}

static run_entry *find_entry(batch *b, haft_str id)
{
    char text[HAFT__ID_LENGTH + 1];
    (void)snprintf(text, sizeof(text), "%.*s", HAFT__ARG(id));
    return b->count > 0 ? bsearch(text, b->entries, b->count, sizeof(*b->entries), compare_id)
                        : NULL;
}

/* Selects whole trees: first the runs above selected runs, then the runs below. A run has a smaller
 * id than its children. */
static void mark_trees(batch *b)
{
    for (size_t i = b->count; i-- > 0;) {
        run_entry *parent =
            b->entries[i].selected ? find_entry(b, haft__str(b->entries[i].parent)) : NULL;
        if (parent != NULL) {
            parent->selected = true;
        }
    }
    for (size_t i = 0; i < b->count; i++) {
        const run_entry *parent = find_entry(b, haft__str(b->entries[i].parent));
        b->entries[i].selected = b->entries[i].selected || (parent != NULL && parent->selected);
    }
}

static haft_status mark_named(batch *b)
{
    haft_status status = HAFT_OK;
    for (size_t i = 0; status == HAFT_OK && i < b->options->name_count; i++) {
        haft__store_request find = {.verb = HAFT__STORE_FIND,
                                    .name = haft__str(b->options->names[i]),
                                    .arena = &b->m->arena};
        haft__arena_reset(&b->m->arena);
        status = haft__store_submit_and_wait(b->m->from, &find, b->err);
        run_entry *entry = status == HAFT_OK ? find_entry(b, find.found[0].id) : NULL;
        if (entry != NULL) {
            entry->selected = true;
        }
    }
    mark_trees(b);
    return status;
}

/* ---- migrating ---- */

static void report_failure(batch *b, const char *id, const haft_error *error)
{
    b->totals.failed++;
    b->options->on_failure(b->options->context, id, error);
}

static void migrate(batch *b, run_entry *entry)
{
    haft__migration_report run;
    haft_error failed = {0};
    entry->done = true;
    if (haft__migration_run(b->m, haft__str(entry->id), &run, &failed) != HAFT_OK) {
        report_failure(b, entry->id, &failed);
        return;
    }
    b->totals.copied += run.outcome == HAFT__MIGRATION_COPIED;
    b->totals.already_there += run.outcome == HAFT__MIGRATION_ALREADY_THERE;
    b->totals.skipped += run.outcome == HAFT__MIGRATION_SKIPPED;
    b->options->on_run(b->options->context, entry->id, &run);
}

static void migrate_in_order(batch *b, run_entry *entry);

/* Migrates the earlier runs of the thread: first the history of the run, then the open runs. */
static haft_status migrate_predecessors(batch *b, const run_entry *entry, haft__arena *arena)
{
    haft__store_request find = {
        .verb = HAFT__STORE_FIND, .name = haft__str(entry->id), .arena = arena};
    haft_status status = haft__store_submit_and_wait(b->m->from, &find, b->err);
    if (status != HAFT_OK || find.found[0].thread.len == 0) {
        return status;
    }
    haft__store_request before[] = {
        {.verb = HAFT__STORE_THREAD_HISTORY,
         .thread = find.found[0].thread,
         .name = haft__str(entry->id)},
        {.verb = HAFT__STORE_PREDECESSORS, .run.id = haft__str(entry->id)}};
    for (size_t k = 0; status == HAFT_OK && k < COUNT(before); k++) {
        before[k].arena = arena;
        status = haft__store_submit_and_wait(b->m->from, &before[k], b->err);
        for (size_t i = 0; status == HAFT_OK && i < before[k].found_count; i++) {
            run_entry *other = find_entry(b, before[k].found[i].id);
            if (other != NULL && other->selected && !other->done) {
                migrate_in_order(b, other);
            }
        }
    }
    return status;
}

static void migrate_in_order(batch *b, run_entry *entry)
{
    haft__arena arena;
    haft__arena_init(&arena, 0);
    entry->done = true; /* prevents a cycle in a damaged store */
    haft_status status = migrate_predecessors(b, entry, &arena);
    haft__arena_finish(&arena);
    if (status != HAFT_OK) {
        haft_error failed = *b->err;
        *b->err = (haft_error){0};
        report_failure(b, entry->id, &failed);
        return;
    }
    migrate(b, entry);
}

haft_status haft__migrate_runs(haft__migration *m, const haft__migrate_runs_options *options,
                               haft__migrate_totals *ret_totals, haft_error *err)
{
    haft_error ignored = {0};
    batch b = {.m = m, .options = options, .err = err != NULL ? err : &ignored};
    haft_status status = list_all(&b);
    if (status == HAFT_OK) {
        status = mark_named(&b);
    }
    for (size_t i = 0; status == HAFT_OK && i < b.count && !b.totals.stopped; i++) {
        if (b.entries[i].selected && !b.entries[i].done) {
            migrate_in_order(&b, &b.entries[i]);
        }
        b.totals.stopped = options->stop(options->context);
    }
    free(b.entries);
    *ret_totals = b.totals;
    return status;
}
