/* SPDX-License-Identifier: Apache-2.0 */
/* telemetry.c - see engine/telemetry/telemetry.h. Tests: tests/engine/telemetry/telemetry_test.c,
 * tests/cli/telemetry_test.py. */
#include "engine/telemetry/telemetry.h"

#include <inttypes.h>
#include <stdarg.h>

#include "base/error.h"
#include "base/limits.h"
#include "base/str.h"
#include "base/vec.h"
#include "engine/agent.h"
#include "engine/run.h"
#include "engine/runtime.h"
#include "engine/telemetry/telemetry_int.h"
#include "telemetry/count.h"
#include "telemetry/log_line.h"
#include "telemetry/otlp/metrics.h"
#include "telemetry/otlp/traces.h"
#include "telemetry/prometheus.h"

haft_runtime *haft__telemetry_runtime(const haft__telemetry *telemetry)
{
    return telemetry->runtime;
}

void haft__telemetry_warn(haft__telemetry *telemetry, const char *format, ...)
{
    char line[1024];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(line, sizeof(line), format, arguments);
    va_end(arguments);
    telemetry->output.warn(telemetry->output.context, haft__str(line));
}

static void count_dropped(haft__telemetry *telemetry, const char *signal, const char *reason,
                          size_t count)
{
    const haft_str labels[] = {haft__str(signal), haft__str(reason), HAFT__LIT("")};
    haft__metrics_add(&telemetry->metrics, HAFT__METRIC_OTLP_DROPPED, labels, (int64_t)count);
}

/* ---- spans to the collector ---- */

static bool sends_spans(const haft__telemetry *telemetry)
{
    return telemetry->settings.traces.url.len > 0;
}

static bool sends_metrics(const haft__telemetry *telemetry)
{
    return telemetry->settings.metrics.url.len > 0;
}

/* Sends the next batch, unless a request is pending. */
static void send_batch(haft__telemetry *telemetry)
{
    haft__otlp_sender *sender = &telemetry->traces_sender;
    size_t count = telemetry->queue.count, most = telemetry->settings.batch_spans;
    count = count < most ? count : most;
    haft_str *spans = NULL;
    if (sender->busy || count == 0) {
        return;
    }
    haft__arena_reset(&telemetry->scratch);
    spans = haft__arena_array(&telemetry->scratch, count, sizeof(*spans));
    if (spans == NULL) {
        return; /* the next span tries again */
    }
    for (size_t i = 0; i < count; i++) {
        spans[i] = haft__span_queue_get(&telemetry->queue, i);
    }
    haft__buf_clear(&sender->body);
    haft__otlp_write_traces(&sender->body, sender->target->encoding, &telemetry->settings.resource,
                            spans, count);
    haft__span_queue_drop(&telemetry->queue, count);
    haft__otlp_sender_start(sender, count);
}

static void on_span_timer(void *context)
{
    send_batch(context);
}

/* Sends the queued spans: at once if they fill a batch, else after the delay. */
static void schedule_spans(haft__telemetry *telemetry)
{
    bool full = telemetry->queue.count >= telemetry->settings.batch_spans;
    if (telemetry->traces_sender.busy || telemetry->queue.count == 0
        || (telemetry->span_timer.slot != 0 && !full)) {
        return;
    }
    /* A timer, because a request must not be started while a run appends an event. */
    (void)!haft__timer_start(telemetry->runtime->loop, &telemetry->span_timer,
                             full || telemetry->finishing ? 0 : telemetry->settings.span_delay_ms,
                             on_span_timer, telemetry, NULL);
}

static void send_span(haft__telemetry *telemetry, haft_str text)
{
    if (!haft__span_queue_push(&telemetry->queue, text)) {
        count_dropped(telemetry, "traces", "queue_full", 1);
        if (!telemetry->queue_full) {
            haft__telemetry_warn(telemetry,
                                 "telemetry: traces: %zu spans wait for the collector; "
                                 "further ones are dropped",
                                 telemetry->queue.count);
        }
        telemetry->queue_full = true;
    }
    schedule_spans(telemetry);
}

/* ---- metrics to the collector ---- */

