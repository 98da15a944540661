/* SPDX-License-Identifier: Apache-2.0 */
#include "server_help.h"

#include "json/read.h"

static size_t count(void *context, haft__mcp_list list)
{
    const mcp_case *c = context;
    return list == HAFT__MCP_LIST_TOOLS ? c->tools : 1;
}

static void write_entry(void *context, haft__mcp_list list, size_t index, bool modern,
                        haft__buf *buf)
{
    (void)context;
    (void)list;
    (void)modern;
    haft__buf_addf(buf, "{\"name\":\"t%zu\"}", index);
}

static const haft__json *schema(void *context, haft_str tool)
{
    const mcp_case *c = context;
    return haft__str_starts_with(tool, HAFT__LIT("t")) ? &c->schema : NULL;
}

static void begin(void *context, haft__mcp_request *mcp_request)
{
    mcp_case *c = context;
    c->open[c->open_count++] = mcp_request;
}

static void resume(void *context, haft__mcp_request *mcp_request)
{
    mcp_case *c = context;
    c->resumed++;
    CHECK(mcp_request->answers.kind == HAFT__JSON_OBJECT, "the request has no answers");
}

static void drop(void *context, haft__mcp_request *mcp_request)
{
    mcp_case *c = context;
    size_t at = 0;
    while (at < c->open_count && c->open[at] != mcp_request) {
        at++;
    }
    CHECK(at < c->open_count, "a request was dropped that did not begin");
    for (; at + 1 < c->open_count; at++) {
        c->open[at] = c->open[at + 1];
    }
    c->open_count--;
    c->dropped++;
}

static void on_sent(void *context, void *stream, const haft__mcp_server_message *sent)
{
    mcp_case *c = context;
    (void)stream;
    haft__buf_add_str(&c->sent, sent->text);
    haft__buf_add_char(&c->sent, '\n');
    c->answers += sent->kind == HAFT__MCP_MESSAGE_ANSWER;
    c->ends += sent->kind == HAFT__MCP_MESSAGE_NONE;
    if (sent->kind == HAFT__MCP_MESSAGE_ANSWER || sent->kind == HAFT__MCP_MESSAGE_NONE) {
        c->http = sent->http;
    }
}

void mcp_open(mcp_case *c)
{
    *c = (mcp_case){.tools = 2,
                    .now = 1000,
                    .served = {.prompts = true,
                               .resources = true,
                               .completions = true,
                               .logging = true,
                               .changes = true,
                               .count = count,
                               .write = write_entry,
                               .schema = schema,
                               .begin = begin,
                               .resume = resume,
                               .drop = drop}};
    haft__arena_init(&c->arena, 0);
    haft__buf_init(&c->sent, 64 << 20);
    c->schema = haft__json_object(NULL, 0);
    haft__mcp_server_options options = {.name = HAFT__LIT("s"),
                                        .version = HAFT__LIT("1"),
                                        .instructions = HAFT__LIT("Be kind."),
                                        .served = &c->served,
                                        .context = c,
                                        .key = {{1, 2, 3}},
                                        .hash_key = {1, 2}};
    haft_status status = haft__mcp_server_create(&options, &c->server, NULL);
    if (status == HAFT_OK) {
        status = haft__mcp_peer_create(c->server, HAFT__LIT("p"), on_sent, c, &c->peer, NULL);
    }
    CHECK_INT(status, HAFT_OK, "cannot create the server");
}

void mcp_close(mcp_case *c)
{
    haft__mcp_peer_destroy(c->peer);
    CHECK_INT(c->open_count, 0, "requests that were not dropped");
    haft__mcp_server_destroy(c->server);
    haft__buf_finish(&c->sent);
    haft__arena_finish(&c->arena);
}

haft__mcp_request *mcp_pop_request(mcp_case *c)
{
    if (c->open_count == 0) {
        CHECK(false, "no request is open");
        abort();
    }
    return c->open[--c->open_count];
}

haft_str mcp_receive(mcp_case *c, const char *text, const haft__mcp_headers *headers)
{
    haft__mcp_request *mcp_request = NULL;
    haft__buf_clear(&c->sent);
    if (haft__mcp_request_read(c->server, haft__str(text), headers, &mcp_request, NULL)
        == HAFT_OK) {
        haft__mcp_peer_receive(c->peer, mcp_request, headers, NULL, c->now);
    }
    haft_str sent = haft__buf_str(&c->sent);
    return sent.len > 0 ? (haft_str){sent.ptr, sent.len - 1} : HAFT__LIT("");
}

void mcp_initialize(mcp_case *c, const char *capabilities)
{
    char text[512];
    (void)snprintf(text, sizeof(text),
                   "{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\",\"params\":{"
                   "\"protocolVersion\":\"2025-11-25\",\"capabilities\":%s}}",
                   capabilities);
    (void)mcp_receive(c, text, NULL);
    CHECK(mcp_sent_contains(c, "\"protocolVersion\":\"2025-11-25\""), "%.*s",
          HAFT__ARG(haft__buf_str(&c->sent)));
    (void)mcp_receive(c, "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}", NULL);
}

bool mcp_sent_contains(const mcp_case *c, const char *part)
{
    haft_str text = haft__buf_str(&c->sent);
    size_t length = strlen(part);
    for (size_t i = 0; i + length <= text.len; i++) {
        if (memcmp(text.ptr + i, part, length) == 0) {
            return true;
        }
    }
    return false;
}
