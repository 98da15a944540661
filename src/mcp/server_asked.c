/* SPDX-License-Identifier: Apache-2.0 */
/*
 * server_asked.c - what is sent for a request that is under way: progress, log, questions, and its
 * one answer. Tests: tests/mcp/server_asked_test.c.
 */
#include <inttypes.h>

#include "base/limits.h"
#include "base/str.h"
#include "mcp/server_int.h"
#include "json/canonical.h"
#include "json/read.h"

/* ---- sending ---- */

static void send_text(haft__mcp_asked *asked, haft__mcp_sent_kind kind, uint32_t http,
                      haft__buf *text)
{
    static const char no_memory[] = "{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":-32603,"
                                    "\"message\":\"the answer could not be written: it is too long,"
                                    " or there is no memory\"}}";
    haft__mcp_peer *peer = asked->own->peer;
    bool good = haft__buf_check(text, NULL) == HAFT_OK;
    haft__mcp_sent sent = {.kind = kind, .http = http, .text = haft__buf_str(text)};
    if (!good) {
        sent.http = 500;
        sent.text = haft__str(no_memory);
    }
    if (good || kind == HAFT__MCP_SENT_ANSWER) { /* what comes on the way may be lost */
        peer->send(peer->context, asked->own->stream, &sent);
    }
    haft__buf_finish(text);
}

static void begin_message(haft__buf *text, const char *method)
{
    haft__buf_init(text, HAFT__LIMIT_JSON_BYTES);
    haft__buf_addf(text, "{\"jsonrpc\":\"2.0\",\"method\":\"%s\",\"params\":{", method);
}

void haft__mcp_asked_refuse(haft__mcp_asked *asked, uint32_t http, int64_t code, haft_str message,
                            haft_str data)
{
    haft__buf text;
    haft__buf_init(&text, HAFT__LIMIT_JSON_BYTES);
    haft__buf_add_str(&text, HAFT__LIT("{\"jsonrpc\":\"2.0\",\"id\":"));
    haft__json_write(&text, asked->own->message.id);
    haft__buf_addf(&text, ",\"error\":{\"code\":%" PRId64 ",\"message\":", code);
    haft__json_write_string(&text, message);
    if (data.len > 0) {
        haft__buf_add_str(&text, HAFT__LIT(",\"data\":"));
        haft__buf_add_str(&text, data);
    }
    haft__buf_add_str(&text, HAFT__LIT("}}"));
    send_text(asked, HAFT__MCP_SENT_ANSWER, http, &text);
    haft__mcp_asked_free(asked);
}

void haft__mcp_asked_fail(haft__mcp_asked *asked, int64_t code, haft_str message, haft_str data)
{
    bool early = asked->modern && code == HAFT__RPC_CAPABILITY;
    haft__mcp_asked_refuse(asked, early ? 400 : 200, code, message, data);
}

/* ---- answers ---- */

static void add_meta(const haft__mcp_asked *asked, bool first, haft__buf *text)
{
    const haft__mcp_server_options *options = &asked->own->server->options;
    haft__buf_add_str(text, first ? HAFT__LIT("") : HAFT__LIT(","));
    haft__buf_add_str(text, HAFT__LIT("\"_meta\":{\"" HAFT__MCP_META_SERVER "\":{\"name\":"));
    haft__json_write_string(text, options->name);
    haft__buf_add_str(text, HAFT__LIT(",\"version\":"));
    haft__json_write_string(text, options->version);
    haft__buf_add_str(text, HAFT__LIT("}}"));
}

static void answer(haft__mcp_asked *asked, const char *kind, haft_str members)
{
    haft__buf text;
    haft__buf_init(&text, HAFT__LIMIT_JSON_BYTES);
    haft__buf_add_str(&text, HAFT__LIT("{\"jsonrpc\":\"2.0\",\"id\":"));
    haft__json_write(&text, asked->own->message.id);
    haft__buf_add_str(&text, HAFT__LIT(",\"result\":{"));
    if (asked->modern) {
        haft__buf_addf(&text, "\"resultType\":\"%s\",", kind);
    }
    haft__buf_add_str(&text, members);
    if (asked->modern) {
        add_meta(asked, members.len == 0, &text);
    }
    haft__buf_add_str(&text, HAFT__LIT("}}"));
    send_text(asked, HAFT__MCP_SENT_ANSWER, 200, &text);
    haft__mcp_asked_free(asked);
}

