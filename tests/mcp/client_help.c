/* SPDX-License-Identifier: Apache-2.0 */
#include "mcp/client_help.h"

#include <ctype.h>

#include "base/macros.h"
#include "base/str.h"
#include "mcp/client/elicitation.h"
#include "mcp/definition_help.h"
#include "test.h"
#include "json/read.h"

haft__mcp_client_options test_client_options(void)
{
    return (haft__mcp_client_options){.transport = HAFT__MCP_STDIO,
                                      .origin = {.server = HAFT__LIT("docs"), .hash_key = {1, 2}},
                                      .version = HAFT__LIT("1.0")};
}

/* ---- events ---- */

/* A message without the part that every modern request has. */
static void log_text(haft__buf *log, haft_str text)
{
    static const char open[] = "\"_meta\":{\"io.modelcontextprotocol/";
    const char *end = text.ptr + text.len;
    const char *at = text.ptr;
    for (; at < end && (size_t)(end - at) >= sizeof open - 1; at++) {
        if (memcmp(at, open, sizeof open - 1) == 0) {
            break;
        }
    }
    if ((size_t)(end - at) < sizeof open - 1) {
        haft__buf_add_str(log, text);
        return;
    }
    haft__buf_add(log, text.ptr, (size_t)(at - text.ptr));
    int depth = 0;
    do {
        depth += *at == '{' ? 1 : *at == '}' ? -1 : 0;
        at++;
    } while (depth > 0 || at[-1] != '}');
    haft__buf_add_str(log, HAFT__LIT("META"));
    haft__buf_add(log, at, (size_t)(end - at));
}

static void log_send(haft__buf *log, const haft__mcp_client_message *send)
{
    haft__buf_addf(log, "  send%s ", send->stream ? " stream" : "");
    log_text(log, send->text);
    if (send->call > 0) {
        haft__buf_addf(log, " for %llu", (unsigned long long)send->call);
    }
    for (size_t i = 0; i < send->header_count; i++) {
        haft__buf_addf(log, " [%.*s]", HAFT__ARG(send->headers[i]));
    }
    haft__buf_addf(log, "\n");
}

static void log_error(haft__buf *log, const haft_error *err)
{
    haft__buf_addf(log, "%s%s%s%s%s%s", err->where, err->where[0] != '\0' ? ": " : "", err->message,
                   err->hint[0] != '\0' ? " (" : "", err->hint, err->hint[0] != '\0' ? ")" : "");
}

static void log_question(haft__buf *log, const haft__mcp_elicitation *question)
{
    haft__buf_addf(log, "%llu %.*s of %llu: %s '%.*s' %.*s", (unsigned long long)question->number,
                   HAFT__ARG(question->key), (unsigned long long)question->call,
                   question->url ? "url" : "form", HAFT__ARG(question->message),
                   HAFT__ARG(question->address));
    if (!question->url) {
        haft__json_write(log, question->schema);
    }
}

static void log_done(haft__buf *log, const haft__mcp_call_done *done)
{
    static const char *const names[] = {"result", "error", "lost", "cancelled", "again", "input"};
    haft__buf_addf(log, "  done %llu %s%s", (unsigned long long)done->call, names[done->outcome],
                   done->sent ? " sent " : " ");
    switch (done->outcome) {
    case HAFT__MCP_OUTCOME_RESULT: haft__json_write(log, done->result); break;
    case HAFT__MCP_OUTCOME_ERROR:
        haft__buf_addf(log, "%lld http %u ", (long long)done->code, done->http);
        haft__json_write(log, done->data);
        haft__buf_add_char(log, ' ');
        log_error(log, &done->error);
        break;
    case HAFT__MCP_OUTCOME_LOST:
    case HAFT__MCP_OUTCOME_RETRY:
    case HAFT__MCP_OUTCOME_CANCELLED: log_error(log, &done->error); break;
    case HAFT__MCP_OUTCOME_INPUT_REQUIRED:
        haft__buf_addf(log, "round %u state '%.*s' answered ", done->round, HAFT__ARG(done->state));
        haft__json_write(log, done->answered);
        for (size_t i = 0; i < done->question_count; i++) {
            haft__buf_addf(log, " | ");
            log_question(log, &done->questions[i]);
        }
        break;
    }
    haft__buf_addf(log, "\n");
}

