/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Property: whatever a server sends and however its connection breaks, every call of an MCP client
 * ends exactly once, every sent message is one line of JSON, and a step makes at most as many
 * events as there are open calls and questions.
 *
 * The first line has letters for options (h HTTP, L legacy, M modern, e elicitation, r roots, l
 * listen, i log messages). Each further line is a step: s start, p the probe takes too long, l
 * list, g and a message, c and a tool, xN cancel, aN and dN answers, iN and a session id, bN and a
 * status of three digits and a body, L lost, F fail.
 */
#include "mcp/client/client.h"

#include "base/limits.h"
#include "base/str.h"
#include "fuzz.h"
#include "json/read.h"

/* Questions and calls may end in one step, each with an event or two of its own. */
#define MAX_EVENTS (4 * (HAFT__LIMIT_MCP_CALLS + HAFT__LIMIT_MCP_QUESTIONS))
#define MAX_STEPS  400

typedef struct state {
    haft__mcp_client *client;
    uint64_t made;
    uint8_t ended[MAX_STEPS + 1]; /* by number */
} state;

static bool is_json_line(haft_str text)
{
    haft__arena arena;
    haft__json value;
    haft__arena_init(&arena, 0);
    bool json = haft__json_read(&arena, text, NULL, &value, NULL, NULL) == HAFT_OK;
    haft__arena_finish(&arena);
    return json && memchr(text.ptr, '\n', text.len) == NULL;
}

static void drain(state *s)
{
    haft__mcp_client_event event;
    size_t events = 0;
    while (haft__mcp_client_next(s->client, &event)) {
        REQUIRE(++events <= MAX_EVENTS);
        if (event.kind == HAFT__MCP_EVENT_SEND) {
            REQUIRE(is_json_line(event.send.text));
        }
        if (event.kind == HAFT__MCP_EVENT_DONE) {
            REQUIRE(event.done.call >= 1 && event.done.call <= s->made);
            REQUIRE(s->ended[event.done.call]++ == 0);
        }
    }
}

static uint64_t take_digit(haft_str *rest)
{
    bool digit = rest->len > 0 && rest->ptr[0] >= '0' && rest->ptr[0] <= '9';
    uint64_t value = digit ? (uint64_t)(rest->ptr[0] - '0') : 0;
    *rest = haft__str_skip(*rest, digit);
    return value;
}

static void call(state *s, haft_str tool)
{
    haft__mcp_call made = {.tool = tool, .arguments = haft__json_object(NULL, 0)};
    uint64_t number = 0;
    REQUIRE(haft__mcp_client_call(s->client, &made, &number, NULL) == HAFT_OK);
    REQUIRE(number == ++s->made);
}

static void break_it(state *s, haft_str rest)
{
    uint64_t exchange = take_digit(&rest);
    haft__mcp_exchange_failure broken = {.sent = true};
    for (int i = 0; i < 3; i++) {
        broken.http = broken.http * 10 + (uint32_t)take_digit(&rest);
    }
    broken.body = broken.why = rest;
    REQUIRE(haft__mcp_client_exchange_failed(s->client, exchange, &broken, NULL) == HAFT_OK);
}

static void step(state *s, char letter, haft_str rest)
{
    haft__mcp_client *client = s->client;
    haft_status status = HAFT_OK;
    uint64_t number = strchr("xadi", letter) != NULL ? take_digit(&rest) : 0;
    switch (letter) {
    case 's': status = haft__mcp_client_start(client, NULL); break;
    case 'p': status = haft__mcp_client_probe_timed_out(client, NULL); break;
    case 'l': status = haft__mcp_client_list(client, NULL); break;
    case 'g': status = haft__mcp_client_receive(client, 0, rest, NULL); break;
    case 'c': call(s, rest); break;
    case 'x': status = haft__mcp_client_cancel(client, number, rest, NULL); break;
    case 'a':
        status = haft__mcp_client_answer(client, number, HAFT__MCP_ACCEPT,
                                         haft__json_object(NULL, 0), NULL);
        break;
    case 'd':
        status =
            haft__mcp_client_answer(client, number, HAFT__MCP_DECLINE, haft__json_null(), NULL);
        break;
    case 'i': status = haft__mcp_client_session(client, number, rest, NULL); break;
    case 'b': break_it(s, rest); break;
    case 'L': status = haft__mcp_client_disconnected(client, rest, NULL); break;
    case 'F': status = haft__mcp_client_abort(client, rest, NULL); break;
    default: break;
    }
    REQUIRE(status == HAFT_OK);
    drain(s);
}

static haft__mcp_client_options read_options(haft_str letters)
{
    static const haft__mcp_root root = {HAFT__LIT("file:///data"), HAFT__LIT("data")};
    haft__mcp_client_options options = {.origin = {.server = HAFT__LIT("docs")}, .roots = &root};
    for (size_t i = 0; i < letters.len; i++) {
        char c = letters.ptr[i];
        options.transport = c == 'h' ? HAFT__MCP_HTTP : options.transport;
        options.era = c == 'L'   ? HAFT__MCP_ERA_LEGACY
                      : c == 'M' ? HAFT__MCP_ERA_MODERN
                                 : options.era;
        options.elicitation |= c == 'e';
        options.root_count |= c == 'r';
        options.listen |= c == 'l';
        options.log_level = c == 'i' ? HAFT__LIT("info") : options.log_level;
    }
    return options;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    haft_str rest = {(const char *)data, size};
    state s = {.made = 0};
    haft__mcp_client_options options = read_options(haft__str_split(&rest, '\n'));
    REQUIRE(haft__mcp_client_create(&options, &s.client, NULL) == HAFT_OK);
    for (size_t i = 0; i < MAX_STEPS && rest.len > 0; i++) {
        haft_str line = haft__str_split(&rest, '\n');
        if (line.len > 0 && line.ptr[0] != '\0') {
            step(&s, line.ptr[0], haft__str_skip(line, 1));
        }
    }
    REQUIRE(haft__mcp_client_abort(s.client, HAFT__LIT("the end"), NULL) == HAFT_OK);
    drain(&s);
    for (uint64_t i = 1; i <= s.made; i++) {
        REQUIRE(s.ended[i] == 1);
    }
    haft__mcp_client_destroy(s.client);
    return 0;
}
