/* SPDX-License-Identifier: Apache-2.0 */
/* waiting_calls.c - see cli/terminal/waiting_calls.h. Tests: tests/cli/pause_test.py. */
#include "cli/terminal/waiting_calls.h"

#include "base/str.h"
#include "cli/terminal/width.h"
#include "engine/run.h"
#include "run/decide/call_wait.h"

/* Waiting calls are reported after this time without events; shorter waits are not reported. */
#define REPORT_AFTER_MS 1000U

/* Maximum width of a name that a spec or a server defines. */
#define NAME_COLUMNS 73U

static void add_name(haft__buf *out, const haft__run_call *call)
{
    haft__buf_addf(out, "%.*s ", HAFT__ARG(call->id));
    (void)haft__escape_add_line(out, call->name, NAME_COLUMNS, HAFT__LIT("..."));
}

static void add_wait(haft__buf *out, const haft__run_call *call, const haft__call_wait *wait)
{
    haft__buf_add_str(out, HAFT__LIT("  "));
    add_name(out, call);
    haft__buf_add_str(out, HAFT__LIT(" waits for "));
    if (wait->by == HAFT__CALL_WAIT_OTHERS) {
        haft__buf_add_str(out, HAFT__LIT("the other calls of its turn\n"));
        return;
    }
    if (wait->by == HAFT__CALL_WAIT_DELAY) {
        haft__buf_add_str(out, HAFT__LIT("the delay of its tool (poll_delay)\n"));
        return;
    }
    add_name(out, wait->holder);
    haft__buf_add_str(out, wait->lane.len > 0 ? HAFT__LIT(", in the same lane: ")
                                              : HAFT__LIT(", which is also destructive"));
    (void)haft__escape_add_line(out, wait->lane, NAME_COLUMNS, HAFT__LIT("..."));
    haft__buf_add_char(out, '\n');
}

void haft__waiting_calls_add(haft__buf *out, const haft__run *run)
{
    size_t over_limit = 0;
    for (size_t i = run->batch; i < run->call_count; i++) {
        haft__call_wait wait = haft__call_wait_find(run, &run->calls[i]);
        if (wait.by == HAFT__CALL_WAIT_PARALLEL) {
            over_limit++;
        } else if (wait.by != HAFT__CALL_WAIT_NONE) {
            add_wait(out, &run->calls[i], &wait);
        }
    }
    if (over_limit > 0) {
        haft__buf_addf(out, "  %zu call%s: at most %u run at once (limits.parallel)\n", over_limit,
                       over_limit == 1 ? " waits" : "s wait", run->spec->limits.parallel);
    }
}

static bool has_waiting_call(const haft__run *run)
{
    for (size_t i = run->batch; i < run->call_count; i++) {
        if (haft__call_wait_find(run, &run->calls[i]).by != HAFT__CALL_WAIT_NONE) {
            return true;
        }
    }
    return false;
}

int haft__waiting_calls_due_ms(const haft_run *run, uint64_t reported)
{
    const haft__run *state = &run->state;
    if (reported == state->seq || !haft__log_is_durable(run) || !has_waiting_call(state)) {
        return -1;
    }
    uint64_t now = haft__runtime_now(run->runtime);
    uint64_t quiet = now > state->last_ms ? now - state->last_ms : 0;
    return quiet < REPORT_AFTER_MS ? (int)(REPORT_AFTER_MS - quiet) : 0;
}
