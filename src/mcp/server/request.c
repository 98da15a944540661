/* SPDX-License-Identifier: Apache-2.0 */
/*
 * server_asked.c - what is sent for a request that is under way: progress, log, and its one answer.
 * Questions are in server_question.c. Tests: tests/mcp/server/request_test.c.
 */
#include <inttypes.h>

#include "base/limits.h"
#include "base/str.h"
#include "mcp/server/server_int.h"

/* ---- sending ---- */

void haft__mcp_asked_send(haft__mcp_asked *asked, haft__mcp_sent_kind kind, uint32_t http,
                          haft__buf *text)
{
    static const char no_memory[] = "{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":-32603,"
                                    "\"message\":\"there is no memory for the answer\"}}";
    haft__mcp_peer *peer = asked->own->peer;
    bool good = haft__buf_check(text, NULL) == HAFT_OK;
    if (kind == HAFT__MCP_SENT_ANSWER) {
        haft__mcp_asked_withdraw(asked);
    }
    haft__mcp_sent sent = {.kind = kind, .http = http, .text = haft__buf_str(text)};
    if (!good) {
        sent.http = 500;
        sent.text = asked->own->lost.len > 0 ? asked->own->lost : haft__str(no_memory);
    }
    if (good || kind == HAFT__MCP_SENT_ANSWER) { /* what comes on the way may be lost */
        peer->send(peer->context, asked->own->stream, &sent);
    }
    haft__buf_finish(text);
}

static void begin_message(haft__buf *text, const char *method)
{
    haft__buf_init(text, HAFT__LIMIT_MCP_MESSAGE_BYTES);
    haft__buf_addf(text, "{\"jsonrpc\":\"2.0\",\"method\":\"%s\",\"params\":{", method);
}

void haft__mcp_asked_refuse(haft__mcp_asked *asked, uint32_t http, int64_t code, haft_str message,
                            haft_str data)
{
    haft__buf text;
    haft__buf_init(&text, HAFT__LIMIT_MCP_MESSAGE_BYTES);
    haft__buf_add_str(&text, HAFT__LIT("{\"jsonrpc\":\"2.0\",\"id\":"));
    haft__json_write(&text, asked->own->message.id);
    haft__buf_addf(&text, ",\"error\":{\"code\":%" PRId64 ",\"message\":", code);
    haft__json_write_string(&text, message);
    if (data.len > 0) {
        haft__buf_add_str(&text, HAFT__LIT(",\"data\":"));
        haft__buf_add_str(&text, data);
    }
    haft__buf_add_str(&text, HAFT__LIT("}}"));
    haft__mcp_asked_send(asked, HAFT__MCP_SENT_ANSWER, http, &text);
    haft__mcp_asked_free(asked);
}

/* With a handshake, clients read an error of JSON-RPC only where HTTP went well. */
void haft__mcp_asked_refuse_params(haft__mcp_asked *asked, const char *why)
{
    haft__mcp_asked_refuse(asked, asked->modern ? 400 : 200, HAFT__RPC_PARAMS, haft__str(why),
                           HAFT__LIT(""));
}

void haft__mcp_asked_fail(haft__mcp_asked *asked, int64_t code, haft_str message, haft_str data)
{
    bool early = asked->modern && code == HAFT__RPC_CAPABILITY;
    haft__mcp_asked_refuse(asked, early ? 400 : 200, code, message, data);
}

haft__json haft__mcp_asked_id(const haft__mcp_asked *asked)
{
    return asked->own->message.id;
}

/* ---- answers ---- */

