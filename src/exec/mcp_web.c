/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mcp_web.c - a server over HTTP: each message a POST, each answer JSON or a stream of events.
 *
 * A stream that breaks off before its answer, of a session that has such things, is taken up again
 * behind the last event it numbered. Where requests may go is as for HTTP tools, except that an
 * address of this machine or of a private network that is written out in the spec is meant.
 * Tests: tests/mcp/web_test.py, tests/exec/mcp_link_test.c, tests/mcp/conformance_client.py.
 */
#include "base/error.h"
#include "base/limits.h"
#include "base/str.h"
#include "exec/mcp_int.h"
#include "io/http.h"

static haft__loop *loop_of(const haft__mcp_link *link)
{
    return link->exec->options.loop;
}

/* ---- exchanges ---- */

static haft__mcp_exchange *find_exchange(const haft__mcp_link *link, uint64_t number)
{
    for (haft__mcp_exchange *it = link->exchanges; it != NULL; it = it->next) {
        if (it->number == number && number != 0) {
            return it;
        }
    }
    return NULL;
}

static void free_exchange(haft__mcp_exchange *it)
{
    haft__mcp_exchange **at = &it->link->exchanges;
    while (*at != it) {
        at = &(*at)->next;
    }
    *at = it->next;
    haft__timer_stop(loop_of(it->link), &it->timer);
    if (it->transfer != NULL) {
        haft__http_cancel(it->transfer);
    }
    haft__sse_finish(&it->sse);
    haft__buf_finish(&it->text);
    haft__arena_finish(&it->arena);
    free(it);
}

/* Its end, told to the session; a push stream or a goodbye has nobody to tell. */
static void end_exchange(haft__mcp_exchange *it, uint32_t http, haft_str body, const char *why)
{
    haft__mcp_link *link = it->link;
    uint64_t number = it->number;
    char text[512];
    haft__mcp_broken broken = {.sent = it->sent};
    if (!it->taken) { /* else it says that the rest cannot be had, not that nothing was done */
        broken.http = http;
        broken.body = body;
    }
    (void)snprintf(text, sizeof(text), "%s", why);
    broken.why = haft__str(text);
    haft_status status = HAFT_OK;
    if (number != 0) {
        status = haft__mcp_client_broken(link->client, number, &broken, NULL);
    }
    free_exchange(it); /* behind the use of `body` */
    haft__mcp_link_pump(link, status);
}

/* ---- what comes ---- */

/* Whether a message is the answer that a stream is for. */
static bool is_answer(const haft__mcp_link *link, haft_str text)
{
    haft__arena scratch;
    haft__rpc_message message;
    haft__rpc_fault fault = {0};
    haft__arena_init(&scratch, 0);
    haft_status status =
        haft__rpc_read(&scratch, text, link->exec->hub->hash_key, &message, &fault, NULL);
    bool answer = status == HAFT_OK
                      ? message.kind == HAFT__RPC_RESULT || message.kind == HAFT__RPC_ERROR
                      : fault.answer;
    haft__arena_finish(&scratch);
    return answer;
}

/* False when the exchange is gone. */
static bool take_message(haft__mcp_exchange *it, haft_str text)
{
    haft__mcp_link *link = it->link;
    it->tries = 0;
    it->answered = it->answered || (it->number != 0 && is_answer(link, text));
    haft_status status = haft__mcp_client_receive(link->client, it->number, text, NULL);
    haft__mcp_link_pump(link, status);
    for (const haft__mcp_exchange *at = link->exchanges; at != NULL; at = at->next) {
        if (at == it) {
            return true;
        }
    }
    return false;
}

static void on_head(void *context, const haft__http_result *so_far)
{
    haft__mcp_exchange *it = context;
    haft_str session = haft__http_header(so_far, "mcp-session-id");
    bool good = so_far->status >= 200 && so_far->status < 300;
    it->events = good && haft__str_starts(so_far->content_type, HAFT__LIT("text/event-stream"));
    it->sent = true;
    if (good && session.ptr != NULL && it->number != 0) {
        haft__mcp_link *link = it->link;
        haft__mcp_link_pump(link,
                            haft__mcp_client_session(link->client, it->number, session, NULL));
    }
}

