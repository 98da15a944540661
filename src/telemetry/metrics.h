/* SPDX-License-Identifier: Apache-2.0 */
/*
 * telemetry/metrics.h - the metrics of a process: counters, gauges and histograms.
 *
 * HAFT__METRICS has one row for each metric, with its names for Prometheus (prometheus.h) and
 * OpenTelemetry (otlp/metrics.h). All numbers are integers: of a decimal metric, such as seconds,
 * millionths. Labels never have ids as values: a label has at most HAFT__LIMIT_TELEMETRY_NAMES
 * different values; further ones are counted as "other".
 */
#ifndef HAFT_TELEMETRY_METRICS_H
#define HAFT_TELEMETRY_METRICS_H

#include "base/map.h"

/* Labels: name for Prometheus, name for OpenTelemetry. */
#define HAFT__LABELS(X)                                                                            \
    X(NONE, "", "")                                                                                \
    X(SPEC, "spec", "gen_ai.agent.name")                                                           \
    X(END, "end", "haft.run.end")                                                                  \
    X(STATE, "state", "haft.run.state")                                                            \
    X(KIND, "kind", "haft.kind")                                                                   \
    X(MODE, "mode", "haft.mode")                                                                   \
    X(TOOL, "tool", "gen_ai.tool.name")                                                            \
    X(OUTCOME, "outcome", "haft.outcome")                                                          \
    X(PROVIDER, "provider", "gen_ai.provider.name")                                                \
    X(MODEL, "model", "gen_ai.request.model")                                                      \
    X(TYPE, "type", "gen_ai.token.type")                                                           \
    X(ERROR, "error", "error.type")                                                                \
    X(WORKFLOW, "workflow", "gen_ai.workflow.name")                                                \
    X(ROUTE, "route", "http.route")                                                                \
    X(METHOD, "method", "http.request.method")                                                     \
    X(CODE, "code", "http.response.status_code")                                                   \
    X(REASON, "reason", "haft.reason")                                                             \
    X(SIGNAL, "signal", "haft.signal")                                                             \
    X(VERSION, "version", "haft.version")                                                          \
    X(STORE, "store", "haft.store")

typedef enum haft__label_id {
#define X(name, prometheus, otlp) HAFT__LABEL_##name,
    HAFT__LABELS(X)
#undef X
} haft__label_id;

enum { HAFT__LABEL_COUNT = HAFT__LABEL_STORE + 1, HAFT__METRIC_LABELS = 3 };

const char *haft__label_prometheus(haft__label_id id);
const char *haft__label_otlp(haft__label_id id);

/* Metrics: type, bounds of a histogram (or NO_BOUNDS), whether its numbers are millionths, up to
 * three labels, name for Prometheus, name for OpenTelemetry, unit, meaning. A name that is "" is
 * not exported there. */
