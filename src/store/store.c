/* SPDX-License-Identifier: Apache-2.0 */
/*
 * store.c - selects the backend for a URL, and delivers performed requests to the loop.
 *
 * A store has one task for all requests. Performed requests are added to a list, so that a thread
 * that performs many requests wakes the loop only once. Tests: tests/store/store_test.c.
 */
#include <assert.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/limits.h"
#include "base/macros.h"
#include "base/str.h"
#include "io/clock.h"
#include "store/backend.h"

const char *haft__run_state_name(haft__run_state state)
{
    static const char *const names[] = {
        [HAFT__RUN_STATE_RUNNING] = "running",
        [HAFT__RUN_STATE_WAITING] = "waiting",
        [HAFT__RUN_STATE_ENDED] = "ended",
    };
    return names[state];
}

bool haft__store_run_is_child(const haft__store_run *run)
{
    return run->parent.len > 0 && haft__str_equal(run->thread, run->id);
}

/* ---- request queues ---- */

void haft__store_queue_init(haft__store_queue *list)
{
    list->first = NULL;
    list->end = &list->first;
}

void haft__store_queue_push(haft__store_queue *list, haft__store_request *request)
{
    request->next = NULL;
    *list->end = request;
    list->end = &request->next;
}

haft__store_request *haft__store_queue_pop(haft__store_queue *list)
{
    haft__store_request *request = list->first;
    if (request != NULL) {
        list->first = request->next;
        list->end = list->first == NULL ? &list->first : list->end;
    }
    return request;
}

void haft__store_queue_append(haft__store_queue *from, haft__store_queue *to)
{
    if (from->first != NULL) {
        *to->end = from->first;
        to->end = from->end;
        haft__store_queue_init(from);
    }
}

/* ---- delivery ---- */

static bool add_finished(haft__store *store, haft__store_queue *performed)
{
    (void)pthread_mutex_lock(&store->lock);
    bool announce = !store->delivery_posted && performed->first != NULL;
    store->delivery_posted = store->delivery_posted || announce;
    haft__store_queue_append(performed, &store->finished);
    (void)pthread_mutex_unlock(&store->lock);
    return announce;
}

void haft__store_complete(haft__store *store, haft__store_queue *performed)
{
    if (add_finished(store, performed)) {
        haft__loop_post(store->loop, &store->delivery);
    }
}

void haft__store_complete_threadsafe(haft__store *store, haft__store_queue *performed)
{
    if (add_finished(store, performed)) {
        haft__loop_post_threadsafe(store->loop, &store->delivery);
    }
}

/* Requests that are performed during this call are delivered in the next round. */
static void deliver(haft__task *task)
{
    haft__store *store = HAFT__CONTAINER(task, haft__store, delivery);
    haft__store_queue finished;
    haft__store_queue_init(&finished);
    (void)pthread_mutex_lock(&store->lock);
    haft__store_queue_append(&store->finished, &finished);
    store->delivery_posted = false;
    (void)pthread_mutex_unlock(&store->lock);
    store->delivering = true;
    for (haft__store_request *request; (request = haft__store_queue_pop(&finished)) != NULL;) {
        request->done(request);
    }
    store->delivering = false;
}

/* ---- the head of a store ---- */

static uint64_t machine_now(void *context)
{
    (void)context;
    return haft__clock_now();
}

void haft__store_init(haft__store *store, const haft__store_backend *kind, haft__loop *loop)
{
    *store = (haft__store){.kind = kind,
                           .loop = loop,
                           .now = machine_now,
                           .run_bytes = HAFT__LIMIT_RUN_BYTES,
                           .delivery = {.run = deliver}};
    (void)pthread_mutex_init(&store->lock, NULL);
    haft__store_queue_init(&store->finished);
}

void haft__store_finish(haft__store *store)
{
    haft__loop_cancel_task(store->loop, &store->delivery);
    (void)pthread_mutex_destroy(&store->lock);
}

haft__store_clock haft__store_set_clock(haft__store *store, uint64_t (*now)(void *context),
                                        void *context)
{
    haft__store_clock before = {store->now, store->now_context};
    store->now = now;
    store->now_context = context;
    return before;
}

uint64_t haft__store_now(const haft__store *store)
{
    return store->now(store->now_context);
}

