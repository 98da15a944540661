/* SPDX-License-Identifier: Apache-2.0 */
/* batch.c - starts runs in lanes and checks each. Tests: tests/cli/bench_test.py. */
#include "cli/bench/batch.h"

#include <time.h>

#include "base/error.h"
#include "base/str.h"
#include "cli/bench/agent.h"
#include "engine/agent.h"
#include "engine/run.h"

#define SHOWN_BYTES 40 /* of a wrong answer */

typedef haft__bench_batch batch;

typedef struct lane {
    haft_run *run; /* NULL: free */
    double started;
} lane;

double haft__bench_now_ms(void)
{
    struct timespec now = {0};
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

/* ---- without a store ---- */

/* A run that is being removed from the store. */
typedef struct removal {
    haft__store_request request;
    batch *from;
    char id[HAFT__ID_LENGTH + 1];
} removal;

/* Ignores errors: a run that stays takes memory, which is measured. */
static void on_removed(haft__store_request *request)
{
    removal *it = request->context;
    it->from->removals_pending--;
    free(it);
}

static haft_status remove_run(batch *b, const char *id)
{
    removal *it = calloc(1, sizeof(*it));
    if (it == NULL) {
        return haft__fail_no_memory(b->err);
    }
    it->from = b;
    memcpy(it->id, id, sizeof(it->id));
    it->request = (haft__store_request){
        .verb = HAFT__STORE_REMOVE, .run.id = haft__str(it->id), .done = on_removed, .context = it};
    b->removals_pending++;
    haft__store_submit(b->agent->runtime->store, &it->request);
    return HAFT_OK;
}

/* ---- a run ---- */

static haft_status check(const batch *b, const haft_run *run)
{
    haft_str text = haft_run_answer_text(run);
    haft_state state = haft_run_state(run);
    uint64_t calls = run->state.usage.calls;
    if (b->words->scenario == HAFT__BENCH_SUSPEND) {
        return state == HAFT_WAITING
                   ? HAFT_OK
                   : haft__fail(b->err, HAFT_BAD_STATE, haft_run_id(run),
                                "expected a run that waits for approval, found one that ended %s",
                                haft_run_end(run));
    }
    if (state != HAFT_ENDED || !haft__str_equal(text, haft__str(haft__bench_expected_answer))) {
        text.len = text.len < SHOWN_BYTES ? text.len : SHOWN_BYTES;
        return haft__fail(b->err, HAFT_BAD_STATE, haft_run_id(run),
                          "a run ended %s with \"%.*s\", not \"%s\" %s", haft_run_end(run),
                          HAFT__ARG(text), haft__bench_expected_answer,
                          haft_run_error(run)->message);
    }
    if (b->words->calls != 0 && calls != b->words->calls) {
        return haft__fail(b->err, HAFT_BAD_STATE, haft_run_id(run),
                          "expected %llu calls, found %llu", (unsigned long long)b->words->calls,
                          (unsigned long long)calls);
    }
    return HAFT_OK;
}

static haft_status start_lane(batch *b, lane *l)
{
    b->left--;
    l->started = haft__bench_now_ms();
    return haft_run_start(b->agent, haft__bench_task, NULL, &l->run, b->err);
}

static haft_status end_lane(batch *b, lane *l)
{
    haft_event event;
    char id[HAFT__ID_LENGTH + 1];
    haft_status status = check(b, l->run);
    while (haft_run_next_event(l->run, &event)) {
        b->bytes += event.json.len + 1;
    }
    memcpy(id, l->run->id, sizeof(id));
    haft_run_release(l->run);
    l->run = NULL;
    if (b->times != NULL) {
        b->times[b->over] = haft__bench_now_ms() - l->started;
    }
    b->over++;
    bool forgets = b->words->store == HAFT__BENCH_NONE && b->words->scenario != HAFT__BENCH_SUSPEND;
    return status == HAFT_OK && forgets ? remove_run(b, id) : status;
}

/* ---- all of them ---- */

static haft_status step_lanes(batch *b, lane *lanes, size_t count)
{
    haft_status status = haft_runtime_step(b->agent->runtime, -1, b->err);
    for (size_t i = 0; i < count && status == HAFT_OK; i++) {
        if (lanes[i].run != NULL && haft_run_state(lanes[i].run) != HAFT_RUNNING) {
            status = end_lane(b, &lanes[i]);
            if (status == HAFT_OK && b->left > 0) {
                status = start_lane(b, &lanes[i]);
            }
        }
    }
    return status;
}

haft_status haft__bench_batch_run(haft__bench_batch *b, haft_error *err)
{
    uint64_t wanted = b->left;
    size_t count = (size_t)(b->words->conc < wanted ? b->words->conc : wanted);
    lane *lanes = calloc(count + 1, sizeof(*lanes));
    b->err = err;
    if (lanes == NULL) {
        return haft__fail_no_memory(err);
    }
    haft_status status = HAFT_OK;
    for (size_t i = 0; i < count && status == HAFT_OK; i++) {
        status = start_lane(b, &lanes[i]);
    }
    while (status == HAFT_OK && b->over < wanted) {
        status = step_lanes(b, lanes, count);
    }
    for (size_t i = 0; i < count; i++) {
        haft_run_release(lanes[i].run);
    }
    free(lanes);
    while (b->removals_pending > 0) { /* the requests refer to the batch */
        haft_status last = haft_runtime_step(b->agent->runtime, -1, status == HAFT_OK ? err : NULL);
        status = status == HAFT_OK ? last : status;
        if (last != HAFT_OK) {
            break;
        }
    }
    return status;
}
