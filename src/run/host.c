/* SPDX-License-Identifier: Apache-2.0 */
/* host.c - see run/host.h. Tests: tests/run/host_test.c, tests/sim/. */
#include "run/host.h"

#include "base/str.h"
#include "run/decide/decide.h"
#include "run/nested.h"

bool haft__call_is_repeatable(const haft__run_call *call)
{
    return call->tool->traits.read_only || call->tool->traits.idempotent
           || haft__call_runs_code(call); /* its calls have recorded results (run/nested.h) */
}

/* An idempotent call also waits until its start is durable. Otherwise, after a crash, the model is
 * asked again and may send a different call, which would get the same idempotency key. */
bool haft__call_may_start(const haft__run_call *call, bool durable)
{
    return call->stage == HAFT__CALL_STARTED && !haft__call_is_agent(call)
           && (durable || call->tool->traits.read_only);
}

/* Whether the run continues its calls; else the run is about to end. */
static bool is_calling(const haft__run *run)
{
    return run->stage == HAFT__RUN_CALLING && !run->cancel_asked && !run->expired
           && !run->wall_reached;
}

const haft__run_call *haft__run_next_interrupted_call(const haft__run *run, size_t *at)
{
    bool active = is_calling(run);
    size_t i = *at > run->batch ? *at : run->batch;
    while (active && i < run->call_count) {
        const haft__run_call *call = &run->calls[i++];
        if (haft__call_needs_host(call)) {
            *at = i;
            return call;
        }
    }
    return NULL;
}

bool haft__run_takes_answers(const haft__run *run)
{
    return run->stage != HAFT__RUN_ENDED && !haft__child_is_closing(run);
}

uint64_t haft__run_deadline(const haft__run *run)
{
    uint64_t first = 0;
    for (size_t i = run->batch; haft__run_takes_answers(run) && i < run->call_count; i++) {
        const haft__run_call *call = &run->calls[i];
        bool has_deadline = call->stage == HAFT__CALL_PAUSED && call->deadline_ms > 0;
        if (has_deadline && (first == 0 || call->deadline_ms < first)) {
            first = call->deadline_ms;
        }
    }
    return first;
}

uint64_t haft__run_local_question_seq(const haft__run *run)
{
    uint64_t newest = 0;
    for (size_t i = run->batch; i < run->call_count; i++) {
        const haft__run_call *call = &run->calls[i];
        bool asks = call->stage == HAFT__CALL_PAUSED && call->pinned;
        newest = asks && call->paused_seq > newest ? call->paused_seq : newest;
    }
    return newest;
}

bool haft__call_is_pending(const haft__run_call *call)
{
    return call->stage == HAFT__CALL_PAUSED && !haft__call_needs_host(call);
}

const haft__run_call *haft__run_find_overdue(const haft__run *run, uint64_t now_ms)
{
    bool active = is_calling(run);
    for (size_t i = run->batch; active && i < run->call_count; i++) {
        const haft__run_call *call = &run->calls[i];
        if (haft__call_is_pending(call) && call->deadline_ms > 0 && now_ms >= call->deadline_ms) {
            return call;
        }
    }
    return NULL;
}

/* The value of an answer already is {action, content} (run/pause/elicitation.h). The value of a
 * rejection is a reason or empty, so it is replaced by {action: decline}. */
haft__json haft__call_elicitation_answer(const haft__run_call *call)
{
    static const haft__json_member declined[] = {
        {{.kind = HAFT__JSON_STRING, .count = 6, .text = "action"},
         {.kind = HAFT__JSON_STRING, .count = 7, .text = "decline"}}};
    bool rejected = haft__str_equal(call->verdict, HAFT__LIT("reject"));
    return rejected ? haft__json_object(declined, 1) : call->value;
}

void haft__run_add_idempotency_key(haft__buf *buf, haft_str run, haft_str call)
{
    haft__buf_add_str(buf, run);
    haft__buf_add_char(buf, ':');
    haft__buf_add_str(buf, call);
}