static void log_tools(haft__buf *log, const haft__mcp_tools *tools)
{
    haft__buf_addf(log, "  tools %zu", tools->count);
    for (size_t i = 0; i < tools->count && i < 4; i++) {
        haft__buf_addf(log, " %.*s", HAFT__ARG(tools->items[i].name));
    }
    if (tools->has_ttl) {
        haft__buf_addf(log, " ttl %llu", (unsigned long long)tools->ttl_ms);
    }
    for (size_t i = 0; i < tools->left_out_count && i < 4; i++) {
        haft_str tool = tools->left_out[i].tool, reason = tools->left_out[i].reason;
        haft__buf_addf(log, " warning '%.*s%s%.*s'", HAFT__ARG(tool), tool.len > 0 ? ": " : "",
                       HAFT__ARG(reason));
    }
    if (tools->error.status != HAFT_OK) {
        haft__buf_addf(log, " error ");
        log_error(log, &tools->error);
    }
    haft__buf_addf(log, "\n");
}

static void log_ready(haft__buf *log, const haft__mcp_ready *ready)
{
    haft__buf_addf(log, "  ready %s %.*s '%.*s' '%.*s' '%.*s'%s%s\n",
                   ready->era == HAFT__MCP_ERA_MODERN ? "modern" : "legacy",
                   HAFT__ARG(ready->protocol), HAFT__ARG(ready->server_name),
                   HAFT__ARG(ready->server_version), HAFT__ARG(ready->instructions),
                   ready->tools ? " tools" : "", ready->push ? " push" : "");
}

static void log_event(haft__buf *log, const haft__mcp_client_event *event)
{
    switch (event->kind) {
    case HAFT__MCP_EVENT_SEND: log_send(log, &event->send); return;
    case HAFT__MCP_EVENT_CLOSE:
        haft__buf_addf(log, "  close %llu\n", (unsigned long long)event->exchange);
        return;
    case HAFT__MCP_EVENT_READY: log_ready(log, &event->ready); return;
    case HAFT__MCP_EVENT_FAILED:
        haft__buf_addf(log, "  failed ");
        log_error(log, &event->error);
        haft__buf_addf(log, "\n");
        return;
    case HAFT__MCP_EVENT_TOOLS: log_tools(log, &event->tools); return;
    case HAFT__MCP_EVENT_CHANGED: haft__buf_addf(log, "  changed\n"); return;
    case HAFT__MCP_EVENT_WATCH_LOST: haft__buf_addf(log, "  unwatched\n"); return;
    case HAFT__MCP_EVENT_PROGRESS:
        haft__buf_addf(log, "  progress %llu ", (unsigned long long)event->progress.call);
        haft__json_write(log, event->progress.progress);
        haft__buf_addf(log, " of ");
        haft__json_write(log, event->progress.total);
        haft__buf_addf(log, " '%.*s'\n", HAFT__ARG(event->progress.message));
        return;
    case HAFT__MCP_EVENT_LOG:
        haft__buf_addf(log, "  log %.*s %.*s '%.*s'", HAFT__ARG(event->log.level),
                       HAFT__ARG(event->log.logger), HAFT__ARG(event->log.text));
        if (event->log.call != 0) {
            haft__buf_addf(log, " of %llu", (unsigned long long)event->log.call);
        }
        haft__buf_add_char(log, '\n');
        return;
    case HAFT__MCP_EVENT_QUESTION:
        haft__buf_addf(log, "  question ");
        log_question(log, &event->question);
        haft__buf_addf(log, "\n");
        return;
    case HAFT__MCP_EVENT_QUESTION_WITHDRAWN:
        haft__buf_addf(log, "  question off %llu\n", (unsigned long long)event->question.number);
        return;
    case HAFT__MCP_EVENT_DONE: log_done(log, &event->done); return;
    }
}

/* ---- steps ---- */

static uint64_t number(haft_str *rest)
{
    uint64_t value = 0;
    haft_str word = haft__str_split(rest, ' ');
    CHECK(haft__str_to_u64(word, &value), "'%.*s' is not a number", HAFT__ARG(word));
    return value;
}

static haft_status make_call(haft__mcp_client *client, haft_str rest, bool again, haft_error *err)
{
    haft__arena arena;
    uint64_t call = 0;
    haft__mcp_call made = {.tool = haft__str_split(&rest, ' ')};
    haft__arena_init(&arena, 0);
    if (again) {
        made.round = (uint32_t)number(&rest);
        made.state = haft__str_split(&rest, ' ');
        made.answers = rest.len > 0 ? test_json(&arena, rest) : haft__json_null();
    } else if (rest.len > 0) {
        made.arguments = test_json(&arena, rest);
    }
    haft_status status = haft__mcp_client_call(client, &made, &call, err);
    haft__arena_finish(&arena);
    return status;
}

