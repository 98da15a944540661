/* SPDX-License-Identifier: Apache-2.0 */
/*
 * service.c - see service.h. Tests: tests/serve/api_test.py.
 *
 * One loop: the gateway, the runs API and the worker share it with the store. When the host stops
 * the server, new work is rejected, streams are cut so that their clients reconnect to another
 * server, and the worker releases its runs.
 */
#include "serve/service.h"

#include <sys/resource.h>

#include "base/error.h"
#include "base/limits.h"
#include "base/macros.h"
#include "base/str.h"
#include "serve/mcp/mount.h"
#include "serve/metrics.h"
#include "serve/runs/runs.h"
#include "serve/studio/routes.h"

/* How often the worker asks the store for runs of other servers. */
#define POLL_MS 500
/* How long the end waits for calls with effects, and for requests to the store. */
#define DRAIN_MS 20000

typedef struct serve_service {
    const haft__serve_service_options *options;
    haft_runtime *runtime;
    haft__runs *runs;
    haft__worker *worker; /* NULL: other processes do the work */
    haft__mcp_mount *mcp; /* NULL: with --no-work */
    haft__api_gateway *gateway;
} serve_service;

/* ---- the worker ---- */

static void warn(const serve_service *s, haft_str text)
{
    s->options->host.warn(s->options->host.context, text);
}

static void on_worker_event(void *context, const haft__worker_event *event)
{
    const serve_service *s = context;
    haft__runs_on_worker_event(s->runs, event);
    bool wrong = event->kind == HAFT__WORKER_SKIPPED || event->kind == HAFT__WORKER_ERROR
                 || event->kind == HAFT__WORKER_RELEASE_UNCONFIRMED;
    haft__buf text;
    if (!wrong) {
        return;
    }
    haft__buf_init(&text, HAFT__LIMIT_SERVE_PROBLEM_BYTES);
    haft__buf_addf(&text, "%s%s%s", event->run, event->run[0] != '\0' ? " " : "",
                   haft__worker_event_name(event->kind));
    if (event->error != NULL) {
        haft__buf_addf(&text, ": %s", event->error->message);
    }
    warn(s, haft__buf_str(&text));
    haft__buf_finish(&text);
}

static haft_status create_worker(serve_service *s, haft_error *err)
{
    haft__worker_options options = {.concurrency = s->options->concurrency,
                                    .poll_ms = POLL_MS,
                                    .notify = on_worker_event,
                                    .context = s};
    if (s->options->concurrency == 0) {
        return HAFT_OK;
    }
    haft__runtime_share(s->runtime);
    haft_status status = haft__worker_create(s->runtime, &options, &s->worker, err);
    if (status == HAFT_OK) {
        haft__runs_set_worker(s->runs, s->worker);
    }
    return status;
}

/* ---- the gateway ---- */

static haft_status create_gateway(serve_service *s, haft_error *err)
{
    const haft__serve_service_options *options = s->options;
    static const haft__route_table *const tables[] = {&haft__runs_routes, &haft__metrics_routes,
                                                      &haft__studio_routes};
    haft__route_table *all = haft__arena_array(options->arena, COUNT(tables), sizeof(*all));
    if (all == NULL) {
        return haft__arena_fail(options->arena, err);
    }
    for (size_t i = 0; i < COUNT(tables); i++) {
        all[i] = *tables[i];
    }
    haft__api_mount mount = haft__mcp_mount_route(s->mcp);
    haft__api_gateway_options gateway = {.runtime = s->runtime,
                                         .address = haft__str(options->listen),
                                         .token_file = options->token_file,
                                         .allow_hosts = options->allow_hosts,
                                         .allow_host_count = options->allow_host_count,
                                         .allow_origins = options->allow_origins,
                                         .allow_origin_count = options->allow_origin_count,
                                         .rate = options->rate,
                                         .tables = all,
                                         .table_count = COUNT(tables),
                                         .mounts = &mount,
                                         .mount_count = s->mcp != NULL,
                                         .context = s->runs,
                                         .finished = haft__metrics_count_request,
                                         .host = &options->host};
    haft_status status = haft__api_gateway_create(&gateway, &s->gateway, err);
    if (status == HAFT_BAD_INPUT && err->where[0] == '\0') {
        haft__error_prepend_location(err, options->listen_name);
    }
    if (status == HAFT_OK) {
        haft__runs_set_gateway(s->runs, s->gateway);
    }
    return status;
}

