/* SPDX-License-Identifier: Apache-2.0 */
/* engine/telemetry/metrics_server.h - a server with one page, /metrics, for a process that has no
 * other server. */
#ifndef HAFT_ENGINE_TELEMETRY_METRICS_SERVER_H
#define HAFT_ENGINE_TELEMETRY_METRICS_SERVER_H

#include "haft.h"

typedef struct haft__metrics_server haft__metrics_server;

/* Listens at ADDR:PORT. The runtime must have telemetry and must outlive the server. On a loopback
 * address, requests that name another host are rejected, so that a page of the web cannot read the
 * metrics. */
HAFT_MUST_USE haft_status haft__metrics_server_start(haft_runtime *runtime, const char *address,
                                                     haft__metrics_server **ret_server,
                                                     haft_error *err);

/* The listening address with the actual port. */
haft_str haft__metrics_server_address(const haft__metrics_server *server);

/* `server` may be NULL. */
void haft__metrics_server_stop(haft__metrics_server *server);

#endif
