/* SPDX-License-Identifier: Apache-2.0 */
/* observe.c - see telemetry/observe.h. Tests: tests/telemetry/observe_test.c. */
#include "telemetry/observe.h"

#include "base/limits.h"
#include "base/str.h"
#include "base/utf8.h"
#include "run/host.h"
#include "run/trace.h"
#include "telemetry/content.h"
#include "json/object.h"

/* The state while one event is observed. */
typedef struct observation {
    haft__run_observer *observer;
    const haft__run *run;
    const haft__observed_facts *facts;
    haft__span_sink *sink;
    void *context;
    haft__trace_context trace; /* of the run; its span is the parent of the stretch */
} observation;

haft_str haft__provider_genai_name(haft_str provider)
{
    static const struct {
        const char *provider, *name;
    } rows[] = {
        {"openai-chat", "openai"},
        {"openai-responses", "openai"},
        {"gemini", "gcp.gemini"},
        {"mistral", "mistral_ai"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        if (haft__str_equal(provider, haft__str(rows[i].provider))) {
            return haft__str(rows[i].name);
        }
    }
    return provider;
}

uint64_t haft__observer_span(const haft__run_observer *observer, const haft__run *run)
{
    return haft__trace_span_of_event(run->id, observer->seq);
}

/* ---- attributes that several kinds have ---- */

static haft__span begin_span(const observation *o, haft__span_kind kind)
{
    haft__span span = {.kind = kind,
                       .trace_high = o->trace.high,
                       .trace_low = o->trace.low,
                       .sampled = o->trace.sampled,
                       .message = HAFT__LIT("")};
    haft__span_set_text(&span, HAFT__ATTRIBUTE_OPERATION,
                        haft__str(haft__span_names_of(kind)->operation));
    haft__span_set_text(&span, HAFT__ATTRIBUTE_CONVERSATION, o->run->thread);
    haft__span_set_text(&span, HAFT__ATTRIBUTE_RUN, o->run->id);
    return span;
}

static haft_str cut(haft_str text)
{
    if (text.len > HAFT__LIMIT_TELEMETRY_TEXT_BYTES) {
        text.len = haft__utf8_floor(text, HAFT__LIMIT_TELEMETRY_TEXT_BYTES);
    }
    return text;
}

static void set_model(haft__span *span, const haft__run *run)
{
    const haft__model_spec *model = &run->spec->model;
    haft__span_set_text(span, HAFT__ATTRIBUTE_PROVIDER, haft__provider_genai_name(model->provider));
    haft__span_set_text(span, HAFT__ATTRIBUTE_REQUEST_MODEL, cut(model->model));
}

/* Sets the type of an error, and its message if content is on. */
static void set_error(haft__span *span, haft_str type, haft_str message)
{
    span->failed = true;
    span->message = message;
    haft__span_set_text(span, HAFT__ATTRIBUTE_ERROR_TYPE, type);
}

/* ---- stretches ---- */

static void begin_stretch(const observation *o, const haft__event *event)
{
    const haft__run *run = o->run;
    bool first = event->seq == 1;
    *o->observer = (haft__run_observer){.open = true,
                                        .seq = event->seq,
                                        .start_ms = event->at_ms,
                                        .turn = first ? 0 : run->turn,
                                        .input_tokens = first ? 0 : run->usage.input_tokens,
                                        .output_tokens = first ? 0 : run->usage.output_tokens,
                                        .cached_tokens = first ? 0 : run->usage.cached_tokens,
                                        .cost_parts = first ? 0 : run->cost_parts,
                                        .reply_cost_parts = first ? 0 : run->cost_parts,
                                        .gated = run->gate_threshold > 0,
                                        .gate_open = run->gate_opened};
}

static bool is_error(haft__end end)
{
    switch (end) {
    case HAFT__END_REFUSED:
    case HAFT__END_VIOLATED:
    case HAFT__END_FAILED:
    case HAFT__END_EXPIRED: return true;
    case HAFT__END_DONE:
    case HAFT__END_DIRECT:
    case HAFT__END_EXHAUSTED:
    case HAFT__END_INCOMPLETE:
    case HAFT__END_CANCELLED: return false;
    }
    HAFT__UNREACHABLE();
}

static void set_stretch_usage(haft__span *span, const haft__run *run,
                              const haft__run_observer *before)
{
    haft__span_set_int(span, HAFT__ATTRIBUTE_INPUT_TOKENS,
                       run->usage.input_tokens - before->input_tokens);
    haft__span_set_int(span, HAFT__ATTRIBUTE_OUTPUT_TOKENS,
                       run->usage.output_tokens - before->output_tokens);
    if (run->usage.cached_tokens > before->cached_tokens) {
        haft__span_set_int(span, HAFT__ATTRIBUTE_CACHE_READ_TOKENS,
                           run->usage.cached_tokens - before->cached_tokens);
    }
    if (run->cost_parts > before->cost_parts) {
        haft__span_set_micros(span, HAFT__ATTRIBUTE_COST,
                              (run->cost_parts - before->cost_parts) / 1000000);
    }
    haft__span_set_int(span, HAFT__ATTRIBUTE_TURN, run->turn);
}

static void end_stretch(const observation *o, haft_str end)
{
    const haft__run *run = o->run;
    haft__run_observer *observer = o->observer;
    bool graph = haft__run_is_graph(run), ended = run->stage == HAFT__RUN_ENDED;
    haft__span span = begin_span(o, graph ? HAFT__SPAN_WORKFLOW : HAFT__SPAN_AGENT);
    haft__content content;
    haft__content_init(&content, o->facts->content);
    span.id = haft__observer_span(observer, run);
    span.parent = o->trace.span;
    span.link = observer->seq > 1 ? haft__trace_span_of_event(run->id, 1) : 0;
    span.start_ms = observer->start_ms;
    span.end_ms = observer->last_ms;
    if (graph) {
        haft__span_set_text(&span, HAFT__ATTRIBUTE_WORKFLOW, cut(o->facts->agent));
    } else {
        set_model(&span, run);
        haft__span_set_text(&span, HAFT__ATTRIBUTE_AGENT, cut(o->facts->agent));
        haft__span_set_text(&span, HAFT__ATTRIBUTE_AGENT_ID, run->spec->hash);
    }
    set_stretch_usage(&span, run, observer);
    haft__span_set_text(&span, HAFT__ATTRIBUTE_END, end);
    if (ended && is_error(run->end)) {
        set_error(&span, end, haft__content_text(&content, run->end_reason));
    }
    if (observer->seq == 1) {
        haft__span_set_text(&span, HAFT__ATTRIBUTE_INPUT_MESSAGES,
                            haft__content_message(&content, "user", run->task, NULL));
    }
    if (ended) {
        haft__span_set_text(&span, HAFT__ATTRIBUTE_OUTPUT_MESSAGES,
                            haft__content_message(&content, "assistant", run->answer, NULL));
    }
    o->sink(o->context, &span);
    haft__content_finish(&content);
    observer->open = false;
}

/* ---- models ---- */

/* The reason in the words of the conventions. */
static haft_str finish_reason(haft_str stop)
{
    if (haft__str_equal(stop, haft__str(haft__stop_reason_name(HAFT__STOP_END)))) {
        return HAFT__LIT("stop");
    }
    return haft__str_equal(stop, haft__str(haft__stop_reason_name(HAFT__STOP_REFUSAL)))
               ? HAFT__LIT("content_filter")
               : stop;
}

static void set_number(haft__span *span, haft__attribute_id id, haft__json usage, const char *key)
{
    uint64_t number = haft__object_number(usage, key, 0);
    if (number > 0) {
        haft__span_set_int(span, id, number);
    }
}

static void set_reply(haft__span *span, const observation *o, const haft__event *event)
{
    haft__json usage = haft__object_get(event->object, "usage");
    haft__run_observer *observer = o->observer;
    haft__span_set_text(span, HAFT__ATTRIBUTE_RESPONSE_MODEL,
                        cut(haft__object_text(event->object, "model")));
    haft__span_set_list(span, HAFT__ATTRIBUTE_FINISH_REASONS,
                        finish_reason(haft__object_text(event->object, "stop")));
    haft__span_set_int(span, HAFT__ATTRIBUTE_INPUT_TOKENS,
                       haft__object_number(usage, "input_tokens", 0));
    haft__span_set_int(span, HAFT__ATTRIBUTE_OUTPUT_TOKENS,
                       haft__object_number(usage, "output_tokens", 0));
    set_number(span, HAFT__ATTRIBUTE_CACHE_READ_TOKENS, usage, "cached_tokens");
    set_number(span, HAFT__ATTRIBUTE_CACHE_CREATION_TOKENS, usage, "cache_write_tokens");
    set_number(span, HAFT__ATTRIBUTE_REASONING_TOKENS, usage, "reasoning_tokens");
    if (o->facts->has_first_chunk) {
        haft__span_set_micros(span, HAFT__ATTRIBUTE_FIRST_CHUNK, o->facts->first_chunk_ms * 1000);
    }
    if (o->run->cost_parts > observer->reply_cost_parts) {
        haft__span_set_micros(span, HAFT__ATTRIBUTE_COST,
                              (o->run->cost_parts - observer->reply_cost_parts) / 1000000);
    }
    observer->reply_cost_parts = o->run->cost_parts;
}

static void set_turn(haft__span *span, const observation *o)
{
    static const char *const modes[] = {[HAFT__MODE_AUTO] = "auto",
                                        [HAFT__MODE_ANY] = "any",
                                        [HAFT__MODE_TOOL] = "tool",
                                        [HAFT__MODE_NONE] = "none"};
    haft__span_set_int(span, HAFT__ATTRIBUTE_TURN, o->run->turn);
    haft__span_set_text(span, HAFT__ATTRIBUTE_MODE, haft__str(modes[o->run->mode]));
    if (o->observer->gated) {
        haft__span_set_text(span, HAFT__ATTRIBUTE_GATE,
                            haft__str(o->observer->gate_open ? "open" : "closed"));
    }
}

/* The time at which something began that took `ms` and ended at `end_ms`. */
static uint64_t start_of(const observation *o, uint64_t end_ms, uint64_t ms)
{
    uint64_t start = ms < end_ms ? end_ms - ms : 0;
    return start > o->observer->start_ms ? start : o->observer->start_ms;
}

static void observe_model(const observation *o, const haft__event *event)
{
    bool replied = event->kind == HAFT__EVENT_MODEL_REPLIED;
    haft__span span = begin_span(o, HAFT__SPAN_CHAT);
    haft__content content;
    haft__content_init(&content, o->facts->content);
    span.id = haft__trace_span_of_event(o->run->id, event->seq);
    span.parent = haft__observer_span(o->observer, o->run);
    span.start_ms = start_of(o, event->at_ms, haft__object_number(event->object, "ms", 0));
    span.end_ms = event->at_ms;
    set_model(&span, o->run);
    haft__span_set_text(&span, HAFT__ATTRIBUTE_AGENT, cut(o->facts->agent));
    haft__span_set_text(&span, HAFT__ATTRIBUTE_SERVER_ADDRESS, o->facts->server);
    if (o->facts->server.len > 0) {
        haft__span_set_int(&span, HAFT__ATTRIBUTE_SERVER_PORT, o->facts->port);
    }
    set_turn(&span, o);
    if (replied) {
        set_reply(&span, o, event);
        haft__span_set_text(&span, HAFT__ATTRIBUTE_OUTPUT_MESSAGES,
                            haft__content_message(&content, "assistant",
                                                  haft__object_string(event->object, "content"),
                                                  event));
    } else {
        set_error(&span, haft__object_text(event->object, "failure"),
                  haft__content_text(&content, haft__object_string(event->object, "message")));
    }
    o->sink(o->context, &span);
    haft__content_finish(&content);
}

/* ---- calls ---- */

static haft_str tool_type(const haft__tool *tool)
{
    static const char *const searches[] = {"glob",        "grep",           "read",
                                           "execute_sql", "search_schemas", "tool_search"};
    if (tool != NULL && tool->source == HAFT__TOOL_HEADLESS) {
        return HAFT__LIT("function");
    }
    bool data = tool != NULL && tool->source == HAFT__TOOL_BUILTIN
                && haft__str_is_one_of(tool->name, searches, COUNT(searches));
    return data ? HAFT__LIT("datastore") : HAFT__LIT("extension");
}

static uint64_t span_of_call(const haft__run *run, const haft__run_call *call)
{
    haft__buf key;
    haft__buf_init(&key, HAFT__LIMIT_TELEMETRY_TEXT_BYTES);
    haft__run_add_idempotency_key(&key, run->id, call->id);
    uint64_t span = haft__trace_span_of_call(haft__buf_str(&key), call->attempt);
    haft__buf_finish(&key);
    return span;
}

static void set_outcome(haft__span *span, const observation *o, const haft__event *event,
                        haft__content *content)
{
    haft__json error = haft__object_get(event->object, "error");
    bool timed_out = o->facts->timed_out
                     || haft__str_equal(haft__object_text(error, "failure"), HAFT__LIT("timeout"));
    if (haft__event_flag(event, "cached")) {
        haft__span_set_flag(span, HAFT__ATTRIBUTE_CACHED, true);
    }
    if (!haft__event_flag(event, "ok")) {
        set_error(span, timed_out ? HAFT__LIT("timeout") : HAFT__LIT("tool_error"),
                  haft__content_text(content, haft__object_string(error, "message")));
    }
    haft__span_set_text(span, HAFT__ATTRIBUTE_TOOL_RESULT,
                        haft__content_text(content, haft__object_string(event->object, "result")));
}

static void observe_call(const observation *o, const haft__event *event)
{
    const haft__run_call *call =
        haft__run_find_call(o->run, haft__object_text(event->object, "call"));
    if (call == NULL) {
        return;
    }
    haft__span span = begin_span(o, HAFT__SPAN_TOOL);
    haft__content content;
    haft__content_init(&content, o->facts->content);
    span.id = span_of_call(o->run, call);
    span.parent = haft__observer_span(o->observer, o->run);
    span.start_ms = start_of(o, event->at_ms, haft__object_number(event->object, "ms", 0));
    span.end_ms = event->at_ms;
    haft__span_set_text(&span, HAFT__ATTRIBUTE_AGENT, cut(o->facts->agent));
    haft__span_set_text(&span, HAFT__ATTRIBUTE_TOOL, cut(call->name));
    haft__span_set_text(&span, HAFT__ATTRIBUTE_TOOL_TYPE, tool_type(call->tool));
    haft__span_set_text(&span, HAFT__ATTRIBUTE_TOOL_DESCRIPTION,
                        call->tool != NULL ? cut(call->tool->description) : HAFT__LIT(""));
    haft__span_set_text(&span, HAFT__ATTRIBUTE_TOOL_CALL, cut(call->model_call));
    haft__span_set_text(&span, HAFT__ATTRIBUTE_CALL, call->id);
    haft__span_set_int(&span, HAFT__ATTRIBUTE_TURN, o->run->turn);
    haft__span_set_int(&span, HAFT__ATTRIBUTE_ATTEMPT, call->attempt);
    haft__span_set_text(&span, HAFT__ATTRIBUTE_TOOL_ARGUMENTS,
                        haft__content_json(&content, call->arguments));
    set_outcome(&span, o, event, &content);
    o->sink(o->context, &span);
    haft__content_finish(&content);
}

/* ---- events ---- */

static void observe_turn(haft__run_observer *observer, const haft__event *event)
{
    const haft__json *gate = haft__event_field(event, "gate");
    observer->gated = gate != NULL;
    observer->gate_open = gate != NULL && haft__object_flag(*gate, "open", false);
}

void haft__observe_event(haft__run_observer *observer, const haft__run *run,
                         const haft__event *event, const haft__observed_facts *facts,
                         haft__span_sink *sink, void *context)
{
    observation o = {observer, run, facts, sink, context, haft__trace_of_run(run)};
    if (!observer->open) {
        begin_stretch(&o, event);
    }
    observer->last_ms = event->at_ms > observer->last_ms ? event->at_ms : observer->last_ms;
    if (event->kind == HAFT__EVENT_TURN_STARTED) {
        observe_turn(observer, event);
    } else if (event->kind == HAFT__EVENT_MODEL_REPLIED
               || event->kind == HAFT__EVENT_MODEL_FAILED) {
        observe_model(&o, event);
    } else if (event->kind == HAFT__EVENT_CALL_FINISHED) {
        observe_call(&o, event);
    } else if (event->kind == HAFT__EVENT_RUN_FINISHED) {
        end_stretch(&o, haft__str(haft__end_name(run->end)));
    }
}

void haft__observe_pause(haft__run_observer *observer, const haft__run *run, haft_str why,
                         const haft__observed_facts *facts, haft__span_sink *sink, void *context)
{
    observation o = {observer, run, facts, sink, context, haft__trace_of_run(run)};
    if (observer->open) {
        end_stretch(&o, why);
    }
}
