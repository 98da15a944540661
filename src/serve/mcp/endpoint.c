/* SPDX-License-Identifier: Apache-2.0 */
/*
 * endpoint.c - MCP over HTTP: access checks and dispatch of methods. Tests:
 * tests/serve/mcp/endpoint_test.c, tests/cli/mcp_test.py, tests/mcp/conformance.py.
 */
#include "serve/mcp/endpoint.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/limits.h"
#include "base/macros.h"
#include "base/str.h"
#include "io/server/listener.h"
#include "serve/mcp/endpoint_int.h"

/* Also called by the HTTP server below for its own rejections. */
static void write_refusal(void *context, uint32_t status, const char *why, haft__buf *text)
{
    (void)context;
    haft__rpc_write_error(text, haft__json_null(),
                          status >= 500 ? HAFT__RPC_INTERNAL : HAFT__RPC_INVALID, haft__str(why),
                          haft__json_null());
}

void haft__mcp_endpoint_reject(haft__http_server_request *request, uint32_t status, const char *why)
{
    haft__buf text;
    haft__buf_init(&text, HAFT__LIMIT_MCP_MESSAGE_BYTES);
    write_refusal(NULL, status, why, &text);
    haft_str body = haft__buf_check(&text, NULL) == HAFT_OK ? haft__buf_str(&text) : HAFT__LIT("");
    haft__mcp_stream_reply(request, status, NULL, body);
    haft__buf_finish(&text);
}

haft_str haft__mcp_endpoint_principal(const haft__mcp_endpoint *endpoint)
{
    if (endpoint->server == NULL) {
        return endpoint->principal;
    }
    return endpoint->options.access_rules.token.len > 0 ? HAFT__LIT("token") : HAFT__LIT("");
}

/* ---- every request ---- */

/* A repeated header for authentication or routing is ambiguous, so the request is rejected. */
static const char *find_repeated_header(const haft__http_server_request *request)
{
    static const struct {
        const char *name, *why;
    } headers[] = {
        {"host", "the header Host occurs more than once"},
        {"origin", "the header Origin occurs more than once"},
        {"authorization", "the header Authorization occurs more than once"},
        {"mcp-session-id", "the header Mcp-Session-Id occurs more than once"},
        {"mcp-protocol-version", "the header MCP-Protocol-Version occurs more than once"},
        {"mcp-method", "the header Mcp-Method occurs more than once"},
        {"mcp-name", "the header Mcp-Name occurs more than once"},
        {"last-event-id", "the header Last-Event-ID occurs more than once"},
    };
    for (size_t i = 0; i < COUNT(headers); i++) {
        if (haft__http_server_header_count(request, headers[i].name) > 1) {
            return headers[i].why;
        }
    }
    return NULL;
}

/* 0, or the status for a version that is unsupported or has no sessions. */
static uint32_t check_version(const haft__http_server_request *request, const char **ret_why)
{
    haft_str version = haft__str_trim(haft__http_server_header(request, "mcp-protocol-version"));
    if (version.len == 0 || haft__mcp_version_has_handshake(version)) {
        return 0;
    }
    bool modern = haft__str_equal(version, HAFT__LIT(HAFT__MCP_SERVER_MODERN_VERSION));
    *ret_why = modern ? "versions since 2026-07-28 use only POST"
                      : "the header MCP-Protocol-Version names an unsupported version: expected "
                        "the version from initialize";
    return modern ? 405 : 400;
}

static bool is_method(const haft__http_server_request *request, const char *name)
{
    return haft__str_equal(haft__http_server_method(request), haft__str(name));
}

/* Checks that need only the head: 0 if the request is allowed, else its status and the reason. */
static uint32_t check_request(const haft__mcp_endpoint *endpoint,
                              const haft__http_server_request *request, const char **ret_why)
{
    haft__mcp_access_request visitor = {
        .method = haft__http_server_method(request),
        .host = haft__http_server_header(request, "host"),
        .origin = haft__http_server_header(request, "origin"),
        .authorization = haft__http_server_header(request, "authorization"),
        .accept = haft__http_server_header(request, "accept"),
        .content_type = haft__http_server_header(request, "content-type")};
    const char *why = "", *doubled = find_repeated_header(request);
    bool mounted = endpoint->server == NULL;
    uint32_t status = mounted
                          ? haft__mcp_access_check_kinds(&visitor, &why)
                          : haft__mcp_access_check(&endpoint->options.access_rules, &visitor, &why);
    bool get_or_delete = is_method(request, "GET") || is_method(request, "DELETE");
    if (doubled != NULL) {
        *ret_why = doubled;
        return 400;
    }
    *ret_why = why;
    if (status == 403 || status == 401) {
        return status;
    }
    if (!mounted && !haft__str_equal(haft__http_server_path(request), HAFT__LIT("/mcp"))) {
        *ret_why = "unknown path: this server has only /mcp";
        return 404;
    }
    if (!get_or_delete && !is_method(request, "POST")) {
        *ret_why = "unsupported HTTP method: expected POST, GET or DELETE";
        return 405;
    }
    uint32_t version = get_or_delete ? check_version(request, ret_why) : 0;
    return version != 0 ? version : status;
}

