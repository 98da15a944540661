/* SPDX-License-Identifier: Apache-2.0 */
/* engine/ops/run_snapshot.h - reads and compares all data of a run in a store. */
#ifndef HAFT_ENGINE_OPS_RUN_SNAPSHOT_H
#define HAFT_ENGINE_OPS_RUN_SNAPSHOT_H

#include "base/hash.h"
#include "store/store.h"

/* All data of a run. It lives in the arena that was passed to haft__run_snapshot_read. */
typedef struct haft__run_snapshot {
    haft__store_run row;
    haft_str events; /* each event ends with a line feed */
    uint64_t event_count;
    haft__store_artifact *artifacts; /* the newest artifact of each name */
    size_t artifact_count;
    const haft__store_message *messages;
    size_t message_count;
    bool messages_too_big; /* reading failed because the messages have too many bytes */
} haft__run_snapshot;

/* Reads the run `id`. The store checks that the run is not damaged. */
HAFT_MUST_USE haft_status haft__run_snapshot_read(haft__store *store, haft__arena *arena,
                                                  haft__hash_key hash_key, haft_str id,
                                                  haft__run_snapshot *ret_snapshot,
                                                  haft_error *err);

/* Fails with BAD_STATE if the copy in the new store differs from the original. Unless
 * `all_messages`, the last messages may be missing in the copy. */
HAFT_MUST_USE haft_status haft__run_snapshot_compare(const haft__run_snapshot *original,
                                                     const haft__run_snapshot *copy,
                                                     bool all_messages, haft_error *err);

/* Executes a request to a store without a runtime. Results live in `arena`. */
HAFT_MUST_USE haft_status haft__run_snapshot_execute(haft__store *store, haft__arena *arena,
                                                     haft__store_request *request, haft_error *err);

#endif
