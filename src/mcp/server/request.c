/* SPDX-License-Identifier: Apache-2.0 */
/*
 * request.c - the output of an open request: progress, log messages, and its single response.
 * question.c has the questions. Tests: tests/mcp/server/request_test.c.
 */
#include <inttypes.h>

#include "base/limits.h"
#include "base/str.h"
#include "mcp/server/server_int.h"

/* ---- sending ---- */

void haft__mcp_request_send(haft__mcp_request *request, haft__mcp_server_message_kind kind,
                            uint32_t http, haft__buf *text)
{
    static const char no_memory[] = "{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":-32603,"
                                    "\"message\":\"out of memory for the response\"}}";
    haft__mcp_peer *peer = request->own->peer;
    bool good = haft__buf_check(text, NULL) == HAFT_OK;
    if (kind == HAFT__MCP_MESSAGE_ANSWER) {
        haft__mcp_request_withdraw_questions(request);
    }
    haft__mcp_server_message sent = {.kind = kind, .http = http, .text = haft__buf_str(text)};
    if (!good) {
        sent.http = 500;
        sent.text = request->own->fallback.len > 0 ? request->own->fallback : haft__str(no_memory);
    }
    if (good || kind == HAFT__MCP_MESSAGE_ANSWER) { /* intermediate messages may be dropped */
        peer->send(peer->context, request->own->stream, &sent);
    }
    haft__buf_finish(text);
}

static void begin_message(haft__buf *text, const char *method)
{
    haft__buf_init(text, HAFT__LIMIT_MCP_MESSAGE_BYTES);
    haft__buf_addf(text, "{\"jsonrpc\":\"2.0\",\"method\":\"%s\",\"params\":{", method);
}

void haft__mcp_request_reject(haft__mcp_request *request, uint32_t http, int64_t code,
                              haft_str message, haft_str data)
{
    haft__buf text;
    haft__buf_init(&text, HAFT__LIMIT_MCP_MESSAGE_BYTES);
    haft__buf_add_str(&text, HAFT__LIT("{\"jsonrpc\":\"2.0\",\"id\":"));
    haft__json_write(&text, request->own->message.id);
    haft__buf_addf(&text, ",\"error\":{\"code\":%" PRId64 ",\"message\":", code);
    haft__json_write_string(&text, message);
    if (data.len > 0) {
        haft__buf_add_str(&text, HAFT__LIT(",\"data\":"));
        haft__buf_add_str(&text, data);
    }
    haft__buf_add_str(&text, HAFT__LIT("}}"));
    haft__mcp_request_send(request, HAFT__MCP_MESSAGE_ANSWER, http, &text);
    haft__mcp_request_free(request);
}

/* With a handshake, clients read a JSON-RPC error only from a successful HTTP response. */
void haft__mcp_request_reject_params(haft__mcp_request *request, const char *why)
{
    haft__mcp_request_reject(request, request->modern ? 400 : 200, HAFT__RPC_PARAMS, haft__str(why),
                             HAFT__LIT(""));
}

void haft__mcp_request_fail(haft__mcp_request *request, int64_t code, haft_str message,
                            haft_str data)
{
    bool early = request->modern && code == HAFT__RPC_CAPABILITY;
    haft__mcp_request_reject(request, early ? 400 : 200, code, message, data);
}

haft__json haft__mcp_request_id(const haft__mcp_request *request)
{
    return request->own->message.id;
}

/* ---- responses ---- */

static void add_meta(const haft__mcp_request *request, bool first, haft__buf *text)
{
    const haft__mcp_server_options *options = &request->own->server->options;
    haft__buf_add_str(text, first ? HAFT__LIT("") : HAFT__LIT(","));
    haft__buf_add_str(text, HAFT__LIT("\"_meta\":{\"" HAFT__MCP_META_SERVER "\":{\"name\":"));
    haft__json_write_string(text, options->name);
    if (options->title.len > 0) {
        haft__buf_add_str(text, HAFT__LIT(",\"title\":"));
        haft__json_write_string(text, options->title);
    }
    haft__buf_add_str(text, HAFT__LIT(",\"version\":"));
    haft__json_write_string(text, options->version);
    haft__buf_add_str(text, HAFT__LIT("}}"));
}

static void write_result(const haft__mcp_request *request, const char *kind, haft_str members,
                         haft__buf *text)
{
    haft__buf_init(text, HAFT__LIMIT_MCP_MESSAGE_BYTES);
    haft__buf_add_str(text, HAFT__LIT("{\"jsonrpc\":\"2.0\",\"id\":"));
    haft__json_write(text, request->own->message.id);
    haft__buf_add_str(text, HAFT__LIT(",\"result\":{"));
    if (request->modern) {
        haft__buf_addf(text, "\"resultType\":\"%s\",", kind);
    }
    haft__buf_add_str(text, members);
    if (request->modern) {
        add_meta(request, members.len == 0, text);
    }
    haft__buf_add_str(text, HAFT__LIT("}}"));
}

