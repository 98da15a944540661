/* SPDX-License-Identifier: Apache-2.0 */
/* count.c - see telemetry/count.h. Tests: tests/telemetry/count_test.c. */
#include "telemetry/count.h"

#include "base/str.h"
#include "json/object.h"

/* ---- events ---- */

static void count_end(haft__metrics *metrics, const haft__run *run, haft_str agent)
{
    const haft_str labels[] = {agent, haft__str(haft__end_name(run->end)), HAFT__LIT("")};
    haft__metrics_add(metrics, HAFT__METRIC_RUNS_ENDED, labels, 1);
    haft__metrics_observe(metrics, HAFT__METRIC_RUN_DURATION, labels,
                          (int64_t)run->worked_ms * 1000, NULL);
    haft__metrics_observe(metrics, HAFT__METRIC_RUN_TURNS, labels, run->turn, NULL);
}

static void count_text(haft__metrics *metrics, haft__metric_id id, const haft__event *event,
                       const char *key)
{
    haft_str label = haft__object_text(event->object, key);
    haft__metrics_add(metrics, id, &label, 1);
}

static void count_refusal(haft__metrics *metrics, const haft__run *run, const haft__event *event)
{
    const haft__run_call *call = haft__run_find_call(run, haft__object_text(event->object, "call"));
    bool known = call != NULL && call->tool != NULL; /* the model may invent any name */
    const haft_str labels[] = {known ? call->tool->name : HAFT__LIT("unknown"),
                               HAFT__LIT("refused"), HAFT__LIT("")};
    haft__metrics_add(metrics, HAFT__METRIC_TOOL_CALLS, labels, 1);
}

void haft__count_event(haft__metrics *metrics, const haft__run *run, haft_str agent,
                       const haft__event *event)
{
    if (event->seq == 2 && event->at_ms >= run->started_ms) {
        haft__metrics_observe(metrics, HAFT__METRIC_QUEUE_WAIT, NULL,
                              (int64_t)(event->at_ms - run->started_ms) * 1000, NULL);
    }
    if (event->kind == HAFT__EVENT_TURN_STARTED) {
        count_text(metrics, HAFT__METRIC_TURNS_STARTED, event, "mode");
    } else if (event->kind == HAFT__EVENT_VIOLATION) {
        count_text(metrics, HAFT__METRIC_VIOLATIONS, event, "came");
    } else if (event->kind == HAFT__EVENT_CALL_REFUSED) {
        count_refusal(metrics, run, event);
    } else if (event->kind == HAFT__EVENT_RUN_FINISHED) {
        count_end(metrics, run, agent);
    }
}

/* ---- spans ---- */

static int64_t micros_of(const haft__span *span)
{
    return (int64_t)(span->end_ms - span->start_ms) * 1000;
}

static haft__exemplar exemplar_of(const haft__span *span)
{
    return (haft__exemplar){.trace_high = span->trace_high,
                            .trace_low = span->trace_low,
                            .span = span->sampled ? span->id : 0,
                            .at_ms = span->end_ms};
}

static haft_str outcome_of(const haft__span *span)
{
    haft_str error = haft__span_text(span, HAFT__ATTRIBUTE_ERROR_TYPE);
    if (haft__span_number(span, HAFT__ATTRIBUTE_CACHED) != 0) {
        return HAFT__LIT("cached");
    }
    if (error.len == 0) {
        return HAFT__LIT("ok");
    }
    return haft__str_equal(error, HAFT__LIT("timeout")) ? error : HAFT__LIT("error");
}

