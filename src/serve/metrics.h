/* SPDX-License-Identifier: Apache-2.0 */
/* serve/metrics.h - /metrics of `haft serve`, and the metrics of its requests. */
#ifndef HAFT_SERVE_METRICS_H
#define HAFT_SERVE_METRICS_H

#include "serve/api/gateway.h"

/* The route /metrics. The context of the gateway must be a haft__runs. */
extern const haft__route_table haft__metrics_routes;

/* Counts a request: haft__api_gateway_options.finished. */
void haft__metrics_count_request(void *context, const haft__api_finished *finished);

/* Starts the metrics of a runtime that has no telemetry yet. */
HAFT_MUST_USE haft_status haft__metrics_start(haft_runtime *runtime, const haft__service_host *host,
                                              haft_error *err);

#endif
