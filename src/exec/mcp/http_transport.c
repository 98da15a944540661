/* SPDX-License-Identifier: Apache-2.0 */
/*
 * http_transport.c - a server over HTTP: one exchange for each message (exchange.c), and one for
 * messages that the server sends on its own.
 *
 * The address rules of HTTP tools apply, except that a private address is allowed if the spec
 * writes it literally. Tests: tests/mcp/web_test.py, tests/exec/mcp/connection_test.c,
 * tests/mcp/conformance_client.py.
 */
#include <stdio.h>

#include "base/error.h"
#include "base/limits.h"
#include "base/str.h"
#include "exec/mcp/mcp_int.h"
#include "io/http/client.h"

static haft__mcp_exchange *find_exchange(const haft__mcp_connection *connection, uint64_t number)
{
    for (haft__mcp_exchange *exchange = connection->exchanges; exchange != NULL;
         exchange = exchange->next) {
        if (exchange->number == number && number != 0) {
            return exchange;
        }
    }
    return NULL;
}

bool haft__mcp_http_transport_recall_unsent(haft__mcp_connection *connection, uint64_t call,
                                            char *why, size_t size)
{
    for (haft__mcp_exchange *exchange = connection->exchanges; exchange != NULL;
         exchange = exchange->next) {
        if (exchange->call == call && call != 0 && haft__mcp_exchange_is_unsent(exchange)) {
            (void)snprintf(why, size, "%s", exchange->why);
            haft__mcp_client_exchange_unsent(connection->client, exchange->number);
            haft__mcp_exchange_destroy(exchange);
            return true;
        }
    }
    return false;
}

static bool keep_message(haft__mcp_exchange *exchange, const haft__mcp_client_message *send)
{
    haft_str *headers = haft__arena_array(&exchange->arena, send->header_count, sizeof(*headers));
    exchange->body = haft__arena_copy(&exchange->arena, send->text);
    bool good = headers != NULL && exchange->body.ptr != NULL;
    for (size_t i = 0; i < send->header_count && good; i++) {
        headers[i] = haft__arena_copy(&exchange->arena, send->headers[i]);
        good = headers[i].ptr != NULL;
    }
    exchange->headers = headers;
    exchange->header_count = send->header_count;
    return good;
}

/* Stores the headers for session and version, for requests that the session itself does not
 * make. */
static void note_session(haft__mcp_connection *connection, const haft__mcp_client_message *send)
{
    static const haft_str names[] = {{"mcp-session-id:", 15}, {"mcp-protocol-version:", 21}};
    haft__arena_reset(&connection->session_arena);
    for (size_t k = 0; k < COUNT(names); k++) {
        connection->session[k] = (haft_str){NULL, 0};
        for (size_t i = 0; i < send->header_count; i++) {
            haft_str header = send->headers[i];
            header.len = header.len < names[k].len ? header.len : names[k].len;
            if (haft__str_equal_ignore_case(header, names[k])) {
                connection->session[k] =
                    haft__arena_copy(&connection->session_arena, send->headers[i]);
                connection->session[k].len =
                    connection->session[k].ptr != NULL ? connection->session[k].len : 0;
            }
        }
    }
}

void haft__mcp_http_transport_send(haft__mcp_connection *connection,
                                   const haft__mcp_client_message *send)
{
    haft__mcp_exchange *exchange = haft__mcp_exchange_create(connection);
    note_session(connection, send);
    if (exchange == NULL) {
        haft_error err = {0};
        (void)!haft__mcp_connection_fail(connection, &err, HAFT_NO_MEMORY,
                                         "cannot be queried: out of memory");
        haft__mcp_connection_broken(connection, &err, false);
        return;
    }
    exchange->number = send->exchange;
    exchange->stream = send->stream;
    exchange->call = send->call;
    exchange->began = haft__loop_now(connection->exec->options.loop);
    if (keep_message(exchange, send)) {
        haft__mcp_exchange_start(exchange, false);
    } else {
        haft__mcp_exchange_end(exchange, 0, HAFT__LIT(""),
                               HAFT__LIT("out of memory for the request"));
    }
}

void haft__mcp_http_transport_cancel(haft__mcp_connection *connection, uint64_t number)
{
    haft__mcp_exchange *exchange = find_exchange(connection, number);
    if (exchange != NULL) {
        haft__mcp_exchange_destroy(exchange);
    }
}

void haft__mcp_http_transport_listen(haft__mcp_connection *connection)
{
    for (const haft__mcp_exchange *exchange = connection->exchanges; exchange != NULL;
         exchange = exchange->next) {
        if (exchange->kind == HAFT__EXCHANGE_PUSH) {
            return;
        }
    }
    haft__mcp_exchange *exchange = haft__mcp_exchange_create(connection);
    if (exchange != NULL) { /* when out of memory, changes of the tools are not noticed */
        exchange->kind = HAFT__EXCHANGE_PUSH;
        exchange->stream = true;
        haft__mcp_exchange_start(exchange, false);
    }
}

bool haft__mcp_http_transport_is_listening(const haft__mcp_connection *connection)
{
    const haft__mcp_exchange *exchange = connection->exchanges;
    while (exchange != NULL && exchange->kind != HAFT__EXCHANGE_PUSH) {
        exchange = exchange->next;
    }
    /* Before the server has accepted the stream, it may drop notifications. */
    return exchange != NULL && exchange->transfer != NULL && exchange->events;
}

/* Selects the HTTP client of the connection. One client reaches only the public network, the other
 * every address; each is created on first use. */
haft_status haft__mcp_http_transport_open(haft__mcp_connection *connection, haft_error *err)
{
    haft__exec *exec = connection->exec;
    haft_status status = haft__mcp_setup_http(connection, err);
    if (status != HAFT_OK) {
        return status;
    }
    bool private = haft__mcp_setup_is_private(connection->url);
    haft__http_client **client = private ? &exec->private_http : &exec->public_http;
    if (*client == NULL) {
        haft__http_client_options options = {.public_only = !private};
        status = haft__http_client_create(exec->options.loop, &options, client, err);
    }
    connection->web = *client;
    return status;
}

void haft__mcp_http_transport_close(haft__mcp_connection *connection, bool goodbye)
{
    while (connection->exchanges != NULL) {
        haft__mcp_exchange *exchange = connection->exchanges;
        if (!connection->closing && exchange->call != 0 && haft__mcp_exchange_is_unsent(exchange)) {
            haft__mcp_client_exchange_unsent(connection->client, exchange->number);
            haft__mcp_tool_call_requeue(connection, exchange->call);
        }
        haft__mcp_exchange_destroy(exchange);
    }
    haft__mcp_exchange *exchange =
        goodbye && connection->session[0].len > 0 ? haft__mcp_exchange_create(connection) : NULL;
    if (exchange != NULL) {
        exchange->kind = HAFT__EXCHANGE_DELETE;
        haft__mcp_exchange_start(exchange, false);
    }
}