#define TOO_LONG "the result is too long: as a message it would have more than %d bytes"

static void send_result(haft__mcp_request *request, haft__buf *text)
{
    haft__mcp_request_send(request, HAFT__MCP_MESSAGE_ANSWER, 200, text);
    haft__mcp_request_free(request);
}

/* Ends the request with an error, because the response exceeds the message limit of clients. The
 * model that made the call reads the error and can request less. */
static void end_unwritten(haft__mcp_request *request, haft_status why)
{
    bool call = request->own->linked && request->verb == HAFT__MCP_METHOD_CALL;
    char message[192];
    if (why != HAFT_TOO_BIG) {
        haft__mcp_request_fail(request, HAFT__RPC_INTERNAL,
                               HAFT__LIT("out of memory for the result"), HAFT__LIT(""));
        return;
    }
    int length = snprintf(message, sizeof(message),
                          call ? "\"content\":[{\"type\":\"text\",\"text\":\"" TOO_LONG
                                 "\"}],\"isError\":true"
                               : TOO_LONG,
                          HAFT__LIMIT_MCP_MESSAGE_BYTES);
    haft_str text = {message, (size_t)length};
    if (!call) {
        haft__mcp_request_fail(request, HAFT__RPC_INTERNAL, text, HAFT__LIT(""));
        return;
    }
    haft__buf result;
    write_result(request, "complete", text, &result);
    send_result(request, &result);
}

void haft__mcp_request_reply_kind(haft__mcp_request *request, const char *kind, haft_str members)
{
    haft__buf text;
    write_result(request, kind, members, &text);
    haft_status status = haft__buf_check(&text, NULL);
    if (status != HAFT_OK) {
        haft__buf_finish(&text);
        end_unwritten(request, status);
        return;
    }
    send_result(request, &text);
}

void haft__mcp_request_reply(haft__mcp_request *request, haft_str members)
{
    haft__mcp_request_reply_kind(request, "complete", members);
}

void haft__mcp_request_reply_text(haft__mcp_request *request, haft_str text, bool is_error)
{
    haft__buf members;
    haft__buf_init(&members, HAFT__LIMIT_MCP_MESSAGE_BYTES);
    haft__buf_add_str(&members, HAFT__LIT("\"content\":[{\"type\":\"text\",\"text\":"));
    haft__json_write_string(&members, text);
    haft__buf_add_str(&members, HAFT__LIT("}]"));
    haft__buf_add_str(&members, is_error ? HAFT__LIT(",\"isError\":true") : HAFT__LIT(""));
    haft_status status = haft__buf_check(&members, NULL);
    if (status == HAFT_OK) {
        haft__mcp_request_reply(request, haft__buf_str(&members));
    } else {
        end_unwritten(request, status);
    }
    haft__buf_finish(&members);
}

void haft__mcp_request_abandon(haft__mcp_request *request)
{
    const haft__mcp_server_options *options = &request->own->server->options;
    if (request->own->linked && request->verb != HAFT__MCP_METHOD_LISTEN) {
        options->served->drop(options->context, request);
    }
    haft__mcp_request_free(request);
}

/* ---- progress and log messages ---- */

bool haft__mcp_request_client_supports(const haft__mcp_request *request, const char *capability)
{
    return haft__json_get(request->own->capabilities, haft__str(capability)) != NULL;
}

/* The capability {} means forms only, because it is older than the URL mode. */
bool haft__mcp_request_client_can_elicit(const haft__mcp_request *request, bool page)
{
    const haft__json *can = haft__json_get(request->own->capabilities, HAFT__LIT("elicitation"));
    bool form = can != NULL && haft__json_get(*can, HAFT__LIT("form")) != NULL;
    bool url = can != NULL && haft__json_get(*can, HAFT__LIT("url")) != NULL;
    return can != NULL && (page ? url : form || !url);
}

void *haft__mcp_request_stream(const haft__mcp_request *request)
{
    return request->own->stream;
}

void haft__mcp_request_progress(haft__mcp_request *request, uint64_t progress, uint64_t total,
                                haft_str message)
{
    haft__mcp_request_internal *own = request->own;
    if (own->token.kind == HAFT__JSON_NULL || (own->progressed && progress <= own->progress)) {
        return;
    }
    own->progressed = true;
    own->progress = progress;
    haft__buf text;
    begin_message(&text, "notifications/progress");
    haft__buf_add_str(&text, HAFT__LIT("\"progressToken\":"));
    haft__json_write(&text, own->token);
    haft__buf_addf(&text, ",\"progress\":%" PRIu64, progress);
    if (total > 0) {
        haft__buf_addf(&text, ",\"total\":%" PRIu64, total);
    }
    if (message.len > 0) {
        haft__buf_add_str(&text, HAFT__LIT(",\"message\":"));
        haft__json_write_string(&text, message);
    }
    haft__buf_add_str(&text, HAFT__LIT("}}"));
    haft__mcp_request_send(request, HAFT__MCP_MESSAGE_PART, 200, &text);
}