/* ---- the process ---- */

/* Each connection needs a file, and many systems allow only 1024 at first. */
static void raise_open_files(void)
{
    struct rlimit files;
    if (getrlimit(RLIMIT_NOFILE, &files) == 0 && files.rlim_cur < files.rlim_max) {
        files.rlim_cur = files.rlim_max;
        (void)setrlimit(RLIMIT_NOFILE, &files);
    }
}

/* ---- the loop ---- */

static haft_status step(serve_service *s, haft_error *err)
{
    haft_status status = s->worker != NULL ? haft__worker_step(s->worker, err)
                                           : haft_runtime_step(s->runtime, -1, err);
    haft__mcp_mount_update(s->mcp);
    haft__runs_update(s->runs);
    haft__api_gateway_run(s->gateway);
    return status;
}

static void on_drain_timeout(void *context)
{
    *(bool *)context = true;
}

static bool is_drained(const serve_service *s)
{
    bool stopped = s->worker == NULL || haft__worker_is_stopped(s->worker);
    return stopped && !haft__mcp_mount_is_busy(s->mcp) && !haft__runs_is_busy(s->runs)
           && haft__api_gateway_is_idle(s->gateway);
}

/* Stops gracefully. The host may ask a second time: then calls with effects are stopped, too. */
static void drain(serve_service *s)
{
    bool over = false;
    haft__timer timer = {.slot = 0};
    haft__api_gateway_drain(s->gateway);
    haft__runs_drain(s->runs);
    haft__mcp_mount_shutdown(s->mcp);
    if (s->worker != NULL) {
        haft__worker_stop(s->worker, false);
    }
    if (haft__timer_start(s->runtime->loop, &timer, DRAIN_MS, on_drain_timeout, &over, NULL)
        != HAFT_OK) {
        return;
    }
    while (!over && !is_drained(s) && step(s, NULL) == HAFT_OK) {
    }
    haft__timer_stop(s->runtime->loop, &timer);
    haft__api_gateway_drop_calls(s->gateway);
    while (!haft__api_gateway_is_idle(s->gateway) || haft__runs_is_busy(s->runs)) {
        if (step(s, NULL) != HAFT_OK) {
            break;
        }
    }
}

static haft_status serve(serve_service *s, haft_error *err)
{
    const haft__service_host *host = &s->options->host;
    haft_status status =
        host->on_listening(host->context, haft__api_gateway_address(s->gateway), err);
    while (status == HAFT_OK && !host->stop(host->context)) {
        status = step(s, err);
    }
    drain(s);
    return status;
}

haft_status haft__serve_service_run(const haft__serve_service_options *options, haft_error *err)
{
    serve_service s = {.options = options, .runtime = options->runtime};
    haft__runs_options runs = {.runtime = options->runtime,
                               .specs = options->specs,
                               .spec_count = options->spec_count,
                               .store = options->store,
                               .host = &options->host};
    raise_open_files();
    haft_status status = haft__metrics_start(options->runtime, &options->host, err);
    if (status == HAFT_OK) {
        status = haft__runs_create(&runs, &s.runs, err);
    }
    if (status == HAFT_OK) {
        status = create_worker(&s, err);
    }
    if (status == HAFT_OK && s.worker != NULL) {
        haft__mcp_mount_options mcp = {.runtime = options->runtime,
                                       .runs = s.runs,
                                       .store = options->store,
                                       .host = &options->host};
        status = haft__mcp_mount_create(&mcp, &s.mcp, err);
    }
    if (status == HAFT_OK) {
        status = create_gateway(&s, err);
    }
    if (status == HAFT_OK) {
        status = serve(&s, err);
    }
    haft__worker_destroy(s.worker);
    haft__mcp_mount_destroy(s.mcp);
    haft__api_gateway_destroy(s.gateway);
    haft__runs_destroy(s.runs);
    return status;
}