static bool on_body(void *context, haft_str bytes)
{
    haft__mcp_exchange *it = context;
    haft__sse_event event;
    if (!it->events) {
        haft__buf_add_str(&it->text, bytes);
        return it->text.status == HAFT_OK;
    }
    while (haft__sse_next(&it->sse, &bytes, &event)) {
        if (haft__str_trim(event.data).len > 0 && !take_message(it, event.data)) {
            return true; /* the transfer is gone, too */
        }
    }
    return haft__sse_check(&it->sse, NULL) == HAFT_OK;
}

/* ---- going on after a break ---- */

static void start_transfer(haft__mcp_exchange *it, bool resume);

static void on_retry(void *context)
{
    start_transfer(context, true);
}

static bool is_session(const haft__mcp_exchange *it)
{
    return haft__mcp_client_era(it->link->client) == HAFT__MCP_ERA_LEGACY;
}

uint64_t haft__mcp_web_wait(const haft__sse *sse)
{
    uint64_t wait = sse->has_retry ? sse->retry_ms : HAFT__LIMIT_MCP_RETRY_MS;
    return wait < HAFT__LIMIT_MCP_RETRY_MAX_MS ? wait : HAFT__LIMIT_MCP_RETRY_MAX_MS;
}

/* Whether it is to be taken up again, which then happens. */
static bool retry(haft__mcp_exchange *it)
{
    bool can =
        it->kind == HAFT__EXCHANGE_PUSH
        || (it->kind == HAFT__EXCHANGE_POST && it->events && it->sse.has_id && !it->answered);
    if (!can || !is_session(it) || it->tries >= HAFT__LIMIT_MCP_RESUMES) {
        return false;
    }
    it->tries++;
    uint64_t wait = haft__mcp_web_wait(&it->sse);
    return haft__timer_start(loop_of(it->link), &it->timer, wait, on_retry, it, NULL) == HAFT_OK;
}

static void on_done(void *context, const haft__http_result *result)
{
    haft__mcp_exchange *it = context;
    haft__sse_event event;
    it->transfer = NULL;
    it->sent = it->sent || result->sent;
    bool fine = result->end == HAFT__HTTP_OK && result->status >= 200 && result->status < 300;
    if (it->events && haft__sse_end(&it->sse, &event) && haft__str_trim(event.data).len > 0
        && is_answer(it->link, event.data) && !take_message(it, event.data)) {
        return;
    }
    bool breaks = result->status == 0 || result->status >= 500 || fine || it->events;
    if (breaks && result->end != HAFT__HTTP_STOPPED && retry(it)) {
        return;
    }
    if (fine && !it->events && it->number != 0 && haft__str_trim(haft__buf_str(&it->text)).len > 0
        && !take_message(it, haft__buf_str(&it->text))) {
        return;
    }
    if (result->end == HAFT__HTTP_OK && !fine) {
        end_exchange(it, result->status, haft__buf_str(&it->text), "");
    } else {
        bool long_one = result->end == HAFT__HTTP_STOPPED;
        end_exchange(it, 0, HAFT__LIT(""),
                     fine       ? "the answer ended without a message"
                     : long_one ? "the answer is longer than a message may be"
                                : result->message);
    }
}

/* ---- requests ---- */

static const haft__http_handlers handlers = {.head = on_head, .body = on_body, .done = on_done};

