/* SPDX-License-Identifier: Apache-2.0 */
/* client_http.c - what HTTP adds: sessions, and answers that are none. Tests:
 * tests/mcp/client_http_test.c. */
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/limits.h"
#include "base/str.h"
#include "mcp/client_int.h"

haft_status haft__mcp_client_session(haft__mcp_client *client, uint64_t exchange, haft_str id,
                                     haft_error *err)
{
    bool visible = id.len > 0 && id.len <= HAFT__LIMIT_MCP_SESSION_BYTES;
    (void)err;
    if (exchange == 0 || exchange != client->initialize_id) {
        return HAFT_OK; /* modern servers may send one; it means nothing */
    }
    for (size_t i = 0; i < id.len && visible; i++) {
        visible = id.ptr[i] >= 0x21 && id.ptr[i] <= 0x7E;
    }
    if (!visible) {
        haft_error error;
        (void)haft__fail(&error, HAFT_BAD_INPUT, "",
                         "the server gave a session id of %zu bytes that is no visible ASCII of "
                         "at most %d",
                         id.len, HAFT__LIMIT_MCP_SESSION_BYTES);
        haft__mcp_give_up(client, &error);
        return HAFT_OK;
    }
    memcpy(client->session_bytes, id.ptr, id.len);
    client->session = (haft_str){client->session_bytes, id.len};
    return HAFT_OK;
}

/* ---- what broke ---- */

static void say(const haft__mcp_broken *broken, haft_error *ret_error)
{
    if (broken->http == 0) {
        haft__mcp_fail_text(ret_error, HAFT_IO, "the exchange with the server broke off",
                            broken->why);
        return;
    }
    char text[64];
    (void)snprintf(text, sizeof text, "the server answered with HTTP %u", broken->http);
    haft__mcp_fail_text(ret_error, HAFT_IO, text, broken->why);
    if (broken->http == 401 || broken->http == 403) {
        (void)haft__hint(ret_error, HAFT_IO,
                         "it wants to know who asks: headers: {Authorization: \"Bearer ${..}\"}");
    }
}

/* The body's own error, as if it had come as an answer to this request; false when it has none. */
static bool read_body(haft__mcp_client *client, haft__arena *arena, haft_str body,
                      haft__rpc_message *ret_message)
{
    haft__rpc_fault fault;
    bool fits = body.len <= HAFT__LIMIT_MCP_MESSAGE_BYTES;
    haft_str copy = fits ? haft__arena_copy(arena, body) : HAFT__LIT("");
    return copy.ptr != NULL
           && haft__rpc_read(arena, copy, client->options.origin.hash_key, ret_message, &fault,
                             NULL)
                  == HAFT_OK
           && ret_message->kind == HAFT__RPC_ERROR;
}

/* The server does not know the session any more; it has not looked at the request. */
static bool is_session_over(const haft__mcp_client *client, const haft__mcp_broken *broken)
{
    return broken->http == 404 && client->era == HAFT__MCP_ERA_LEGACY
           && (client->session.len > 0 || client->state == HAFT__MCP_INITIALIZING);
}

static haft_status break_opening(haft__mcp_client *client, bool probe,
                                 const haft__mcp_broken *broken, haft_error *err)
{
    haft_error error;
    bool final = broken->http == 0 || broken->http == 401 || broken->http == 403;
    client->discover_id = probe ? 0 : client->discover_id;
    client->initialize_id = probe ? client->initialize_id : 0;
    if (probe && !final && !client->tried_initialize) {
        return haft__mcp_initialize(client, err);
    }
    say(broken, &error);
    if (!probe && (broken->http == 400 || broken->http == 404 || broken->http == 405)) {
        (void)haft__hint(&error, HAFT_IO,
                         "is the path right? The HTTP+SSE transport of 2024 is not spoken");
    }
    haft__mcp_give_up(client, &error);
    return HAFT_OK;
}

static haft_status break_list(haft__mcp_client *client, const haft__mcp_broken *broken,
                              haft_error *err)
{
    haft_error error;
    if (is_session_over(client, broken) && !client->listing->reopened) {
        client->listing->reopened = true;
        haft__mcp_list_reset(client);
        return haft__mcp_reopen(client, err);
    }
    say(broken, &error);
    client->list_id = 0;
    haft__mcp_list_fail(client, &error);
    return haft__mcp_calls_refreshed(client, err);
}

static haft_status break_call(haft__mcp_client *client, haft__mcp_pending *call,
                              const haft__mcp_broken *broken, haft_error *err)
{
    haft_error error;
    if (is_session_over(client, broken) && !call->reopened) {
        call->reopened = true;
        call->state = HAFT__MCP_CALL_WAITING;
        return haft__mcp_reopen(client, err);
    }
    say(broken, &error);
    call->node->event.done.sent = broken->sent;
    call->node->event.done.http = broken->http;
    /* A server that failed on the way, or a proxy that waited no longer, may have done it. */
    bool lost = broken->http == 0 || broken->http == 408 || broken->http >= 500;
    haft__mcp_call_end(client, call, lost ? HAFT__MCP_LOST : HAFT__MCP_ERROR, &error);
    return HAFT_OK;
}

static haft_status take_body(haft__mcp_client *client, uint64_t exchange, haft__mcp_pending *call,
                             const haft__rpc_message *message, uint32_t http, haft__arena *io_arena,
                             haft_error *err)
{
    if (call != NULL) {
        return haft__mcp_call_answer(client, call, message, http, io_arena, err);
    }
    if (exchange == client->discover_id) {
        return haft__mcp_discovered(client, message, err);
    }
    if (exchange == client->initialize_id) {
        return haft__mcp_initialized(client, message, err);
    }
    return haft__mcp_list_answer(client, message, 0, io_arena, err);
}

static haft_status take_broken(haft__mcp_client *client, uint64_t exchange,
                               const haft__mcp_broken *broken, haft__arena *io_arena,
                               haft_error *err)
{
    haft__mcp_pending *call = haft__mcp_call_find(client, exchange);
    haft__rpc_message message;
    bool probe = exchange == client->discover_id;
    bool opening = probe || exchange == client->initialize_id;
    bool list = exchange == client->list_id;
    bool denied = opening && (broken->http == 401 || broken->http == 403);
    if (exchange == client->listen_id || exchange == client->level_id) {
        client->listen_id = exchange == client->listen_id ? 0 : client->listen_id;
        client->level_id = exchange == client->level_id ? 0 : client->level_id;
        return HAFT_OK;
    }
    if (call == NULL && !opening && !list) {
        return HAFT_OK;
    }
    if (broken->http != 0 && !denied && !is_session_over(client, broken)
        && read_body(client, io_arena, broken->body, &message)) {
        return take_body(client, exchange, call, &message, broken->http, io_arena, err);
    }
    return call != NULL ? break_call(client, call, broken, err)
           : opening    ? break_opening(client, probe, broken, err)
                        : break_list(client, broken, err);
}

haft_status haft__mcp_client_broken(haft__mcp_client *client, uint64_t exchange,
                                    const haft__mcp_broken *broken, haft_error *err)
{
    haft__arena arena;
    if (exchange == 0) {
        return HAFT_OK;
    }
    haft__arena_init(&arena, 0);
    haft_status status = take_broken(client, exchange, broken, &arena, err);
    haft__arena_finish(&arena);
    return haft__mcp_guard(client, status);
}