static void add_meta(const haft__mcp_asked *asked, bool first, haft__buf *text)
{
    const haft__mcp_server_options *options = &asked->own->server->options;
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

static void write_result(const haft__mcp_asked *asked, const char *kind, haft_str members,
                         haft__buf *text)
{
    haft__buf_init(text, HAFT__LIMIT_MCP_MESSAGE_BYTES);
    haft__buf_add_str(text, HAFT__LIT("{\"jsonrpc\":\"2.0\",\"id\":"));
    haft__json_write(text, asked->own->message.id);
    haft__buf_add_str(text, HAFT__LIT(",\"result\":{"));
    if (asked->modern) {
        haft__buf_addf(text, "\"resultType\":\"%s\",", kind);
    }
    haft__buf_add_str(text, members);
    if (asked->modern) {
        add_meta(asked, members.len == 0, text);
    }
    haft__buf_add_str(text, HAFT__LIT("}}"));
}

#define TOO_LONG "the result is too long: as a message it would have more than %d bytes"

static void send_result(haft__mcp_asked *asked, haft__buf *text)
{
    haft__mcp_asked_send(asked, HAFT__MCP_SENT_ANSWER, 200, text);
    haft__mcp_asked_free(asked);
}

/* No client takes a message that is longer than it may be. A model that made the call reads that,
 * and can ask for less. */
static void end_unwritten(haft__mcp_asked *asked, haft_status why)
{
    bool call = asked->own->linked && asked->verb == HAFT__MCP_CALL;
    char said[192];
    if (why != HAFT_TOO_BIG) {
        haft__mcp_asked_fail(asked, HAFT__RPC_INTERNAL,
                             HAFT__LIT("there is no memory for the result"), HAFT__LIT(""));
        return;
    }
    int length = snprintf(said, sizeof(said),
                          call ? "\"content\":[{\"type\":\"text\",\"text\":\"" TOO_LONG
                                 "\"}],\"isError\":true"
                               : TOO_LONG,
                          HAFT__LIMIT_MCP_MESSAGE_BYTES);
    haft_str text = {said, (size_t)length};
    if (!call) {
        haft__mcp_asked_fail(asked, HAFT__RPC_INTERNAL, text, HAFT__LIT(""));
        return;
    }
    haft__buf result;
    write_result(asked, "complete", text, &result);
    send_result(asked, &result);
}

void haft__mcp_asked_end(haft__mcp_asked *asked, const char *kind, haft_str members)
{
    haft__buf text;
    write_result(asked, kind, members, &text);
    haft_status status = haft__buf_check(&text, NULL);
    if (status != HAFT_OK) {
        haft__buf_finish(&text);
        end_unwritten(asked, status);
        return;
    }
    send_result(asked, &text);
}

void haft__mcp_asked_answer(haft__mcp_asked *asked, haft_str members)
{
    haft__mcp_asked_end(asked, "complete", members);
}

void haft__mcp_asked_say(haft__mcp_asked *asked, haft_str text, bool is_error)
{
    haft__buf members;
    haft__buf_init(&members, HAFT__LIMIT_MCP_MESSAGE_BYTES);
    haft__buf_add_str(&members, HAFT__LIT("\"content\":[{\"type\":\"text\",\"text\":"));
    haft__json_write_string(&members, text);
    haft__buf_add_str(&members, HAFT__LIT("}]"));
    haft__buf_add_str(&members, is_error ? HAFT__LIT(",\"isError\":true") : HAFT__LIT(""));
    haft_status status = haft__buf_check(&members, NULL);
    if (status == HAFT_OK) {
        haft__mcp_asked_answer(asked, haft__buf_str(&members));
    } else {
        end_unwritten(asked, status);
    }
    haft__buf_finish(&members);
}

void haft__mcp_asked_abandon(haft__mcp_asked *asked)
{
    const haft__mcp_server_options *options = &asked->own->server->options;
    if (asked->own->linked && asked->verb != HAFT__MCP_LISTEN) {
        options->served->drop(options->context, asked);
    }
    haft__mcp_asked_free(asked);
}

/* ---- on the way ---- */

bool haft__mcp_asked_can(const haft__mcp_asked *asked, const char *capability)
{
    return haft__json_get(asked->own->capabilities, haft__str(capability)) != NULL;
}

/* {} means forms only, as it was before there were pages. */
bool haft__mcp_asked_can_show(const haft__mcp_asked *asked, bool page)
{
    const haft__json *can = haft__json_get(asked->own->capabilities, HAFT__LIT("elicitation"));
    bool form = can != NULL && haft__json_get(*can, HAFT__LIT("form")) != NULL;
    bool url = can != NULL && haft__json_get(*can, HAFT__LIT("url")) != NULL;
    return can != NULL && (page ? url : form || !url);
}

void *haft__mcp_asked_stream(const haft__mcp_asked *asked)
{
    return asked->own->stream;
}

void haft__mcp_asked_progress(haft__mcp_asked *asked, uint64_t progress, uint64_t total,
                              haft_str message)
{
    haft__mcp_asked_own *own = asked->own;
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
    haft__mcp_asked_send(asked, HAFT__MCP_SENT_PART, 200, &text);
}

void haft__mcp_asked_log(haft__mcp_asked *asked, haft__mcp_level level, haft_str said)
{
    const haft__mcp_asked_own *own = asked->own;
    haft__mcp_level wanted = asked->modern ? own->level : own->peer->level;
    if (!own->logs || !own->server->options.served->logging || level < wanted) {
        return;
    }
    haft__buf text;
    begin_message(&text, "notifications/message");
    haft__buf_addf(&text, "\"level\":\"%s\",\"logger\":", haft__mcp_level_name(level));
    haft__json_write_string(&text, own->server->options.name);
    haft__buf_add_str(&text, HAFT__LIT(",\"data\":"));
    haft__json_write_string(&text, said);
    haft__buf_add_str(&text, HAFT__LIT("}}"));
    haft__mcp_asked_send(asked, HAFT__MCP_SENT_PART, 200, &text);
}

/* ---- who wants to be told of changes ---- */

static const struct {
    const char *wish, *method;
} changes[] = {
    [HAFT__MCP_LIST_TOOLS] = {"toolsListChanged", "notifications/tools/list_changed"},
    [HAFT__MCP_LIST_RESOURCES] = {"resourcesListChanged", "notifications/resources/list_changed"},
    [HAFT__MCP_LIST_TEMPLATES] = {NULL, NULL},
    [HAFT__MCP_LIST_PROMPTS] = {"promptsListChanged", "notifications/prompts/list_changed"},
};

static void tell_listener(haft__mcp_asked *asked, const char *method, haft_str more)
{
    haft__buf text;
    begin_message(&text, method);
    haft__buf_add_str(&text, more);
    haft__buf_add_str(&text, HAFT__LIT("\"_meta\":{\"" HAFT__MCP_META_LISTENER "\":"));
    haft__json_write(&text, asked->own->message.id);
    haft__buf_add_str(&text, HAFT__LIT("}}}"));
    haft__mcp_asked_send(asked, HAFT__MCP_SENT_PART, 200, &text);
}

void haft__mcp_server_listen(haft__mcp_asked *asked)
{
    haft__mcp_asked_own *own = asked->own;
    const haft__mcp_served *served = own->server->options.served;
    const haft__json *wishes = haft__json_get(asked->params, HAFT__LIT("notifications"));
    bool can[] = {true, served->resources, false, served->prompts};
    haft__buf accepted;
    haft__buf_init(&accepted, HAFT__LIMIT_MCP_MESSAGE_BYTES);
    haft__buf_add_str(&accepted, HAFT__LIT("\"notifications\":{"));
    for (size_t i = 0, count = 0; i < COUNT(changes) && wishes != NULL; i++) {
        const haft__json *wish =
            changes[i].wish != NULL ? haft__json_get(*wishes, haft__str(changes[i].wish)) : NULL;
        own->wants[i] = served->changes && can[i] && wish != NULL && wish->kind == HAFT__JSON_TRUE;
        if (own->wants[i]) {
            haft__buf_addf(&accepted, "%s\"%s\":true", count++ > 0 ? "," : "", changes[i].wish);
        }
    }
    haft__buf_add_str(&accepted, HAFT__LIT("},"));
    tell_listener(asked, "notifications/subscriptions/acknowledged", haft__buf_str(&accepted));
    haft__buf_finish(&accepted);
}

static void push(haft__mcp_peer *peer, const char *method)
{
    haft__buf text;
    haft__buf_init(&text, HAFT__LIMIT_MCP_MESSAGE_BYTES);
    haft__buf_addf(&text, "{\"jsonrpc\":\"2.0\",\"method\":\"%s\"}", method);
    haft__mcp_sent sent = {.kind = HAFT__MCP_SENT_PUSH, .http = 200, .text = haft__buf_str(&text)};
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
        for (haft__mcp_asked *asked = peer->asked; asked != NULL; asked = asked->own->next) {
            if (asked->own->wants[list]) {
                tell_listener(asked, changes[list].method, HAFT__LIT(""));
            }
        }
    }
}