/* Headers: those of the server's configuration, the session's, and ours. */
static haft_status make_headers(haft__mcp_exchange *it, bool resume, haft_str **ret_headers,
                                size_t *ret_count, haft_error *err)
{
    const haft__mcp_link *link = it->link;
    bool get = resume || it->kind == HAFT__EXCHANGE_PUSH;
    size_t count = 0;
    haft_str *all = haft__arena_array(
        &it->arena, link->header_count + it->header_count + COUNT(link->session) + 4, sizeof(*all));
    if (all == NULL) {
        return haft__arena_fail(&it->arena, err);
    }
    for (size_t i = 0; i < link->header_count; i++) {
        all[count++] = link->headers[i];
    }
    if (it->kind == HAFT__EXCHANGE_POST && !get) {
        for (size_t i = 0; i < it->header_count; i++) {
            all[count++] = it->headers[i];
        }
        all[count++] = HAFT__LIT("Content-Type: application/json");
        all[count++] = HAFT__LIT("Accept: application/json, text/event-stream");
    } else {
        for (size_t i = 0; i < COUNT(link->session); i++) {
            if (link->session[i].len > 0) {
                all[count++] = link->session[i];
            }
        }
        all[count++] = HAFT__LIT("Accept: text/event-stream");
    }
    if (get && it->sse.has_id) {
        all[count] = haft__arena_format(&it->arena, "Last-Event-ID: %.*s", (int)it->sse.id_length,
                                        it->sse.id);
        if (all[count++].ptr == NULL) {
            return haft__arena_fail(&it->arena, err);
        }
    }
    *ret_headers = all;
    *ret_count = count;
    return HAFT_OK;
}

/* What a parser holds of a stream that broke off does not belong to the next one. */
static void begin_stream(haft__mcp_exchange *it)
{
    haft__sse before = it->sse;
    haft__sse_finish(&it->sse);
    haft__sse_init(&it->sse);
    memcpy(it->sse.id, before.id, sizeof(before.id));
    it->sse.id_length = before.id_length;
    it->sse.has_id = before.has_id;
    it->sse.retry_ms = before.retry_ms;
    it->sse.has_retry = before.has_retry;
    haft__buf_clear(&it->text);
    it->events = false;
}

static void start_transfer(haft__mcp_exchange *it, bool resume)
{
    haft__mcp_link *link = it->link;
    haft_str *headers = NULL;
    size_t count = 0;
    haft_error err = {0};
    bool get = resume || it->kind == HAFT__EXCHANGE_PUSH;
    it->taken = it->taken || resume;
    bool quick = !it->stream && !it->call && !get;
    begin_stream(it);
    haft_status status = make_headers(it, resume, &headers, &count, &err);
    if (status == HAFT_OK) {
        haft__http_request request = {
            .method = get                                 ? HAFT__LIT("GET")
                      : it->kind == HAFT__EXCHANGE_DELETE ? HAFT__LIT("DELETE")
                                                          : HAFT__LIT("POST"),
            .url = link->url,
            .headers = headers,
            .header_count = count,
            .body = get || it->kind == HAFT__EXCHANGE_DELETE ? (haft_str){NULL, 0} : it->body,
            .send_once = true,
            .connect_ms = HAFT__LIMIT_MCP_CONNECT_MS,
            .total_ms = quick ? HAFT__LIMIT_MCP_LIST_MS : 0,
            .max_bytes = SIZE_MAX};
        status = haft__http_start(link->web, &request, &handlers, it, &it->transfer, &err);
    }
    if (status != HAFT_OK) {
        end_exchange(it, 0, HAFT__LIT(""), "there was no memory for the request");
    }
}

static haft__mcp_exchange *make_exchange(haft__mcp_link *link)
{
    haft__mcp_exchange *it = calloc(1, sizeof(*it));
    if (it != NULL) {
        it->link = link;
        it->next = link->exchanges;
        link->exchanges = it;
        haft__arena_init(&it->arena, 0);
        haft__sse_init(&it->sse);
        haft__buf_init(&it->text, HAFT__LIMIT_MCP_MESSAGE_BYTES);
    }
    return it;
}