static void send_metrics(haft__telemetry *telemetry)
{
    haft__otlp_sender *sender = &telemetry->metrics_sender;
    if (sender->busy) {
        return; /* the next request has newer numbers */
    }
    haft__telemetry_set_gauges(telemetry);
    haft__buf_clear(&sender->body);
    haft__otlp_write_metrics(&sender->body, sender->target->encoding, &telemetry->settings.resource,
                             &telemetry->metrics, haft__runtime_now(telemetry->runtime));
    haft__otlp_sender_start(sender, 1);
}

static void on_metric_timer(void *context)
{
    haft__telemetry *telemetry = context;
    send_metrics(telemetry);
    (void)!haft__timer_start(telemetry->runtime->loop, &telemetry->metric_timer,
                             telemetry->settings.metric_interval_ms, on_metric_timer, telemetry,
                             NULL);
}

void haft__telemetry_sent(haft__otlp_sender *sender, size_t dropped, const char *reason)
{
    haft__telemetry *telemetry = sender->telemetry;
    if (dropped > 0) {
        count_dropped(telemetry, sender->signal, reason, dropped);
    }
    if (sender == &telemetry->traces_sender) {
        schedule_spans(telemetry);
    }
}

/* ---- life ---- */

static bool starts(const haft__telemetry *telemetry, bool metrics)
{
    return metrics || telemetry->settings.log || sends_spans(telemetry) || sends_metrics(telemetry);
}

static void init_parts(haft__telemetry *telemetry)
{
    haft_runtime *runtime = telemetry->runtime;
    haft__metrics_init(&telemetry->metrics, runtime->hash_key, haft__runtime_now(runtime));
    haft__span_queue_init(&telemetry->queue, (size_t)telemetry->settings.queue_spans);
    haft__otlp_sender_init(&telemetry->traces_sender, telemetry, "traces",
                           &telemetry->settings.traces);
    haft__otlp_sender_init(&telemetry->metrics_sender, telemetry, "metrics",
                           &telemetry->settings.metrics);
    haft__buf_init(&telemetry->text, HAFT__LIMIT_RUN_BYTES);
}

static void free_parts(haft__telemetry *telemetry)
{
    haft__arena_finish(&telemetry->arena);
    haft__arena_finish(&telemetry->scratch);
    free(telemetry);
}

haft_status haft__telemetry_start(haft_runtime *runtime, const haft__spec_env *env,
                                  const haft__telemetry_output *output, bool metrics,
                                  haft_error *err)
{
    haft__telemetry_identity identity = {haft__str(haft_version()), haft__str(runtime->owner)};
    if (runtime->telemetry != NULL) {
        return HAFT_OK;
    }
    haft__telemetry *telemetry = calloc(1, sizeof(*telemetry));
    if (telemetry == NULL) {
        return haft__fail_no_memory(err);
    }
    telemetry->runtime = runtime;
    telemetry->output = *output;
    haft__arena_init(&telemetry->arena, 0);
    haft__arena_init(&telemetry->scratch, HAFT__LIMIT_RUN_BYTES);
    haft_status status = haft__telemetry_settings_read(env, &identity, &telemetry->arena,
                                                       metrics ? NULL : output->warn,
                                                       output->context, &telemetry->settings, err);
    if (status != HAFT_OK || !starts(telemetry, metrics)) {
        free_parts(telemetry);
        return status;
    }
    init_parts(telemetry);
    if (sends_metrics(telemetry)) {
        status = haft__timer_start(runtime->loop, &telemetry->metric_timer,
                                   telemetry->settings.metric_interval_ms, on_metric_timer,
                                   telemetry, err);
    }
    runtime->telemetry = telemetry;
    return status;
}

/* Whether something is still to be sent. */
static bool is_pending(const haft__telemetry *telemetry)
{
    return telemetry->queue.count > 0 || telemetry->traces_sender.busy
           || telemetry->metrics_sender.busy;
}

