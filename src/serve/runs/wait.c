/* SPDX-License-Identifier: Apache-2.0 */
/* wait.c - waits until a run has ended or waits for somebody. Tests: tests/serve/api_test.py. */
#include "base/error.h"
#include "base/limits.h"
#include "base/str.h"
#include "serve/runs/runs_int.h"

typedef struct run_wait {
    haft__follower follower;
    haft__api_call *call;
    haft__timer timeout;
    bool timed_out, loading, changed;
    haft__arena_mark mark; /* of the call's arena before the first look at the run */
    bool kept;             /* a state was read since, which lives as long as the call */
} run_wait;

static void stop(run_wait *wait)
{
    haft__api_call *call = wait->call;
    haft__runs *runs = haft__runs_of(call);
    haft__timer_stop(runs->runtime->loop, &wait->timeout);
    if (wait->follower.run != NULL) {
        haft__feed_leave(&runs->feed, &wait->follower);
    }
    call->on_gone = NULL;
    call->holds--;
}

static void on_gone(haft__api_call *call)
{
    stop(call->state);
    haft__api_release(call);
}

static void load(haft__api_call *call);

static bool is_settled(const haft__store_run *row)
{
    return row->state != HAFT__RUN_STATE_RUNNING;
}

static void on_state(haft__api_call *call)
{
    run_wait *wait = call->state;
    const haft__loaded_run *run = haft__runs_loaded(call);
    wait->loading = false;
    if (is_settled(&run->row) || wait->timed_out) {
        stop(wait);
        haft__runs_reply(call, 200, NULL);
    } else if (wait->changed) {
        haft__api_continue(call, load);
    }
}

/* The run has settled, or the time is over. */
static void load(haft__api_call *call)
{
    run_wait *wait = call->state;
    if (wait->loading) {
        return;
    }
    wait->loading = true;
    wait->changed = false;
    wait->kept = true;
    haft__runs_load_path(call, HAFT__LOAD_STATE, on_state);
}

static void check(haft__api_call *call);

static void on_row(haft__api_call *call)
{
    run_wait *wait = call->state;
    wait->loading = false;
    if (is_settled(&haft__runs_loaded(call)->row) || wait->timed_out) {
        load(call);
    } else if (wait->changed) {
        check(call);
    }
}

/* Reads the row, in the memory of the row before. */
static void check(haft__api_call *call)
{
    run_wait *wait = call->state;
    if (wait->loading) {
        return;
    }
    if (!wait->kept) {
        haft__arena_restore(&call->arena, wait->mark);
    }
    wait->changed = false;
    wait->loading = true;
    haft__runs_load_path(call, HAFT__LOAD_ROW, on_row);
}

/* ---- the follower ---- */

static bool take(haft__follower *follower, uint64_t seq, haft_str line)
{
    static const char *const settling[] = {"paused",       "run_finished",   "call_finished",
                                           "call_refused", "child_finished", "graph_step"};
    run_wait *wait = follower->context;
    if (seq > 0 && haft__str_is_one_of(haft__feed_kind(line), settling, 6)) {
        wait->changed = true;
        if (!wait->loading) {
            haft__api_continue(wait->call, check);
        }
    }
    return true;
}

static void fail(haft__follower *follower, const haft_error *error)
{
    run_wait *wait = follower->context;
    haft__api_call *call = wait->call;
    stop(wait);
    haft__api_fail(call, error);
    haft__api_release(call);
}

static const haft__follower_actions actions = {.take = take, .fail = fail};

static void on_timeout(void *context)
{
    run_wait *wait = context;
    wait->timed_out = true;
    wait->changed = true;
    if (!wait->loading) {
        haft__api_continue(wait->call, check);
    }
}

static void begin(haft__api_call *call)
{
    const haft__store_run *row = &haft__runs_loaded(call)->row;
    haft__runs *runs = haft__runs_of(call);
    haft_error err = {0};
    uint64_t seconds = 0;
    run_wait *wait = haft__arena_array(&call->arena, 1, sizeof(*wait));
    if (!haft__api_query_number(call, "timeout", 0, HAFT__LIMIT_SERVE_WAIT_S, 60, &seconds)) {
        return;
    }
    if (wait == NULL) {
        (void)haft__arena_fail(&call->arena, &err);
        haft__api_fail(call, &err);
        return;
    }
    wait->call = call;
    wait->timed_out = seconds == 0;
    wait->follower = (haft__follower){.actions = &actions, .context = wait, .sent = row->seq};
    call->state = wait;
    call->holds++;
    call->on_gone = on_gone;
    if (is_settled(row) || wait->timed_out) {
        load(call);
        return;
    }
    haft_status status = haft__feed_follow(&runs->feed, row->id, &wait->follower, &err);
    if (status == HAFT_OK) {
        status = haft__timer_start(runs->runtime->loop, &wait->timeout, seconds * 1000U, on_timeout,
                                   wait, &err);
    }
    if (status != HAFT_OK) {
        stop(wait);
        haft__api_fail(call, &err);
        return;
    }
    wait->mark = haft__arena_save(&call->arena);
    check(call); /* it may have settled since its row was read */
}

void haft__runs_handle_run_wait(haft__api_call *call)
{
    haft__runs_load_path(call, HAFT__LOAD_ROW, begin);
}
