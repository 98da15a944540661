/* SPDX-License-Identifier: Apache-2.0 */
/*
 * client.c - the life of a transfer: start, time limits, callbacks, end.
 *
 * A transfer must not be removed inside a callback of libcurl. So these callbacks only store the
 * events; the caller's callbacks run after libcurl has returned and may call any function. Finished
 * transfers are stored with their handles for reuse. Tests: tests/io/http/client_test.c.
 */
#include "io/http/client.h"

#include <assert.h>

#include "base/error.h"
#include "base/limits.h"
#include "io/http/http_int.h"

/* The most memory that a spare transfer keeps for its buffer. */
#define SPARE_BYTES ((size_t)64 << 10)

/* ---- transfers, active and spare ---- */

static void free_transfer(haft__http_transfer *t)
{
    haft__curl.easy_cleanup(t->easy);
    haft__curl.url_cleanup(t->url);
    haft__curl.slist_free_all(t->headers);
    haft__arena_finish(&t->arena);
    haft__buf_finish(&t->body);
    free(t);
}

static haft__http_transfer *make_transfer(haft__http_client *http)
{
    haft__http_transfer *t = calloc(1, sizeof(*t));
    if (t == NULL) {
        return NULL;
    }
    t->http = http;
    haft__arena_init(&t->arena, 0);
    t->url = haft__curl.url();
    t->easy = haft__http_transfer_create_easy(t);
    if (t->url == NULL || t->easy == NULL) {
        free_transfer(t);
        return NULL;
    }
    return t;
}

/* Removes a spare transfer from the list, which must not be empty. */
static haft__http_transfer *pop_spare(haft__http_client *http)
{
    haft__http_transfer *t = http->spare;
    http->spare = t->next;
    http->spare_count--;
    return t;
}

static haft__http_transfer *get_transfer(haft__http_client *http)
{
    return http->spare != NULL ? pop_spare(http) : make_transfer(http);
}

static void remove_pending(haft__http_transfer *t)
{
    haft__http_client *http = t->http;
    haft__http_transfer **at = &http->pending;
    while (t->is_pending && *at != t) {
        at = &(*at)->next_pending;
    }
    if (t->is_pending) {
        *at = t->next_pending;
        http->pending_end = *at == NULL ? at : http->pending_end;
        t->is_pending = false;
    }
}

static void unlink_transfer(haft__http_transfer *t)
{
    haft__http_client *http = t->http;
    *(t->previous != NULL ? &t->previous->next : &http->first) = t->next;
    if (t->next != NULL) {
        t->next->previous = t->previous;
    }
}

/* Ends the transfer without further callbacks and stores it for reuse. */
static void retire(haft__http_transfer *t)
{
    haft__http_client *http = t->http;
    haft__http_transfer_withdraw(t);
    haft__timer_stop(http->loop, &t->timer);
    remove_pending(t);
    unlink_transfer(t);
    if (http->notifying == t) {
        http->notifying = NULL;
    }
    if (!t->prepared) {
        haft__http_transfer_reset(t);
    }
    if (t->body.cap > SPARE_BYTES) {
        haft__buf_finish(&t->body);
    }
    t->next = http->spare;
    http->spare = t;
    http->spare_count++;
    while (http->spare != NULL && http->spare_count > http->max_idle) {
        free_transfer(pop_spare(http));
    }
}

/* ---- time limits ---- */

static uint64_t phase_limit(const haft__http_transfer *t)
{
    switch (t->phase) {
    case HAFT__HTTP_CONNECTING: return t->request.connect_ms;
    case HAFT__HTTP_WAITING: return t->request.first_byte_ms;
    case HAFT__HTTP_READING: return t->request.idle_ms;
    }
    HAFT__UNREACHABLE();
}

static haft__http_outcome phase_end(const haft__http_transfer *t)
{
    switch (t->phase) {
    case HAFT__HTTP_CONNECTING: return HAFT__HTTP_CONNECT_TIMEOUT;
    case HAFT__HTTP_WAITING: return HAFT__HTTP_FIRST_BYTE_TIMEOUT;
    case HAFT__HTTP_READING: return HAFT__HTTP_IDLE_TIMEOUT;
    }
    HAFT__UNREACHABLE();
}