/* Sends everything once, and waits for the collector for a limited time. */
static void flush(haft__telemetry *telemetry)
{
    haft__loop *loop = telemetry->runtime->loop;
    uint64_t end = haft__loop_now(loop) + HAFT__LIMIT_TELEMETRY_FLUSH_MS, now = 0;
    telemetry->finishing = true;
    haft__timer_stop(loop, &telemetry->metric_timer);
    haft__timer_stop(loop, &telemetry->span_timer);
    haft__otlp_sender_hurry(&telemetry->traces_sender);
    haft__otlp_sender_hurry(&telemetry->metrics_sender);
    if (sends_metrics(telemetry)) {
        send_metrics(telemetry);
    }
    schedule_spans(telemetry);
    while (is_pending(telemetry) && (now = haft__loop_now(loop)) < end) {
        if (haft__loop_step(loop, (int)(end - now), NULL) != HAFT_OK) {
            return;
        }
    }
}

void haft__telemetry_finish(haft__telemetry *telemetry)
{
    if (telemetry == NULL) {
        return;
    }
    flush(telemetry);
    size_t left = telemetry->queue.count
                  + (telemetry->traces_sender.busy ? telemetry->traces_sender.items : 0);
    if (left > 0) {
        haft__telemetry_warn(telemetry,
                             "telemetry: traces: the collector does not answer; %zu spans are lost",
                             left);
    }
    haft__timer_stop(telemetry->runtime->loop, &telemetry->span_timer);
    haft__timer_stop(telemetry->runtime->loop, &telemetry->metric_timer);
    haft__otlp_sender_finish(&telemetry->traces_sender);
    haft__otlp_sender_finish(&telemetry->metrics_sender);
    haft__span_queue_finish(&telemetry->queue);
    haft__metrics_finish(&telemetry->metrics);
    haft__buf_finish(&telemetry->text);
    free_parts(telemetry);
}

bool haft__telemetry_has_log(const haft_runtime *runtime)
{
    return runtime->telemetry != NULL && runtime->telemetry->settings.log;
}

/* ---- runs ---- */

void haft__run_telemetry_init(haft__run_telemetry *telemetry)
{
    haft__buf_init(&telemetry->texts, HAFT__LIMIT_RUN_BYTES);
}

void haft__run_telemetry_finish(haft__run_telemetry *telemetry)
{
    free(telemetry->pending);
    haft__buf_finish(&telemetry->texts);
}

/* The run and the event whose spans are made. */
typedef struct span_origin {
    haft_run *run;
    uint64_t seq;
} span_origin;

/* Keeps a span or a line until its event is durable. Out of memory, it is dropped. */
static void keep_text(const span_origin *from, bool is_log, haft_str text)
{
    haft__run_telemetry *own = &from->run->telemetry;
    haft__pending_span *pending =
        haft__vec_reserve(own->pending, &own->capacity, own->count + 1, sizeof(*own->pending));
    if (pending == NULL) {
        return;
    }
    own->pending = pending;
    haft__buf_add_str(&own->texts, text);
    if (own->texts.status == HAFT_OK) {
        own->pending[own->count++] = (haft__pending_span){from->seq, is_log, own->texts.len};
    }
}

static void on_span(void *context, const haft__span *span)
{
    const span_origin *from = context;
    haft__telemetry *telemetry = from->run->runtime->telemetry;
    haft__count_span(&telemetry->metrics, span);
    haft__buf *text = &telemetry->text;
    if (telemetry->settings.log) {
        haft__buf_clear(text);
        haft__log_line_write(text, span);
        keep_text(from, true, haft__buf_str(text));
    }
    if (sends_spans(telemetry) && span->sampled) {
        haft__buf_clear(text);
        haft__otlp_write_span(text, telemetry->settings.traces.encoding, span);
        if (text->status == HAFT_OK) {
            keep_text(from, false, haft__buf_str(text));
        }
    }
}

/* Splits "https://host:port/path". */
static void read_server(haft_str url, haft__observed_facts *facts)
{
    bool secure = haft__str_starts_with(url, HAFT__LIT("https://"));
    bool web = secure || haft__str_starts_with(url, HAFT__LIT("http://"));
    haft_str rest = haft__str_skip(url, secure ? 8 : 7);
    haft_str authority = haft__str_split(&rest, '/');
    for (size_t i = authority.len; i > 0; i--) { /* without the user and the password */
        if (authority.ptr[i - 1] == '@') {
            authority = haft__str_skip(authority, i);
            break;
        }
    }
    size_t end = authority.len;
    while (end > 0 && authority.ptr[end - 1] >= '0' && authority.ptr[end - 1] <= '9') {
        end--;
    }
    uint64_t port = secure ? 443 : 80;
    bool has_port = end > 0 && end < authority.len && authority.ptr[end - 1] == ':';
    if (has_port) {
        (void)haft__str_to_u64(haft__str_skip(authority, end), &port);
        authority.len = end - 1;
    }
    facts->server = web ? authority : HAFT__LIT("");
    facts->port = (uint32_t)port;
}

