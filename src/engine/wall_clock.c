/* SPDX-License-Identifier: Apache-2.0 */
/* wall_clock.c - counts the time of a run and ends it. Tests: tests/cli/wall_test.py. */
#include "engine/wall_clock.h"

#include "engine/hook/hook.h"
#include "engine/model_call.h"
#include "engine/run.h"
#include "engine/runtime.h"

#define RETRY_MS 1000 /* retry interval while the store cannot record the end */

static uint64_t used_ms(const haft_run *run)
{
    const haft__wall_clock *clock = &run->wall_clock;
    uint64_t now = haft__loop_now(run->runtime->loop);
    uint64_t counted = clock->used_ms + (clock->running ? now - clock->since_ms : 0);
    return counted > run->state.worked_ms ? counted : run->state.worked_ms;
}

static void on_time(void *context);

static haft_status start_timer(haft_run *run, uint64_t ms, haft_error *err)
{
    return haft__timer_start(run->runtime->loop, &run->wall_clock.timer, ms, on_time, run, err);
}

/* Cancels the operations and records that the limit was reached. The run then decides to end. */
static void on_time(void *context)
{
    haft_run *run = context;
    haft_error err = {0};
    if (!haft__lease_enforce(run)) {
        return;
    }
    if (run->suspended || run->runtime->low_space || haft__log_is_failing(&run->log)) {
        if (start_timer(run, RETRY_MS, &err) != HAFT_OK) {
            haft__run_fail(run, &err);
        }
        return;
    }
    haft__buf *body = &run->runtime->body;
    haft__buf_clear(body);
    haft__input_wall_reached(body, &run->state, used_ms(run));
    haft__wall_clock_stop(run);
    haft__model_call_stop(run);
    haft__tool_search_stop(run);
    haft__tool_calls_stop(run);
    haft__hooks_stop(run);
    haft__run_record_input(run, haft__buf_str(body));
}

haft_status haft__wall_clock_update(haft_run *run, haft_error *err)
{
    haft__wall_clock *clock = &run->wall_clock;
    bool active = run->effect == HAFT__EFFECT_CALL_MODEL || run->effect == HAFT__EFFECT_SEARCH_TOOLS
                  || run->effect == HAFT__EFFECT_RUN_CALLS;
    if (!active) {
        haft__wall_clock_stop(run);
        return HAFT_OK;
    }
    clock->used_ms = used_ms(run);
    clock->since_ms = haft__loop_now(run->runtime->loop);
    clock->running = true;
    uint64_t limit = haft__run_wall_limit(&run->state);
    return start_timer(run, limit > clock->used_ms ? limit - clock->used_ms : 0, err);
}

void haft__wall_clock_stop(haft_run *run)
{
    run->wall_clock.used_ms = used_ms(run);
    run->wall_clock.running = false;
    haft__timer_stop(run->runtime->loop, &run->wall_clock.timer);
}
