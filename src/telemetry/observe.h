/* SPDX-License-Identifier: Apache-2.0 */
/*
 * telemetry/observe.h - makes spans from the events of a run.
 *
 * An agent span covers a stretch: the events of a run from its start, or from the first event after
 * a pause, to the next pause or the end. So a run that waits for days has several short spans. All
 * are in one trace, and each later one is linked to the first. The ids of spans follow from the ids
 * of the run and its calls and from the numbers of events: a span that is sent twice is the same
 * span. The spans of calls have the ids that their tools got as their trace context (run/trace.h).
 *
 * No clock, no I/O: all times are those of the events.
 */
#ifndef HAFT_TELEMETRY_OBSERVE_H
#define HAFT_TELEMETRY_OBSERVE_H

#include "run/redact/redact.h"
#include "run/run.h"
#include "telemetry/span.h"

/* The open stretch of a run. Zeroed: none. */
typedef struct haft__run_observer {
    bool open;
    uint64_t seq, start_ms, last_ms; /* of its first event; the time of its last event */
    uint32_t turn;                   /* turns before it */
    uint64_t input_tokens, output_tokens, cached_tokens, cost_parts; /* used before it */
    uint64_t reply_cost_parts; /* cost_parts before the last reply */
    bool gated, gate_open;     /* of the current turn */
} haft__run_observer;

/* Facts that the events do not have. */
typedef struct haft__observed_facts {
    haft_str agent;  /* the name of the agent */
    haft_str server; /* the host of the model server; "" without one */
    uint32_t port;
    bool has_first_chunk;    /* of the last reply */
    uint64_t first_chunk_ms; /* the time until its first piece */
    bool timed_out;          /* the last call took longer than its timeout */
    /* Set if spans have content: the secrets that are removed from it. Else NULL. */
    const haft__redactor *content;
} haft__observed_facts;

typedef void haft__span_sink(void *context, const haft__span *span);

/* Observes an event that `run` has just folded. Calls `sink` for each span that the event
 * completes; texts of the span are valid during the call. */
void haft__observe_event(haft__run_observer *observer, const haft__run *run,
                         const haft__event *event, const haft__observed_facts *facts,
                         haft__span_sink *sink, void *context);

/* Ends the open stretch, if any: the run waits, or this process releases it. `why` is the value of
 * haft.run.end: "waiting" or "released". */
void haft__observe_pause(haft__run_observer *observer, const haft__run *run, haft_str why,
                         const haft__observed_facts *facts, haft__span_sink *sink, void *context);

/* The id of the span of the open stretch. */
uint64_t haft__observer_span(const haft__run_observer *observer, const haft__run *run);

/* The name of a provider in the GenAI conventions. */
haft_str haft__provider_genai_name(haft_str provider);

#endif
