/* SPDX-License-Identifier: Apache-2.0 */
/*
 * run/trace.h - the trace context of a call, as W3C Trace Context defines it. It follows from ids,
 * so that every process and every replay gives the same.
 */
#ifndef HAFT_RUN_TRACE_H
#define HAFT_RUN_TRACE_H

#include <stdbool.h>
#include <stdint.h>

#include "haft.h"

struct haft__run;

enum { HAFT__TRACE_PARENT_LENGTH = 55 };

/* A span of a trace. Ids are never 0, except that `span` is 0 if no span is named. */
typedef struct haft__trace_context {
    uint64_t high, low; /* the trace */
    uint64_t span;
    bool sampled; /* the caller records the trace */
} haft__trace_context;

/* Parses a traceparent of any version. False if it is invalid; then W3C requires to ignore it. */
bool haft__trace_parse(haft_str text, haft__trace_context *ret_context);

/* Writes "00-TRACE-SPAN-01" (00 if not sampled) with a NUL. */
void haft__trace_write(const haft__trace_context *context,
                       char text[HAFT__TRACE_PARENT_LENGTH + 1]);

/* The trace of a run, and the span above it: of the caller, or of the call that has started the
 * run; `span` is 0 without one. All runs of a tree have one trace: that of the caller of the first
 * run, else one that follows from its id. */
haft__trace_context haft__trace_of_run(const struct haft__run *run);

/* The span of one attempt of a call. `key` is the idempotency key of the call. */
uint64_t haft__trace_span_of_call(haft_str key, uint32_t attempt);

/* The span that begins or ends with an event of a run. */
uint64_t haft__trace_span_of_event(haft_str run, uint64_t seq);

#endif