static haft_status answer(haft__mcp_client *client, haft_str rest, haft__mcp_action action,
                          haft_error *err)
{
    haft__arena arena;
    haft__arena_init(&arena, 0);
    uint64_t question = number(&rest);
    haft__json content = rest.len > 0 ? test_json(&arena, rest) : haft__json_null();
    haft_status status = haft__mcp_client_answer(client, question, action, content, err);
    haft__arena_finish(&arena);
    return status;
}

static haft_status break_exchange(haft__mcp_client *client, haft_str rest, bool cut, bool sent,
                                  haft_error *err)
{
    uint64_t exchange = number(&rest);
    haft__mcp_exchange_failure broken = {.sent = sent};
    if (cut) {
        broken.why = rest;
    } else {
        broken.http = (uint32_t)number(&rest);
        broken.body = rest;
    }
    return haft__mcp_client_exchange_failed(client, exchange, &broken, err);
}

static bool is(haft_str word, const char *name)
{
    return haft__str_equal(word, haft__str(name));
}

static haft_status step(haft__mcp_client *client, haft_str line, haft_error *err)
{
    haft_str rest = line, word = haft__str_split(&rest, ' ');
    uint64_t first = 0;
    if (is(word, "start")) {
        return haft__mcp_client_start(client, err);
    }
    if (is(word, "probe-timeout")) {
        return haft__mcp_client_probe_timed_out(client, err);
    }
    if (is(word, "list")) {
        return haft__mcp_client_list(client, err);
    }
    if (is(word, "get")) {
        return haft__mcp_client_receive(client, 0, rest, err);
    }
    if (is(word, "call") || is(word, "again")) {
        return make_call(client, rest, is(word, "again"), err);
    }
    if (is(word, "accept") || is(word, "decline") || is(word, "dismiss")) {
        return answer(client, rest,
                      is(word, "accept")    ? HAFT__MCP_ACCEPT
                      : is(word, "decline") ? HAFT__MCP_DECLINE
                                            : HAFT__MCP_CANCEL,
                      err);
    }
    if (is(word, "broken") || is(word, "cut") || is(word, "unsent")) {
        return break_exchange(client, rest, !is(word, "broken"), !is(word, "unsent"), err);
    }
    if (is(word, "lost")) {
        return haft__mcp_client_disconnected(client, rest, err);
    }
    if (is(word, "fail")) {
        return haft__mcp_client_abort(client, rest, err);
    }
    first = number(&rest);
    if (is(word, "on")) {
        return haft__mcp_client_receive(client, first, rest, err);
    }
    if (is(word, "cancel")) {
        return haft__mcp_client_cancel(client, first, rest, err);
    }
    CHECK(is(word, "session"), "'%.*s' is not a step", HAFT__ARG(word));
    return haft__mcp_client_session(client, first, rest, err);
}

haft_status test_client_play(haft__mcp_client *client, haft_str steps, haft__buf *log)
{
    haft_status status = HAFT_OK;
    while (steps.len > 0 && status == HAFT_OK) {
        haft_error err = {.status = HAFT_OK};
        haft__mcp_client_event event;
        status = step(client, haft__str_split(&steps, '\n'), &err);
        while (haft__mcp_client_next(client, &event)) {
            log_event(log, &event);
        }
    }
    return status;
}

bool test_client_clean(const void *context, haft_str text, haft__lost lost, haft__buf *out)
{
    CHECK(!lost.before && !lost.after, "a part of the text is missing");
    haft_str canary = HAFT__LIT(TEST_CANARY);
    bool found = false;
    CHECK(context == NULL, "an unexpected context");
    while (text.len > 0) {
        bool here = haft__str_starts_with(text, canary);
        haft__buf_add_str(out, here ? HAFT__LIT("[redacted]") : (haft_str){text.ptr, 1});
        text = haft__str_skip(text, here ? canary.len : 1);
        found |= here;
    }
    return found;
}

