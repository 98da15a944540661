/* SPDX-License-Identifier: Apache-2.0 */
/*
 * channel.c - streams of MCP over HTTP: their owners, and the limits of their buffers.
 *
 * The last message of a request may be sent while that request is still being processed, so a task
 * frees the channel. Tests: tests/serve/mcp/endpoint_test.c, tests/cli/mcp_test.py.
 */
#include "serve/mcp/endpoint_int.h"

#include <stdlib.h>

#include "base/limits.h"
#include "base/macros.h"
#include "base/str.h"

static void link_channel(haft__mcp_channel *c, haft__mcp_channel **list)
{
    c->next = *list;
    c->link = list;
    if (c->next != NULL) {
        c->next->link = &c->next;
    }
    *list = c;
}

/* Updates the sums to the stream's buffered bytes. */
static void count_kept(haft__mcp_channel *c)
{
    if (c->owner != NULL) {
        c->owner->buffered_bytes += c->stream.buffered_bytes - c->counted_bytes;
        c->endpoint->buffered_bytes += c->stream.buffered_bytes - c->counted_bytes;
        c->counted_bytes = c->stream.buffered_bytes;
    }
}

static void drop_kept(haft__mcp_channel *c)
{
    haft__mcp_stream_discard_events(&c->stream);
    count_kept(c);
}

void haft__mcp_channel_destroy(haft__mcp_channel *c)
{
    drop_kept(c);
    if (c->destroyed) {
        haft__loop_cancel_task(c->endpoint->options.loop, &c->task);
    }
    *c->link = c->next;
    if (c->next != NULL) {
        c->next->link = c->link;
    }
    if (c->owner != NULL && c->owner->push == c) {
        c->owner->push = NULL;
    }
    haft__mcp_stream_finish(&c->stream);
    if (c->owner == NULL) {
        haft__mcp_peer_destroy(c->peer);
    }
    free(c);
}

static void free_dead(haft__task *task)
{
    haft__mcp_channel *c = HAFT__CONTAINER(task, haft__mcp_channel, task);
    c->destroyed = false;
    haft__mcp_channel_destroy(c);
}

static void end_channel(haft__mcp_channel *c)
{
    if (!c->destroyed) {
        c->destroyed = true;
        c->task.run = free_dead;
        haft__loop_post(c->endpoint->options.loop, &c->task);
    }
}

/* Drops the events of a stream: the oldest finished one, else the oldest. False if there is none.
 */
static bool evict_from_session(const haft__mcp_session *s)
{
    haft__mcp_channel *found = NULL;
    for (haft__mcp_channel *c = s->channels; c != NULL; c = c->next) {
        if (c->stream.buffered_bytes > 0
            && (found == NULL || c->stream.ended || !found->stream.ended)) {
            found = c;
        }
    }
    if (found != NULL) {
        drop_kept(found);
    }
    return found != NULL;
}

/* ... of the session that was idle longest. */
static bool evict_any(const haft__mcp_endpoint *endpoint)
{
    haft__mcp_session *found = NULL;
    for (haft__mcp_session *s = endpoint->sessions; s != NULL; s = s->next) {
        if (s->buffered_bytes > 0 && (found == NULL || s->used_ms < found->used_ms)) {
            found = s;
        }
    }
    return found != NULL && evict_from_session(found);
}

/* Limits the buffered bytes of each session and of all sessions. */
static void enforce_limit(haft__mcp_channel *c)
{
    haft__mcp_endpoint *endpoint = c->endpoint;
    bool more = true;
    count_kept(c);
    while (more && c->owner != NULL
           && c->owner->buffered_bytes > HAFT__LIMIT_MCP_REPLAY_SESSION_BYTES) {
        more = evict_from_session(c->owner);
    }
    while (more && endpoint->buffered_bytes > HAFT__LIMIT_MCP_REPLAY_ALL_BYTES) {
        more = evict_any(endpoint);
    }
}

/* The client disconnected. Without a handshake that cancels the request. */
static void on_disconnect(void *context, haft__http_server_request *request)
{
    haft__mcp_channel *c = context;
    haft__http_server_abort(request);
    if (c->stream.request == request) {
        c->stream.request = NULL;
        if (c->owner == NULL) {
            end_channel(c);
        }
    }
}

haft__mcp_channel *haft__mcp_channel_create(haft__mcp_endpoint *endpoint, haft__mcp_session *owner,
                                            haft__http_server_request *request)
{
    haft__mcp_channel *c = calloc(1, sizeof(*c));
    if (c == NULL) {
        return NULL;
    }
    c->endpoint = endpoint;
    c->owner = owner;
    c->stream.request = request;
    if (owner != NULL) {
        c->stream.number = ++owner->streams;
        c->stream.supports_empty_events = haft__str_equal(
            haft__mcp_peer_version(owner->peer), HAFT__LIT(HAFT__MCP_SERVER_LEGACY_VERSION));
        c->peer = owner->peer;
    }
    link_channel(c, owner != NULL ? &owner->channels : &endpoint->channels);
    haft__http_server_on_disconnect(request, on_disconnect, c);
    return c;
}

void haft__mcp_channel_resume(haft__mcp_channel *c, haft__http_server_request *request,
                              uint64_t seen)
{
    haft__http_server_on_disconnect(request, on_disconnect, c);
    haft__mcp_stream_resume(&c->stream, request, seen);
    count_kept(c);
}

void haft__mcp_channel_send(void *context, void *stream, const haft__mcp_server_message *sent)
{
    haft__mcp_session *s = context; /* NULL: a single request */
    haft__mcp_channel *c = stream;
    switch (sent->kind) {
    case HAFT__MCP_MESSAGE_PUSH:
        if (s != NULL && s->push != NULL) {
            haft__mcp_stream_add(&s->push->stream, sent->text);
            enforce_limit(s->push);
        }
        break;
    case HAFT__MCP_MESSAGE_PART:
        haft__mcp_stream_add(&c->stream, sent->text);
        enforce_limit(c);
        break;
    case HAFT__MCP_MESSAGE_ANSWER:
    case HAFT__MCP_MESSAGE_NONE: {
        bool whole = !c->stream.is_event_stream; /* then nothing is left to resume */
        haft__mcp_stream_end(&c->stream, sent->http, sent->text);
        enforce_limit(c);
        if (whole || c->owner == NULL) {
            end_channel(c);
        }
        break;
    }
    }
}