static bool keep_message(haft__mcp_exchange *it, const haft__mcp_send *send)
{
    haft_str *headers = haft__arena_array(&it->arena, send->header_count, sizeof(*headers));
    it->body = haft__arena_copy(&it->arena, send->text);
    bool good = headers != NULL && it->body.ptr != NULL;
    for (size_t i = 0; i < send->header_count && good; i++) {
        headers[i] = haft__arena_copy(&it->arena, send->headers[i]);
        good = headers[i].ptr != NULL;
    }
    it->headers = headers;
    it->header_count = send->header_count;
    return good;
}

/* Session and version, for requests that the session itself does not make. */
static void note_session(haft__mcp_link *link, const haft__mcp_send *send)
{
    static const haft_str names[] = {{"mcp-session-id:", 15}, {"mcp-protocol-version:", 21}};
    haft__arena_reset(&link->session_arena);
    for (size_t k = 0; k < COUNT(names); k++) {
        link->session[k] = (haft_str){NULL, 0};
        for (size_t i = 0; i < send->header_count; i++) {
            haft_str header = send->headers[i];
            header.len = header.len < names[k].len ? header.len : names[k].len;
            if (haft__str_equal_any_case(header, names[k])) {
                link->session[k] = haft__arena_copy(&link->session_arena, send->headers[i]);
                link->session[k].len = link->session[k].ptr != NULL ? link->session[k].len : 0;
            }
        }
    }
}

void haft__mcp_web_send(haft__mcp_link *link, const haft__mcp_send *send)
{
    haft__mcp_exchange *it = make_exchange(link);
    note_session(link, send);
    if (it == NULL) {
        haft_error err = {0};
        (void)!haft__mcp_link_fail(link, &err, HAFT_NO_MEMORY, "cannot be asked: out of memory");
        haft__mcp_link_broke(link, &err, false);
        return;
    }
    it->number = send->exchange;
    it->stream = send->stream;
    it->call = send->call != 0;
    if (keep_message(it, send)) {
        start_transfer(it, false);
    } else {
        end_exchange(it, 0, HAFT__LIT(""), "there was no memory for the request");
    }
}

void haft__mcp_web_cancel(haft__mcp_link *link, uint64_t number)
{
    haft__mcp_exchange *it = find_exchange(link, number);
    if (it != NULL) {
        free_exchange(it);
    }
}

void haft__mcp_web_push(haft__mcp_link *link)
{
    for (const haft__mcp_exchange *it = link->exchanges; it != NULL; it = it->next) {
        if (it->kind == HAFT__EXCHANGE_PUSH) {
            return;
        }
    }
    haft__mcp_exchange *it = make_exchange(link);
    if (it != NULL) { /* without it, changes of the tools are not heard of */
        it->kind = HAFT__EXCHANGE_PUSH;
        it->stream = true;
        start_transfer(it, false);
    }
}

/* ---- the whole ---- */

/* One client reaches only the public network, the other everything; made at the first need. */
haft_status haft__mcp_web_open(haft__mcp_link *link, haft_error *err)
{
    haft__exec *exec = link->exec;
    haft_status status = haft__mcp_setup_web(link, err);
    if (status != HAFT_OK) {
        return status;
    }
    bool private = haft__mcp_setup_is_private(link->url);
    haft__http **client = private ? &exec->any_web : &exec->open_web;
    if (*client == NULL) {
        haft__http_options options = {.public_only = !private};
        status = haft__http_create(exec->options.loop, &options, client, err);
    }
    link->web = *client;
    return status;
}

void haft__mcp_web_close(haft__mcp_link *link, bool goodbye)
{
    while (link->exchanges != NULL) {
        free_exchange(link->exchanges);
    }
    haft__mcp_exchange *it = goodbye && link->session[0].len > 0 ? make_exchange(link) : NULL;
    if (it != NULL) {
        it->kind = HAFT__EXCHANGE_DELETE;
        start_transfer(it, false);
    }
}
