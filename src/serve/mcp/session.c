/* SPDX-License-Identifier: Apache-2.0 */
/*
 * session.c - sessions of MCP over HTTP: limited in number and idle time. Tests:
 * tests/serve/mcp/endpoint_test.c, tests/cli/mcp_test.py.
 */
#include "serve/mcp/endpoint_int.h"

#include <stdlib.h>

#include "base/buf.h"
#include "base/hex.h"
#include "base/limits.h"
#include "base/str.h"
#include "io/random.h"

#define SWEEP_MS 60000

static bool is_busy(const haft__mcp_session *s)
{
    for (const haft__mcp_channel *c = s->channels; c != NULL; c = c->next) {
        if (c->stream.request != NULL || (!c->stream.ended && c != s->push)) {
            return true;
        }
    }
    return false;
}

void haft__mcp_session_destroy(haft__mcp_session *s)
{
    haft__mcp_peer_destroy(s->peer);
    while (s->channels != NULL) {
        haft__mcp_channel_destroy(s->channels);
    }
    if (s->previous != NULL) {
        s->previous->next = s->next;
    } else {
        s->endpoint->sessions = s->next;
    }
    if (s->next != NULL) {
        s->next->previous = s->previous;
    }
    s->endpoint->session_count--;
    free(s->principal_text);
    free(s);
}

static void on_sweep(void *context);

static void start_sweep_timer(haft__mcp_endpoint *endpoint)
{
    uint64_t ms = endpoint->options.idle_ms < SWEEP_MS ? endpoint->options.idle_ms : SWEEP_MS;
    (void)!haft__timer_start(endpoint->options.loop, &endpoint->sweep, ms, on_sweep, endpoint,
                             NULL);
}

static void on_sweep(void *context)
{
    haft__mcp_endpoint *endpoint = context;
    uint64_t now = haft__loop_now(endpoint->options.loop);
    for (haft__mcp_session *s = endpoint->sessions, *next; s != NULL; s = next) {
        next = s->next;
        if (!is_busy(s) && now - s->used_ms >= endpoint->options.idle_ms) {
            haft__mcp_session_destroy(s);
        }
    }
    if (endpoint->sessions != NULL) {
        start_sweep_timer(endpoint);
    }
}

/* Evicts one of the sessions: the longest idle one, or a busy one if all are busy. */
static void evict_session(haft__mcp_session *sessions)
{
    haft__mcp_session *oldest = NULL;
    bool oldest_busy = true;
    for (haft__mcp_session *s = sessions; s != NULL; s = s->next) {
        bool busy = is_busy(s);
        if (oldest == NULL || (oldest_busy && !busy)
            || (busy == oldest_busy && s->used_ms < oldest->used_ms)) {
            oldest = s;
            oldest_busy = busy;
        }
    }
    if (oldest != NULL) {
        haft__mcp_session_destroy(oldest);
    }
}

haft__mcp_session *haft__mcp_session_create(haft__mcp_endpoint *endpoint)
{
    uint8_t random[HAFT__MCP_SESSION_ID_BYTES];
    haft_str principal = haft__mcp_endpoint_principal(endpoint);
    char *text = haft__str_duplicate(principal);
    haft__mcp_session *s = calloc(1, sizeof(*s));
    if (text == NULL || s == NULL || !haft__random_bytes(random, sizeof(random))
        || haft__mcp_peer_create(endpoint->options.server, principal, haft__mcp_channel_send, s,
                                 &s->peer, NULL)
               != HAFT_OK) {
        free(s);
        free(text);
        return NULL;
    }
    s->principal_text = text;
    s->principal = (haft_str){text, principal.len};
    haft__hex_write(s->id, random, sizeof(random));
    s->endpoint = endpoint;
    s->used_ms = haft__loop_now(endpoint->options.loop);
    s->next = endpoint->sessions;
    if (s->next != NULL) {
        s->next->previous = s;
    }
    endpoint->sessions = s;
    endpoint->session_count++;
    if (endpoint->session_count > endpoint->options.sessions) {
        evict_session(s->next);
    }
    if (endpoint->sweep.slot == 0) {
        start_sweep_timer(endpoint);
    }
    return s;
}

/* The session that a request names; NULL if the request was rejected. */
haft__mcp_session *haft__mcp_session_find(haft__mcp_endpoint *endpoint,
                                          haft__http_server_request *request, uint32_t *ret_status)
{
    haft_str id = haft__http_server_header(request, "mcp-session-id");
    if (id.ptr == NULL) {
        *ret_status = 400;
        return NULL;
    }
    for (haft__mcp_session *s = endpoint->sessions; s != NULL; s = s->next) {
        if (haft__str_equal(haft__str(s->id), id)
            && haft__str_equal(s->principal, haft__mcp_endpoint_principal(endpoint))) {
            s->used_ms = haft__loop_now(endpoint->options.loop);
            return s;
        }
    }
    *ret_status = 404;
    return NULL;
}

const char *haft__mcp_session_error_message(uint32_t status)
{
    return status == 400 ? "expected the header Mcp-Session-Id with the id from initialize"
                         : "the session does not exist any more; initialize again";
}

/* Keeps only the newest of the finished streams for replay. */
void haft__mcp_session_evict_old(haft__mcp_session *s)
{
    size_t count = 0;
    for (haft__mcp_channel *c = s->channels, *next; c != NULL; c = next) {
        next = c->next;
        if (++count > HAFT__LIMIT_MCP_STREAMS && c->stream.ended && !c->destroyed) {
            haft__mcp_channel_destroy(c);
        }
    }
}

/* The session ends while calls are open: each is cancelled, and its client gets an error instead of
 * only a closed connection. */
void haft__mcp_session_end(haft__mcp_session *s)
{
    haft__buf text;
    haft__buf_init(&text, HAFT__LIMIT_MCP_MESSAGE_BYTES);
    for (haft__mcp_channel *c = s->channels; c != NULL; c = c->next) {
        bool waits = c != s->push && !c->stream.ended && !c->destroyed && c->stream.request != NULL;
        haft__buf_clear(&text);
        haft__buf_addf(&text,
                       "{\"jsonrpc\":\"2.0\",\"id\":%.*s,\"error\":{\"code\":-32603,\"message\":"
                       "\"the session was ended by its client; the request is cancelled\"}}",
                       HAFT__ARG(c->stream.request_id));
        if (waits && c->stream.request_id.len > 0 && haft__buf_check(&text, NULL) == HAFT_OK) {
            haft__mcp_stream_end(&c->stream, 200, haft__buf_str(&text));
        } else {
            haft__mcp_stream_pause(&c->stream);
        }
    }
    haft__buf_finish(&text);
}
