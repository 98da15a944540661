/* SPDX-License-Identifier: Apache-2.0 */
/*
 * engine/ops/migrate_runs.h - migrates all runs of a store, or named runs.
 *
 * Runs of a thread are migrated in the order in which they were created, because the new store
 * keeps that order.
 */
#ifndef HAFT_ENGINE_OPS_MIGRATE_RUNS_H
#define HAFT_ENGINE_OPS_MIGRATE_RUNS_H

#include "engine/ops/migrate.h"

typedef struct haft__migrate_runs_options {
    const char *const *names; /* ids or beginnings of ids; NULL: all runs of the old store */
    size_t name_count;
    void (*on_run)(void *context, const char *id, const haft__migration_report *run);
    void (*on_failure)(void *context, const char *id, const haft_error *error);
    bool (*stop)(void *context); /* called after each run; returns whether to stop */
    void *context;
} haft__migrate_runs_options;

typedef struct haft__migrate_totals {
    size_t copied, already_there, skipped, failed; /* runs, by outcome */
    bool stopped;                                  /* `stop` returned true before the last run */
} haft__migrate_totals;

/* Migrates the runs. If a run fails, the migration continues; `on_failure` and the totals report
 * the failure. Fails with NOT_FOUND or BAD_INPUT for a name, or with an error of the old store. */
HAFT_MUST_USE haft_status haft__migrate_runs(haft__migration *m,
                                             const haft__migrate_runs_options *options,
                                             haft__migrate_totals *ret_totals, haft_error *err);

#endif
