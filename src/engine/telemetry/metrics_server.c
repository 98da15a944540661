/* SPDX-License-Identifier: Apache-2.0 */
/* metrics_server.c - see engine/telemetry/metrics_server.h. Tests: tests/cli/metrics_test.py. */
#include "engine/telemetry/metrics_server.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/limits.h"
#include "base/str.h"
#include "engine/runtime.h"
#include "engine/telemetry/telemetry.h"
#include "io/server/server.h"

struct haft__metrics_server {
    haft_runtime *runtime;
    haft__http_server *http;
};

static bool is_loopback(haft_str host)
{
    return haft__str_starts_with(host, HAFT__LIT("127."))
           || haft__str_starts_with(host, HAFT__LIT("[::1]"))
           || haft__str_starts_with(host, HAFT__LIT("localhost"));
}

static void reply(haft__http_server_request *request, uint32_t status, const char *text)
{
    const haft__http_server_field allow = {HAFT__LIT("Allow"), HAFT__LIT("GET, HEAD")};
    haft__http_server_head head = {.status = status,
                                   .content_type = HAFT__LIT("text/plain; charset=utf-8"),
                                   .fields = &allow,
                                   .field_count = status == 405};
    haft__http_server_reply(request, &head, haft__str(text));
}

static void reply_metrics(const haft__metrics_server *server, haft__http_server_request *request)
{
    haft_str accept = haft__http_server_header(request, "Accept");
    const char *type = NULL;
    haft_error err = {0};
    haft__buf text;
    haft__buf_init(&text, HAFT__LIMIT_TELEMETRY_REQUEST_BYTES);
    haft_status status = haft__telemetry_render(
        server->runtime, accept.ptr != NULL ? accept : HAFT__LIT(""), &text, &type, &err);
    if (status == HAFT_OK) {
        haft__http_server_head head = {.status = 200, .content_type = haft__str(type)};
        haft__http_server_reply(request, &head, haft__buf_str(&text));
    } else {
        reply(request, 503, "the metrics cannot be written\n");
    }
    haft__buf_finish(&text);
}

static void on_request(void *context, haft__http_server_request *request)
{
    const haft__metrics_server *server = context;
    haft_str method = haft__http_server_method(request);
    haft_str host = haft__http_server_header(request, "Host");
    bool reads =
        haft__str_equal(method, HAFT__LIT("GET")) || haft__str_equal(method, HAFT__LIT("HEAD"));
    if (is_loopback(haft__http_server_address(server->http)) && !is_loopback(host)) {
        reply(request, 403, "this address is only for programs of this machine\n");
    } else if (!haft__str_equal(haft__http_server_path(request), HAFT__LIT("/metrics"))) {
        reply(request, 404, "only /metrics exists\n");
    } else if (!reads) {
        reply(request, 405, "only GET and HEAD are allowed\n");
    } else {
        reply_metrics(server, request);
    }
}

static bool reject_body(void *context, const haft__http_server_request *request)
{
    (void)context;
    (void)request;
    return false;
}

haft_status haft__metrics_server_start(haft_runtime *runtime, const char *address,
                                       haft__metrics_server **ret_server, haft_error *err)
{
    haft__metrics_server *server = calloc(1, sizeof(*server));
    haft__http_server_options options = {.address = haft__str(address), .accept_body = reject_body};
    if (server == NULL) {
        return haft__fail_no_memory(err);
    }
    server->runtime = runtime;
    haft_status status =
        haft__http_server_create(runtime->loop, &options, on_request, server, &server->http, err);
    if (status != HAFT_OK) {
        free(server);
        return status;
    }
    *ret_server = server;
    return HAFT_OK;
}

haft_str haft__metrics_server_address(const haft__metrics_server *server)
{
    return haft__http_server_address(server->http);
}

void haft__metrics_server_stop(haft__metrics_server *server)
{
    if (server != NULL) {
        haft__http_server_destroy(server->http);
        free(server);
    }
}