#define HAFT__METRICS(X)                                                                           \
    X(BUILD_INFO, GAUGE, NO_BOUNDS, false, VERSION, STORE, NONE, "haft_build_info", "", "",        \
      "This program; always 1.")                                                                   \
    X(RUNS_ENDED, COUNTER, NO_BOUNDS, false, SPEC, END, NONE, "haft_runs_total", "haft.runs",      \
      "{run}", "Runs that ended, by end.")                                                         \
    X(RUNS, GAUGE, NO_BOUNDS, false, STATE, NONE, NONE, "haft_runs", "haft.runs.open", "{run}",    \
      "Open runs of this process, by state.")                                                      \
    X(RUN_DURATION, HISTOGRAM, RUN_SECONDS, true, SPEC, NONE, NONE, "haft_run_duration_seconds",   \
      "", "s", "Time from the start of a run to its end, without the time of people.")             \
    X(RUN_TURNS, HISTOGRAM, TURNS, false, SPEC, NONE, NONE, "haft_run_turns", "haft.run.turns",    \
      "{turn}", "Turns of a run.")                                                                 \
    X(QUEUE_WAIT, HISTOGRAM, WAIT_SECONDS, true, NONE, NONE, NONE, "haft_queue_wait_seconds",      \
      "haft.run.queue_wait", "s", "Time from the start of a run until a process works on it.")     \
    X(PENDING, GAUGE, NO_BOUNDS, false, KIND, NONE, NONE, "haft_pending_calls", "haft.pending",    \
      "{call}", "Calls of runs of this process that wait for somebody, by kind.")                  \
    X(PENDING_OLDEST, GAUGE, NO_BOUNDS, true, KIND, NONE, NONE, "haft_pending_oldest_seconds",     \
      "haft.pending.oldest", "s", "How long the oldest of them has waited; 0 without one.")        \
    X(TURNS_STARTED, COUNTER, NO_BOUNDS, false, MODE, NONE, NONE, "haft_turns_total",              \
      "haft.turns", "{turn}", "Turns, by mode.")                                                   \
    X(VIOLATIONS, COUNTER, NO_BOUNDS, false, KIND, NONE, NONE, "haft_violations_total",            \
      "haft.violations", "{violation}", "Replies that broke the mode, by kind.")                   \
    X(TOOL_CALLS, COUNTER, NO_BOUNDS, false, TOOL, OUTCOME, NONE, "haft_tool_calls_total",         \
      "haft.tool.calls", "{call}", "Calls of tools, by outcome.")                                  \
    X(TOOL_DURATION, HISTOGRAM, TOOL_SECONDS, true, TOOL, ERROR, NONE,                             \
      "haft_tool_duration_seconds", "gen_ai.execute_tool.duration", "s",                           \
      "Time of the calls of a tool.")                                                              \
    X(MODEL_REQUESTS, COUNTER, NO_BOUNDS, false, PROVIDER, MODEL, OUTCOME,                         \
      "haft_model_requests_total", "haft.model.requests", "{request}",                             \
      "Requests to models, by outcome.")                                                           \
    X(MODEL_DURATION, HISTOGRAM, MODEL_SECONDS, true, PROVIDER, MODEL, ERROR,                      \
      "haft_model_duration_seconds", "gen_ai.client.operation.duration", "s",                      \
      "Time of requests to models.")                                                               \
    X(FIRST_TOKEN, HISTOGRAM, MODEL_SECONDS, true, PROVIDER, MODEL, NONE,                          \
      "haft_model_first_token_seconds", "gen_ai.client.operation.time_to_first_chunk", "s",        \
      "Time to the first output of models.")                                                       \
    X(TOKENS, COUNTER, NO_BOUNDS, false, MODEL, TYPE, NONE, "haft_model_tokens_total", "", "",     \
      "Tokens that models reported.")                                                              \
    X(TOKEN_USAGE, HISTOGRAM, TOKEN_COUNTS, false, PROVIDER, MODEL, TYPE, "",                      \
      "gen_ai.client.token.usage", "{token}", "Tokens of a request.")                              \
    X(COST, COUNTER, NO_BOUNDS, true, MODEL, NONE, NONE, "haft_model_cost_usd_total",              \
      "haft.model.cost", "{USD}", "Cost of requests, where a price is known.")                     \
    X(AGENT_DURATION, HISTOGRAM, RUN_SECONDS, true, SPEC, ERROR, NONE, "",                         \
      "gen_ai.invoke_agent.duration", "s", "Duration of invoke_agent spans.")                      \
    X(WORKFLOW_DURATION, HISTOGRAM, RUN_SECONDS, true, WORKFLOW, ERROR, NONE, "",                  \
      "gen_ai.workflow.duration", "s", "Duration of invoke_workflow spans.")                       \
    X(HTTP_REQUESTS, COUNTER, NO_BOUNDS, false, ROUTE, METHOD, CODE, "haft_http_requests_total",   \
      "haft.http.requests", "{request}", "Requests to this server.")                               \
    X(HTTP_DURATION, HISTOGRAM, HTTP_SECONDS, true, ROUTE, METHOD, NONE,                           \
      "haft_http_request_duration_seconds", "http.server.request.duration", "s",                   \
      "Time of requests to this server, without streams.")                                         \
    X(HTTP_STREAMS, GAUGE, NO_BOUNDS, false, NONE, NONE, NONE, "haft_http_streams",                \
      "haft.http.streams", "{stream}", "Open streams.")                                            \
    X(HTTP_STREAMS_CUT, COUNTER, NO_BOUNDS, false, REASON, NONE, NONE,                             \
      "haft_http_streams_cut_total", "haft.http.streams_cut", "{stream}",                          \
      "Streams that the server closed.")                                                           \
    X(STORE_COMMIT, HISTOGRAM, COMMIT_SECONDS, true, NONE, NONE, NONE,                             \
      "haft_store_commit_seconds", "haft.store.commit", "s",                                       \
      "Time until the store has made events durable.")                                             \
    X(STORE_QUEUE, GAUGE, NO_BOUNDS, false, NONE, NONE, NONE, "haft_store_queue",                  \
      "haft.store.queue", "{write}", "Writes that wait for the store.")                            \
    X(LEASES_LOST, COUNTER, NO_BOUNDS, false, NONE, NONE, NONE, "haft_lease_lost_total",           \
      "haft.lease.lost", "{lease}",                                                                \
      "Runs that another process claimed while this one owned them.")                              \
    X(OTLP_DROPPED, COUNTER, NO_BOUNDS, false, SIGNAL, REASON, NONE, "haft_otlp_dropped_total",    \
      "haft.otlp.dropped", "{item}", "Spans and requests with metrics that were not delivered.")   \
    X(PROCESS_CPU, COUNTER, NO_BOUNDS, true, NONE, NONE, NONE, "process_cpu_seconds_total", "",    \
      "s", "CPU time of this process.")                                                            \
    X(PROCESS_MEMORY, GAUGE, NO_BOUNDS, false, NONE, NONE, NONE, "process_resident_memory_bytes",  \
      "", "By", "Resident memory of this process.")                                                \
    X(PROCESS_FILES, GAUGE, NO_BOUNDS, false, NONE, NONE, NONE, "process_open_fds", "", "",        \
      "Open file descriptors of this process.")                                                    \
    X(PROCESS_START, GAUGE, NO_BOUNDS, true, NONE, NONE, NONE, "process_start_time_seconds", "",   \
      "s", "Start of this process, in seconds since 1970.")

