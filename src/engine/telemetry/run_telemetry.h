/* SPDX-License-Identifier: Apache-2.0 */
/* engine/telemetry/run_telemetry.h - the telemetry of one run. */
#ifndef HAFT_ENGINE_TELEMETRY_RUN_TELEMETRY_H
#define HAFT_ENGINE_TELEMETRY_RUN_TELEMETRY_H

#include "base/buf.h"
#include "telemetry/observe.h"

/* A span whose event is not durable yet. */
typedef struct haft__pending_span {
    uint64_t seq; /* of the event that completed it */
    bool is_log;  /* a line of the log; else a span for the collector */
    size_t end;   /* the end of its text in `texts` */
} haft__pending_span;

/* Zeroed before the first event. */
typedef struct haft__run_telemetry {
    haft__run_observer observer;
    haft__pending_span *pending;
    size_t count, capacity;
    haft__buf texts; /* of the pending spans */
    haft_str agent;  /* the name of a child's agent, if its spec has none */
    /* Facts of the last model call and the last tool call. */
    bool has_first_chunk, timed_out;
    uint64_t first_chunk_ms;
} haft__run_telemetry;

void haft__run_telemetry_init(haft__run_telemetry *telemetry);
void haft__run_telemetry_finish(haft__run_telemetry *telemetry);

#endif
