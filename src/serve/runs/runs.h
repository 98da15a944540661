/* SPDX-License-Identifier: Apache-2.0 */
/*
 * serve/runs/runs.h - the runs API of `haft serve`: /api/v1/...
 *
 *     agents.c     the served specs; agent_routes.c their routes
 *     load.c       reads a run from the store, and writes it
 *     start.c      creates runs
 *     list.c       lists of runs, threads and pending calls
 *     command.c    answers, approvals and other commands
 *     feed.c       follows runs, wherever they are worked on; stream.c and wait.c are its users
 *     routes.c     the table
 */
#ifndef HAFT_SERVE_RUNS_RUNS_H
#define HAFT_SERVE_RUNS_RUNS_H

#include "engine/worker/worker.h"
#include "serve/api/gateway.h"

typedef struct haft__runs haft__runs;

typedef struct haft__runs_options {
    haft_runtime *runtime;
    haft__worker *worker;     /* continues the runs; NULL: other processes do */
    const char *const *specs; /* files and directories */
    size_t spec_count;
    const char *store; /* for messages; NULL: the default */
    const haft__service_host *host;
} haft__runs_options;

extern const haft__route_table haft__runs_routes;

/* Options are borrowed. BAD_INPUT for a spec that cannot be used. */
HAFT_MUST_USE haft_status haft__runs_create(const haft__runs_options *options,
                                            haft__runs **ret_runs, haft_error *err);
void haft__runs_destroy(haft__runs *runs);

/* Set after the gateway and the worker were created, and before the first step. */
void haft__runs_set_worker(haft__runs *runs, haft__worker *worker);
void haft__runs_set_gateway(haft__runs *runs, haft__api_gateway *gateway);

/* Reports what the worker did. */
void haft__runs_on_worker_event(haft__runs *runs, const haft__worker_event *event);

/* Called after each step of the loop. */
void haft__runs_update(haft__runs *runs);

/* The server stops: streams are cut, so that their clients reconnect elsewhere. */
void haft__runs_drain(haft__runs *runs);

/* Whether runs are being created. */
bool haft__runs_is_busy(const haft__runs *runs);

haft_runtime *haft__runs_runtime(const haft__runs *runs);

/* The number of open streams. */
size_t haft__runs_stream_count(const haft__runs *runs);

/* Finds a served agent by its name. NULL and an error if it does not exist or cannot be used. */
haft_agent *haft__runs_find_agent(haft__runs *runs, haft_str name, haft_error *err);

#endif