haft__mcp_client_options test_client_options_of(const char *letters)
{
    static const haft__mcp_root roots[] = {{HAFT__LIT("file:///data"), HAFT__LIT("data")},
                                           {HAFT__LIT("file:///x"), HAFT__LIT("")}};
    haft__mcp_client_options options = test_client_options();
    options.transport = strchr(letters, 'h') != NULL ? HAFT__MCP_HTTP : HAFT__MCP_STDIO;
    options.era = strchr(letters, 'L') != NULL   ? HAFT__MCP_ERA_LEGACY
                  : strchr(letters, 'M') != NULL ? HAFT__MCP_ERA_MODERN
                                                 : HAFT__MCP_ERA_UNKNOWN;
    options.elicitation = strchr(letters, 'e') != NULL;
    options.listen = strchr(letters, 'l') != NULL;
    options.log_level = strchr(letters, 'i') != NULL ? HAFT__LIT("info") : HAFT__LIT("");
    options.roots = roots;
    options.root_count = strchr(letters, 'r') != NULL ? COUNT(roots) : 0;
    options.cleaner.clean = strchr(letters, 's') != NULL ? test_client_clean : NULL;
    return options;
}

/* ---- cases ---- */

/* The abbreviations: $NAME(FIRST,SECOND) in a case. %1 and %2 stand for FIRST and SECOND. */
static const struct {
    haft_str name, text;
} shorthands[] = {
    {HAFT__LIT("opened"),
     HAFT__LIT("{\"jsonrpc\":\"2.0\",\"id\":%1,\"result\":{\"protocolVersion\":\"2025-11-25\","
               "\"capabilities\":{\"tools\":{\"listChanged\":true},\"logging\":{}},"
               "\"serverInfo\":{\"name\":\"s\",\"version\":\"1\"}}}")},
    {HAFT__LIT("opened_bare"),
     HAFT__LIT("{\"jsonrpc\":\"2.0\",\"id\":%1,\"result\":{\"protocolVersion\":\"2025-11-25\","
               "\"capabilities\":{\"tools\":{}},\"serverInfo\":{\"name\":\"s\"}}}")},
    {HAFT__LIT("discovered"),
     HAFT__LIT("{\"jsonrpc\":\"2.0\",\"id\":%1,\"result\":{\"resultType\":\"complete\","
               "\"supportedVersions\":[\"2026-07-28\"],\"capabilities\":{\"tools\":{"
               "\"listChanged\":true}},\"ttlMs\":1,\"cacheScope\":\"public\"}}")},
    {HAFT__LIT("logged"),
     HAFT__LIT("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\",\"params\":{"
               "\"level\":\"info\",\"logger\":\"db\",\"data\":\"x\"}}")},
    {HAFT__LIT("initialize"),
     HAFT__LIT("{\"jsonrpc\":\"2.0\",\"id\":%1,\"method\":\"initialize\",\"params\":{"
               "\"protocolVersion\":\"2025-11-25\",\"capabilities\":{},\"clientInfo\":{"
               "\"name\":\"haft\",\"version\":\"1.0\"}}}")},
    {HAFT__LIT("initialized"),
     HAFT__LIT("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\",\"params\":{}}")},
    {HAFT__LIT("discover"),
     HAFT__LIT("{\"jsonrpc\":\"2.0\",\"id\":%1,\"method\":\"server/discover\",\"params\":{META}}")},
    {HAFT__LIT("call"),
     HAFT__LIT("{\"jsonrpc\":\"2.0\",\"id\":%1,\"method\":\"tools/call\","
               "\"params\":{\"_meta\":{\"progressToken\":%1},\"name\":\"%2\"}}")},
    {HAFT__LIT("call_modern"), HAFT__LIT("{\"jsonrpc\":\"2.0\",\"id\":%1,\"method\":\"tools/call\","
                                         "\"params\":{META,\"name\":\"%2\"}}")},
    {HAFT__LIT("in_session"), HAFT__LIT("[MCP-Protocol-Version: 2025-11-25] [MCP-Session-Id: %1]")},
    {HAFT__LIT("modern"), HAFT__LIT("[MCP-Protocol-Version: 2026-07-28] [Mcp-Method: %1]")},
};

static haft_str take_name(haft_str *rest)
{
    size_t length = 0;
    while (length < rest->len
           && (islower((unsigned char)rest->ptr[length]) || rest->ptr[length] == '_')) {
        length++;
    }
    haft_str name = {rest->ptr, length};
    *rest = haft__str_skip(*rest, length);
    return name;
}

