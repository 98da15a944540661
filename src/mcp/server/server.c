/* SPDX-License-Identifier: Apache-2.0 */
/*
 * server.c - clients and their messages: determines the era of a message and dispatches it.
 *
 * Tests: tests/mcp/server/server_test.c, fuzz/mcp_server.c.
 */
#include <stdlib.h>

#include "base/error.h"
#include "base/limits.h"
#include "base/macros.h"
#include "base/str.h"
#include "mcp/server/server_int.h"

/* Versions with a handshake, the newest first. */
static const char *const old_versions[] = {HAFT__MCP_SERVER_LEGACY_VERSION, "2025-06-18",
                                           "2025-03-26", "2024-11-05"};

static const char *const levels[] = {"debug", "info",     "notice", "warning",
                                     "error", "critical", "alert",  "emergency"};

bool haft__mcp_version_has_handshake(haft_str version)
{
    return haft__str_is_one_of(version, old_versions, COUNT(old_versions));
}

void haft__mcp_version_list(haft__buf *buf)
{
    for (size_t i = 0; i < COUNT(old_versions); i++) {
        haft__buf_addf(buf, ",\"%s\"", old_versions[i]);
    }
}

bool haft__mcp_level_read(haft_str name, haft__mcp_level *ret_level)
{
    for (size_t i = 0; i < COUNT(levels); i++) {
        if (haft__str_equal(name, haft__str(levels[i]))) {
            *ret_level = (haft__mcp_level)i;
            return true;
        }
    }
    return false;
}

const char *haft__mcp_level_name(haft__mcp_level level)
{
    return levels[level];
}

/* ---- servers and peers ---- */

haft_status haft__mcp_server_create(const haft__mcp_server_options *options,
                                    haft__mcp_server **ret_server, haft_error *err)
{
    haft__mcp_server *server = calloc(1, sizeof(*server));
    if (server == NULL) {
        return haft__fail_no_memory(err);
    }
    server->options = *options;
    *ret_server = server;
    return HAFT_OK;
}

void haft__mcp_server_destroy(haft__mcp_server *server)
{
    free(server);
}

haft_status haft__mcp_peer_create(haft__mcp_server *server, haft_str principal,
                                  haft__mcp_server_send *send, void *context,
                                  haft__mcp_peer **ret_peer, haft_error *err)
{
    haft__mcp_peer *peer = calloc(1, sizeof(*peer));
    if (peer == NULL) {
        return haft__fail_no_memory(err);
    }
    *peer = (haft__mcp_peer){.server = server,
                             .next = server->peers,
                             .link = &server->peers,
                             .send = send,
                             .context = context,
                             .version = HAFT__LIT(""),
                             .level = HAFT__MCP_LEVEL_INFO};
    haft__arena_init(&peer->arena, HAFT__LIMIT_MCP_MESSAGE_BYTES);
    peer->principal = haft__arena_copy(&peer->arena, principal);
    if (peer->principal.ptr == NULL) {
        haft_status status = haft__arena_fail(&peer->arena, err);
        free(peer);
        return status;
    }
    if (peer->next != NULL) {
        peer->next->link = &peer->next;
    }
    server->peers = peer;
    *ret_peer = peer;
    return HAFT_OK;
}

void haft__mcp_peer_destroy(haft__mcp_peer *peer)
{
    if (peer == NULL) {
        return;
    }
    while (peer->request != NULL) {
        haft__mcp_request_abandon(peer->request);
    }
    *peer->link = peer->next;
    if (peer->next != NULL) {
        peer->next->link = peer->link;
    }
    haft__arena_finish(&peer->arena);
    free(peer);
}

void haft__mcp_peer_set_single_request(haft__mcp_peer *peer)
{
    peer->single = true;
}

size_t *haft__mcp_peer_request_counter(haft__mcp_peer *peer)
{
    return peer->single ? &peer->server->singles : &peer->request_count;
}

haft_str haft__mcp_peer_version(const haft__mcp_peer *peer)
{
    return peer->version;
}

/* ---- messages ---- */