/* The name of a child's agent in the spec of its parent; "" if the parent is not in this process.
 */
static haft_str name_from_parent(const haft_run *run)
{
    for (const haft_run *other = run->runtime->runs; other != NULL; other = other->next) {
        const haft__run *parent = &other->state;
        bool found = haft__str_equal(haft__str(other->id), run->state.parent);
        for (size_t i = 0; found && i < parent->child_count; i++) {
            if (haft__str_equal(parent->children[i]->run, haft__str(run->id))) {
                return parent->children[i]->agent;
            }
        }
    }
    return HAFT__LIT("");
}

/* The name of the run's agent. The spec of a child run may have none; then its parent names it. */
static haft_str agent_name(haft_run *run)
{
    haft__run_telemetry *own = &run->telemetry;
    if (run->agent->spec->name.len > 0) {
        return run->agent->spec->name;
    }
    if (own->agent.len == 0) {
        haft_str name = name_from_parent(run);
        own->agent = name.len > 0 ? haft__arena_copy(&run->arena, name) : HAFT__LIT("child");
    }
    return own->agent.ptr != NULL ? own->agent : HAFT__LIT("child");
}

static haft__observed_facts facts_of(haft_run *run)
{
    const haft__run_telemetry *own = &run->telemetry;
    haft__observed_facts facts = {.agent = agent_name(run),
                                  .server = HAFT__LIT(""),
                                  .has_first_chunk = own->has_first_chunk,
                                  .first_chunk_ms = own->first_chunk_ms,
                                  .timed_out = own->timed_out};
    if (run->agent->provider != NULL) {
        read_server(run->agent->url, &facts);
    }
    if (run->runtime->telemetry->settings.content) {
        facts.content = run->agent->redactor;
    }
    return facts;
}

void haft__telemetry_observe(haft_run *run, haft_str line)
{
    haft__telemetry *telemetry = run->runtime->telemetry;
    haft__event event;
    if (telemetry == NULL) {
        return;
    }
    haft__arena_reset(&telemetry->scratch);
    if (haft__event_read(&telemetry->scratch, line, run->runtime->hash_key, &event, NULL)
        != HAFT_OK) {
        return; /* out of memory: the event was folded, so it is valid */
    }
    span_origin from = {run, event.seq};
    haft__observed_facts facts = facts_of(run);
    haft__count_event(&telemetry->metrics, &run->state, facts.agent, &event);
    haft__observe_event(&run->telemetry.observer, &run->state, &event, &facts, on_span, &from);
    if (event.kind == HAFT__EVENT_MODEL_REPLIED || event.kind == HAFT__EVENT_MODEL_FAILED) {
        run->telemetry.has_first_chunk = false;
    } else if (event.kind == HAFT__EVENT_CALL_FINISHED) {
        run->telemetry.timed_out = false;
    }
}

/* Sends the spans and lines of events up to `seq`. */
static void send_pending(haft_run *run, uint64_t seq)
{
    haft__telemetry *telemetry = run->runtime->telemetry;
    haft__run_telemetry *own = &run->telemetry;
    size_t sent = 0, start = 0;
    while (sent < own->count && own->pending[sent].seq <= seq) {
        const haft__pending_span *span = &own->pending[sent++];
        haft_str text = {own->texts.ptr + start, span->end - start};
        start = span->end;
        if (span->is_log) {
            telemetry->output.log(telemetry->output.context, text);
        } else {
            send_span(telemetry, text);
        }
    }
    if (sent == 0) {
        return;
    }
    memmove(own->pending, own->pending + sent, (own->count - sent) * sizeof(*own->pending));
    own->count -= sent;
    for (size_t i = 0; i < own->count; i++) {
        own->pending[i].end -= start;
    }
    memmove(own->texts.ptr, own->texts.ptr + start, own->texts.len - start);
    own->texts.len -= start;
    if (own->texts.status != HAFT_OK && own->count == 0) {
        haft__buf_clear(&own->texts);
    }
}

