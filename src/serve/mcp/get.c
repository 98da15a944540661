/* SPDX-License-Identifier: Apache-2.0 */
/*
 * get.c - GET and DELETE: opens the push stream of a session, resumes a broken stream, ends a
 * session. Tests: tests/serve/mcp/endpoint_test.c, tests/cli/mcp_test.py.
 */
#include "serve/mcp/endpoint_int.h"

#include "base/str.h"

/* Parses "STREAM-EVENT" as we sent it; rejects an event that was never sent. */
static haft__mcp_channel *find_stream(haft__mcp_session *s, haft_str id, uint64_t *ret_seen)
{
    uint64_t number = 0;
    haft_str rest = haft__str_trim(id);
    if (!haft__str_to_u64(haft__str_split(&rest, '-'), &number)
        || !haft__str_to_u64(rest, ret_seen)) {
        return NULL;
    }
    for (haft__mcp_channel *c = s->channels; c != NULL; c = c->next) {
        if (c->stream.number == number && !c->destroyed) {
            return *ret_seen <= c->stream.seq ? c : NULL;
        }
    }
    return NULL;
}

void haft__mcp_endpoint_get(haft__mcp_endpoint *endpoint, haft__http_server_request *request)
{
    uint32_t status = 0;
    uint64_t seen = 0;
    haft__mcp_session *s = haft__mcp_session_find(endpoint, request, &status);
    if (s == NULL) {
        haft__mcp_endpoint_reject(request, status, haft__mcp_session_error_message(status));
        return;
    }
    haft_str last = haft__http_server_header(request, "last-event-id");
    if (last.ptr != NULL) {
        haft__mcp_channel *c = find_stream(s, last, &seen);
        if (c == NULL) {
            haft__mcp_endpoint_reject(request, 410,
                                      "no stream has this event any more; the session continues");
        } else {
            haft__mcp_channel_resume(c, request, seen);
        }
        return;
    }
    if (s->push != NULL && s->push->stream.request != NULL) {
        haft__mcp_endpoint_reject(request, 409, "this session already has a GET stream");
        return;
    }
    if (s->push != NULL) {
        haft__mcp_channel_resume(s->push, request, s->push->stream.seq);
        return;
    }
    s->push = haft__mcp_channel_create(endpoint, s, request);
    if (s->push == NULL) {
        haft__mcp_endpoint_reject(request, 500, "out of memory");
        return;
    }
    haft__mcp_stream_begin(&s->push->stream);
}

void haft__mcp_endpoint_delete(haft__mcp_endpoint *endpoint, haft__http_server_request *request)
{
    uint32_t status = 0;
    haft__mcp_session *s = haft__mcp_session_find(endpoint, request, &status);
    if (s == NULL) {
        haft__mcp_endpoint_reject(request, status, haft__mcp_session_error_message(status));
        return;
    }
    haft__mcp_session_end(s);
    haft__mcp_session_destroy(s);
    haft__mcp_stream_reply(request, 204, NULL, HAFT__LIT(""));
}