bool haft__mcp_endpoint_accept_body(const haft__mcp_endpoint *endpoint,
                                    const haft__http_server_request *request)
{
    const char *why;
    return is_method(request, "POST") && check_request(endpoint, request, &why) == 0;
}

/* The body of a rejected request is not read. */
static bool wants_body(void *context, const haft__http_server_request *request)
{
    return haft__mcp_endpoint_accept_body(context, request);
}

static void dispatch(haft__mcp_endpoint *endpoint, haft__http_server_request *request)
{
    const char *why = "";
    uint32_t status = check_request(endpoint, request, &why);
    if (status != 0) {
        haft__mcp_endpoint_reject(request, status, why);
    } else if (is_method(request, "POST")) {
        haft__mcp_endpoint_post(endpoint, request);
    } else if (is_method(request, "GET")) {
        haft__mcp_endpoint_get(endpoint, request);
    } else {
        haft__mcp_endpoint_delete(endpoint, request);
    }
}

static void handle(void *context, haft__http_server_request *request)
{
    dispatch(context, request);
}

void haft__mcp_endpoint_handle(haft__mcp_endpoint *endpoint, haft__http_server_request *request,
                               haft_str principal)
{
    endpoint->principal = principal;
    dispatch(endpoint, request);
    endpoint->principal = HAFT__LIT("");
}

/* ---- create and destroy ---- */

static haft__mcp_endpoint *allocate(const haft__mcp_endpoint_options *options)
{
    haft__mcp_endpoint *endpoint = calloc(1, sizeof(*endpoint));
    if (endpoint != NULL) {
        endpoint->options = *options;
        endpoint->principal = HAFT__LIT("");
        endpoint->options.sessions =
            options->sessions > 0 ? options->sessions : HAFT__LIMIT_MCP_SESSIONS;
        endpoint->options.idle_ms =
            options->idle_ms > 0 ? options->idle_ms : HAFT__LIMIT_MCP_SESSION_IDLE_MS;
    }
    return endpoint;
}

haft_status haft__mcp_endpoint_create(const haft__mcp_endpoint_options *options,
                                      haft__mcp_endpoint **ret_endpoint, haft_error *err)
{
    if (options->path != NULL) {
        *ret_endpoint = allocate(options);
        return *ret_endpoint != NULL ? HAFT_OK : haft__fail_no_memory(err);
    }
    bool loopback = haft__mcp_access_is_loopback(options->address);
    haft_status read =
        haft__listener_check_address(options->address, err); /* an invalid address needs no token */
    if (read != HAFT_OK) {
        return read;
    }
    if (!loopback && options->access_rules.token.len == 0) {
        haft_status status =
            haft__fail(err, HAFT_BAD_INPUT, "",
                       "'%.*s' can be reached from other machines, but no token is set",
                       HAFT__ARG(options->address));
        return haft__hint(err, status, "give one with --token-file, or listen at 127.0.0.1");
    }
    haft__mcp_endpoint *endpoint = allocate(options);
    if (endpoint == NULL) {
        return haft__fail_no_memory(err);
    }
    endpoint->options.access_rules.loopback = loopback;
    endpoint->options.access_rules.address = options->address;
    haft__http_server_options server = {.address = options->address,
                                        .accept_body = wants_body,
                                        .write_error = write_refusal,
                                        .max_body = HAFT__LIMIT_MCP_MESSAGE_BYTES};
    haft_status status =
        haft__http_server_create(options->loop, &server, handle, endpoint, &endpoint->server, err);
    if (status != HAFT_OK) {
        free(endpoint);
        return status;
    }
    *ret_endpoint = endpoint;
    return HAFT_OK;
}

void haft__mcp_endpoint_destroy(haft__mcp_endpoint *endpoint)
{
    if (endpoint == NULL) {
        return;
    }
    haft__timer_stop(endpoint->options.loop, &endpoint->sweep);
    while (endpoint->sessions != NULL) {
        haft__mcp_session_destroy(endpoint->sessions);
    }
    while (endpoint->channels != NULL) {
        haft__mcp_channel_destroy(endpoint->channels);
    }
    haft__http_server_destroy(endpoint->server);
    free(endpoint);
}

haft_str haft__mcp_endpoint_address(const haft__mcp_endpoint *endpoint)
{
    return haft__http_server_address(endpoint->server);
}

size_t haft__mcp_endpoint_session_count(const haft__mcp_endpoint *endpoint)
{
    return endpoint->session_count;
}

size_t haft__mcp_endpoint_buffered_bytes(const haft__mcp_endpoint *endpoint)
{
    return endpoint->buffered_bytes;
}

void haft__mcp_endpoint_pause(haft__mcp_request *mcp_request)
{
    haft__mcp_channel *c = haft__mcp_request_stream(mcp_request);
    if (c != NULL && c->owner != NULL) {
        haft__mcp_stream_begin(&c->stream);
        haft__mcp_stream_pause(&c->stream);
    }
}
