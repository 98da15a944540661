/* SPDX-License-Identifier: Apache-2.0 */
/*
 * engine/ops/migrate.h - copies runs from one store into another, and reads them back to compare.
 *
 * Events, artifacts, messages and state are the same in the copy. The copy has no owner, gets its
 * number from the new store, and has a greater epoch. A run that is already there is compared and
 * not written again, so that an interrupted migration can be repeated.
 *
 * A run that has not ended is only moved: if it were in both stores, both would continue it. The
 * owner in the old store's row (store/move.h) says where the run is. Each step is rejected if
 * somebody has claimed the run since the step before:
 *
 *     1. claim the run in the old store, for a move to the new one
 *     2. copy it into the new one; the copy's lease never expires, so that nobody continues it
 *     3. read it back and compare
 *     4. claim the run in the old store as moved: from now on the copy is the run
 *     5. release the copy in the new store
 *     6. remove the run from the old store
 *
 * Before step 4 a copy is void: a later move claims the run with a greater epoch, removes the copy
 * and makes its own. After step 4 repeating the move does steps 5 and 6. A move to a third store is
 * rejected until the lease of the move that was begun has expired.
 */
#ifndef HAFT_ENGINE_OPS_MIGRATE_H
#define HAFT_ENGINE_OPS_MIGRATE_H

#include "base/arena.h"
#include "base/hash.h"
#include "io/loop.h"
#include "store/move.h"
#include "store/store.h"

#define HAFT__MIGRATION_NAME_BYTES 1024 /* of the name of a store */

typedef enum haft__migration_outcome {
    HAFT__MIGRATION_COPIED,
    HAFT__MIGRATION_ALREADY_THERE, /* complete and equal */
    HAFT__MIGRATION_SKIPPED,       /* the run has not ended, and moving was not requested */
} haft__migration_outcome;

/* Why a run was not copied, if the status does not say it. */
typedef enum haft__migration_problem {
    HAFT__MIGRATION_OTHER_PROBLEM,
    HAFT__MIGRATION_MESSAGES_TOO_BIG, /* its owner has to consume its messages first */
    HAFT__MIGRATION_RUNS_DIFFER,      /* the new store has a different run with its id */
} haft__migration_problem;

typedef struct haft__migration {
    haft__loop *loop;
    haft__store *from, *to;
    haft__arena arena; /* of the run that is being copied */
    haft__hash_key hash_key;
    bool move, dry_run;              /* set by the caller before opening */
    bool same_store;                 /* both URLs name one store: why opening failed */
    haft__migration_problem problem; /* of the last run that failed */
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
    bool removed; /* from the old store */
} haft__migration_report;

/* Opens both stores. The old one must exist. BAD_INPUT if both are the same (`same_store`). Close
 * it also after a failure. */
HAFT_MUST_USE haft_status haft__migration_open(haft__migration *m, const char *from, const char *to,
                                               haft_error *err);
void haft__migration_close(haft__migration *m);

/* Copies or moves a run. BAD_STATE if another process owns it, or the new store has a different run
 * with its id. */
HAFT_MUST_USE haft_status haft__migration_run(haft__migration *m, haft_str id,
                                              haft__migration_report *ret_report, haft_error *err);

#endif
