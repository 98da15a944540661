/* SPDX-License-Identifier: Apache-2.0 */
/* faulty_help.c - see faulty_help.h. */
#include "faulty_help.h"

#include "base/error.h"
#include "base/str.h"
#include "engine/run.h"
#include "io/clock.h"

#define MAX_VERBS 32

static struct {
    help_faulty what;
    int64_t steady, wall;
    unsigned counts[MAX_VERBS];
    haft__store_backend kind;
    uint64_t hurry_ms;
    void (*done)(haft__store_request *request); /* of the request with the false result */
    haft_status lie;
    haft__store_request *buffered;
    haft__arena arena;
} faulty;

static uint64_t steady(void)
{
    return (uint64_t)((int64_t)haft__clock_monotonic() + faulty.steady);
}

static uint64_t wall(void)
{
    return (uint64_t)((int64_t)haft__clock_now() + faulty.steady + faulty.wall);
}

static uint64_t store_wall(void *context)
{
    (void)context;
    return wall();
}

static void lie(haft__store_request *request)
{
    request->done = faulty.done;
    if (request->status == HAFT_OK) {
        request->status = haft__fail(&request->error, faulty.lie, "the store", "something was cut");
    }
    request->done(request);
}

static void tell_low(haft__store_request *request)
{
    request->done = faulty.done;
    request->low = true;
    request->done(request);
}

static void perform_and_lie(haft__store *store, haft__store_request *request, haft_status status)
{
    faulty.done = request->done;
    faulty.lie = status;
    request->done = lie;
    haft__store_memory.submit(store, request);
}

static void fail(haft__store *store, haft__store_request *request)
{
    haft__store_queue list;
    haft__store_queue_init(&list);
    request->status = haft__fail(&request->error, HAFT_IO, "the store", "nobody is there");
    haft__store_queue_push(&list, request);
    haft__store_complete(store, &list);
}

static void pass_over(haft__store *store, haft__store_request *request)
{
    haft__store_queue list;
    haft__store_queue_init(&list);
    request->status = HAFT_OK;
    request->count = 0;
    request->run.lease_ms = haft__store_lease_end(store, request->lease_ms);
    haft__store_queue_push(&list, request);
    haft__store_complete(store, &list);
}

static void buffer(haft__store_request *request)
{
    request->done = faulty.done;
    faulty.buffered = request;
}

static void submit(haft__store *store, haft__store_request *request)
{
    bool writes = request->verb == HAFT__STORE_APPEND || request->verb == HAFT__STORE_CREATE;
    bool late = faulty.what == HELP_CLAIMED_LATE;
    bool takes = request->verb == HAFT__STORE_CLAIM_NEXT && (faulty.what == HELP_CLAIMED || late);
    help_faulty what = writes || takes || faulty.what == HELP_DOWN ? faulty.what : HELP_FINE;
    faulty.counts[request->verb]++;
    if (faulty.what == HELP_BUFFERED && request->verb == HAFT__STORE_RECEIVE) {
        faulty.done = request->done;
        request->done = buffer;
    }
    bool result = request->verb == HAFT__STORE_CACHE_GET || request->verb == HAFT__STORE_CACHE_PUT;
    if (faulty.what == HELP_FORGETS && result) {
        fail(store, request);
        return;
    }
    if (faulty.what == HELP_PASSED && request->verb == HAFT__STORE_RENEW) {
        pass_over(store, request);
        return;
    }
    switch (what) {
    case HELP_FINE:
    case HELP_PASSED:
    case HELP_FORGETS:
    case HELP_BUFFERED: haft__store_memory.submit(store, request); return;
    case HELP_LOW:
        faulty.done = request->done;
        request->done = tell_low;
        haft__store_memory.submit(store, request);
        return;
    case HELP_KEPT: perform_and_lie(store, request, HAFT_IO); return;
    case HELP_CLAIMED:
        faulty.what = takes ? HELP_FINE : faulty.what;
        if (takes) {
            perform_and_lie(store, request, HAFT_IO);
        } else {
            haft__store_memory.submit(store, request);
        }
        return;
    case HELP_KEPT_LATE:
        if (faulty.done == NULL) {
            faulty.done = request->done;
            fail(store, request);
        } else {
            perform_and_lie(store, request, HAFT_BAD_STATE);
            faulty.what = HELP_FINE;
        }
        return;
    case HELP_CLAIMED_LATE:
        if (takes) {
            help_faulty_wait((int64_t)request->lease_ms);
            faulty.what = HELP_FINE;
        }
        haft__store_memory.submit(store, request);
        return;
    case HELP_STOPPED:
        help_faulty_wait((int64_t)request->lease_ms);
        faulty.what = HELP_FINE;
        haft__store_memory.submit(store, request);
        return;
    case HELP_NOT_KEPT:
    case HELP_DOWN: fail(store, request); return;
    }
    HAFT__UNREACHABLE();
}

