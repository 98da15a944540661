/* SPDX-License-Identifier: Apache-2.0 */
/* http.c - HTTP specifics: sessions, and error responses. Tests: tests/mcp/client/http_test.c. */
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/limits.h"
#include "base/str.h"
#include "mcp/client/client_int.h"

/* The range that JSON-RPC reserves for servers; SDKs use it for errors of the HTTP transport. */
#define SERVER_CODE_FIRST (-32000)
#define SERVER_CODE_LAST  (-32099)

haft_status haft__mcp_client_session(haft__mcp_client *client, uint64_t exchange, haft_str id,
                                     haft_error *err)
{
    bool visible = id.len > 0 && id.len <= HAFT__LIMIT_MCP_SESSION_BYTES;
    (void)err;
    if (exchange == 0 || exchange != client->initialize_id) {
        return HAFT_OK; /* an id of a modern server has no meaning */
    }
    for (size_t i = 0; i < id.len && visible; i++) {
        visible = id.ptr[i] >= 0x21 && id.ptr[i] <= 0x7E;
    }
    if (!visible) {
        haft_error error;
        (void)haft__fail(
            &error, HAFT_BAD_INPUT, "",
            "the server gave a session id of %zu bytes that is not visible ASCII of at most %d",
            id.len, HAFT__LIMIT_MCP_SESSION_BYTES);
        haft__mcp_client_fail_all(client, &error);
        return HAFT_OK;
    }
    memcpy(client->session_bytes, id.ptr, id.len);
    client->session = (haft_str){client->session_bytes, id.len};
    return HAFT_OK;
}

/* ---- failures ---- */

static bool is_redirect(uint32_t http)
{
    return http >= 300 && http < 400;
}

/* Whether the server refuses every request, because the client is not authorised or the server has
 * moved. */
static bool is_refusal(uint32_t http)
{
    return http == 401 || http == 403 || http == 407 || is_redirect(http);
}

/* Whether a retry of the same request would get the same response. */
static bool is_lasting(uint32_t http)
{
    return http >= 400 && http < 500 && http != 408 && http != 425 && http != 429;
}

static void describe_failure(const haft__mcp_exchange_failure *broken, haft_error *ret_error)
{
    if (broken->http == 0) {
        haft__mcp_client_fail_text(ret_error, HAFT_IO,
                                   "the exchange with the server was interrupted", broken->why);
        (void)haft__hint(ret_error, HAFT_IO,
                         broken->sent ? "check that `url` is an MCP server, and what it logs"
                                      : "check that it is running and that `url` is correct");
        return;
    }
    char text[64];
    haft_status status = is_refusal(broken->http)   ? HAFT_BAD_STATE
                         : is_lasting(broken->http) ? HAFT_UNSUPPORTED
                                                    : HAFT_IO;
    (void)snprintf(text, sizeof text, "the server answered with HTTP %u", broken->http);
    haft__mcp_client_fail_text(ret_error, status, text, broken->why);
    if (broken->http == 401) {
        (void)haft__hint(ret_error, status,
                         "it requires authentication: headers: {Authorization: \"Bearer ${..}\"}");
    } else if (broken->http == 403) {
        (void)haft__hint(ret_error, status,
                         "it denies access: check the token in `headers` and its permissions");
    } else if (is_redirect(broken->http)) {
        (void)haft__hint(ret_error, status,
                         "redirects are not followed: use the final address as `url`");
    } else if (broken->http >= 500) {
        (void)haft__hint(ret_error, status, "the server failed: check its log");
    } else if (!is_lasting(broken->http)) {
        (void)haft__hint(ret_error, status, "it is overloaded or not ready: try again later");
    }
}

/* Reads the error in the body as the response to this request; false if it has none. */
static bool read_body(haft__mcp_client *client, haft__arena *arena, haft_str body,
                      haft__rpc_message *ret_message)
{
    haft__rpc_fault fault = {0};
    bool fits = body.len <= HAFT__LIMIT_MCP_MESSAGE_BYTES;
    haft_str copy = fits ? haft__arena_copy(arena, body) : HAFT__LIT("");
    return copy.ptr != NULL
           && haft__mcp_client_read_message(client, arena, copy, ret_message, &fault, NULL)
                  == HAFT_OK
           && ret_message->kind == HAFT__RPC_ERROR;
}

/* ---- expired sessions ---- */

/* Whether an error with HTTP status 400 means that the session has ended: many servers send 400
 * instead of 404. An error with the id of this request concerns the request, unless it is a
 * transport error that mentions the session. */
static bool is_about_session(const haft__rpc_message *message, uint64_t exchange)
{
    bool transport = message->code == HAFT__RPC_INVALID
                     || (message->code <= SERVER_CODE_FIRST && message->code >= SERVER_CODE_LAST);
    return haft__mcp_client_id_number(message->id) != exchange
           || (transport
               && (haft__str_contains_ignore_case(message->message, HAFT__LIT("session"))
                   || haft__str_contains_ignore_case(message->message,
                                                     HAFT__LIT("not initialized"))));
}

/* Whether the list was already requested again in a new session. For calls, the caller decides
 * this. */
static bool was_reopened(const haft__mcp_client *client, uint64_t exchange)
{
    return exchange == client->list_id && client->listing->reopened;
}

/* Whether the session has ended on the server, and the server has not processed the request.
 * `error` is the error in the response body, or NULL. */
static bool is_session_over(const haft__mcp_client *client, uint64_t exchange,
                            const haft__mcp_exchange_failure *broken,
                            const haft__rpc_message *error)
{
    bool is_over = broken->http == 404
                   || (broken->http == 400 && (error == NULL || is_about_session(error, exchange)));
    return is_over && client->era == HAFT__MCP_ERA_LEGACY
           && (client->session.len > 0 || client->state == HAFT__MCP_CLIENT_INITIALIZING);
}

