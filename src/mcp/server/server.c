/* SPDX-License-Identifier: Apache-2.0 */
/*
 * server.c - clients and their messages: which era one belongs to, and who takes it.
 *
 * Tests: tests/mcp/server/server_test.c, fuzz/mcp_server.c.
 */
#include <stdlib.h>

#include "base/error.h"
#include "base/limits.h"
#include "base/macros.h"
#include "base/str.h"
#include "mcp/server/server_int.h"

/* With a handshake, the newest first. */
static const char *const old_versions[] = {HAFT__MCP_NEWEST, "2025-06-18", "2025-03-26",
                                           "2024-11-05"};

static const char *const levels[] = {"debug", "info",     "notice", "warning",
                                     "error", "critical", "alert",  "emergency"};

bool haft__mcp_version_old(haft_str version)
{
    for (size_t i = 0; i < COUNT(old_versions); i++) {
        if (haft__str_equal(version, haft__str(old_versions[i]))) {
            return true;
        }
    }
    return false;
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
                                  haft__mcp_send *send, void *context, haft__mcp_peer **ret_peer,
                                  haft_error *err)
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
                             .level = HAFT__MCP_INFO};
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
    while (peer->asked != NULL) {
        haft__mcp_asked_abandon(peer->asked);
    }
    *peer->link = peer->next;
    if (peer->next != NULL) {
        peer->next->link = peer->link;
    }
    haft__arena_finish(&peer->arena);
    free(peer);
}

void haft__mcp_peer_is_single(haft__mcp_peer *peer)
{
    peer->single = true;
}

size_t *haft__mcp_peer_count(haft__mcp_peer *peer)
{
    return peer->single ? &peer->server->singles : &peer->asked_count;
}

haft_str haft__mcp_peer_version(const haft__mcp_peer *peer)
{
    return peer->version;
}

/* ---- messages ---- */

void haft__mcp_asked_free(haft__mcp_asked *asked)
{
    haft__mcp_asked_own *own = asked->own;
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
    free(asked);
}

const haft__json *haft__mcp_meta(const haft__mcp_asked *asked, const char *key)
{
    const haft__json *meta = haft__json_get(asked->params, HAFT__LIT("_meta"));
    return meta != NULL ? haft__json_get(*meta, haft__str(key)) : NULL;
}

static bool is_called(const haft__mcp_asked *asked, const char *method)
{
    return haft__str_equal(asked->own->message.method, haft__str(method));
}

/* A request that names its version, or comes with a header that only one which does can have. */
static haft__mcp_era era_of(const haft__mcp_asked *asked, const haft__mcp_headers *headers)
{
    const haft__mcp_asked_own *own = asked->own;
    bool named = haft__mcp_meta(asked, HAFT__MCP_META_VERSION) != NULL;
    bool headed = headers != NULL && headers->version.ptr != NULL
                  && !haft__mcp_version_old(haft__str_trim(headers->version));
    if (own->faulty) {
        return HAFT__MCP_ERA_NONE;
    }
    if (own->message.kind == HAFT__RPC_RESULT || own->message.kind == HAFT__RPC_ERROR) {
        return HAFT__MCP_ERA_OLD;
    }
    if (named || headed || is_called(asked, "server/discover")
        || is_called(asked, "subscriptions/listen")) {
        return HAFT__MCP_ERA_NEW;
    }
    return own->message.kind == HAFT__RPC_REQUEST && is_called(asked, "initialize")
               ? HAFT__MCP_ERA_OPENING
               : HAFT__MCP_ERA_OLD;
}

/* Who waits for an answer knows it by its id, also when there is no memory for any other. */
static bool write_lost(haft__mcp_asked_own *own)
{
    if (own->message.kind != HAFT__RPC_REQUEST) {
        return true;
    }
    haft__buf text;
    haft__buf_init(&text, HAFT__LIMIT_MCP_MESSAGE_BYTES);
    haft__rpc_write_error(&text, own->message.id, HAFT__RPC_INTERNAL,
                          HAFT__LIT("there is no memory for the answer"), haft__json_null());
    own->lost = haft__buf_check(&text, NULL) == HAFT_OK
                    ? haft__arena_copy(&own->arena, haft__buf_str(&text))
                    : (haft_str){NULL, 0};
    haft__buf_finish(&text);
    return own->lost.ptr != NULL;
}

haft_status haft__mcp_read(haft__mcp_server *server, haft_str text,
                           const haft__mcp_headers *headers, haft__mcp_asked **ret_asked,
                           haft_error *err)
{
    haft__mcp_asked *asked = calloc(1, sizeof(*asked));
    haft__mcp_asked_own *own = calloc(1, sizeof(*own));
    if (asked == NULL || own == NULL) {
        free(asked);
        free(own);
        return haft__fail_no_memory(err);
    }
    asked->own = own;
    own->server = server;
    haft__arena_init(&own->arena, HAFT__LIMIT_ARENA_BYTES);
    haft_str kept = haft__arena_copy(&own->arena, text);
    haft_status status = kept.ptr != NULL
                             ? haft__rpc_read(&own->arena, kept, server->options.hash_key,
                                              &own->message, &own->fault, &own->error)
                             : haft__arena_fail(&own->arena, &own->error);
    own->lost = HAFT__LIT("");
    bool unread = status != HAFT_OK && status != HAFT_BAD_INPUT && own->fault.code == 0;
    if (unread || (status == HAFT_OK && !write_lost(own))) {
        haft__mcp_asked_free(asked);
        return haft__fail_no_memory(err);
    }
    own->faulty = status != HAFT_OK;
    asked->params = own->message.params;
    asked->state = HAFT__LIT("");
    own->era = era_of(asked, headers);
    *ret_asked = asked;
    return HAFT_OK;
}

