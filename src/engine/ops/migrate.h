/* SPDX-License-Identifier: Apache-2.0 */
/*
 * engine/ops/migrate.h - copies or moves runs from one store to another, and verifies the copies.
 *
 * Events, artifacts, messages and state are the same in the copy. The copy has no owner, gets its
 * number from the new store, and has a greater epoch. If the new store already has the run, it is
 * compared and not written again, so that an interrupted migration can be repeated.
 *
 * A run that has not ended can only be moved, because two copies would both continue. The owner in
 * the old store's row (store/move.h) records the location of the run. Each step is rejected if
 * another process has claimed the run since the previous step:
 *
 *     1. claim the run in the old store, for a move to the new store
 *     2. copy it to the new store; the copy's lease never expires, so that no process continues it
 *     3. read it back and compare
 *     4. claim the run in the old store as moved: after this, the copy is the run
 *     5. release the copy in the new store
 *     6. remove the run from the old store
 *
 * Before step 4 the copy is not valid: a later move claims the run with a greater epoch, removes
 * the copy and writes a new copy. After step 4, repeating the move performs steps 5 and 6. A move
 * to a third store is rejected until the lease of the interrupted move has expired.
 */
#ifndef HAFT_ENGINE_OPS_MIGRATE_H
#define HAFT_ENGINE_OPS_MIGRATE_H

#include "base/arena.h"
#include "base/hash.h"
#include "io/loop.h"
#include "store/move.h"
#include "store/store.h"

#define HAFT__MIGRATION_NAME_BYTES 1024 /* size of the name of a store */

typedef enum haft__migration_outcome {
    HAFT__MIGRATION_COPIED,
    HAFT__MIGRATION_ALREADY_THERE, /* the new store already had an equal copy */
    HAFT__MIGRATION_SKIPPED,       /* the run has not ended, and moving was not requested */
} haft__migration_outcome;

/* The problem of a run that was not copied, in addition to the status. */
typedef enum haft__migration_problem {
    HAFT__MIGRATION_OTHER_PROBLEM,
    HAFT__MIGRATION_MESSAGES_TOO_BIG, /* the owner must first consume the run's messages */
    HAFT__MIGRATION_RUNS_DIFFER,      /* the new store has a different run with its id */
} haft__migration_problem;

typedef struct haft__migration {
    haft__loop *loop;
    haft__store *from, *to;
    haft__arena arena; /* memory of the current run */
    haft__hash_key hash_key;
    bool move, dry_run;              /* set by the caller before opening */
    bool same_store;                 /* opening failed because both URLs name one store */
    haft__migration_problem problem; /* problem of the last failed run */
    char to_name[HAFT__MIGRATION_NAME_BYTES];
    char moving_owner[HAFT__MIGRATION_NAME_BYTES + 64]; /* in the old store, from step 1 on */
    char moved_owner[HAFT__MIGRATION_NAME_BYTES + 64];  /* in the old store, from step 4 on */
    char copy_owner[HAFT__MIGRATION_NAME_BYTES + 64];   /* in the new store, until step 5 */
} haft__migration;

/* The outcome of one run. */
typedef struct haft__migration_report {
    haft__migration_outcome outcome;
    uint64_t events;
    size_t artifacts, messages;
    bool removed; /* the run was removed from the old store */
} haft__migration_report;

/* Opens both stores. The old store must exist. BAD_INPUT if both are the same (`same_store`). Close
 * the migration also after a failure. */
HAFT_MUST_USE haft_status haft__migration_open(haft__migration *m, const char *from, const char *to,
                                               haft_error *err);
void haft__migration_close(haft__migration *m);

/* Copies or moves a run. BAD_STATE if another process owns the run, or the new store has a
 * different run with its id. */
HAFT_MUST_USE haft_status haft__migration_run(haft__migration *m, haft_str id,
                                              haft__migration_report *ret_report, haft_error *err);

#endif
