/* SPDX-License-Identifier: Apache-2.0 */
/* cli/ops/run_snapshot.h - everything that a store has of a run, read and compared by those who
 * copy it. */
#ifndef HAFT_CLI_OPS_RUN_SNAPSHOT_H
#define HAFT_CLI_OPS_RUN_SNAPSHOT_H

#include "cli/ops/migrate.h"

/* A run with everything it has, in one of the stores. */
typedef struct haft__run_snapshot {
    haft__store_run row;
    haft_str events; /* each ended by a line feed */
    uint64_t event_count;
    haft__store_artifact *artifacts; /* the newest of each name */
    size_t artifact_count;
    const haft__store_message *messages;
    size_t message_count;
} haft__run_snapshot;

/* Performs a request of one of the stores; what is read lives in the arena of the migration. */
HAFT_MUST_USE haft_status haft__migration_execute(haft__migration *m, haft__store *store,
                                                  haft__store_request *request, haft_error *err);

/* Everything, checked by the store as it is read. */
HAFT_MUST_USE haft_status haft__run_snapshot_read(haft__migration *m, haft__store *store,
                                                  haft_str id, haft__run_snapshot *ret_run,
                                                  haft_error *err);

/* BAD_STATE when the run is another one in the new store, `there`; without `all_messages` it may
 * lack the last of them. */
HAFT_MUST_USE haft_status haft__run_snapshot_compare(const haft__run_snapshot *a,
                                                     const haft__run_snapshot *there,
                                                     bool all_messages, haft_error *err);

#endif
