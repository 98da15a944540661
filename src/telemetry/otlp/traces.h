/* SPDX-License-Identifier: Apache-2.0 */
/* telemetry/otlp/traces.h - spans, and the requests that carry them. */
#ifndef HAFT_TELEMETRY_OTLP_TRACES_H
#define HAFT_TELEMETRY_OTLP_TRACES_H

#include "telemetry/otlp/resource.h"

/* Appends one span, for haft__otlp_write_traces. */
void haft__otlp_write_span(haft__buf *buf, haft__otlp_encoding encoding, const haft__span *span);

/* Appends an ExportTraceServiceRequest with these written spans. */
void haft__otlp_write_traces(haft__buf *buf, haft__otlp_encoding encoding,
                             const haft__resource *resource, const haft_str *spans, size_t count);

#endif