void haft__mcp_request_free(haft__mcp_request *request)
{
    haft__mcp_request_internal *own = request->own;
    if (own->linked) {
        *own->link = own->next;
        if (own->next != NULL) {
            own->next->own->link = own->link;
        }
    }
    if (own->counted != NULL) {
        (*own->counted)--;
    }
    haft__arena_finish(&own->arena);
    free(own);
    free(request);
}

const haft__json *haft__mcp_request_meta(const haft__mcp_request *request, const char *key)
{
    const haft__json *meta = haft__json_get(request->params, HAFT__LIT("_meta"));
    return meta != NULL ? haft__json_get(*meta, haft__str(key)) : NULL;
}

static bool has_method(const haft__mcp_request *request, const char *method)
{
    return haft__str_equal(request->own->message.method, haft__str(method));
}

/* The era of a message. A modern request contains its version, or has a header that only modern
 * requests have. */
static haft__mcp_request_kind era_of(const haft__mcp_request *request,
                                     const haft__mcp_headers *headers)
{
    const haft__mcp_request_internal *own = request->own;
    bool names_version = haft__mcp_request_meta(request, HAFT__MCP_META_VERSION) != NULL;
    bool modern_header = headers != NULL && headers->version.ptr != NULL
                         && !haft__mcp_version_has_handshake(haft__str_trim(headers->version));
    if (own->faulty) {
        return HAFT__MCP_REQUEST_INVALID;
    }
    if (own->message.kind == HAFT__RPC_RESULT || own->message.kind == HAFT__RPC_ERROR) {
        return HAFT__MCP_REQUEST_LEGACY;
    }
    if (names_version || modern_header || has_method(request, "server/discover")
        || has_method(request, "subscriptions/listen")) {
        return HAFT__MCP_REQUEST_MODERN;
    }
    return own->message.kind == HAFT__RPC_REQUEST && has_method(request, "initialize")
               ? HAFT__MCP_REQUEST_INITIALIZE
               : HAFT__MCP_REQUEST_LEGACY;
}

/* Prepares a response with the id for the case that memory runs out later. */
static bool write_fallback(haft__mcp_request_internal *own)
{
    if (own->message.kind != HAFT__RPC_REQUEST) {
        return true;
    }
    haft__buf text;
    haft__buf_init(&text, HAFT__LIMIT_MCP_MESSAGE_BYTES);
    haft__rpc_write_error(&text, own->message.id, HAFT__RPC_INTERNAL,
                          HAFT__LIT("out of memory for the response"), haft__json_null());
    own->fallback = haft__buf_check(&text, NULL) == HAFT_OK
                        ? haft__arena_copy(&own->arena, haft__buf_str(&text))
                        : (haft_str){NULL, 0};
    haft__buf_finish(&text);
    return own->fallback.ptr != NULL;
}

haft_status haft__mcp_request_read(haft__mcp_server *server, haft_str text,
                                   const haft__mcp_headers *headers,
                                   haft__mcp_request **ret_request, haft_error *err)
{
    haft__mcp_request *request = calloc(1, sizeof(*request));
    haft__mcp_request_internal *own = calloc(1, sizeof(*own));
    if (request == NULL || own == NULL) {
        free(request);
        free(own);
        return haft__fail_no_memory(err);
    }
    request->own = own;
    own->server = server;
    haft__arena_init(&own->arena, HAFT__LIMIT_ARENA_BYTES);
    haft_str copy = haft__arena_copy(&own->arena, text);
    haft_status status = copy.ptr != NULL
                             ? haft__rpc_read(&own->arena, copy, server->options.hash_key,
                                              &own->message, &own->fault, &own->error)
                             : haft__arena_fail(&own->arena, &own->error);
    own->fallback = HAFT__LIT("");
    bool out_of_memory = status != HAFT_OK && status != HAFT_BAD_INPUT && own->fault.code == 0;
    if (out_of_memory || (status == HAFT_OK && !write_fallback(own))) {
        haft__mcp_request_free(request);
        return haft__fail_no_memory(err);
    }
    own->faulty = status != HAFT_OK;
    request->params = own->message.params;
    request->state = HAFT__LIT("");
    own->era = era_of(request, headers);
    *ret_request = request;
    return HAFT_OK;
}

haft__mcp_request_kind haft__mcp_request_kind_of(const haft__mcp_request *request)
{
    return request->own->era;
}

