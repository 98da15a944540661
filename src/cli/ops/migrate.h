/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cli/ops/migrate.h - copies runs from one store into another, and reads them back to compare.
 *
 * Events, artifacts, messages and state are the same there; who has the run and its number are the
 * new store's, and its epoch is past the one it had. A run that is there already is compared and
 * not written again, so that what was interrupted can be repeated.
 *
 * A run that has not ended is only moved: were it in both stores, both would go on with it. The row
 * of the old store says where the run is, by the name of its owner (store/move.h), and each step is
 * refused when somebody has claimed the run since:
 *
 *     1. claimed in the old store, for a move to the new one
 *     2. copied into the new one; a copy is nobody's, and never comes to be anybody's by time
 *     3. read back and compared
 *     4. claimed in the old store as moved: from now on the run is the copy
 *     5. given free in the new one
 *     6. removed from the old one
 *
 * Before 4 a copy is worth nothing, and whoever claims the run with a later epoch removes it and
 * makes its own; after 4 whoever repeats the move does 5 and 6. A move to another store than the
 * one that was begun is refused until its lease is over.
 */
#ifndef HAFT_CLI_OPS_MIGRATE_H
#define HAFT_CLI_OPS_MIGRATE_H

#include "base/hash.h"
#include "cli/command.h"
#include "store/move.h"
#include "store/store.h"

#define HAFT__MIGRATION_NAME_BYTES 1024 /* bytes of a store's name, the longest that is told */

typedef enum haft__migration_outcome {
    HAFT__MIGRATION_COPIED,
    HAFT__MIGRATION_ALREADY_THERE, /* it was there, whole and equal */
    HAFT__MIGRATION_SKIPPED,       /* it has not ended, and is not to be moved */
} haft__migration_outcome;

typedef struct haft__migration {
    haft__loop *loop;
    haft__store *from, *to;
    haft__arena arena; /* of the run that is being copied */
    haft__hash_key hash_key;
    bool move, dry_run;
    char to_name[HAFT__MIGRATION_NAME_BYTES];
    char owner[HAFT__MIGRATION_NAME_BYTES + 64];      /* of runs in the old store, ... */
    char done_owner[HAFT__MIGRATION_NAME_BYTES + 64]; /* ... once they are moved, ... */
    char copy_owner[HAFT__MIGRATION_NAME_BYTES + 64]; /* ... and of copies in the new one */
} haft__migration;

/* What came of one run. */
typedef struct haft__migration_report {
    haft__migration_outcome what;
    uint64_t events;
    size_t artifacts, messages;
    bool removed; /* from the old store */
} haft__migration_report;

/* Opens both. The old one must be there. BAD_INPUT when both are the same. */
HAFT_MUST_USE haft_status haft__migration_open(haft__migration *m, const char *from, const char *to,
                                               haft_error *err);
void haft__migration_close(haft__migration *m);

/* Copies a run, or moves it. BAD_STATE when somebody has it, or another one of its id is there. */
HAFT_MUST_USE haft_status haft__migration_run(haft__migration *m, haft_str id,
                                              haft__migration_report *ret_run, haft_error *err);

#endif