static void note_hurry(haft__store *store, uint64_t ms)
{
    (void)store;
    faulty.hurry_ms = ms;
}

uint64_t help_faulty_hurry(void)
{
    return faulty.hurry_ms;
}

void help_faulty_init(help_host *h, uint64_t lease_ms)
{
    help_host_init(h, "memory:");
    memset(&faulty, 0, sizeof(faulty));
    haft__arena_init(&faulty.arena, 0);
    faulty.kind = (haft__store_backend){NULL, submit, haft__store_memory.close, note_hurry, false};
    h->runtime->store->kind = &faulty.kind;
    h->runtime->shared = true;
    h->runtime->leases.ms = lease_ms;
    h->runtime->monotonic_clock = steady;
    h->runtime->clock = wall;
    haft__store_set_clock(h->runtime->store, store_wall, NULL);
}

void help_faulty_finish(help_host *h)
{
    faulty.what = HELP_FINE;
    help_host_finish(h);
    haft__arena_finish(&faulty.arena);
}

void help_faulty_set(help_faulty what)
{
    faulty.what = what;
    faulty.done = NULL;
}

void help_faulty_wait(int64_t ms)
{
    faulty.steady += ms;
}

void help_faulty_jump(int64_t ms)
{
    faulty.wall += ms;
}

const haft__store_request *help_faulty_buffered(void)
{
    return faulty.buffered;
}

void help_faulty_report(void)
{
    haft__store_request *buffered = faulty.buffered;
    faulty.buffered = NULL;
    buffered->done(buffered);
}

unsigned help_faulty_count(haft__store_verb verb)
{
    return faulty.counts[verb];
}

haft__store_run help_faulty_find(help_host *h, const haft_run *run)
{
    return help_faulty_find_by_id(h, haft__str(run->id));
}

haft__store_run help_faulty_find_by_id(help_host *h, haft_str id)
{
    haft__store_request request = {.verb = HAFT__STORE_FIND, .name = id, .arena = &faulty.arena};
    haft_status status = haft__store_submit_and_wait(h->runtime->store, &request, &h->err);
    CHECK_INT(status, HAFT_OK, "%s", h->err.message);
    return status == HAFT_OK ? request.found[0] : (haft__store_run){.id = HAFT__LIT("")};
}

void help_faulty_take(help_host *h, const haft_run *run)
{
    haft__store_request request = {.verb = HAFT__STORE_CLAIM,
                                   .run.id = haft__str(run->id),
                                   .run.owner = HAFT__LIT("another"),
                                   .dead_owner = haft__str(h->runtime->owner),
                                   .lease_ms = 1000,
                                   .arena = &faulty.arena};
    CHECK_INT(haft__store_submit_and_wait(h->runtime->store, &request, &h->err), HAFT_OK, "%s",
              h->err.message);
}

void help_faulty_step(help_host *h, const haft_run *run, uint64_t ms)
{
    uint64_t start = haft__loop_now(h->runtime->loop);
    while (haft_run_state(run) == HAFT_RUNNING && haft__loop_now(h->runtime->loop) - start < ms) {
        CHECK_INT(haft_runtime_step(h->runtime, 20, &h->err), HAFT_OK, "%s", h->err.message);
    }
}