/* The remaining milliseconds of a limit; 0 if it has passed; UINT64_MAX without a limit. */
static uint64_t remaining(uint64_t limit, uint64_t since, uint64_t now)
{
    if (limit == 0) {
        return UINT64_MAX;
    }
    return now - since < limit ? limit - (now - since) : 0;
}

static void on_timer(void *context);

static haft_status set_timer(haft__http_transfer *t, uint64_t ms, haft_error *err)
{
    return haft__timer_start(t->http->loop, &t->timer, ms, on_timer, t, err);
}

/* Ends the transfer if a limit has passed, else sets the timer for the next limit. Received bytes
 * do not reset the timer; instead this function detects that the timer fired too early. */
static void check_time(haft__http_transfer *t)
{
    uint64_t now = haft__loop_now(t->http->loop);
    uint64_t total = remaining(t->request.total_ms, t->start_ms, now);
    uint64_t since = t->phase == HAFT__HTTP_READING ? t->byte_ms : t->phase_ms;
    uint64_t phase = remaining(phase_limit(t), since, now);
    if (total == 0 || phase == 0) {
        haft__http_transfer_finish(t, total == 0 ? HAFT__HTTP_TOTAL_TIMEOUT : phase_end(t), NULL);
    }
    haft_status status = set_timer(t, total < phase ? total : phase, NULL);
    assert(status == HAFT_OK); /* the timer was set before, so it needs no memory */
    (void)status;
}

static void on_timer(void *context)
{
    haft__http_transfer *t = context;
    check_time(t);
    haft__http_client_notify(t->http);
}

void haft__http_transfer_enter_phase(haft__http_transfer *t, haft__http_phase phase)
{
    t->phase = phase;
    t->phase_ms = t->byte_ms = haft__loop_now(t->http->loop);
    check_time(t);
}

/* ---- callbacks ---- */

void haft__http_transfer_queue_callback(haft__http_transfer *t)
{
    if (!t->is_pending) {
        t->is_pending = true;
        t->next_pending = NULL;
        *t->http->pending_end = t;
        t->http->pending_end = &t->next_pending;
    }
}

void haft__http_transfer_finish(haft__http_transfer *t, haft__http_outcome end, const char *detail)
{
    if (!t->ended) {
        t->ended = true;
        t->result.end = end;
        if (end != HAFT__HTTP_OK) {
            haft__http_transfer_set_message(t, detail);
        }
    }
    haft__http_transfer_queue_callback(t);
}

/* The next functions return false if the callback has cancelled, and so freed, the transfer. */

static bool notify_head(haft__http_transfer *t)
{
    haft__http_client *http = t->http;
    if (!t->has_head || t->head_notified) {
        return true;
    }
    t->head_notified = true;
    if (t->handlers.head != NULL) {
        t->handlers.head(t->context, &t->result);
    }
    return http->notifying == t;
}

static bool notify_body(haft__http_transfer *t)
{
    haft__http_client *http = t->http;
    if (t->body.len == 0) {
        return true;
    }
    t->result.delivered = true;
    bool more = t->handlers.body == NULL || t->handlers.body(t->context, haft__buf_str(&t->body));
    if (http->notifying != t) {
        return false;
    }
    haft__buf_clear(&t->body);
    if (!more) {
        t->ended = false; /* the next outcome replaces one that was stored before */
        haft__http_transfer_finish(t, HAFT__HTTP_STOPPED, NULL);
    }
    return true;
}

static void notify_transfer(haft__http_transfer *t)
{
    haft__http_client *http = t->http;
    http->notifying = t;
    if (t->ended) {
        haft__http_transfer_withdraw(t);
    }
    if (!notify_head(t) || !notify_body(t)) {
        return;
    }
    if (t->ended) {
        t->handlers.done(t->context, &t->result);
        if (http->notifying == t) {
            retire(t);
        }
    }
    http->notifying = NULL;
}