void haft__mcp_request_log(haft__mcp_request *request, haft__mcp_level level, haft_str message)
{
    const haft__mcp_request_internal *own = request->own;
    haft__mcp_level min_level = request->modern ? own->level : own->peer->level;
    if (!own->logs || !own->server->options.served->logging || level < min_level) {
        return;
    }
    haft__buf text;
    begin_message(&text, "notifications/message");
    haft__buf_addf(&text, "\"level\":\"%s\",\"logger\":", haft__mcp_level_name(level));
    haft__json_write_string(&text, own->server->options.name);
    haft__buf_add_str(&text, HAFT__LIT(",\"data\":"));
    haft__json_write_string(&text, message);
    haft__buf_add_str(&text, HAFT__LIT("}}"));
    haft__mcp_request_send(request, HAFT__MCP_MESSAGE_PART, 200, &text);
}

/* ---- subscriptions to changes ---- */

static const struct {
    const char *member, *method;
} changes[] = {
    [HAFT__MCP_LIST_TOOLS] = {"toolsListChanged", "notifications/tools/list_changed"},
    [HAFT__MCP_LIST_RESOURCES] = {"resourcesListChanged", "notifications/resources/list_changed"},
    [HAFT__MCP_LIST_TEMPLATES] = {NULL, NULL},
    [HAFT__MCP_LIST_PROMPTS] = {"promptsListChanged", "notifications/prompts/list_changed"},
};

static void notify_subscriber(haft__mcp_request *request, const char *method, haft_str more)
{
    haft__buf text;
    begin_message(&text, method);
    haft__buf_add_str(&text, more);
    haft__buf_add_str(&text, HAFT__LIT("\"_meta\":{\"" HAFT__MCP_META_SUBSCRIPTION "\":"));
    haft__json_write(&text, request->own->message.id);
    haft__buf_add_str(&text, HAFT__LIT("}}}"));
    haft__mcp_request_send(request, HAFT__MCP_MESSAGE_PART, 200, &text);
}

void haft__mcp_server_listen(haft__mcp_request *request)
{
    haft__mcp_request_internal *own = request->own;
    const haft__mcp_server_handlers *served = own->server->options.served;
    const haft__json *filter = haft__json_get(request->params, HAFT__LIT("notifications"));
    bool can[] = {true, served->resources, false, served->prompts};
    haft__buf accepted;
    haft__buf_init(&accepted, HAFT__LIMIT_MCP_MESSAGE_BYTES);
    haft__buf_add_str(&accepted, HAFT__LIT("\"notifications\":{"));
    for (size_t i = 0, count = 0; i < COUNT(changes) && filter != NULL; i++) {
        const haft__json *member = changes[i].member != NULL
                                       ? haft__json_get(*filter, haft__str(changes[i].member))
                                       : NULL;
        own->wants[i] =
            served->changes && can[i] && member != NULL && member->kind == HAFT__JSON_TRUE;
        if (own->wants[i]) {
            haft__buf_addf(&accepted, "%s\"%s\":true", count++ > 0 ? "," : "", changes[i].member);
        }
    }
    haft__buf_add_str(&accepted, HAFT__LIT("},"));
    notify_subscriber(request, "notifications/subscriptions/acknowledged",
                      haft__buf_str(&accepted));
    haft__buf_finish(&accepted);
}

static void push(haft__mcp_peer *peer, const char *method)
{
    haft__buf text;
    haft__buf_init(&text, HAFT__LIMIT_MCP_MESSAGE_BYTES);
    haft__buf_addf(&text, "{\"jsonrpc\":\"2.0\",\"method\":\"%s\"}", method);
    haft__mcp_server_message sent = {
        .kind = HAFT__MCP_MESSAGE_PUSH, .http = 200, .text = haft__buf_str(&text)};
    if (haft__buf_check(&text, NULL) == HAFT_OK) {
        peer->send(peer->context, NULL, &sent);
    }
    haft__buf_finish(&text);
}

void haft__mcp_server_changed(haft__mcp_server *server, haft__mcp_list list)
{
    for (haft__mcp_peer *peer = server->peers, *next; peer != NULL; peer = next) {
        next = peer->next;
        if (peer->ready && changes[list].method != NULL) {
            push(peer, changes[list].method);
        }
        for (haft__mcp_request *request = peer->request; request != NULL;
             request = request->own->next) {
            if (request->own->wants[list]) {
                notify_subscriber(request, changes[list].method, HAFT__LIT(""));
            }
        }
    }
}