uint64_t haft__store_claim_time(const haft__store *store, const haft__store_request *request)
{
    uint64_t now = haft__store_now(store);
    return request->now_ms > now ? request->now_ms : now;
}

static uint64_t later(uint64_t now, uint64_t ms)
{
    return now < INT64_MAX && ms < INT64_MAX - now ? now + ms : INT64_MAX;
}

uint64_t haft__store_lease_end(const haft__store *store, uint64_t lease_ms)
{
    return later(haft__store_now(store), lease_ms);
}

uint64_t haft__store_cache_expiry(const haft__store_request *request)
{
    return request->lease_ms > 0 ? later(request->now_ms, request->lease_ms) : 0;
}

/* ---- URLs ---- */

static const struct {
    const char *scheme;
    const haft__store_backend *kind;
} kinds[] = {
    {"memory", &haft__store_memory},
    {"sqlite", &haft__store_sqlite},
    {"postgres", &haft__store_pg},
    {"postgresql", &haft__store_pg},
};

/* The scheme of a URL; "" for a path: a colon after a slash, or at the start, is part of the
 * path. */
static haft_str scheme_of(haft_str url)
{
    for (size_t i = 0; i < url.len && url.ptr[i] != '/'; i++) {
        if (url.ptr[i] == ':') {
            return (haft_str){url.ptr, i};
        }
    }
    return HAFT__LIT("");
}

static haft_status fail_scheme(haft_str scheme, haft_error *err)
{
    haft_status status =
        haft__fail(err, HAFT_UNSUPPORTED, "", "unknown kind of store '%.*s:', expected %s",
                   HAFT__ARG(scheme), HAFT__STORE_URLS);
    return haft__hint(err, status, "write a file name that has a colon as ./NAME");
}

const char *haft__store_url_path(const char *url)
{
    haft_str scheme = scheme_of(haft__str(url));
    bool file = scheme.len == 0 || haft__str_equal(scheme, HAFT__LIT("sqlite"));
    return file ? url + (scheme.len > 0 ? scheme.len + 1 : 0) : NULL;
}

/* ---- display form of URLs ---- */

/* The index of the last '@', or the length if there is none. */
static size_t last_at(haft_str text)
{
    size_t at = text.len;
    while (at > 0 && text.ptr[at - 1] != '@') {
        at--;
    }
    return at > 0 ? at - 1 : text.len;
}

/* Whether a parameter may contain a secret. An encoded name counts as secret, because libpq decodes
 * it and it can be any name. */
static bool is_secret(haft_str parameter)
{
    haft_str name = haft__str_split(&parameter, '=');
    static const char *const words[] = {"password", "secret", "scram_", "%"};
    bool secret = false;
    for (size_t i = 0; i < COUNT(words); i++) {
        secret = secret || haft__str_contains_ignore_case(name, haft__str(words[i]));
    }
    return secret;
}

static void add_parameters(haft__buf *to, haft_str rest)
{
    char before = '?';
    while (rest.len > 0) {
        haft_str one = haft__str_split(&rest, '&');
        if (!is_secret(one)) {
            haft__buf_add_char(to, before);
            haft__buf_add_str(to, one);
            before = '&';
        }
    }
}

/* Appends the part after "//". An unencoded password may contain '@', '/' and '?': everything
 * before the last '@' of the address is user and password. */
static void add_address(haft__buf *to, haft_str rest)
{
    haft_str query = rest, address = haft__str_split(&query, '?');
    size_t at = last_at(address);
    haft_str authority = address, port = haft__str_split(&authority, '/');
    uint64_t number = 0;
    (void)haft__str_split(&port, ':');
    /* The text after the colon is not a port, so it is part of a password with a '?'. */
    if (at == address.len && port.len > 0 && !haft__str_to_u64(port, &number)
        && last_at(rest) < rest.len) {
        at = last_at(rest);
        query = haft__str_skip(rest, at + 1);
        address = (haft_str){rest.ptr, rest.len - query.len};
        address.len += haft__str_split(&query, '?').len;
    }
    if (at < address.len) {
        haft_str user = {address.ptr, at};
        user = haft__str_split(&user, ':');
        haft__buf_add_str(to, user);
        haft__buf_add_str(to, user.len > 0 ? HAFT__LIT("@") : HAFT__LIT(""));
        address = haft__str_skip(address, at + 1);
    }
    haft__buf_add_str(to, address);
    add_parameters(to, query);
}

