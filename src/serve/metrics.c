/* SPDX-License-Identifier: Apache-2.0 */
/* metrics.c - see serve/metrics.h. Tests: tests/serve/metrics_test.py. */
#include "serve/metrics.h"

#include "base/limits.h"
#include "base/macros.h"
#include "base/str.h"
#include "engine/telemetry/telemetry.h"
#include "serve/runs/runs.h"

static void handle_metrics(haft__api_call *call)
{
    haft__runs *runs = call->context;
    haft_runtime *runtime = haft__api_gateway_runtime(call->gateway);
    haft_str accept = haft__http_server_header(call->request, "Accept");
    const char *type = NULL;
    haft_error err = {0};
    haft__buf text;
    haft__buf_init(&text, HAFT__LIMIT_TELEMETRY_REQUEST_BYTES);
    haft__telemetry_http_streams(runtime, haft__runs_stream_count(runs));
    if (haft__telemetry_render(runtime, accept.ptr != NULL ? accept : HAFT__LIT(""), &text, &type,
                               &err)
        == HAFT_OK) {
        haft__api_reply reply = {.status = 200, .content_type = haft__str(type)};
        haft__api_reply_with(call, &reply, haft__buf_str(&text));
    } else {
        haft__api_fail(call, &err);
    }
    haft__buf_finish(&text);
}

static const haft__route routes[] = {
    {.method = "GET",
     .path = "/metrics",
     .id = "metrics",
     .role = HAFT__ROLE_METRICS,
     .handle = handle_metrics,
     .summary = "Metrics of this server for Prometheus, or OpenMetrics if the client prefers it",
     .media_type = "text/plain"},
};

const haft__route_table haft__metrics_routes = {routes, COUNT(routes)};

/* The methods that labels name; a client may invent any other. */
static haft_str method_label(haft_str method)
{
    static const char *const known[] = {"GET", "HEAD", "POST", "DELETE", "OPTIONS"};
    return haft__str_is_one_of(method, known, COUNT(known)) ? method : HAFT__LIT("other");
}

void haft__metrics_count_request(void *context, const haft__api_finished *finished)
{
    haft_runtime *runtime = haft__runs_runtime(context);
    haft_str route = haft__str(finished->route != NULL ? finished->route->path : "none");
    haft__telemetry_http_request(runtime, route, method_label(finished->method), finished->status,
                                 finished->stream ? UINT64_MAX : finished->ms);
}

/* The variables of the environment were read when the store was opened: nothing is reported here.
 */
static void ignore(void *context, haft_str line)
{
    (void)context;
    (void)line;
}

haft_status haft__metrics_start(haft_runtime *runtime, const haft__service_host *host,
                                haft_error *err)
{
    haft__telemetry_output output = {host->warn, ignore, host->context};
    return haft__telemetry_start(runtime, &runtime->env, &output, true, err);
}
