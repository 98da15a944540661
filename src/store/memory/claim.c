/* SPDX-License-Identifier: Apache-2.0 */
/*
 * claim.c - claims a run that needs an owner, in memory.
 *
 * It scans all runs: in memory there are few, and there is no other process.
 * Tests: tests/store/store_claim_test.c.
 */
#include "base/str.h"
#include "io/owner.h"
#include "store/memory/memory_int.h"

/* Whether the run has lost its owner. */
static bool is_orphaned(const haft__memory_store *memory, const haft__store_request *request,
                        const haft__store_run *row)
{
    if (haft__str_equal(row->owner, request->run.owner)) {
        return request->reclaim_own;
    }
    return row->owner.len > 0
           && (row->lease_ms <= haft__store_now(&memory->store) || haft__owner_is_dead(row->owner));
}

/* Whether the run has no owner and needs one. */
static bool is_free(const haft__memory_store *memory, const haft__store_request *request,
                    const haft__memory_run *run)
{
    const haft__store_run *row = &run->row;
    bool is_reached =
        row->wake_ms > 0 && row->wake_ms <= haft__store_claim_time(&memory->store, request);
    return row->owner.len == 0
           && (row->state == HAFT__RUN_STATE_RUNNING || is_reached || run->message_count > 0);
}

static uint64_t waits_since(const haft__store_run *row)
{
    return row->wake_ms > row->updated_ms ? row->wake_ms : row->updated_ms;
}

static bool is_first(const haft__memory_store *memory, const haft__memory_run *run)
{
    return haft__memory_first_open_run(memory, run->row.thread, 0, run->number) == NULL;
}

/* Whether `run` must be claimed before `best`. */
static bool is_better(const haft__memory_run *run, const haft__memory_run *best)
{
    if (best == NULL || (run->row.owner.len > 0) != (best->row.owner.len > 0)) {
        return best == NULL || run->row.owner.len > 0;
    }
    return run->row.owner.len > 0 ? run->row.lease_ms < best->row.lease_ms
                                  : waits_since(&run->row) < waits_since(&best->row);
}

haft_status haft__memory_claim_next(haft__memory_store *memory, haft__store_request *request,
                                    haft_error *err)
{
    const haft__memory_run *best = NULL;
    for (size_t i = 0; i < memory->runs.count; i++) {
        const haft__memory_run *run = memory->runs.items[i];
        bool open = run->row.state != HAFT__RUN_STATE_ENDED;
        if (open
            && (is_free(memory, request, run)
                || (!request->quick && is_orphaned(memory, request, &run->row)))
            && !haft__store_is_skipped(request, run->row.id) && is_better(run, best)
            && is_first(memory, run)) {
            best = run;
        }
    }
    if (best == NULL) {
        return haft__store_fail_nothing_to_claim(err);
    }
    haft__store_request one = *request;
    one.run.id = best->row.id;
    one.dead_owner = best->row.owner;
    bool lost = one.dead_owner.len > 0; /* the claim invalidates dead_owner */
    haft_status status = haft__memory_claim(memory, &one, err);
    request->found = one.found;
    request->found_count = one.found_count;
    request->lost = lost;
    return status;
}