haft_str haft__store_display_url(const char *url, haft__arena *arena)
{
    haft_str all = haft__str(url), scheme = scheme_of(all), rest = all, shown;
    haft__buf text;
    if (haft__store_url_path(url) != NULL || haft__str_equal(all, HAFT__LIT("memory:"))) {
        return all;
    }
    rest = haft__str_skip(rest, scheme.len + 1);
    haft__buf_init(&text, HAFT__LIMIT_STORE_TEXT_BYTES);
    haft__buf_add_str(&text, scheme);
    if (haft__str_starts_with(rest, HAFT__LIT("//"))) {
        haft__buf_add_str(&text, HAFT__LIT("://"));
        add_address(&text, haft__str_skip(rest, 2));
    } else {
        haft__buf_add_str(&text, HAFT__LIT(":..."));
    }
    bool good = haft__buf_check(&text, NULL) == HAFT_OK;
    shown = good ? haft__arena_format(arena, "%.*s", HAFT__ARG(haft__buf_str(&text)))
                 : HAFT__LIT("...");
    haft__buf_finish(&text);
    return shown;
}

/* ---- opening and closing ---- */

static haft_status open_store(haft__loop *loop, const char *url, bool make_tables,
                              haft__store **ret_store, haft_error *err)
{
    haft_str scheme = scheme_of(haft__str(url));
    const char *location = scheme.len > 0 ? url + scheme.len + 1 : url;
    haft_str name = scheme.len > 0 ? scheme : HAFT__LIT("sqlite");
    for (size_t i = 0; i < COUNT(kinds); i++) {
        if (haft__str_equal(name, haft__str(kinds[i].scheme))) {
            return kinds[i].kind->open(loop, location, make_tables, ret_store, err);
        }
    }
    return fail_scheme(scheme, err);
}

haft_status haft__store_open(haft__loop *loop, const char *url, haft__store **ret_store,
                             haft_error *err)
{
    return open_store(loop, url, true, ret_store, err);
}

haft_status haft__store_open_existing(haft__loop *loop, const char *url, haft__store **ret_store,
                                      haft_error *err)
{
    return open_store(loop, url, false, ret_store, err);
}

const char *haft__store_kind(const haft__store *store)
{
    size_t i = 0;
    while (kinds[i].kind != store->kind) {
        i++;
    }
    return kinds[i].scheme;
}

bool haft__store_is_shared(const haft__store *store)
{
    return store->kind->shared;
}

void haft__store_set_timeout(haft__store *store, uint64_t ms)
{
    if (store->kind->set_timeout != NULL) {
        store->kind->set_timeout(store, ms);
    }
}

void haft__store_close(haft__store *store)
{
    if (store != NULL) {
        assert(!store->delivering);
        store->kind->close(store);
    }
}

/* ---- requests ---- */

void haft__store_reset_result(haft__store_request *request)
{
    request->status = HAFT_OK;
    request->found = NULL;
    request->found_count = 0;
    request->artifact = (haft__store_artifact){{NULL, 0}, {NULL, 0}, {NULL, 0}, {NULL, 0}};
    request->findings = NULL;
    request->finding_count = 0;
    request->count = 0;
    request->low = false;
    request->lost = false;
    request->damaged[0] = '\0';
    memset(&request->gc, 0, sizeof(request->gc));
}

void haft__store_submit(haft__store *store, haft__store_request *request)
{
    haft__store_reset_result(request);
    store->kind->submit(store, request);
}

static void note_done(haft__store_request *request)
{
    *(bool *)request->context = true;
}

haft_status haft__store_submit_and_wait(haft__store *store, haft__store_request *request,
                                        haft_error *err)
{
    bool done = false;
    request->done = note_done;
    request->context = &done;
    haft__store_submit(store, request);
    while (!done) {
        haft_status status = haft__loop_step(store->loop, -1, NULL);
        assert(status == HAFT_OK); /* stepping fails only while the loop is being destroyed */
        (void)status;
    }
    if (request->status != HAFT_OK && err != NULL) {
        *err = request->error;
    }
    return request->status;
}
