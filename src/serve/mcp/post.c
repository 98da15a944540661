/* SPDX-License-Identifier: Apache-2.0 */
/*
 * post.c - POST: a message opens a session, belongs to one, or is independent. Tests:
 * tests/serve/mcp/endpoint_test.c, tests/cli/mcp_test.py, tests/mcp/conformance.py.
 */
#include "serve/mcp/endpoint_int.h"

#include <string.h>

#include "base/buf.h"
#include "base/limits.h"
#include "base/str.h"
#include "io/clock.h"
#include "json/write.h"

static void refuse_message(haft__http_server_request *request, haft__mcp_request *mcp_request,
                           uint32_t status, const char *why)
{
    haft__buf text;
    haft__buf_init(&text, HAFT__LIMIT_MCP_MESSAGE_BYTES);
    haft__mcp_request_reject_message(mcp_request, HAFT__RPC_INVALID, why, &text);
    haft_str body = haft__buf_check(&text, NULL) == HAFT_OK ? haft__buf_str(&text) : HAFT__LIT("");
    haft__mcp_stream_reply(request, status, NULL, body);
    haft__buf_finish(&text);
}

static haft_str get_header(void *context, const char *name)
{
    return haft__http_server_header(context, name);
}

static haft__mcp_headers headers_of(haft__http_server_request *request)
{
    return (haft__mcp_headers){.version = haft__http_server_header(request, "mcp-protocol-version"),
                               .method = haft__http_server_header(request, "mcp-method"),
                               .name = haft__http_server_header(request, "mcp-name"),
                               .get = get_header,
                               .context = request};
}

/* Stores the request id, for the notice if its response is no longer buffered. */
static void note_request(haft__mcp_channel *c, const haft__mcp_request *mcp_request)
{
    haft__buf text;
    haft__buf_init(&text, HAFT__MCP_REQUEST_ID_BYTES);
    haft__json_write(&text, haft__mcp_request_id(mcp_request));
    if (c->owner != NULL && haft__buf_check(&text, NULL) == HAFT_OK) {
        memcpy(c->request_id, text.ptr, text.len);
        c->stream.request_id = (haft_str){c->request_id, text.len};
    }
    haft__buf_finish(&text);
}

static void receive(haft__mcp_channel *c, haft__mcp_request *mcp_request,
                    const haft__mcp_headers *headers)
{
    note_request(c, mcp_request);
    haft__mcp_peer_receive(c->peer, mcp_request, headers, c, haft__clock_now());
    if (c->owner != NULL && !c->stream.ended) {
        haft__mcp_stream_begin(&c->stream); /* so that it can be resumed if the connection breaks */
    }
    if (c->owner != NULL) {
        haft__mcp_session_evict_old(c->owner);
    }
}

/* A failed handshake leaves no session. */
static void open_session(haft__mcp_endpoint *endpoint, haft__http_server_request *request,
                         haft__mcp_request *mcp_request, const haft__mcp_headers *headers)
{
    haft__mcp_session *s = haft__mcp_session_create(endpoint);
    haft__mcp_channel *c = s != NULL ? haft__mcp_channel_create(endpoint, s, request) : NULL;
    if (c == NULL) {
        if (s != NULL) {
            haft__mcp_session_destroy(s);
        }
        refuse_message(request, mcp_request, 500, "out of memory");
        return;
    }
    c->stream.session = s->id;
    receive(c, mcp_request, headers);
    if (haft__mcp_peer_version(s->peer).len == 0) {
        haft__mcp_session_destroy(s);
    }
}

static void post_single(haft__mcp_endpoint *endpoint, haft__http_server_request *request,
                        haft__mcp_request *mcp_request, const haft__mcp_headers *headers)
{
    haft__mcp_channel *c = haft__mcp_channel_create(endpoint, NULL, request);
    if (c == NULL
        || haft__mcp_peer_create(endpoint->options.server, haft__mcp_endpoint_principal(endpoint),
                                 haft__mcp_channel_send, NULL, &c->peer, NULL)
               != HAFT_OK) {
        if (c != NULL) {
            c->stream.request = NULL;
            haft__mcp_channel_destroy(c);
        }
        refuse_message(request, mcp_request, 500, "out of memory");
        return;
    }
    haft__mcp_peer_set_single_request(c->peer);
    receive(c, mcp_request, headers);
}

void haft__mcp_endpoint_post(haft__mcp_endpoint *endpoint, haft__http_server_request *request)
{
    haft__mcp_headers headers = headers_of(request);
    haft__mcp_request *mcp_request = NULL;
    uint32_t status = 0;
    if (haft__mcp_request_read(endpoint->options.server, haft__http_server_body(request), &headers,
                               &mcp_request, NULL)
        != HAFT_OK) {
        haft__mcp_endpoint_reject(request, 500, "out of memory");
        return;
    }
    haft__http_server_release_body(request); /* it was copied, and the response may take long */
    haft__mcp_request_kind era = haft__mcp_request_kind_of(mcp_request);
    if (era == HAFT__MCP_REQUEST_MODERN) {
        post_single(endpoint, request, mcp_request, &headers);
        return;
    }
    if (era == HAFT__MCP_REQUEST_INVALID) {
        refuse_message(request, mcp_request, 400, "");
        return;
    }
    if (era == HAFT__MCP_REQUEST_INITIALIZE
        && haft__http_server_header(request, "mcp-session-id").ptr == NULL) {
        open_session(endpoint, request, mcp_request, &headers);
        return;
    }
    haft__mcp_session *s = haft__mcp_session_find(endpoint, request, &status);
    haft__mcp_channel *c = s != NULL ? haft__mcp_channel_create(endpoint, s, request) : NULL;
    if (c == NULL) {
        refuse_message(request, mcp_request, s == NULL ? status : 500,
                       s == NULL ? haft__mcp_session_error_message(status) : "out of memory");
        return;
    }
    receive(c, mcp_request, &headers);
}
