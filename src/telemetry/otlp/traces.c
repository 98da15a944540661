/* SPDX-License-Identifier: Apache-2.0 */
/* traces.c - see otlp/traces.h. The field numbers are those of opentelemetry-proto:
 * trace/v1/trace.proto. Tests: tests/telemetry/otlp_test.c. */
#include "telemetry/otlp/traces.h"

#include "base/limits.h"
#include "base/str.h"

/* Flags of a span: sampled; and whether its parent is remote, which is not known. */
enum { SAMPLED = 1 };

enum { STATUS_ERROR = 2, NANOSECONDS = 1000000 };

/* "chat gpt-5.4-mini" */
static void add_name(haft__otlp_writer *w, const haft__span *span)
{
    const haft__span_names *names = haft__span_names_of(span->kind);
    haft_str subject = haft__span_text(span, names->subject);
    haft__buf name;
    haft__buf_init(&name, HAFT__LIMIT_TELEMETRY_TEXT_BYTES + 64);
    haft__buf_add_str(&name, haft__str(names->operation));
    if (subject.len > 0) {
        haft__buf_add_char(&name, ' ');
        haft__buf_add_str(&name, subject);
    }
    if (name.status != HAFT_OK) {
        haft__buf_fail(w->buf, name.status, NULL);
    }
    haft__otlp_add_text(w, 5, "name", haft__buf_str(&name));
    haft__buf_finish(&name);
}

static void add_link(haft__otlp_writer *w, const haft__span *span)
{
    haft__otlp_begin_list(w, "links");
    haft__otlp_begin_item(w, 13);
    haft__otlp_add_trace_id(w, 1, "traceId", span->trace_high, span->trace_low);
    haft__otlp_add_span_id(w, 2, "spanId", span->link);
    haft__otlp_end_item(w);
    haft__otlp_end_list(w);
}

static void add_status(haft__otlp_writer *w, const haft__span *span)
{
    haft__otlp_begin_message(w, 15, "status");
    if (span->failed) {
        if (span->message.len > 0) {
            haft__otlp_add_text(w, 2, "message", span->message);
        }
        haft__otlp_add_enum(w, 3, "code", STATUS_ERROR);
    }
    haft__otlp_end_message(w);
}

void haft__otlp_write_span(haft__buf *buf, haft__otlp_encoding encoding, const haft__span *span)
{
    haft__otlp_writer w;
    haft__otlp_begin(&w, buf, encoding);
    haft__otlp_add_trace_id(&w, 1, "traceId", span->trace_high, span->trace_low);
    haft__otlp_add_span_id(&w, 2, "spanId", span->id);
    if (span->parent != 0) {
        haft__otlp_add_span_id(&w, 4, "parentSpanId", span->parent);
    }
    add_name(&w, span);
    haft__otlp_add_enum(&w, 6, "kind", haft__span_names_of(span->kind)->otlp_kind);
    haft__otlp_add_fixed64(&w, 7, "startTimeUnixNano", span->start_ms * NANOSECONDS);
    haft__otlp_add_fixed64(&w, 8, "endTimeUnixNano", span->end_ms * NANOSECONDS);
    haft__otlp_begin_list(&w, "attributes");
    for (size_t i = 0; i < HAFT__ATTRIBUTE_COUNT; i++) {
        const char *key = haft__attribute_name((haft__attribute_id)i);
        if (span->values[i].kind != HAFT__ATTRIBUTE_UNSET) {
            haft__otlp_add_attribute(&w, 9, haft__str(key), &span->values[i]);
        }
    }
    haft__otlp_end_list(&w);
    if (span->link != 0) {
        add_link(&w, span);
    }
    add_status(&w, span);
    haft__otlp_add_fixed32(&w, 16, "flags", SAMPLED);
    haft__otlp_end(&w);
}

void haft__otlp_write_traces(haft__buf *buf, haft__otlp_encoding encoding,
                             const haft__resource *resource, const haft_str *spans, size_t count)
{
    haft__otlp_writer w;
    haft__otlp_begin(&w, buf, encoding);
    haft__otlp_begin_list(&w, "resourceSpans");
    haft__otlp_begin_item(&w, 1);
    haft__otlp_add_resource(&w, resource);
    haft__otlp_begin_list(&w, "scopeSpans");
    haft__otlp_begin_item(&w, 2);
    haft__otlp_add_scope(&w, resource);
    haft__otlp_begin_list(&w, "spans");
    for (size_t i = 0; i < count; i++) {
        haft__otlp_add_item(&w, 2, spans[i]);
    }
    haft__otlp_end_list(&w);
    haft__otlp_end_item(&w);
    haft__otlp_end_list(&w);
    haft__otlp_end_item(&w);
    haft__otlp_end_list(&w);
    haft__otlp_end(&w);
}
