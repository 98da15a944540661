/* SPDX-License-Identifier: Apache-2.0 */
/* telemetry/prometheus.h - the text formats in which Prometheus reads metrics. */
#ifndef HAFT_TELEMETRY_PROMETHEUS_H
#define HAFT_TELEMETRY_PROMETHEUS_H

#include "base/buf.h"
#include "telemetry/metrics.h"

typedef enum haft__prometheus_format {
    HAFT__PROMETHEUS_TEXT,        /* version 0.0.4 */
    HAFT__PROMETHEUS_OPENMETRICS, /* OpenMetrics 1.0.0, with exemplars */
} haft__prometheus_format;

/* The format that a client prefers, by the value of its header Accept ("" without one). */
haft__prometheus_format haft__prometheus_choose(haft_str accept);

const char *haft__prometheus_content_type(haft__prometheus_format format);

/* Appends all metrics. A failure is recorded in the buffer. */
void haft__prometheus_write(haft__buf *buf, const haft__metrics *metrics,
                            haft__prometheus_format format);

#endif