haft__mcp_era haft__mcp_asked_era(const haft__mcp_asked *asked)
{
    return asked->own->era;
}

void haft__mcp_refuse(haft__mcp_asked *asked, int64_t code, const char *why, haft__buf *buf)
{
    const haft__mcp_asked_own *own = asked->own;
    haft__json id = own->faulty ? own->fault.id : own->message.id;
    haft__rpc_write_error(buf, id, own->faulty ? own->fault.code : code,
                          haft__str(own->faulty ? own->error.message : why), haft__json_null());
    haft__mcp_asked_free(asked);
}

/* ---- taking ---- */

static void send_nothing(haft__mcp_asked *asked, uint32_t http)
{
    haft__mcp_sent sent = {.kind = HAFT__MCP_SENT_NOTHING, .http = http, .text = HAFT__LIT("")};
    asked->own->peer->send(asked->own->peer->context, asked->own->stream, &sent);
}

static haft__mcp_asked *find_asked(const haft__mcp_peer *peer, haft__json id)
{
    haft__mcp_asked *asked = peer->asked;
    while (asked != NULL && !haft__rpc_id_equal(asked->own->message.id, id)) {
        asked = asked->own->next;
    }
    return asked;
}

/* The client does not want an answer any more; ids that are not under way are ignored. */
static void cancel(haft__mcp_peer *peer, haft__json params)
{
    const haft__json *id = haft__json_get(params, HAFT__LIT("requestId"));
    haft__mcp_asked *asked = id != NULL ? find_asked(peer, *id) : NULL;
    if (asked != NULL) {
        void *stream = asked->own->stream;
        haft__mcp_asked_withdraw(asked);
        haft__mcp_asked_abandon(asked);
        haft__mcp_sent sent = {.kind = HAFT__MCP_SENT_NOTHING, .http = 204, .text = HAFT__LIT("")};
        peer->send(peer->context, stream, &sent);
    }
}

static void take_notification(haft__mcp_asked *asked)
{
    haft__mcp_peer *peer = asked->own->peer;
    if (is_called(asked, "notifications/initialized")) {
        peer->ready = peer->version.len > 0;
    } else if (is_called(asked, "notifications/cancelled")) {
        cancel(peer, asked->params);
    }
    send_nothing(asked, 202);
    haft__mcp_asked_free(asked);
}

static void take_request(haft__mcp_asked *asked, const haft__mcp_headers *headers, uint64_t now_ms)
{
    haft__mcp_asked_own *own = asked->own;
    haft__mcp_peer *peer = own->peer;
    if (find_asked(peer, own->message.id) != NULL) {
        haft__mcp_asked_refuse(asked, 400, HAFT__RPC_INVALID,
                               HAFT__LIT("a request with this id is under way already"),
                               HAFT__LIT(""));
        return;
    }
    if (*haft__mcp_peer_count(peer) >= HAFT__LIMIT_MCP_REQUESTS) {
        haft__mcp_asked_refuse(asked, 503, HAFT__RPC_INTERNAL,
                               HAFT__LIT("too many requests are under way; wait for one of them"),
                               HAFT__LIT(""));
        return;
    }
    haft__mcp_perform(asked, headers, now_ms);
}

void haft__mcp_peer_take(haft__mcp_peer *peer, haft__mcp_asked *asked,
                         const haft__mcp_headers *headers, void *stream, uint64_t now_ms)
{
    haft__mcp_asked_own *own = asked->own;
    own->peer = peer;
    own->stream = stream;
    asked->modern = own->era == HAFT__MCP_ERA_NEW;
    if (own->faulty) {
        if (own->fault.answer) {
            send_nothing(asked, 400);
            haft__mcp_asked_free(asked);
            return;
        }
        own->message.id = own->fault.id;
        haft__mcp_asked_refuse(asked, 400, own->fault.code, haft__str(own->error.message),
                               HAFT__LIT(""));
        return;
    }
    switch (own->message.kind) {
    case HAFT__RPC_REQUEST: take_request(asked, headers, now_ms); break;
    case HAFT__RPC_NOTIFICATION: take_notification(asked); break;
    case HAFT__RPC_RESULT:
    case HAFT__RPC_ERROR: {
        haft__rpc_message message = own->message;
        send_nothing(asked, 202);
        (void)haft__mcp_asked_hear(peer, &message); /* one that nobody waits for is ignored */
        haft__mcp_asked_free(asked);
        break;
    }
    }
}