typedef enum haft__metric_id {
#define X(name, ...) HAFT__METRIC_##name,
    HAFT__METRICS(X)
#undef X
} haft__metric_id;

enum { HAFT__METRIC_COUNT = HAFT__METRIC_PROCESS_START + 1 };

typedef enum haft__metric_type {
    HAFT__METRIC_COUNTER,
    HAFT__METRIC_GAUGE,
    HAFT__METRIC_HISTOGRAM,
} haft__metric_type;

typedef struct haft__metric_row {
    haft__metric_type type;
    bool decimal;          /* numbers are millionths */
    const int64_t *bounds; /* of a histogram, ascending, in the unit of its numbers */
    size_t bound_count;
    haft__label_id labels[HAFT__METRIC_LABELS];
    const char *prometheus, *otlp, *unit, *help;
} haft__metric_row;

const haft__metric_row *haft__metric_row_of(haft__metric_id id);

/* An observation that shows a span of a histogram. */
typedef struct haft__exemplar {
    uint64_t trace_high, trace_low, span; /* span 0: no exemplar */
    int64_t value;
    uint64_t at_ms;
} haft__exemplar;

/* The numbers of a metric for one combination of labels. */
typedef struct haft__series {
    haft__metric_id metric;
    haft_str labels[HAFT__METRIC_LABELS];
    int64_t value;           /* of a histogram: the sum */
    uint64_t count;          /* of a histogram: observations */
    uint64_t *buckets;       /* of a histogram: bound_count + 1 numbers, not cumulative */
    haft__exemplar exemplar; /* the last one */
} haft__series;

typedef struct haft__metrics {
    haft__arena arena;
    haft__map by_key;
    haft__map names[HAFT__LABEL_COUNT]; /* the values that a label has */
    haft__series **series;              /* in the order in which they appeared */
    size_t count, capacity;
    uint64_t start_ms; /* since when counters count */
} haft__metrics;

void haft__metrics_init(haft__metrics *metrics, haft__hash_key hash_key, uint64_t start_ms);
void haft__metrics_finish(haft__metrics *metrics);

/* Change a counter or gauge. `labels` has a text for each label of the metric; it may be NULL
 * without labels. A metric for which memory runs out is not counted. */
void haft__metrics_add(haft__metrics *metrics, haft__metric_id id, const haft_str *labels,
                       int64_t amount);
void haft__metrics_set(haft__metrics *metrics, haft__metric_id id, const haft_str *labels,
                       int64_t value);

/* Sets all numbers of a gauge to 0. */
void haft__metrics_reset(haft__metrics *metrics, haft__metric_id id);

/* Adds an observation to a histogram. `exemplar` may be NULL; its value is set here. */
void haft__metrics_observe(haft__metrics *metrics, haft__metric_id id, const haft_str *labels,
                           int64_t value, const haft__exemplar *exemplar);

/* The number of labels of a metric. */
size_t haft__metric_label_count(const haft__metric_row *row);

#endif
