/* SPDX-License-Identifier: Apache-2.0 */
/* runs.c - see runs.h. Tests: tests/serve/api_test.py. */
#include "serve/runs/runs.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/str.h"
#include "io/clock.h"
#include "serve/runs/runs_int.h"

/* Each event of a run of this process. */
static void on_published(void *context, haft_run *run, haft_str lines)
{
    haft__runs *runs = context;
    if (runs->creations != NULL && haft__str_starts_with(lines, HAFT__LIT("{\"seq\":1,"))) {
        haft__runs_creation_committed(runs, run);
    }
    haft__feed_publish(&runs->feed, run->id, lines);
}

haft_status haft__runs_create(const haft__runs_options *options, haft__runs **ret_runs,
                              haft_error *err)
{
    haft__runs *runs = calloc(1, sizeof(*runs));
    if (runs == NULL) {
        return haft__fail_no_memory(err);
    }
    runs->options = *options;
    runs->runtime = options->runtime;
    runs->worker = options->worker;
    runs->started_ms = haft__clock_monotonic();
    runs->agents = (haft__served_agents){.runtime = options->runtime,
                                         .host = options->host,
                                         .specs = options->specs,
                                         .spec_count = options->spec_count};
    haft__feed_init(&runs->feed, options->runtime);
    haft_status status = haft__served_agents_load(&runs->agents, err);
    if (status != HAFT_OK) {
        haft__served_agents_finish(&runs->agents);
        free(runs);
        return status;
    }
    runs->observer = (haft__runtime_observer){.published = on_published, .context = runs};
    haft__runtime_observe(options->runtime, &runs->observer);
    *ret_runs = runs;
    return HAFT_OK;
}

void haft__runs_destroy(haft__runs *runs)
{
    if (runs == NULL) {
        return;
    }
    haft__runtime_unobserve(runs->runtime, &runs->observer);
    haft__runs_creations_destroy(runs);
    haft__feed_finish(&runs->feed);
    haft__served_agents_finish(&runs->agents);
    for (size_t i = 0; i < HAFT__RUNS_SPEC_CACHE; i++) {
        haft_agent_release(runs->specs[i].agent);
    }
    free(runs);
}

void haft__runs_set_worker(haft__runs *runs, haft__worker *worker)
{
    runs->worker = worker;
}

void haft__runs_set_gateway(haft__runs *runs, haft__api_gateway *gateway)
{
    runs->gateway = gateway;
}

void haft__runs_on_worker_event(haft__runs *runs, const haft__worker_event *event)
{
    switch (event->kind) {
    case HAFT__WORKER_CLAIMED:
        event->handle->log.reader.discards = true;
        event->handle->log.reader.attached = haft__feed_wants_progress(&runs->feed, event->run);
        return;
    case HAFT__WORKER_SKIPPED:
    case HAFT__WORKER_LEASE_LOST:
        haft__runs_creation_failed(
            runs, event->run, event->error,
            event->handle != NULL && event->handle->queue.state == HAFT__THREAD_QUEUE_REJECTED);
        return;
    case HAFT__WORKER_ENDED:
    case HAFT__WORKER_WAITING:
    case HAFT__WORKER_RELEASED:
    case HAFT__WORKER_RELEASE_UNCONFIRMED:
    case HAFT__WORKER_ERROR: return;
    }
}

void haft__runs_update(haft__runs *runs)
{
    haft__runs_creations_update(runs);
}

static void cut(haft__follower *follower)
{
    static const haft_error stopping = {.status = HAFT_IO, .message = "the server is stopping"};
    follower->actions->fail(follower, &stopping);
}

void haft__runs_drain(haft__runs *runs)
{
    runs->draining = true;
    haft__feed_each(&runs->feed, cut);
}

bool haft__runs_is_busy(const haft__runs *runs)
{
    return runs->creations != NULL || !haft__feed_is_idle(&runs->feed);
}

haft_runtime *haft__runs_runtime(const haft__runs *runs)
{
    return runs->runtime;
}

size_t haft__runs_stream_count(const haft__runs *runs)
{
    return runs->feed.followers;
}

haft_agent *haft__runs_find_agent(haft__runs *runs, haft_str name, haft_error *err)
{
    const haft__served_agent *one = NULL;
    return haft__served_agents_find(&runs->agents, name, &one, err) == HAFT_OK ? one->agent : NULL;
}
