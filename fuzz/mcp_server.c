/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Properties of the server's side of MCP. The input is what one client says, a message a line.
 *   - every line gets exactly one last word (an answer, or that nothing comes), a request that is
 *     under way at the end of the client none;
 *   - all that is sent is one JSON object without line ends;
 *   - what is begun is finished or dropped, never both;
 *   - no state is opened that was not sealed.
 */
#include <string.h>

#include "base/str.h"
#include "fuzz.h"
#include "mcp/server/server.h"
#include "json/read.h"

#define HELD_MOST 64

typedef struct client {
    haft__mcp_asked *held[HELD_MOST];
    size_t held_count, begun, finished, dropped;
    size_t last_words;
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

static void take_out(client *c, haft__mcp_asked *asked)
{
    size_t at = 0;
    while (at < c->held_count && c->held[at] != asked) {
        at++;
    }
    REQUIRE(at < c->held_count);
    c->held[at] = c->held[--c->held_count];
}

/* By the length of its name: at once, later, with a question. */
static void begin(void *context, haft__mcp_asked *asked)
{
    client *c = context;
    c->begun++;
    REQUIRE(asked->state.len == 0 || haft__str_equal(asked->state, HAFT__LIT("kept")));
    haft__mcp_asked_progress(asked, 1, 0, asked->name);
    haft__mcp_asked_log(asked, HAFT__MCP_WARNING, asked->name);
    if (asked->name.len % 3 == 0 || c->held_count == HELD_MOST) {
        c->finished++;
        haft__mcp_asked_say(asked, asked->name, true);
        return;
    }
    if (asked->name.len % 3 == 2) {
        haft__mcp_question question = {HAFT__LIT("k"), HAFT__LIT("elicitation/create"),
                                       HAFT__LIT("{}")};
        c->finished += asked->modern;
        if (!asked->modern) {
            c->held[c->held_count++] = asked;
        }
        haft__mcp_asked_ask(asked, &question, 1, HAFT__LIT("kept"), 5);
        return;
    }
    c->held[c->held_count++] = asked;
}

static void go_on(void *context, haft__mcp_asked *asked)
{
    client *c = context;
    REQUIRE(asked->answers.kind == HAFT__JSON_OBJECT);
    take_out(c, asked);
    c->finished++;
    haft__mcp_asked_answer(asked, HAFT__LIT(""));
}

static void drop(void *context, haft__mcp_asked *asked)
{
    client *c = context;
    take_out(c, asked);
    c->dropped++;
}

static void on_sent(void *context, void *stream, const haft__mcp_sent *sent)
{
    client *c = context;
    (void)stream;
    c->last_words += sent->kind == HAFT__MCP_SENT_ANSWER || sent->kind == HAFT__MCP_SENT_NOTHING;
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
        REQUIRE(sent->kind == HAFT__MCP_SENT_NOTHING);
    }
}

static const haft__mcp_served served = {.prompts = true,
                                        .resources = true,
                                        .completions = true,
                                        .logging = true,
                                        .changes = true,
                                        .count = count,
                                        .write = write_entry,
                                        .schema = schema,
                                        .begin = begin,
                                        .go_on = go_on,
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
        haft__mcp_asked *asked = NULL;
        REQUIRE(haft__mcp_read(server, line, NULL, &asked, NULL) == HAFT_OK);
        haft__mcp_peer_take(peer, asked, NULL, NULL, 7);
        lines++;
    }
    haft__mcp_server_changed(server, HAFT__MCP_LIST_TOOLS);
    REQUIREF(c.last_words <= lines, "%zu last words for %zu lines", c.last_words, lines);
    REQUIRE(c.last_words + c.held_count <= lines);
    haft__mcp_peer_destroy(peer);
    REQUIRE(c.held_count == 0 && c.begun == c.finished + c.dropped);
    haft__mcp_server_destroy(server);
    return 0;
}
