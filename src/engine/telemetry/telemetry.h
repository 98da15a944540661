/* SPDX-License-Identifier: Apache-2.0 */
/*
 * engine/telemetry/telemetry.h - the telemetry of a runtime: sends spans and metrics to a
 * collector, writes the log in JSON, and renders /metrics.
 *
 * The log (engine/log.h) calls the functions for runs; without telemetry they return immediately.
 * Spans and log lines are sent when their events are durable. Nothing here delays a run: spans are
 * queued, requests are sent from the loop, and a collector that fails costs only its spans.
 */
#ifndef HAFT_ENGINE_TELEMETRY_TELEMETRY_H
#define HAFT_ENGINE_TELEMETRY_TELEMETRY_H

#include "base/buf.h"
#include "telemetry/metrics.h"
#include "telemetry/settings.h"

typedef struct haft__telemetry haft__telemetry;

/* Callbacks for lines of text, without line feeds. */
typedef struct haft__telemetry_output {
    void (*warn)(void *context, haft_str line); /* for people */
    void (*log)(void *context, haft_str line);  /* the log in JSON */
    void *context;
} haft__telemetry_output;

/* Reads the settings from `env` and starts the telemetry of a runtime, unless it has one. It ends
 * with the runtime, which then waits up to HAFT__LIMIT_TELEMETRY_FLUSH_MS for the collector.
 * Without `metrics`, does nothing if no collector is configured and the log is off: then
 * runtime->telemetry stays NULL. With `metrics`, for a runtime that was started without, bad
 * variables are not reported again. */
HAFT_MUST_USE haft_status haft__telemetry_start(haft_runtime *runtime, const haft__spec_env *env,
                                                const haft__telemetry_output *output, bool metrics,
                                                haft_error *err);

/* Sends what is queued, then frees the telemetry. `telemetry` may be NULL. */
void haft__telemetry_finish(haft__telemetry *telemetry);

/* Whether the log in JSON replaces the lines for people. */
bool haft__telemetry_has_log(const haft_runtime *runtime);

/* ---- runs ---- */

/* The run has folded an event. */
void haft__telemetry_observe(haft_run *run, haft_str line);

/* Events have become durable; or the run waits, or is released. */
void haft__telemetry_commit(haft_run *run);
void haft__telemetry_pause(haft_run *run);
void haft__telemetry_release(haft_run *run);

/* The store has made a write durable, after `ms`. */
void haft__telemetry_store_commit(haft_runtime *runtime, uint64_t ms);

/* Another process claimed a run of this one. */
void haft__telemetry_lease_lost(haft_runtime *runtime);

/* ---- servers ---- */

/* The metrics of the runtime, for further numbers; NULL without telemetry. */
haft__metrics *haft__telemetry_metrics(haft_runtime *runtime);

/* Counts a request to a server of this process. `route` is a row of its table of routes, not the
 * path. `ms` is the time until the response was sent; UINT64_MAX of a stream, which is only
 * counted. */
void haft__telemetry_http_request(haft_runtime *runtime, haft_str route, haft_str method,
                                  uint32_t status, uint64_t ms);

/* So many streams are open. */
void haft__telemetry_http_streams(haft_runtime *runtime, size_t count);

/* The server closed a stream for this reason: "slow", ... */
void haft__telemetry_http_stream_cut(haft_runtime *runtime, const char *reason);

/* Renders /metrics. `accept` is the header of the request; "" without one. UNSUPPORTED without
 * telemetry. */
HAFT_MUST_USE haft_status haft__telemetry_render(haft_runtime *runtime, haft_str accept,
                                                 haft__buf *buf, const char **ret_content_type,
                                                 haft_error *err);

#endif