void haft__http_client_notify(haft__http_client *http)
{
    while (http->pending != NULL && http->notifying == NULL) {
        haft__http_transfer *t = http->pending;
        http->pending = t->next_pending;
        http->pending_end = http->pending == NULL ? &http->pending : http->pending_end;
        t->is_pending = false;
        notify_transfer(t);
    }
}

/* ---- start and end ---- */

static void begin(haft__http_transfer *t, const haft__http_handlers *handlers, void *context)
{
    haft__http_client *http = t->http;
    t->handlers = *handlers;
    t->context = context;
    t->result = (haft__http_result){.transfer = t};
    t->phase = HAFT__HTTP_CONNECTING;
    t->start_ms = t->phase_ms = t->byte_ms = haft__loop_now(http->loop);
    t->header_bytes = t->body_bytes = 0;
    t->redirects = 0;
    t->has_head = t->head_notified = t->following = t->refused = t->hop_sent = t->ended = false;
    t->previous = NULL;
    t->next = http->first;
    if (http->first != NULL) {
        http->first->previous = t;
    }
    http->first = t;
}

haft_status haft__http_transfer_start(haft__http_client *http, const haft__http_request *request,
                                      const haft__http_handlers *handlers, void *context,
                                      haft__http_transfer **ret_transfer, haft_error *err)
{
    assert(request->max_bytes > 0);
    haft__http_transfer *t = get_transfer(http);
    if (t == NULL) {
        return haft__fail_no_memory(err);
    }
    begin(t, handlers, context);
    haft__buf_clear(&t->body);
    t->body.max = request->max_bytes;
    if (set_timer(t, 0, NULL) != HAFT_OK || !haft__http_transfer_prepare(t, request)
        || (!t->ended && !haft__http_transfer_submit(t))) {
        retire(t);
        return haft__fail_no_memory(err);
    }
    if (!t->ended) { /* else the timer fires immediately and the outcome is reported */
        check_time(t);
    }
    *ret_transfer = t;
    return HAFT_OK;
}

void haft__http_transfer_cancel(haft__http_transfer *transfer)
{
    retire(transfer);
}

bool haft__http_transfer_is_sent(const haft__http_transfer *transfer)
{
    return transfer->result.sent;
}

haft_str haft__http_result_header(const haft__http_result *result, const char *name)
{
    struct curl_header *header = NULL;
    CURLHcode code = result->transfer != NULL ? haft__curl.easy_header(result->transfer->easy, name,
                                                                       0, CURLH_HEADER, -1, &header)
                                              : CURLHE_MISSING;
    return code == CURLHE_OK ? (haft_str){header->value, strlen(header->value)}
                             : (haft_str){NULL, 0};
}

/* ---- the client ---- */

haft_status haft__http_client_create(haft__loop *loop, const haft__http_client_options *options,
                                     haft__http_client **ret_http, haft_error *err)
{
    assert(!options->public_only || !options->proxy); /* a proxy would choose the address */
    haft_status status = haft__libcurl_load(err);
    if (status != HAFT_OK) {
        return status;
    }
    haft__http_client *http = calloc(1, sizeof(*http));
    if (http == NULL) {
        return haft__fail_no_memory(err);
    }
    http->loop = loop;
    http->options = *options;
    http->pending_end = &http->pending;
    if (options->test_allow != NULL) {
        (void)snprintf(http->test_allow, sizeof(http->test_allow), "%s", options->test_allow);
    }
    if (options->ca_file != NULL) {
        http->ca_file = strdup(options->ca_file);
    }
    if ((options->ca_file != NULL && http->ca_file == NULL)
        || !haft__http_client_multi_init(http)) {
        haft__http_client_destroy(http);
        return haft__fail_no_memory(err);
    }
    *ret_http = http;
    return HAFT_OK;
}

void haft__http_client_destroy(haft__http_client *http)
{
    if (http == NULL) {
        return;
    }
    for (haft__http_transfer *t = http->first, *next; t != NULL; t = next) {
        next = t->next;
        retire(t);
    }
    while (http->spare != NULL) {
        free_transfer(pop_spare(http));
    }
    haft__http_client_multi_finish(http);
    free(http->ca_file);
    free(http);
}
