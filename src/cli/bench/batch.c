/* SPDX-License-Identifier: Apache-2.0 */
/* batch.c - starts runs in slots and checks each run. Tests: tests/cli/bench_test.py. */
#include "cli/bench/batch.h"

#include <time.h>

#include "base/error.h"
#include "base/str.h"
#include "cli/bench/agent.h"
#include "engine/agent.h"
#include "engine/run.h"

#define MAX_SHOWN_BYTES 40 /* how much of a wrong answer the error message contains */

typedef haft__bench_batch batch;

typedef struct run_slot {
    haft_run *run; /* NULL: the slot is free */
    double started;
} run_slot;

double haft__bench_now_ms(void)
{
    struct timespec now = {0};
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

/* ---- removing finished runs ---- */

/* A run that is being removed from the store. */
typedef struct removal {
    haft__store_request request;
    batch *batch;
    char id[HAFT__ID_LENGTH + 1];
} removal;

/* Ignores errors: if a removal fails, the measured memory shows it. */
static void on_removed(haft__store_request *request)
{
    removal *r = request->context;
    r->batch->removals_pending--;
    free(r);
}

static haft_status remove_run(batch *b, const char *id)
{
    removal *r = calloc(1, sizeof(*r));
    if (r == NULL) {
        return haft__fail_no_memory(b->err);
    }
    r->batch = b;
    memcpy(r->id, id, sizeof(r->id));
    r->request = (haft__store_request){
        .verb = HAFT__STORE_REMOVE, .run.id = haft__str(r->id), .done = on_removed, .context = r};
    b->removals_pending++;
    haft__store_submit(b->agent->runtime->store, &r->request);
    return HAFT_OK;
}

/* ---- a run ---- */

static haft_status check(const batch *b, const haft_run *run)
{
    haft_str text = haft_run_answer_text(run);
    haft_state state = haft_run_state(run);
    uint64_t calls = run->state.usage.calls;
    if (b->options->scenario == HAFT__BENCH_SUSPEND) {
        return state == HAFT_WAITING
                   ? HAFT_OK
                   : haft__fail(b->err, HAFT_BAD_STATE, haft_run_id(run),
                                "expected a run that waits for approval, found one that ended %s",
                                haft_run_end(run));
    }
    if (state != HAFT_ENDED || !haft__str_equal(text, haft__str(haft__bench_expected_answer))) {
        text.len = text.len < MAX_SHOWN_BYTES ? text.len : MAX_SHOWN_BYTES;
        return haft__fail(b->err, HAFT_BAD_STATE, haft_run_id(run),
                          "a run ended %s with \"%.*s\", not \"%s\" %s", haft_run_end(run),
                          HAFT__ARG(text), haft__bench_expected_answer,
                          haft_run_error(run)->message);
    }
    if (b->options->calls != 0 && calls != b->options->calls) {
        return haft__fail(b->err, HAFT_BAD_STATE, haft_run_id(run),
                          "expected %llu calls, found %llu", (unsigned long long)b->options->calls,
                          (unsigned long long)calls);
    }
    return HAFT_OK;
}

static haft_status start_slot(batch *b, run_slot *slot)
{
    b->remaining--;
    slot->started = haft__bench_now_ms();
    return haft_run_start(b->agent, haft__bench_task, NULL, &slot->run, b->err);
}

static haft_status end_slot(batch *b, run_slot *slot)
{
    haft_event event;
    char id[HAFT__ID_LENGTH + 1];
    haft_status status = check(b, slot->run);
    while (haft_run_next_event(slot->run, &event)) {
        b->bytes += event.json.len + 1;
    }
    memcpy(id, slot->run->id, sizeof(id));
    haft_run_release(slot->run);
    slot->run = NULL;
    if (b->times != NULL) {
        b->times[b->finished_count] = haft__bench_now_ms() - slot->started;
    }
    b->finished_count++;
    bool must_remove =
        b->options->store == HAFT__BENCH_NONE && b->options->scenario != HAFT__BENCH_SUSPEND;
    return status == HAFT_OK && must_remove ? remove_run(b, id) : status;
}

/* ---- all runs ---- */

static haft_status step_slots(batch *b, run_slot *slots, size_t count)
{
    haft_status status = haft_runtime_step(b->agent->runtime, -1, b->err);
    for (size_t i = 0; i < count && status == HAFT_OK; i++) {
        if (slots[i].run != NULL && haft_run_state(slots[i].run) != HAFT_RUNNING) {
            status = end_slot(b, &slots[i]);
            if (status == HAFT_OK && b->remaining > 0) {
                status = start_slot(b, &slots[i]);
            }
        }
    }
    return status;
}

haft_status haft__bench_batch_run(haft__bench_batch *b, haft_error *err)
{
    uint64_t run_count = b->remaining;
    size_t count = (size_t)(b->options->conc < run_count ? b->options->conc : run_count);
    run_slot *slots = calloc(count + 1, sizeof(*slots));
    b->err = err;
    if (slots == NULL) {
        return haft__fail_no_memory(err);
    }
    haft_status status = HAFT_OK;
    for (size_t i = 0; i < count && status == HAFT_OK; i++) {
        status = start_slot(b, &slots[i]);
    }
    while (status == HAFT_OK && b->finished_count < run_count) {
        status = step_slots(b, slots, count);
    }
    for (size_t i = 0; i < count; i++) {
        haft_run_release(slots[i].run);
    }
    free(slots);
    while (b->removals_pending > 0) { /* wait, because the requests refer to the batch */
        haft_status last = haft_runtime_step(b->agent->runtime, -1, status == HAFT_OK ? err : NULL);
        status = status == HAFT_OK ? last : status;
        if (last != HAFT_OK) {
            break;
        }
    }
    return status;
}
