/* SPDX-License-Identifier: Apache-2.0 */
/* call_wait.c - see run/decide/call_wait.h. Tests: tests/run/decide/call_wait_test.c. */
#include "run/decide/call_wait.h"

#include "base/str.h"
#include "run/decide/decide.h"
#include "run/middleware/middleware.h"

static haft_str lane_of(const haft__tool *tool)
{
    if (tool->traits.lane.len > 0) {
        return tool->traits.lane;
    }
    return tool->traits.destructive ? HAFT__LIT(" destructive") : HAFT__LIT("");
}

bool haft__call_is_control(const haft__run_call *call)
{
    return call->tool != NULL && call->tool->role == HAFT__ROLE_CONTROL && call->node == NULL;
}

/* Whether the call is running, here or at a client. A call that waits for a person is not running:
 * the person may never decide, and other calls must not wait for that. */
static bool is_running(const haft__run_call *call)
{
    bool client = call->stage == HAFT__CALL_PAUSED && haft__pause_kind_of(call->pause)->at_client;
    return call->tool != NULL
           && (call->stage == HAFT__CALL_STARTED || client || haft__call_needs_host(call));
}

const haft__run_call *haft__call_wait_lane_holder(const haft__run *run, const haft__run_call *call)
{
    haft_str lane = lane_of(call->tool);
    for (size_t i = run->batch; lane.len > 0 && i < run->call_count; i++) {
        const haft__run_call *other = &run->calls[i];
        if (other != call && is_running(other) && haft__str_equal(lane_of(other->tool), lane)) {
            return other;
        }
    }
    return NULL;
}

bool haft__call_wait_parallel_full(const haft__run *run)
{
    uint32_t running = 0;
    for (size_t i = run->batch; i < run->call_count; i++) {
        const haft__run_call *call = &run->calls[i];
        running += call->stage == HAFT__CALL_STARTED && haft__call_is_external(call)
                   && !haft__call_waits_for_nested(run, call);
    }
    return running >= run->spec->limits.parallel;
}

uint64_t haft__call_wait_poll_at(const haft__run *run, const haft__run_call *call)
{
    uint64_t delay = call->tool->traits.poll_delay_ms;
    const haft__tool_history *past = &run->past[haft__run_tool_index(run, call->tool)];
    for (size_t i = run->batch; delay > 0 && i < run->call_count; i++) {
        const haft__run_call *other = &run->calls[i];
        if (other != call && other->tool == call->tool && is_running(other)) {
            return UINT64_MAX;
        }
    }
    uint64_t polled = delay > 0 && past->finished ? past->finished_ms + delay : 0;
    uint64_t retried = call->node != NULL ? call->node->not_before_ms : 0;
    const haft__middleware *entry = NULL;
    uint64_t limited = haft__rate_limit_at(run, call, &entry);
    uint64_t at = polled > retried ? polled : retried;
    return at > limited ? at : limited;
}

uint64_t haft__call_wait_next_poll(const haft__run *run, uint64_t now_ms)
{
    uint64_t next = 0;
    for (size_t i = run->batch; run->stage != HAFT__RUN_ENDED && i < run->call_count; i++) {
        const haft__run_call *call = &run->calls[i];
        bool arrived = call->stage == HAFT__CALL_ARRIVED && call->tool != NULL;
        uint64_t at = arrived ? haft__call_wait_poll_at(run, call) : 0;
        next = at > now_ms && at < UINT64_MAX && (next == 0 || at < next) ? at : next;
    }
    return next;
}

bool haft__call_wait_answer_starts(const haft__run_call *call)
{
    return call->elicitation.kind == HAFT__JSON_OBJECT || call->approved
           || haft__str_equal(call->verdict, HAFT__LIT("retry"));
}

/* Whether only control calls are still to be decided. They are decided after all other calls of the
 * turn have results. */
static bool only_control_calls_left(const haft__run *run)
{
    bool last = true;
    for (size_t i = run->batch; i < run->call_count; i++) {
        const haft__run_call *call = &run->calls[i];
        bool over = call->stage == HAFT__CALL_FINISHED || call->stage == HAFT__CALL_REFUSED;
        bool control = haft__call_is_control(call);
        last = last && (over || control);
    }
    return last;
}

haft__call_wait haft__call_wait_find(const haft__run *run, const haft__run_call *call)
{
    bool arrived = call->stage == HAFT__CALL_ARRIVED && call->malformed.len == 0;
    bool answered = call->stage == HAFT__CALL_ANSWERED && haft__call_wait_answer_starts(call);
    haft__call_wait wait = {.by = HAFT__CALL_WAIT_NONE, .lane = HAFT__LIT("")};
    if (run->stage != HAFT__RUN_CALLING || call->tool == NULL || (!arrived && !answered)) {
        return wait;
    }
    if (haft__call_is_control(call)) {
        wait.by = only_control_calls_left(run) ? HAFT__CALL_WAIT_NONE : HAFT__CALL_WAIT_OTHERS;
        return wait;
    }
    wait.holder = haft__call_wait_lane_holder(run, call);
    if (wait.holder != NULL) {
        wait.by = HAFT__CALL_WAIT_LANE;
        wait.lane = call->tool->traits.lane;
    } else if (haft__call_is_external(call) && haft__call_wait_parallel_full(run)) {
        wait.by = HAFT__CALL_WAIT_PARALLEL;
    } else if (haft__call_wait_poll_at(run, call) > run->last_ms) {
        wait.by = HAFT__CALL_WAIT_DELAY;
    }
    return wait;
}

const char *haft__call_wait_reason_name(haft__call_wait_reason by)
{
    static const char *const names[] = {[HAFT__CALL_WAIT_NONE] = "",
                                        [HAFT__CALL_WAIT_LANE] = "lane",
                                        [HAFT__CALL_WAIT_PARALLEL] = "room",
                                        [HAFT__CALL_WAIT_OTHERS] = "others",
                                        [HAFT__CALL_WAIT_DELAY] = "delay"};
    return names[by];
}
