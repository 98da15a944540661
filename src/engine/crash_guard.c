/* SPDX-License-Identifier: Apache-2.0 */
/*
 * loss.c - a run that was lost by one process after the other, and what becomes of it.
 *
 * A tool that takes its process down is known by its call, which was begun and has no end. What
 * does so between calls, a reply of a model for instance, leaves nothing behind; whoever takes runs
 * counts how often they were lost (work_loss.c), and says so here.
 * Tests: tests/engine/worker/crash_count_test.c.
 */
#include "base/error.h"
#include "base/limits.h"
#include "base/str.h"
#include "engine/runtime.h"

/* Whether it has not got on since it was taken up. */
static bool is_in_doubt(const haft_run *run)
{
    return run->losses > 0 && run->durable_seq == run->row.seq;
}

bool haft__loss_waits(const haft_run *run)
{
    return is_in_doubt(run) && !haft__log_durable(run);
}

bool haft__loss_is_hopeless(const haft_run *run)
{
    return is_in_doubt(run) && run->losses > HAFT__LIMIT_WORK_LOSSES;
}

static haft_status write_end(haft_run *run, haft_str why, haft__buf *body, haft_error *err)
{
    haft__steer cancel = {.kind = HAFT__STEER_CANCEL,
                          .call = HAFT__LIT(""),
                          .value = haft__json_null(),
                          .by = HAFT__LIT("haft worker"),
                          .why = why};
    haft__model_failure failure = {.message = why};
    if (run->state.stage != HAFT__RUN_ASKING) {
        return haft__live_steer(run, &cancel, body, err);
    }
    haft__input_model_failed(body, &failure, 0);
    return haft__buf_check(body, err);
}

haft_status haft__loss_end(haft_run *run, haft_error *err)
{
    char why[160];
    (void)snprintf(why, sizeof(why),
                   "%u processes in a row ended, or were not heard of any more, while they had the "
                   "run at this point",
                   run->losses - 1);
    haft__buf body;
    haft__buf_init(&body, HAFT__LIMIT_RUN_BYTES);
    haft_status status = write_end(run, haft__str(why), &body, err);
    if (status == HAFT_OK && body.len > 0) {
        status = haft__log_append(run, haft__runtime_now(run->runtime), haft__buf_str(&body), err);
    }
    haft__buf_finish(&body);
    return status;
}
