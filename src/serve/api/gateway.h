/* SPDX-License-Identifier: Apache-2.0 */
/*
 * serve/api/gateway.h - the HTTP side of `haft serve`: one listener, one guard and one table of
 * routes for everything that it serves.
 *
 * For each request, in this order: well-formed path (400), known Host and Origin (403), CORS
 * preflight, route (404, 405), token (401), role (403), rate (429), drain (503), content type
 * (415), JSON (400), schema of the body (422). The body of a rejected request is not read.
 */
#ifndef HAFT_SERVE_API_GATEWAY_H
#define HAFT_SERVE_API_GATEWAY_H

#include "engine/ops/service.h"
#include "serve/api/call.h"

/* Handles all requests under a path: "/mcp/". Access was checked; the prefix has its own rules for
 * methods and bodies. */
typedef struct haft__api_mount {
    const char *prefix;
    haft__role role;
    bool (*accept_body)(void *context, const haft__http_server_request *request);
    void (*handle)(void *context, haft__http_server_request *request, const haft__principal *who);
    void *context;
} haft__api_mount;

/* Called after each response, and at the start of a stream: for metrics and logs. `route` is NULL
 * for a rejected path. */
typedef struct haft__api_finished {
    bool stream;
    const haft__route *route;
    haft_str method;
    uint32_t status;
    uint64_t ms;
    const char *request_id;
} haft__api_finished;

typedef struct haft__api_gateway_options {
    haft_runtime *runtime;
    haft_str address;               /* ADDR:PORT or unix:PATH */
    const char *token_file;         /* NULL: none; only for loopback and unix sockets */
    const char *const *allow_hosts; /* names of this host that clients may use */
    size_t allow_host_count;
    const char *const *allow_origins; /* origins whose pages may use the server (CORS) */
    size_t allow_origin_count;
    uint64_t rate; /* requests a second of one token or address; 0: HAFT__LIMIT_SERVE_RATE */
    const haft__route_table *tables;
    size_t table_count;
    const haft__api_mount *mounts; /* copied; at most 4 */
    size_t mount_count;
    void *context;                                                       /* of the handlers */
    void (*finished)(void *context, const haft__api_finished *finished); /* may be NULL */
    const haft__service_host *host;                                      /* for warnings */
} haft__api_gateway_options;

/* All options are borrowed. BAD_INPUT for an address, a token file, or an address that other
 * machines can reach without a token file. */
HAFT_MUST_USE haft_status haft__api_gateway_create(const haft__api_gateway_options *options,
                                                   haft__api_gateway **ret_gateway,
                                                   haft_error *err);

/* Drops every connection. No store request of a call may be pending: step the loop until
 * haft__api_gateway_is_idle. */
void haft__api_gateway_destroy(haft__api_gateway *gateway);

/* "127.0.0.1:8642", or "unix:PATH". */
haft_str haft__api_gateway_address(const haft__api_gateway *gateway);

/* Runs the steps of all calls that can continue. Must not be called from a callback of the loop. */
void haft__api_gateway_run(haft__api_gateway *gateway);

/* From now on, requests that change something get 503. */
void haft__api_gateway_drain(haft__api_gateway *gateway);
bool haft__api_gateway_is_draining(const haft__api_gateway *gateway);

/* Drops the requests of all calls, as if their clients had disconnected. */
void haft__api_gateway_drop_calls(haft__api_gateway *gateway);

/* Whether no call has a pending store request. */
bool haft__api_gateway_is_idle(const haft__api_gateway *gateway);

/* For routes. */
haft_runtime *haft__api_gateway_runtime(const haft__api_gateway *gateway);
const haft__api_gateway_options *haft__api_gateway_options_of(const haft__api_gateway *gateway);

#endif