void haft__mcp_request_reject_message(haft__mcp_request *request, int64_t code, const char *why,
                                      haft__buf *buf)
{
    const haft__mcp_request_internal *own = request->own;
    haft__json id = own->faulty ? own->fault.id : own->message.id;
    haft__rpc_write_error(buf, id, own->faulty ? own->fault.code : code,
                          haft__str(own->faulty ? own->error.message : why), haft__json_null());
    haft__mcp_request_free(request);
}

/* ---- receiving ---- */

static void send_nothing(haft__mcp_request *request, uint32_t http)
{
    haft__mcp_server_message sent = {
        .kind = HAFT__MCP_MESSAGE_NONE, .http = http, .text = HAFT__LIT("")};
    request->own->peer->send(request->own->peer->context, request->own->stream, &sent);
}

static haft__mcp_request *find_request(const haft__mcp_peer *peer, haft__json id)
{
    haft__mcp_request *request = peer->request;
    while (request != NULL && !haft__rpc_id_equal(request->own->message.id, id)) {
        request = request->own->next;
    }
    return request;
}

/* The client cancels a request; unknown ids are ignored. */
static void cancel(haft__mcp_peer *peer, haft__json params)
{
    const haft__json *id = haft__json_get(params, HAFT__LIT("requestId"));
    haft__mcp_request *request = id != NULL ? find_request(peer, *id) : NULL;
    if (request != NULL) {
        void *stream = request->own->stream;
        haft__mcp_request_withdraw_questions(request);
        haft__mcp_request_abandon(request);
        haft__mcp_server_message sent = {
            .kind = HAFT__MCP_MESSAGE_NONE, .http = 204, .text = HAFT__LIT("")};
        peer->send(peer->context, stream, &sent);
    }
}

static void handle_notification(haft__mcp_request *request)
{
    haft__mcp_peer *peer = request->own->peer;
    if (has_method(request, "notifications/initialized")) {
        peer->ready = peer->version.len > 0;
    } else if (has_method(request, "notifications/cancelled")) {
        cancel(peer, request->params);
    }
    send_nothing(request, 202);
    haft__mcp_request_free(request);
}

static void handle_request(haft__mcp_request *request, const haft__mcp_headers *headers,
                           uint64_t now_ms)
{
    haft__mcp_request_internal *own = request->own;
    haft__mcp_peer *peer = own->peer;
    if (find_request(peer, own->message.id) != NULL) {
        haft__mcp_request_reject(request, 400, HAFT__RPC_INVALID,
                                 HAFT__LIT("a request with this id is already in progress"),
                                 HAFT__LIT(""));
        return;
    }
    if (*haft__mcp_peer_request_counter(peer) >= HAFT__LIMIT_MCP_REQUESTS) {
        haft__mcp_request_reject(
            request, 503, HAFT__RPC_INTERNAL,
            HAFT__LIT("too many requests are in progress; wait until one finishes"), HAFT__LIT(""));
        return;
    }
    haft__mcp_request_dispatch(request, headers, now_ms);
}

void haft__mcp_peer_receive(haft__mcp_peer *peer, haft__mcp_request *request,
                            const haft__mcp_headers *headers, void *stream, uint64_t now_ms)
{
    haft__mcp_request_internal *own = request->own;
    own->peer = peer;
    own->stream = stream;
    request->modern = own->era == HAFT__MCP_REQUEST_MODERN;
    if (own->faulty) {
        if (own->fault.answer) {
            send_nothing(request, 400);
            haft__mcp_request_free(request);
            return;
        }
        own->message.id = own->fault.id;
        haft__mcp_request_reject(request, 400, own->fault.code, haft__str(own->error.message),
                                 HAFT__LIT(""));
        return;
    }
    switch (own->message.kind) {
    case HAFT__RPC_REQUEST: handle_request(request, headers, now_ms); break;
    case HAFT__RPC_NOTIFICATION: handle_notification(request); break;
    case HAFT__RPC_RESULT:
    case HAFT__RPC_ERROR: {
        haft__rpc_message message = own->message;
        send_nothing(request, 202);
        (void)haft__mcp_peer_handle_answer(peer, &message); /* an unexpected answer is ignored */
        haft__mcp_request_free(request);
        break;
    }
    }
}
