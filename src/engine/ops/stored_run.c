/* SPDX-License-Identifier: Apache-2.0 */
/* stored_run.c - see stored_run.h. Tests: tests/engine/ops/runs_test.c, tests/cli/json_test.py. */
#include "engine/ops/stored_run.h"
#include "engine/agent.h"

#include "engine/ops/event_log.h"
#include "engine/ops/store_access.h"
#include "io/owner.h"

haft_status haft__stored_run_find(haft_runtime *runtime, haft__arena *arena, haft_str name,
                                  bool include_damaged, haft__store_run *ret_row, haft_error *err)
{
    haft__store_request find = {
        .verb = HAFT__STORE_FIND, .name = name, .include_damaged = include_damaged};
    haft_status status = haft__store_access_execute(runtime, arena, &find, err);
    if (status == HAFT_OK) {
        *ret_row = find.found[0];
    }
    return status;
}

haft_status haft__stored_run_read(haft_runtime *runtime, haft__arena *arena, haft_str name,
                                  bool with_spec, haft__stored_run *ret_run, haft_error *err)
{
    haft__store_request read = {.verb = HAFT__STORE_READ_EVENTS};
    *ret_run = (haft__stored_run){.agent = NULL};
    haft_status status =
        haft__stored_run_find(runtime, arena, name, !with_spec, &ret_run->row, err);
    if (status == HAFT_OK) {
        read.run.id = ret_run->row.id;
        status = haft__store_access_execute(runtime, arena, &read, err);
    }
    if (status != HAFT_OK) {
        return status;
    }
    ret_run->lines = read.text;
    return with_spec ? haft__agent_load_text(runtime, ret_run->row.spec, ret_run->row.spec_path,
                                             HAFT__SPEC_READ_ONLY, &ret_run->agent, err)
                     : HAFT_OK;
}

void haft__stored_run_finish(haft__stored_run *run)
{
    haft_agent_release(run->agent);
}

haft_status haft__stored_run_fold(haft_runtime *runtime, haft__arena *arena,
                                  const haft__stored_run *run, const char *name,
                                  haft__run *ret_state, haft_error *err)
{
    haft_status status = haft__event_log_fold(arena, run->agent->spec, name, run->lines, UINT64_MAX,
                                              runtime->hash_key, ret_state, err);
    if (status == HAFT_OK) {
        haft__stored_run_apply_row(&run->row, ret_state);
    }
    return status;
}

void haft__stored_run_apply_row(const haft__store_run *row, haft__run *state)
{
    state->stored_as_waiting = row->state == HAFT__RUN_STATE_WAITING;
    if (row->owner.len == 0 || haft__owner_is_dead(row->owner)) {
        haft__run_drop_lost_questions(state);
    }
}

bool haft__stored_run_is_owned(const haft_runtime *runtime, const haft__store_run *row)
{
    return row->owner.len > 0 && row->lease_ms > haft__runtime_now(runtime)
           && !haft__owner_is_dead(row->owner);
}
