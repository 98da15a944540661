/* SPDX-License-Identifier: Apache-2.0 */
/*
 * crash_guard.c - ends a run that crashes its owners repeatedly.
 *
 * If a tool crashes its process, the events show a call that has started and not finished. A crash
 * between calls, caused by a model reply for instance, does not appear in the events. Workers count
 * such crashes (worker/crash_count.c) and set haft_run.crash_count. Tests:
 * tests/engine/worker/crash_count_test.c.
 */
#include "engine/crash_guard.h"

#include "base/error.h"
#include "base/limits.h"
#include "base/str.h"
#include "engine/command.h"
#include "engine/run.h"
#include "engine/runtime.h"
#include "run/host.h"

/* Whether no event has become durable since the run was opened. */
static bool has_made_no_progress(const haft_run *run)
{
    return run->crash_count > 0 && run->log.durable_seq == run->opening.row.seq;
}

bool haft__crash_guard_must_wait(const haft_run *run)
{
    return has_made_no_progress(run) && !haft__log_is_durable(run);
}

bool haft__crash_guard_limit_reached(const haft_run *run)
{
    return has_made_no_progress(run) && run->crash_count > HAFT__LIMIT_WORK_CRASHES;
}

static haft_status write_end_event(haft_run *run, haft_str why, haft__buf *body, haft_error *err)
{
    haft__run_command cancel = {.kind = HAFT__RUN_COMMAND_CANCEL,
                                .call = HAFT__LIT(""),
                                .value = haft__json_null(),
                                .by = HAFT__LIT("haft worker"),
                                .why = why};
    haft__model_failure failure = {.message = why};
    if (run->state.stage != HAFT__RUN_AWAITING_REPLY) {
        return haft__run_redact_and_apply_command(run, &cancel, body, err);
    }
    haft__input_model_failed(body, &failure, 0);
    return haft__buf_check(body, err);
}

haft_status haft__crash_guard_end_run(haft_run *run, haft_error *err)
{
    char why[160];
    (void)snprintf(why, sizeof(why),
                   "%u processes in a row stopped, or did not renew their lease, while they owned "
                   "the run at this point",
                   run->crash_count - 1);
    haft__buf body;
    haft__buf_init(&body, HAFT__LIMIT_RUN_BYTES);
    haft_status status = write_end_event(run, haft__str(why), &body, err);
    if (status == HAFT_OK && body.len > 0) {
        status = haft__log_append(run, haft__runtime_now(run->runtime), haft__buf_str(&body), err);
    }
    haft__buf_finish(&body);
    return status;
}
