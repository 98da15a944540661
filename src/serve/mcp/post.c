/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mcp_post.c - a message that is posted: it opens a session, belongs to one, or stands for itself.
 * Tests: tests/serve/mcp/endpoint_test.c, tests/cli/mcp_test.py, tests/mcp/conformance.py.
 */
#include "serve/mcp/endpoint_int.h"

#include <string.h>

#include "base/buf.h"
#include "base/limits.h"
#include "base/str.h"
#include "io/clock.h"
#include "json/write.h"

static void refuse_message(haft__server_request *request, haft__mcp_asked *asked, uint32_t status,
                           const char *why)
{
    haft__buf text;
    haft__buf_init(&text, HAFT__LIMIT_MCP_MESSAGE_BYTES);
    haft__mcp_refuse(asked, HAFT__RPC_INVALID, why, &text);
    haft_str body = haft__buf_check(&text, NULL) == HAFT_OK ? haft__buf_str(&text) : HAFT__LIT("");
    haft__mcp_stream_reply(request, status, NULL, body);
    haft__buf_finish(&text);
}

static haft_str get_header(void *context, const char *name)
{
    return haft__server_header(context, name);
}

static haft__mcp_headers headers_of(haft__server_request *request)
{
    return (haft__mcp_headers){.version = haft__server_header(request, "mcp-protocol-version"),
                               .method = haft__server_header(request, "mcp-method"),
                               .name = haft__server_header(request, "mcp-name"),
                               .get = get_header,
                               .context = request};
}

/* Which request it is, should its answer be asked for when it is not kept any more. */
static void note_request(haft__mcp_channel *c, const haft__mcp_asked *asked)
{
    haft__buf text;
    haft__buf_init(&text, HAFT__MCP_REQUEST_ID_BYTES);
    haft__json_write(&text, haft__mcp_asked_id(asked));
    if (c->owner != NULL && haft__buf_check(&text, NULL) == HAFT_OK) {
        memcpy(c->request_id, text.ptr, text.len);
        c->stream.request_id = (haft_str){c->request_id, text.len};
    }
    haft__buf_finish(&text);
}

static void take(haft__mcp_channel *c, haft__mcp_asked *asked, const haft__mcp_headers *headers)
{
    note_request(c, asked);
    haft__mcp_peer_take(c->peer, asked, headers, c, haft__clock_now());
    if (c->owner != NULL && !c->stream.over) {
        haft__mcp_stream_begin(&c->stream); /* so that it can be read again if this breaks */
    }
    if (c->owner != NULL) {
        haft__mcp_session_forget_old(c->owner);
    }
}

/* A handshake that fails leaves no session. */
static void open_session(haft__mcp_http *http, haft__server_request *request,
                         haft__mcp_asked *asked, const haft__mcp_headers *headers)
{
    haft__mcp_session *s = haft__mcp_session_create(http);
    haft__mcp_channel *c = s != NULL ? haft__mcp_channel_create(http, s, request) : NULL;
    if (c == NULL) {
        if (s != NULL) {
            haft__mcp_session_destroy(s);
        }
        refuse_message(request, asked, 500, "out of memory");
        return;
    }
    c->stream.session = s->id;
    take(c, asked, headers);
    if (haft__mcp_peer_version(s->peer).len == 0) {
        haft__mcp_session_destroy(s);
    }
}

static void post_alone(haft__mcp_http *http, haft__server_request *request, haft__mcp_asked *asked,
                       const haft__mcp_headers *headers)
{
    haft__mcp_channel *c = haft__mcp_channel_create(http, NULL, request);
    if (c == NULL
        || haft__mcp_peer_create(http->options.server, haft__mcp_http_principal(http),
                                 haft__mcp_channel_sent, NULL, &c->peer, NULL)
               != HAFT_OK) {
        if (c != NULL) {
            c->stream.request = NULL;
            haft__mcp_channel_destroy(c);
        }
        refuse_message(request, asked, 500, "out of memory");
        return;
    }
    haft__mcp_peer_is_single(c->peer);
    take(c, asked, headers);
}

void haft__mcp_http_post(haft__mcp_http *http, haft__server_request *request)
{
    haft__mcp_headers headers = headers_of(request);
    haft__mcp_asked *asked = NULL;
    uint32_t status = 0;
    if (haft__mcp_read(http->options.server, haft__server_body(request), &headers, &asked, NULL)
        != HAFT_OK) {
        haft__mcp_http_refuse(request, 500, "out of memory");
        return;
    }
    haft__server_forget_body(request); /* it was copied, and the answer may take long */
    haft__mcp_era era = haft__mcp_asked_era(asked);
    if (era == HAFT__MCP_ERA_NEW) {
        post_alone(http, request, asked, &headers);
        return;
    }
    if (era == HAFT__MCP_ERA_NONE) {
        refuse_message(request, asked, 400, "");
        return;
    }
    if (era == HAFT__MCP_ERA_OPENING
        && haft__server_header(request, "mcp-session-id").ptr == NULL) {
        open_session(http, request, asked, &headers);
        return;
    }
    haft__mcp_session *s = haft__mcp_session_find(http, request, &status);
    haft__mcp_channel *c = s != NULL ? haft__mcp_channel_create(http, s, request) : NULL;
    if (c == NULL) {
        refuse_message(request, asked, s == NULL ? status : 500,
                       s == NULL ? haft__mcp_session_why_none(status) : "out of memory");
        return;
    }
    take(c, asked, &headers);
}
