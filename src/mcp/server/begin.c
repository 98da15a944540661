/* SPDX-License-Identifier: Apache-2.0 */
/*
 * begin.c - validates long-running requests and passes them to the application.
 *
 * Tests: tests/mcp/server/begin_test.c.
 */
#include "base/error.h"
#include "base/limits.h"
#include "base/str.h"
#include "mcp/server/server_int.h"

/* The member that names the target of the request. */
static const char *name_key(haft__mcp_method verb)
{
    switch (verb) {
    case HAFT__MCP_METHOD_CALL:
    case HAFT__MCP_METHOD_PROMPT: return "name";
    case HAFT__MCP_METHOD_READ:
    case HAFT__MCP_METHOD_SUBSCRIBE:
    case HAFT__MCP_METHOD_UNSUBSCRIBE: return "uri";
    case HAFT__MCP_METHOD_COMPLETE:
    case HAFT__MCP_METHOD_LISTEN: return NULL;
    }
    HAFT__UNREACHABLE();
}

static bool read_name(haft__mcp_request *request)
{
    const char *key = name_key(request->verb);
    const haft__json *name = key != NULL ? haft__json_get(request->params, haft__str(key)) : NULL;
    const haft__json *arguments = haft__json_get(request->params, HAFT__LIT("arguments"));
    request->name = name != NULL ? haft__json_text(*name) : HAFT__LIT("");
    request->arguments = haft__json_object(NULL, 0);
    if (key != NULL && (name == NULL || name->kind != HAFT__JSON_STRING || name->count == 0)) {
        haft__mcp_request_reject_params(request,
                                        request->verb == HAFT__MCP_METHOD_CALL
                                                || request->verb == HAFT__MCP_METHOD_PROMPT
                                            ? "expected \"name\" with a string in the parameters"
                                            : "expected \"uri\" with a string in the parameters");
        return false;
    }
    if (arguments != NULL && arguments->kind == HAFT__JSON_OBJECT) {
        request->arguments = *arguments;
    } else if (arguments != NULL && arguments->kind != HAFT__JSON_NULL) {
        haft__mcp_request_reject_params(request, "expected an object in \"arguments\"");
        return false;
    }
    return true;
}

static void read_progress_token(haft__mcp_request *request)
{
    const haft__json *token = haft__mcp_request_meta(request, "progressToken");
    bool good = token != NULL
                && (token->kind == HAFT__JSON_STRING
                    || (token->kind == HAFT__JSON_NUMBER && token->integer != 0));
    request->own->token = good ? *token : haft__json_null();
}

/* Verifies the state that the client stored. It is valid for one request. */
static haft_status open_state(haft__mcp_request *request, haft_str sealed, uint64_t now_ms,
                              haft_error *err)
{
    haft__mcp_request_internal *own = request->own;
    haft__buf binding;
    haft_str rest = {NULL, 0};
    uint64_t number = 0;
    haft__buf_init(&binding, HAFT__LIMIT_JSON_BYTES);
    haft__mcp_request_write_binding(request, &binding);
    haft_status status = haft__buf_check(&binding, err);
    if (status == HAFT_OK) {
        status = haft__seal_open(&own->arena, &own->server->options.key, haft__buf_str(&binding),
                                 sealed, now_ms, &rest, err);
    }
    haft__buf_finish(&binding);
    if (status == HAFT_OK
        && (!haft__str_to_u64(haft__str_split(&rest, ' '), &number)
            || !haft__mcp_nonces_consume(own->server, number))) {
        status = haft__fail(err, HAFT_BAD_INPUT, "",
                            "the state was used before and is valid for one request only; send the "
                            "request again without it");
    }
    request->state = rest;
    return status;
}

/* Reads the answers to questions of an earlier request, and the state that the client stored. */
static bool read_answers(haft__mcp_request *request, uint64_t now_ms)
{
    const haft__json *answers = haft__json_get(request->params, HAFT__LIT("inputResponses"));
    const haft__json *state = haft__json_get(request->params, HAFT__LIT("requestState"));
    if (answers != NULL && answers->kind != HAFT__JSON_OBJECT) {
        haft__mcp_request_reject_params(request, "expected an object in \"inputResponses\"");
        return false;
    }
    request->answers = answers != NULL ? *answers : haft__json_null();
    if (state == NULL) {
        return true;
    }
    haft_error err = {0};
    haft_status status = open_state(request, haft__json_text(*state), now_ms, &err);
    if (status != HAFT_OK) {
        haft__mcp_request_reject(request, 400, HAFT__RPC_PARAMS, haft__str(err.message),
                                 HAFT__LIT(""));
    }
    return status == HAFT_OK;
}

/* Adds the request to the open requests of its peer. */
static void register_request(haft__mcp_request *request)
{
    haft__mcp_request_internal *own = request->own;
    haft__mcp_peer *peer = own->peer;
    own->next = peer->request;
    own->link = &peer->request;
    if (own->next != NULL) {
        own->next->own->link = &own->next;
    }
    peer->request = request;
    own->linked = true;
    if (!peer->single || request->verb != HAFT__MCP_METHOD_LISTEN) {
        own->counted = haft__mcp_peer_request_counter(peer);
        (*own->counted)++;
    }
}

static bool check_tool(haft__mcp_request *request, const haft__mcp_headers *headers)
{
    const haft__mcp_server_options *options = &request->own->server->options;
    const haft__json *schema = options->served->schema(options->context, request->name);
    if (schema == NULL) {
        haft__buf why;
        haft__buf_init(&why, HAFT__LIMIT_MCP_MESSAGE_BYTES);
        haft_str shown = {request->name.ptr, request->name.len < 128 ? request->name.len : 128};
        haft__buf_addf(&why, "there is no tool '%.*s'", HAFT__ARG(shown));
        haft__mcp_request_reject(request, 200, HAFT__RPC_PARAMS, haft__buf_str(&why),
                                 HAFT__LIT(""));
        haft__buf_finish(&why);
        return false;
    }
    return headers == NULL || !request->modern
           || haft__mcp_headers_check_arguments(request, schema, headers);
}

void haft__mcp_request_begin(haft__mcp_request *request, haft__mcp_method verb,
                             const haft__mcp_headers *headers, uint64_t now_ms)
{
    const haft__mcp_server_options *options = &request->own->server->options;
    request->verb = verb;
    if (!read_name(request)) {
        return;
    }
    if (verb == HAFT__MCP_METHOD_CALL && !check_tool(request, headers)) {
        return;
    }
    if (request->modern && !read_answers(request, now_ms)) {
        return;
    }
    read_progress_token(request);
    register_request(request);
    if (verb == HAFT__MCP_METHOD_LISTEN) {
        haft__mcp_server_listen(request);
    } else {
        options->served->begin(options->context, request);
    }
}
