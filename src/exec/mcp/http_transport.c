/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mcp_web.c - a server over HTTP: each message an exchange (mcp_exchange.c), and one more for what
 * it says unasked.
 *
 * Where requests may go is as for HTTP tools, except that an address of this machine or of a
 * private network that is written out in the spec is meant.
 * Tests: tests/mcp/web_test.py, tests/exec/mcp/connection_test.c, tests/mcp/conformance_client.py.
 */
#include <stdio.h>

#include "base/error.h"
#include "base/limits.h"
#include "base/str.h"
#include "exec/mcp/mcp_int.h"
#include "io/http/client.h"

static haft__mcp_exchange *find_exchange(const haft__mcp_link *link, uint64_t number)
{
    for (haft__mcp_exchange *it = link->exchanges; it != NULL; it = it->next) {
        if (it->number == number && number != 0) {
            return it;
        }
    }
    return NULL;
}

bool haft__mcp_web_take_back(haft__mcp_link *link, uint64_t call, char *why, size_t size)
{
    for (haft__mcp_exchange *it = link->exchanges; it != NULL; it = it->next) {
        if (it->call == call && call != 0 && haft__mcp_exchange_is_unsent(it)) {
            (void)snprintf(why, size, "%s", it->why);
            haft__mcp_client_unsent(link->client, it->number);
            haft__mcp_exchange_destroy(it);
            return true;
        }
    }
    return false;
}

static bool keep_message(haft__mcp_exchange *it, const haft__mcp_send *send)
{
    haft_str *headers = haft__arena_array(&it->arena, send->header_count, sizeof(*headers));
    it->body = haft__arena_copy(&it->arena, send->text);
    bool good = headers != NULL && it->body.ptr != NULL;
    for (size_t i = 0; i < send->header_count && good; i++) {
        headers[i] = haft__arena_copy(&it->arena, send->headers[i]);
        good = headers[i].ptr != NULL;
    }
    it->headers = headers;
    it->header_count = send->header_count;
    return good;
}

/* Session and version, for requests that the session itself does not make. */
static void note_session(haft__mcp_link *link, const haft__mcp_send *send)
{
    static const haft_str names[] = {{"mcp-session-id:", 15}, {"mcp-protocol-version:", 21}};
    haft__arena_reset(&link->session_arena);
    for (size_t k = 0; k < COUNT(names); k++) {
        link->session[k] = (haft_str){NULL, 0};
        for (size_t i = 0; i < send->header_count; i++) {
            haft_str header = send->headers[i];
            header.len = header.len < names[k].len ? header.len : names[k].len;
            if (haft__str_equal_ignore_case(header, names[k])) {
                link->session[k] = haft__arena_copy(&link->session_arena, send->headers[i]);
                link->session[k].len = link->session[k].ptr != NULL ? link->session[k].len : 0;
            }
        }
    }
}

void haft__mcp_web_send(haft__mcp_link *link, const haft__mcp_send *send)
{
    haft__mcp_exchange *it = haft__mcp_exchange_create(link);
    note_session(link, send);
    if (it == NULL) {
        haft_error err = {0};
        (void)!haft__mcp_link_fail(link, &err, HAFT_NO_MEMORY, "cannot be asked: out of memory");
        haft__mcp_link_broke(link, &err, false);
        return;
    }
    it->number = send->exchange;
    it->stream = send->stream;
    it->call = send->call;
    it->began = haft__loop_now(link->exec->options.loop);
    if (keep_message(it, send)) {
        haft__mcp_exchange_start(it, false);
    } else {
        haft__mcp_exchange_end(it, 0, HAFT__LIT(""),
                               HAFT__LIT("there was no memory for the request"));
    }
}

void haft__mcp_web_cancel(haft__mcp_link *link, uint64_t number)
{
    haft__mcp_exchange *it = find_exchange(link, number);
    if (it != NULL) {
        haft__mcp_exchange_destroy(it);
    }
}

void haft__mcp_web_push(haft__mcp_link *link)
{
    for (const haft__mcp_exchange *it = link->exchanges; it != NULL; it = it->next) {
        if (it->kind == HAFT__EXCHANGE_PUSH) {
            return;
        }
    }
    haft__mcp_exchange *it = haft__mcp_exchange_create(link);
    if (it != NULL) { /* without it, changes of the tools are not heard of */
        it->kind = HAFT__EXCHANGE_PUSH;
        it->stream = true;
        haft__mcp_exchange_start(it, false);
    }
}

bool haft__mcp_web_pushes(const haft__mcp_link *link)
{
    const haft__mcp_exchange *it = link->exchanges;
    while (it != NULL && it->kind != HAFT__EXCHANGE_PUSH) {
        it = it->next;
    }
    return it != NULL && it->transfer != NULL;
}

/* One client reaches only the public network, the other everything; made at the first need. */
haft_status haft__mcp_web_open(haft__mcp_link *link, haft_error *err)
{
    haft__exec *exec = link->exec;
    haft_status status = haft__mcp_setup_web(link, err);
    if (status != HAFT_OK) {
        return status;
    }
    bool private = haft__mcp_setup_is_private(link->url);
    haft__http **client = private ? &exec->any_web : &exec->open_web;
    if (*client == NULL) {
        haft__http_options options = {.public_only = !private};
        status = haft__http_create(exec->options.loop, &options, client, err);
    }
    link->web = *client;
    return status;
}

void haft__mcp_web_close(haft__mcp_link *link, bool goodbye)
{
    while (link->exchanges != NULL) {
        haft__mcp_exchange *it = link->exchanges;
        if (!link->closing && it->call != 0 && haft__mcp_exchange_is_unsent(it)) {
            haft__mcp_client_unsent(link->client, it->number);
            haft__mcp_use_unmake(link, it->call);
        }
        haft__mcp_exchange_destroy(it);
    }
    haft__mcp_exchange *it =
        goodbye && link->session[0].len > 0 ? haft__mcp_exchange_create(link) : NULL;
    if (it != NULL) {
        it->kind = HAFT__EXCHANGE_DELETE;
        haft__mcp_exchange_start(it, false);
    }
}
