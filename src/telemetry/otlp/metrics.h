/* SPDX-License-Identifier: Apache-2.0 */
/* telemetry/otlp/metrics.h - a request that carries metrics. */
#ifndef HAFT_TELEMETRY_OTLP_METRICS_H
#define HAFT_TELEMETRY_OTLP_METRICS_H

#include "telemetry/metrics.h"
#include "telemetry/otlp/resource.h"

/* Appends an ExportMetricsServiceRequest. Numbers are cumulative since metrics->start_ms. */
void haft__otlp_write_metrics(haft__buf *buf, haft__otlp_encoding encoding,
                              const haft__resource *resource, const haft__metrics *metrics,
                              uint64_t now_ms);

#endif