void haft__telemetry_commit(haft_run *run)
{
    if (run->runtime->telemetry != NULL) {
        send_pending(run, run->log.durable_seq);
    }
}

/* Ends the open stretch at the last event, which is durable or never will be. */
static void end_stretch(haft_run *run, haft_str why)
{
    haft__observed_facts facts = facts_of(run);
    span_origin from = {run, run->state.seq};
    haft__observe_pause(&run->telemetry.observer, &run->state, why, &facts, on_span, &from);
    send_pending(run, run->log.durable_seq);
}

void haft__telemetry_pause(haft_run *run)
{
    bool waits = run->effect == HAFT__EFFECT_WAIT && run->state.open_children == 0;
    if (run->runtime->telemetry != NULL && waits) {
        end_stretch(run, HAFT__LIT("waiting"));
    }
}

void haft__telemetry_release(haft_run *run)
{
    if (run->runtime->telemetry != NULL && run->agent != NULL && run->state.seq > 0) {
        end_stretch(run, HAFT__LIT("released"));
    }
}

/* ---- numbers of the store and of servers ---- */

haft__metrics *haft__telemetry_metrics(haft_runtime *runtime)
{
    return runtime->telemetry != NULL ? &runtime->telemetry->metrics : NULL;
}

void haft__telemetry_store_commit(haft_runtime *runtime, uint64_t ms)
{
    if (runtime->telemetry != NULL) {
        haft__metrics_observe(&runtime->telemetry->metrics, HAFT__METRIC_STORE_COMMIT, NULL,
                              (int64_t)ms * 1000, NULL);
    }
}

void haft__telemetry_lease_lost(haft_runtime *runtime)
{
    if (runtime->telemetry != NULL) {
        haft__metrics_add(&runtime->telemetry->metrics, HAFT__METRIC_LEASES_LOST, NULL, 1);
    }
}

void haft__telemetry_http_request(haft_runtime *runtime, haft_str route, haft_str method,
                                  uint32_t status, uint64_t ms)
{
    char code[16];
    haft__metrics *metrics = haft__telemetry_metrics(runtime);
    (void)snprintf(code, sizeof(code), "%" PRIu32, status);
    const haft_str labels[] = {route, method, haft__str(code)};
    if (metrics == NULL) {
        return;
    }
    haft__metrics_add(metrics, HAFT__METRIC_HTTP_REQUESTS, labels, 1);
    if (ms != UINT64_MAX) {
        haft__metrics_observe(metrics, HAFT__METRIC_HTTP_DURATION, labels, (int64_t)ms * 1000,
                              NULL);
    }
}

void haft__telemetry_http_streams(haft_runtime *runtime, size_t count)
{
    if (runtime->telemetry != NULL) {
        haft__metrics_set(&runtime->telemetry->metrics, HAFT__METRIC_HTTP_STREAMS, NULL,
                          (int64_t)count);
    }
}

void haft__telemetry_http_stream_cut(haft_runtime *runtime, const char *reason)
{
    haft_str label = haft__str(reason);
    if (runtime->telemetry != NULL) {
        haft__metrics_add(&runtime->telemetry->metrics, HAFT__METRIC_HTTP_STREAMS_CUT, &label, 1);
    }
}

haft_status haft__telemetry_render(haft_runtime *runtime, haft_str accept, haft__buf *buf,
                                   const char **ret_content_type, haft_error *err)
{
    haft__prometheus_format format = haft__prometheus_choose(accept);
    if (runtime->telemetry == NULL) {
        return haft__fail(err, HAFT_UNSUPPORTED, "", "this process has no metrics");
    }
    haft__telemetry_set_gauges(runtime->telemetry);
    haft__prometheus_write(buf, &runtime->telemetry->metrics, format);
    *ret_content_type = haft__prometheus_content_type(format);
    return haft__buf_check(buf, err);
}
