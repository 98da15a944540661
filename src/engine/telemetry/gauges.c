/* SPDX-License-Identifier: Apache-2.0 */
/* gauges.c - numbers that are read when somebody asks for metrics. Tests:
 * tests/engine/telemetry/telemetry_test.c. */
#include "base/str.h"
#include "engine/run.h"
#include "engine/runtime.h"
#include "engine/telemetry/telemetry_int.h"
#include "io/process_stats.h"
#include "run/pause/pause.h"

/* The states of open runs. */
enum { QUEUED, RUNNING, WAITING, STATES };

typedef struct totals {
    int64_t states[STATES];
    int64_t pending[HAFT__PAUSE_KINDS];
    uint64_t oldest_ms[HAFT__PAUSE_KINDS]; /* 0: none */
    int64_t writes;
} totals;

/* The last event of a waiting run is the one with which it began to wait. */
static void add_pending(totals *all, const haft_run *run)
{
    const haft__run *state = &run->state;
    for (size_t i = state->batch; i < state->call_count; i++) {
        const haft__run_call *call = &state->calls[i];
        if (call->stage != HAFT__CALL_PAUSED) {
            continue;
        }
        uint64_t *oldest = &all->oldest_ms[call->pause];
        all->pending[call->pause]++;
        *oldest = *oldest == 0 || state->last_ms < *oldest ? state->last_ms : *oldest;
    }
}

static void add_run(totals *all, const haft_run *run)
{
    bool open = run->stage == HAFT__HANDLE_ACTIVE && run->state.stage != HAFT__RUN_ENDED;
    if (!open) {
        return;
    }
    int state = haft__queue_is_queued(&run->queue) ? QUEUED
                : run->effect == HAFT__EFFECT_WAIT ? WAITING
                                                   : RUNNING;
    all->states[state]++;
    all->writes += haft__log_is_busy(&run->log) || run->log.buffered.len > 0;
    add_pending(all, run);
}

static void set_one(haft__metrics *metrics, haft__metric_id id, const char *label, int64_t value)
{
    haft_str text = haft__str(label);
    haft__metrics_set(metrics, id, &text, value);
}

static void set_runs(haft__telemetry *telemetry)
{
    static const char *const states[STATES] = {"queued", "running", "waiting"};
    haft__metrics *metrics = &telemetry->metrics;
    uint64_t now = haft__runtime_now(telemetry->runtime);
    totals all = {0};
    for (const haft_run *run = telemetry->runtime->runs; run != NULL; run = run->next) {
        add_run(&all, run);
    }
    for (int i = 0; i < STATES; i++) {
        set_one(metrics, HAFT__METRIC_RUNS, states[i], all.states[i]);
    }
    for (haft__pause kind = 0; kind < HAFT__PAUSE_KINDS; kind++) {
        const char *name = haft__pause_name(kind);
        uint64_t since = all.oldest_ms[kind];
        uint64_t age = since > 0 && since < now ? now - since : 0;
        set_one(metrics, HAFT__METRIC_PENDING, name, all.pending[kind]);
        set_one(metrics, HAFT__METRIC_PENDING_OLDEST, name, (int64_t)age * 1000);
    }
    haft__metrics_set(metrics, HAFT__METRIC_STORE_QUEUE, NULL, all.writes);
}

void haft__telemetry_set_gauges(haft__telemetry *telemetry)
{
    haft__metrics *metrics = &telemetry->metrics;
    haft__process_stats stats = haft__process_stats_read();
    const haft_str build[] = {haft__str(haft_version()),
                              haft__str(haft__store_kind(telemetry->runtime->store))};
    haft__metrics_set(metrics, HAFT__METRIC_BUILD_INFO, build, 1);
    set_runs(telemetry);
    haft__metrics_set(metrics, HAFT__METRIC_PROCESS_CPU, NULL, (int64_t)stats.cpu_micros);
    haft__metrics_set(metrics, HAFT__METRIC_PROCESS_MEMORY, NULL, (int64_t)stats.resident_bytes);
    haft__metrics_set(metrics, HAFT__METRIC_PROCESS_FILES, NULL, (int64_t)stats.open_files);
    haft__metrics_set(metrics, HAFT__METRIC_PROCESS_START, NULL, (int64_t)metrics->start_ms * 1000);
}