static void add_shorthand(haft__buf *out, haft_str text, haft_str first, haft_str second)
{
    for (size_t i = 0; i < text.len; i++) {
        bool argument = text.ptr[i] == '%';
        i += argument;
        if (argument) {
            haft__buf_add_str(out, text.ptr[i] == '1' ? first : second);
        } else {
            haft__buf_add_char(out, text.ptr[i]);
        }
    }
}

/* Expands a '$'; false if it is literal. */
static bool take_shorthand(haft__buf *out, haft_str *rest)
{
    haft_str after = *rest, arguments = HAFT__LIT("");
    haft_str name = take_name(&after);
    for (size_t i = 0; i < COUNT(shorthands); i++) {
        if (haft__str_equal(shorthands[i].name, name)) {
            if (haft__str_starts_with(after, HAFT__LIT("("))) {
                after = haft__str_skip(after, 1);
                arguments = haft__str_split(&after, ')');
            }
            haft_str first = haft__str_split(&arguments, ',');
            add_shorthand(out, shorthands[i].text, first, arguments);
            *rest = after;
            return true;
        }
    }
    return false;
}

haft_str test_client_expand(const char *text)
{
    haft__buf out;
    haft__buf_init(&out, 1 << 20);
    for (haft_str rest = haft__str(text); rest.len > 0;) {
        char c = rest.ptr[0];
        rest = haft__str_skip(rest, 1);
        if (c != '$' || !take_shorthand(&out, &rest)) {
            haft__buf_add_char(&out, c);
        }
    }
    char *copy = test_alloc(out.len + 1);
    memcpy(copy, out.ptr, out.len);
    haft_str all = {copy, out.len};
    CHECK_INT(haft__buf_check(&out, NULL), HAFT_OK, "no memory");
    haft__buf_finish(&out);
    return all;
}

void test_client_check_all(const test_client_case *cases, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        haft__mcp_client_options options = test_client_options_of(cases[i].options);
        haft__mcp_client *client = NULL;
        haft__buf log;
        haft__buf_init(&log, 1 << 24);
        CHECK_INT(haft__mcp_client_create(&options, &client, NULL), HAFT_OK, "create");
        CHECK_INT(test_client_play(client, test_client_expand(cases[i].steps), &log), HAFT_OK, "%s",
                  cases[i].steps);
        CHECK_STR(haft__buf_str(&log), test_client_expand(cases[i].wanted), "%s", cases[i].steps);
        haft__mcp_client_destroy(client);
        haft__buf_finish(&log);
    }
}

/* Plays the steps despite failures; false if the client could not be created. */
static bool play_with_failure(const test_client_case *c, unsigned n, bool *ret_failed)
{
    haft__mcp_client_options options = test_client_options_of(c->options);
    haft__mcp_client *client = NULL;
    haft__mcp_client_event event;
    haft_str steps = test_client_expand(c->steps);
    uint64_t made = 0, ended = 0;
    bool failed = false;
    test_fail_allocation(n);
    haft_status status = haft__mcp_client_create(&options, &client, NULL);
    while (status == HAFT_OK && steps.len > 0) {
        haft_str line = haft__str_split(&steps, '\n');
        bool call = haft__str_starts_with(line, HAFT__LIT("call"))
                    || haft__str_starts_with(line, HAFT__LIT("again"));
        haft_status one = step(client, line, NULL);
        CHECK(one == HAFT_OK || one == HAFT_NO_MEMORY, "%.*s", HAFT__ARG(line));
        failed |= one != HAFT_OK;
        made += call && one == HAFT_OK;
        while (haft__mcp_client_next(client, &event)) {
            ended += event.kind == HAFT__MCP_EVENT_DONE;
        }
    }
    failed |= status != HAFT_OK;
    if (client != NULL) {
        CHECK_INT(haft__mcp_client_abort(client, HAFT__LIT("the end"), NULL), HAFT_OK, "the end");
        while (haft__mcp_client_next(client, &event)) {
            ended += event.kind == HAFT__MCP_EVENT_DONE;
        }
        CHECK(ended == made || (failed && ended >= made && ended <= made + 1),
              "%llu calls, but %llu ends, at allocation %u", (unsigned long long)made,
              (unsigned long long)ended, n);
    }
    haft__mcp_client_destroy(client);
    *ret_failed = test_allow_allocations();
    return !failed || *ret_failed;
}

void test_client_fail_allocations(const test_client_case *cases, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        bool failed = true;
        for (unsigned n = 0; failed; n++) {
            CHECK(play_with_failure(&cases[i], n, &failed), "%s", cases[i].steps);
        }
    }
}
