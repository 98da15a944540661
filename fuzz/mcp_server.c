/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Properties of an MCP server. The input is the messages of one client, one per line.
 *   - every line gets exactly one final event (a response, or the end without one), except requests
 *     that are running when the client disconnects;
 *   - every sent message is one JSON object without line breaks;
 *   - a started call is finished or dropped, never both;
 *   - only sealed state can be opened.
 */
#include <string.h>

#include "base/str.h"
#include "fuzz.h"
#include "mcp/server/server.h"
#include "json/read.h"

#define HELD_MOST 64

typedef struct client {
    haft__mcp_request *held[HELD_MOST];
    size_t held_count, begun, finished, dropped;
    size_t final_events;
    haft__json schema;
} client;

static size_t count(void *context, haft__mcp_list list)
{
    (void)context;
    (void)list;
    return 3;
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
    client *c = context;
    return tool.len < 4 ? &c->schema : NULL;
}

static void remove_request(client *c, haft__mcp_request *mcp_request)
{
    size_t at = 0;
    while (at < c->held_count && c->held[at] != mcp_request) {
        at++;
    }
    REQUIRE(at < c->held_count);
    c->held[at] = c->held[--c->held_count];
}

/* The length of the tool's name decides whether it answers at once, later, or with a question. */
static void begin(void *context, haft__mcp_request *mcp_request)
{
    client *c = context;
    c->begun++;
    REQUIRE(mcp_request->state.len == 0 || haft__str_equal(mcp_request->state, HAFT__LIT("kept")));
    haft__mcp_request_progress(mcp_request, 1, 0, mcp_request->name);
    haft__mcp_request_log(mcp_request, HAFT__MCP_LEVEL_WARNING, mcp_request->name);
    if (mcp_request->name.len % 3 == 0 || c->held_count == HELD_MOST) {
        c->finished++;
        haft__mcp_request_reply_text(mcp_request, mcp_request->name, true);
        return;
    }
    if (mcp_request->name.len % 3 == 2) {
        haft__mcp_server_question question = {HAFT__LIT("k"), HAFT__LIT("elicitation/create"),
                                              HAFT__LIT("{}")};
        c->finished += mcp_request->modern;
        if (!mcp_request->modern) {
            c->held[c->held_count++] = mcp_request;
        }
        haft__mcp_request_ask(mcp_request, &question, 1, HAFT__LIT("kept"), 5);
        return;
    }
    c->held[c->held_count++] = mcp_request;
}

static void resume(void *context, haft__mcp_request *mcp_request)
{
    client *c = context;
    REQUIRE(mcp_request->answers.kind == HAFT__JSON_OBJECT);
    remove_request(c, mcp_request);
    c->finished++;
    haft__mcp_request_reply(mcp_request, HAFT__LIT(""));
}

static void drop(void *context, haft__mcp_request *mcp_request)
{
    client *c = context;
    remove_request(c, mcp_request);
    c->dropped++;
}

static void on_sent(void *context, void *stream, const haft__mcp_server_message *sent)
{
    client *c = context;
    (void)stream;
    c->final_events +=
        sent->kind == HAFT__MCP_MESSAGE_ANSWER || sent->kind == HAFT__MCP_MESSAGE_NONE;
    if (sent->text.len > 0) {
        haft__arena arena;
        haft__json value;
        haft__arena_init(&arena, 0);
        REQUIRE(memchr(sent->text.ptr, '\n', sent->text.len) == NULL);
        haft_status status = haft__json_read(&arena, sent->text, NULL, &value, NULL, NULL);
        REQUIREF(status == HAFT_OK && value.kind == HAFT__JSON_OBJECT, "sent %.*s",
                 HAFT__ARG(sent->text));
        haft__arena_finish(&arena);
    } else {
        REQUIRE(sent->kind == HAFT__MCP_MESSAGE_NONE);
    }
}

static const haft__mcp_server_handlers served = {.prompts = true,
                                                 .resources = true,
                                                 .completions = true,
                                                 .logging = true,
                                                 .changes = true,
                                                 .count = count,
                                                 .write = write_entry,
                                                 .schema = schema,
                                                 .begin = begin,
                                                 .resume = resume,
                                                 .drop = drop};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    client c = {.held_count = 0};
    haft__mcp_server *server = NULL;
    haft__mcp_peer *peer = NULL;
    haft_str rest = {(const char *)data, size};
    size_t lines = 0;
    c.schema = haft__json_object(NULL, 0);
    haft__mcp_server_options options = {.name = HAFT__LIT("s"),
                                        .version = HAFT__LIT("1"),
                                        .served = &served,
                                        .context = &c,
                                        .key = {{9}},
                                        .hash_key = {1, 2}};
    REQUIRE(haft__mcp_server_create(&options, &server, NULL) == HAFT_OK);
    REQUIRE(haft__mcp_peer_create(server, HAFT__LIT(""), on_sent, &c, &peer, NULL) == HAFT_OK);
    while (rest.len > 0) {
        haft_str line = haft__str_split(&rest, '\n');
        haft__mcp_request *mcp_request = NULL;
        REQUIRE(haft__mcp_request_read(server, line, NULL, &mcp_request, NULL) == HAFT_OK);
        haft__mcp_peer_receive(peer, mcp_request, NULL, NULL, 7);
        lines++;
    }
    haft__mcp_server_changed(server, HAFT__MCP_LIST_TOOLS);
    REQUIREF(c.final_events <= lines, "%zu final events for %zu lines", c.final_events, lines);
    REQUIRE(c.final_events + c.held_count <= lines);
    haft__mcp_peer_destroy(peer);
    REQUIRE(c.held_count == 0 && c.begun == c.finished + c.dropped);
    haft__mcp_server_destroy(server);
    return 0;
}