static haft_status break_opening(haft__mcp_client *client, bool probe,
                                 const haft__mcp_exchange_failure *broken, haft_error *err)
{
    haft_error error;
    bool absent =
        broken->http == 0 && !broken->sent; /* initialize would not reach the server either */
    bool final = absent || is_refusal(broken->http);
    client->discover_id = probe ? 0 : client->discover_id;
    client->initialize_id = probe ? client->initialize_id : 0;
    if (probe && !final && !client->tried_initialize) {
        return haft__mcp_client_initialize(client, err);
    }
    describe_failure(broken, &error);
    if (!probe && (broken->http == 400 || broken->http == 404 || broken->http == 405)) {
        (void)haft__hint(&error, error.status,
                         "check the path; the HTTP+SSE transport of 2024 is not supported");
    }
    haft__mcp_client_fail_all(client, &error);
    return HAFT_OK;
}

/* Opens a new session. An open list is requested again; a call ends as RETRY, because its caller
 * checks the tools first. */
static haft_status reopen(haft__mcp_client *client, haft__mcp_pending_call *call,
                          const haft__mcp_exchange_failure *broken, const haft__rpc_message *answer,
                          haft_error *err)
{
    haft_error error;
    describe_failure(broken, &error);
    if (answer != NULL
        && broken->http
               == 400) { /* it is unknown whether the error concerns the session or the request */
        haft__mcp_client_fail_text(&error, HAFT_IO, "the server answered with an error",
                                   answer->message);
    }
    if (call != NULL) {
        call->node->event.done.http = broken->http;
        haft__mcp_client_call_end(client, call, HAFT__MCP_OUTCOME_RETRY, &error);
    } else {
        client->listing->reopened = true;
        haft__mcp_client_list_reset(client);
    }
    return haft__mcp_client_reopen(client, err);
}

static haft_status break_list(haft__mcp_client *client, const haft__mcp_exchange_failure *broken)
{
    haft_error error;
    describe_failure(broken, &error);
    client->list_id = 0;
    haft__mcp_client_list_fail(client, &error);
    return HAFT_OK;
}

static haft_status break_call(haft__mcp_client *client, haft__mcp_pending_call *call,
                              const haft__mcp_exchange_failure *broken)
{
    haft_error error;
    describe_failure(broken, &error);
    call->node->event.done.sent = broken->sent;
    call->node->event.done.http = broken->http;
    /* A server that failed while working, or a proxy that timed out, may have executed the call. */
    bool lost = broken->http == 0 || broken->http == 408 || broken->http >= 500;
    haft__mcp_client_call_end(client, call, lost ? HAFT__MCP_OUTCOME_LOST : HAFT__MCP_OUTCOME_ERROR,
                              &error);
    return HAFT_OK;
}

static haft_status handle_body(haft__mcp_client *client, uint64_t exchange,
                               haft__mcp_pending_call *call, const haft__rpc_message *message,
                               uint32_t http, haft__arena *io_arena, haft_error *err)
{
    if (call != NULL) {
        return haft__mcp_client_call_answer(client, call, message, http, io_arena, err);
    }
    if (exchange == client->discover_id) {
        return haft__mcp_client_on_discovered(client, message, err);
    }
    if (exchange == client->initialize_id) {
        return haft__mcp_client_on_initialized(client, message, err);
    }
    return haft__mcp_client_list_answer(client, message, 0, io_arena, err);
}

static haft_status handle_failure(haft__mcp_client *client, uint64_t exchange,
                                  const haft__mcp_exchange_failure *broken, haft__arena *io_arena,
                                  haft_error *err)
{
    haft__mcp_pending_call *call = haft__mcp_client_call_find(client, exchange);
    haft__rpc_message message;
    bool probe = exchange == client->discover_id;
    bool opening = probe || exchange == client->initialize_id;
    bool list = exchange == client->list_id;
    bool denied = opening && is_refusal(broken->http);
    if (exchange == client->listen_id) {
        return haft__mcp_client_watch_lost(client, err);
    }
    if (exchange == client->level_id) {
        client->level_id = 0;
        return HAFT_OK;
    }
    if (call == NULL && !opening && !list) {
        return HAFT_OK;
    }
    bool has_message =
        broken->http != 0 && !denied && read_body(client, io_arena, broken->body, &message);
    if (!opening && !was_reopened(client, exchange)
        && is_session_over(client, exchange, broken, has_message ? &message : NULL)) {
        return reopen(client, call, broken, has_message ? &message : NULL, err);
    }
    if (has_message) {
        return handle_body(client, exchange, call, &message, broken->http, io_arena, err);
    }
    return call != NULL ? break_call(client, call, broken)
           : opening    ? break_opening(client, probe, broken, err)
                        : break_list(client, broken);
}

void haft__mcp_client_exchange_unsent(haft__mcp_client *client, uint64_t exchange)
{
    haft__mcp_pending_call *call = haft__mcp_client_call_find(client, exchange);
    if (call != NULL) {
        call->state = HAFT__MCP_CALL_WAITING;
    }
}

haft_status haft__mcp_client_exchange_failed(haft__mcp_client *client, uint64_t exchange,
                                             const haft__mcp_exchange_failure *broken,
                                             haft_error *err)
{
    haft__arena arena;
    if (exchange == 0) {
        return HAFT_OK;
    }
    haft__arena_init(&arena, 0);
    haft_status status = handle_failure(client, exchange, broken, &arena, err);
    haft__arena_finish(&arena);
    return haft__mcp_client_check(client, status);
}
