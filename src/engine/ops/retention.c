/* SPDX-License-Identifier: Apache-2.0 */
/* retention.c - see retention.h. Tests: tests/engine/ops/runs_test.c, tests/cli/store_test.py. */
#include "engine/ops/retention.h"

#include "base/macros.h"
#include "base/str.h"
#include "engine/ops/store_access.h"
#include "engine/ops/stored_run.h"
#include "io/owner.h"

haft_status haft__retention_remove_run(haft_runtime *runtime, haft__arena *arena, haft_str name,
                                       haft_error *err)
{
    haft__store_run row;
    haft_status status = haft__stored_run_find(runtime, arena, name, true, &row, err);
    if (status != HAFT_OK) {
        return status;
    }
    haft__store_request remove = {.verb = HAFT__STORE_REMOVE,
                                  .run.id = row.id,
                                  .dead_owner =
                                      haft__owner_is_dead(row.owner) ? row.owner : HAFT__LIT("")};
    return haft__store_access_execute(runtime, arena, &remove, err);
}

bool haft__retention_is_end(haft_str word)
{
    static const char *const known[] = {
#define X(name, text) text,
        HAFT__ENDS(X)
#undef X
    };
    for (size_t i = 0; i < COUNT(known); i++) {
        if (haft__str_equal(word, haft__str(known[i]))) {
            return true;
        }
    }
    return false;
}

haft_status haft__retention_apply(haft_runtime *runtime, haft__arena *arena,
                                  const haft__retention_rules *rules, uint64_t *ret_count,
                                  haft_error *err)
{
    uint64_t now = haft__store_now(runtime->store); /* the clock of the recorded ends */
    bool selects = rules->has_keep || rules->end_count > 0;
    uint64_t before = now > rules->age_ms ? now - rules->age_ms : 1;
    haft__store_request collect = {.verb = HAFT__STORE_GC,
                                   .before_ms = rules->has_age ? before
                                                : selects      ? INT64_MAX
                                                               : 0,
                                   .keep = rules->keep,
                                   .ends = rules->ends,
                                   .end_count = rules->end_count,
                                   .dry_run = rules->dry_run};
    haft_status status = haft__store_access_execute(runtime, arena, &collect, err);
    if (status == HAFT_OK) {
        *ret_count = collect.count;
    }
    return status;
}