static void count_tokens(haft__metrics *metrics, const haft__span *span)
{
    static const struct {
        haft__attribute_id id;
        const char *type;
        bool counts; /* in the histogram; the other types are parts of these */
    } types[] = {{HAFT__ATTRIBUTE_INPUT_TOKENS, "input", true},
                 {HAFT__ATTRIBUTE_OUTPUT_TOKENS, "output", true},
                 {HAFT__ATTRIBUTE_CACHE_READ_TOKENS, "cache_read", false},
                 {HAFT__ATTRIBUTE_CACHE_CREATION_TOKENS, "cache_creation", false},
                 {HAFT__ATTRIBUTE_REASONING_TOKENS, "reasoning", false}};
    haft_str model = haft__span_text(span, HAFT__ATTRIBUTE_REQUEST_MODEL);
    haft_str provider = haft__span_text(span, HAFT__ATTRIBUTE_PROVIDER);
    haft__exemplar exemplar = exemplar_of(span);
    for (size_t i = 0; i < COUNT(types); i++) {
        int64_t tokens = (int64_t)haft__span_number(span, types[i].id);
        const haft_str by_model[] = {model, haft__str(types[i].type), HAFT__LIT("")};
        const haft_str all[] = {provider, model, haft__str(types[i].type)};
        if (tokens > 0) {
            haft__metrics_add(metrics, HAFT__METRIC_TOKENS, by_model, tokens);
        }
        if (tokens > 0 && types[i].counts) {
            haft__metrics_observe(metrics, HAFT__METRIC_TOKEN_USAGE, all, tokens, &exemplar);
        }
    }
    int64_t cost = (int64_t)haft__span_number(span, HAFT__ATTRIBUTE_COST);
    if (cost > 0) {
        haft__metrics_add(metrics, HAFT__METRIC_COST, &model, cost);
    }
}

static void count_chat(haft__metrics *metrics, const haft__span *span)
{
    haft_str error = haft__span_text(span, HAFT__ATTRIBUTE_ERROR_TYPE);
    haft__exemplar exemplar = exemplar_of(span);
    haft_str labels[] = {haft__span_text(span, HAFT__ATTRIBUTE_PROVIDER),
                         haft__span_text(span, HAFT__ATTRIBUTE_REQUEST_MODEL),
                         error.len > 0 ? error : HAFT__LIT("ok")};
    haft__metrics_add(metrics, HAFT__METRIC_MODEL_REQUESTS, labels, 1);
    labels[2] = error;
    haft__metrics_observe(metrics, HAFT__METRIC_MODEL_DURATION, labels, micros_of(span), &exemplar);
    if (span->values[HAFT__ATTRIBUTE_FIRST_CHUNK].kind != HAFT__ATTRIBUTE_UNSET) {
        haft__metrics_observe(metrics, HAFT__METRIC_FIRST_TOKEN, labels,
                              span->values[HAFT__ATTRIBUTE_FIRST_CHUNK].number, &exemplar);
    }
    count_tokens(metrics, span);
}

static void count_tool(haft__metrics *metrics, const haft__span *span)
{
    haft_str tool = haft__span_text(span, HAFT__ATTRIBUTE_TOOL);
    haft__exemplar exemplar = exemplar_of(span);
    const haft_str outcome[] = {tool, outcome_of(span), HAFT__LIT("")};
    const haft_str labels[] = {tool, haft__span_text(span, HAFT__ATTRIBUTE_ERROR_TYPE),
                               HAFT__LIT("")};
    haft__metrics_add(metrics, HAFT__METRIC_TOOL_CALLS, outcome, 1);
    if (haft__span_number(span, HAFT__ATTRIBUTE_CACHED) == 0) {
        haft__metrics_observe(metrics, HAFT__METRIC_TOOL_DURATION, labels, micros_of(span),
                              &exemplar);
    }
}

static void count_stretch(haft__metrics *metrics, haft__metric_id id, haft__attribute_id name,
                          const haft__span *span)
{
    haft__exemplar exemplar = exemplar_of(span);
    const haft_str labels[] = {haft__span_text(span, name),
                               haft__span_text(span, HAFT__ATTRIBUTE_ERROR_TYPE), HAFT__LIT("")};
    haft__metrics_observe(metrics, id, labels, micros_of(span), &exemplar);
}

void haft__count_span(haft__metrics *metrics, const haft__span *span)
{
    switch (span->kind) {
    case HAFT__SPAN_AGENT:
        count_stretch(metrics, HAFT__METRIC_AGENT_DURATION, HAFT__ATTRIBUTE_AGENT, span);
        return;
    case HAFT__SPAN_WORKFLOW:
        count_stretch(metrics, HAFT__METRIC_WORKFLOW_DURATION, HAFT__ATTRIBUTE_WORKFLOW, span);
        return;
    case HAFT__SPAN_CHAT: count_chat(metrics, span); return;
    case HAFT__SPAN_TOOL: count_tool(metrics, span); return;
    }
    HAFT__UNREACHABLE();
}