void haft__mcp_asked_answer(haft__mcp_asked *asked, haft_str members)
{
    answer(asked, "complete", members);
}

void haft__mcp_asked_say(haft__mcp_asked *asked, haft_str said, bool is_error)
{
    haft__buf members;
    haft__buf_init(&members, HAFT__LIMIT_JSON_BYTES);
    haft__buf_add_str(&members, HAFT__LIT("\"content\":[{\"type\":\"text\",\"text\":"));
    haft__json_write_string(&members, said);
    haft__buf_add_str(&members, HAFT__LIT("}]"));
    haft__buf_add_str(&members, is_error ? HAFT__LIT(",\"isError\":true") : HAFT__LIT(""));
    if (haft__buf_check(&members, NULL) == HAFT_OK) {
        haft__mcp_asked_answer(asked, haft__buf_str(&members));
    } else {
        haft__mcp_asked_fail(asked, HAFT__RPC_INTERNAL,
                             HAFT__LIT("the result is too long, or there is no memory for it"),
                             HAFT__LIT(""));
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
    send_text(asked, HAFT__MCP_SENT_PART, 200, &text);
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
    send_text(asked, HAFT__MCP_SENT_PART, 200, &text);
}

/* ---- questions ---- */

void haft__mcp_asked_about(const haft__mcp_asked *asked, haft__buf *buf)
{
    haft__buf_addf(buf, "%zu:", asked->own->peer->principal.len);
    haft__buf_add_str(buf, asked->own->peer->principal);
    haft__buf_add_str(buf, asked->own->message.method);
    haft__buf_addf(buf, "\n%zu:", asked->name.len);
    haft__buf_add_str(buf, asked->name);
    if (haft__json_write_canonical(buf, asked->arguments, NULL) != HAFT_OK) {
        haft__buf_fail(buf, HAFT_NO_MEMORY, NULL);
    }
}

/* Without a handshake: the questions are the answer. */
static void end_with_questions(haft__mcp_asked *asked, const haft__mcp_question *questions,
                               size_t count, haft_str state, uint64_t now_ms)
{
    haft__buf members, about;
    haft__buf_init(&members, HAFT__LIMIT_JSON_BYTES);
    haft__buf_init(&about, HAFT__LIMIT_JSON_BYTES);
    haft__buf_add_str(&members, HAFT__LIT("\"inputRequests\":{"));
    for (size_t i = 0; i < count; i++) {
        haft__buf_add_str(&members, i > 0 ? HAFT__LIT(",") : HAFT__LIT(""));
        haft__json_write_string(&members, questions[i].key);
        haft__buf_add_str(&members, HAFT__LIT(":{\"method\":"));
        haft__json_write_string(&members, questions[i].method);
        haft__buf_add_str(&members, HAFT__LIT(",\"params\":"));
        haft__buf_add_str(&members, questions[i].params);
        haft__buf_add_char(&members, '}');
    }
    haft__buf_add_str(&members, HAFT__LIT("},\"requestState\":\""));
    haft__mcp_asked_about(asked, &about);
    haft__seal_write(&members, &asked->own->server->options.key, haft__buf_str(&about), state,
                     now_ms + HAFT__LIMIT_MCP_STATE_MS);
    haft__buf_add_char(&members, '"');
    if (haft__buf_check(&members, NULL) == HAFT_OK && haft__buf_check(&about, NULL) == HAFT_OK) {
        answer(asked, "input_required", haft__buf_str(&members));
    } else {
        haft__mcp_asked_fail(asked, HAFT__RPC_INTERNAL,
                             HAFT__LIT("there is no memory for a question"), HAFT__LIT(""));
    }
    haft__buf_finish(&about);
    haft__buf_finish(&members);
}

static void send_question(haft__mcp_asked *asked, const haft__mcp_question *question, int64_t id)
{
    haft__buf text;
    haft__buf_init(&text, HAFT__LIMIT_JSON_BYTES);
    haft__buf_addf(&text, "{\"jsonrpc\":\"2.0\",\"id\":%" PRId64 ",\"method\":", id);
    haft__json_write_string(&text, question->method);
    haft__buf_add_str(&text, HAFT__LIT(",\"params\":"));
    haft__buf_add_str(&text, question->params);
    haft__buf_add_char(&text, '}');
    send_text(asked, HAFT__MCP_SENT_PART, 200, &text);
}

void haft__mcp_asked_ask(haft__mcp_asked *asked, const haft__mcp_question *questions, size_t count,
                         haft_str state, uint64_t now_ms)
{
    haft__mcp_asked_own *own = asked->own;
    if (asked->modern) {
        end_with_questions(asked, questions, count, state, now_ms);
        return;
    }
    own->waiting = haft__arena_array(&own->arena, count, sizeof(*own->waiting));
    asked->state = haft__arena_copy(&own->arena, state);
    bool kept = own->waiting != NULL && asked->state.ptr != NULL;
    for (size_t i = 0; i < count && kept; i++) {
        haft_str key = haft__arena_copy(&own->arena, questions[i].key);
        own->waiting[i] = (haft__mcp_waiting){.key = key, .id = ++own->peer->questions};
        kept = key.ptr != NULL;
    }
    if (!kept) {
        haft__mcp_asked_fail(asked, HAFT__RPC_INTERNAL,
                             HAFT__LIT("there is no memory for a question"), HAFT__LIT(""));
        return;
    }
    own->waiting_count = own->waiting_open = count;
    for (size_t i = 0; i < count; i++) {
        send_question(asked, &questions[i], own->waiting[i].id);
    }
}

/* The answer in the memory of the request that it is for; null when it was an error. */
static bool keep_answer(haft__mcp_asked *asked, haft__mcp_waiting *waiting,
                        const haft__rpc_message *message)
{
    haft__mcp_asked_own *own = asked->own;
    haft__json_options options = HAFT__JSON_OPTIONS_INIT;
    options.hash_key = own->server->options.hash_key;
    waiting->answer = haft__json_null();
    if (message->kind != HAFT__RPC_RESULT) {
        return true;
    }
    haft__buf text;
    haft__buf_init(&text, HAFT__LIMIT_JSON_BYTES);
    haft__json_write(&text, message->result);
    haft_str kept = haft__arena_copy(&own->arena, haft__buf_str(&text));
    bool good =
        haft__buf_check(&text, NULL) == HAFT_OK && kept.ptr != NULL
        && haft__json_read(&own->arena, kept, &options, &waiting->answer, NULL, NULL) == HAFT_OK;
    haft__buf_finish(&text);
    return good;
}

/* All questions are answered: one object of all answers. */
static void go_on(haft__mcp_asked *asked)
{
    haft__mcp_asked_own *own = asked->own;
    const haft__mcp_server_options *options = &own->server->options;
    haft__json_member *members =
        haft__arena_array(&own->arena, own->waiting_count, sizeof(*members));
    if (members == NULL) {
        options->served->drop(options->context, asked);
        haft__mcp_asked_fail(asked, HAFT__RPC_INTERNAL,
                             HAFT__LIT("there is no memory for an answer"), HAFT__LIT(""));
        return;
    }
    for (size_t i = 0; i < own->waiting_count; i++) {
        members[i] =
            (haft__json_member){haft__json_string(own->waiting[i].key), own->waiting[i].answer};
    }
    asked->answers = haft__json_object(members, own->waiting_count);
    own->waiting_count = 0;
    options->served->go_on(options->context, asked);
}

static haft__mcp_waiting *find_waiting(haft__mcp_asked_own *own, haft__json id)
{
    for (size_t i = 0; i < own->waiting_count; i++) {
        char text[24];
        int length = snprintf(text, sizeof(text), "%" PRId64, own->waiting[i].id);
        if (id.kind == HAFT__JSON_NUMBER && !own->waiting[i].there
            && haft__str_equal(haft__json_text(id), (haft_str){text, (size_t)length})) {
            return &own->waiting[i];
        }
    }
    return NULL;
}

bool haft__mcp_asked_hear(haft__mcp_peer *peer, const haft__rpc_message *message)
{
    for (haft__mcp_asked *asked = peer->asked; asked != NULL; asked = asked->own->next) {
        haft__mcp_waiting *waiting = find_waiting(asked->own, message->id);
        if (waiting == NULL) {
            continue;
        }
        if (!keep_answer(asked, waiting, message)) {
            waiting->answer = haft__json_null(); /* as good as none */
        }
        waiting->there = true;
        if (--asked->own->waiting_open == 0) {
            go_on(asked);
        }
        return true;
    }
    return false;
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
    send_text(asked, HAFT__MCP_SENT_PART, 200, &text);
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
