/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/mcp/client/redact.c: wherever a text is cut, no part of a secret remains. */
#include "base/limits.h"
#include "base/str.h"
#include "mcp/client/content.h"
#include "mcp/client_help.h"
#include "mcp/definition_help.h"
#include "test.h"
#include "json/read.h"

#define RPC "{\"jsonrpc\":\"2.0\","

/* A legacy server, up to an open call with id 2. */
#define CALLED "start\nget $opened_bare(1)\ncall a\n"
/* A modern one. */
#define MODERN "start\nget $discovered(1)\ncall a\n"

/* All texts of a server. @ stands for a text that ends with the secret and some bytes. */
static const struct {
    const char *options, *steps;
    bool goes_back; /* haft sends the text back to the server unchanged */
} places[] = {
    {"Ls", CALLED "get " RPC "\"id\":2,\"error\":{\"code\":-1,\"message\":\"@\"}}\n", false},
    {"Ls", CALLED "get " RPC "\"id\":2,\"error\":{\"code\":-1,\"message\":\"x\",\"data\":\"@\"}}\n",
     false},
    {"Ls", CALLED "get " RPC "\"id\":2,\"result\":{\"content\":[{\"type\":\"text\",\"@\":1}]}}\n",
     false},
    {"Lsi",
     "start\nget $opened(1)\nget " RPC "\"method\":\"notifications/message\",\"params\":{\"level\":"
     "\"@\",\"logger\":\"@\",\"data\":\"@\"}}\n",
     false},
    {"Lsi",
     "start\nget $opened(1)\nget " RPC "\"method\":\"notifications/message\",\"params\":{\"level\":"
     "\"info\",\"data\":{\"@\":[\"@\"]}}}\n",
     false},
    {"Ls",
     CALLED "get " RPC "\"method\":\"notifications/progress\",\"params\":{\"progressToken\":2,"
            "\"progress\":1,\"message\":\"@\"}}\n",
     false},
    {"Ls", "start\nget " RPC "\"id\":1,\"error\":{\"code\":-1,\"message\":\"@\"}}\n", false},
    {"Ls", "start\nget " RPC "\"id\":1,\"result\":{\"protocolVersion\":\"@\"}}\n", false},
    {"Ls",
     "start\nget " RPC
     "\"id\":1,\"result\":{\"protocolVersion\":\"2025-11-25\",\"capabilities\":{},"
     "\"serverInfo\":{\"name\":\"@\",\"version\":\"@\"},\"instructions\":\"@\"}}\n",
     false},
    {"Ls",
     "start\nget $opened_bare(1)\nlist\nget " RPC "\"id\":2,\"error\":{\"code\":1,\"message\":"
     "\"@\"}}\n",
     false},
    {"Ls",
     "start\nget $opened_bare(1)\nlist\nget " RPC
     "\"id\":2,\"result\":{\"tools\":[{\"name\":\"@\"},"
     "{\"name\":\"a\",\"description\":\"@\",\"inputSchema\":{\"type\":\"object\"}},"
     "{\"name\":\"b\",\"inputSchema\":{\"type\":\"@\"}},"
     "{\"name\":\"c\",\"inputSchema\":{\"type\":\"object\",\"properties\":{\"@\\u200b\":{}}}}]}}\n",
     false},
    {"Lse",
     CALLED "get " RPC "\"id\":7,\"method\":\"elicitation/create\",\"params\":{\"message\":\"@\","
            "\"requestedSchema\":{\"type\":\"object\",\"properties\":{\"@\":{\"type\":\"string\"}}"
            "}}}\n",
     false},
    {"Lse",
     CALLED "get " RPC "\"id\":7,\"method\":\"elicitation/create\",\"params\":{\"message\":\"x\","
            "\"mode\":\"url\",\"url\":\"ftp:@\"}}\n",
     false},
    {"Ms", MODERN "get " RPC "\"id\":2,\"result\":{\"resultType\":\"@\"}}\n", false},
    {"Mse",
     MODERN "get " RPC "\"id\":2,\"result\":{\"resultType\":\"input_required\",\"inputRequests\":{"
            "\"k\":{\"method\":\"elicitation/create\",\"params\":{\"message\":\"@\","
            "\"requestedSchema\":{\"type\":\"object\",\"properties\":{}}}}}}}\n",
     false},
    {"Mse",
     MODERN "get " RPC "\"id\":2,\"result\":{\"resultType\":\"input_required\",\"inputRequests\":{"
            "\"k\":{\"method\":\"@\"}}}}\n",
     false},
    {"Mse",
     MODERN "get " RPC "\"id\":2,\"result\":{\"resultType\":\"input_required\",\"requestState\":"
            "\"@\"}}\n",
     true},
    {"Ls",
     "start\nget $opened_bare(1)\nlist\nget " RPC
     "\"id\":2,\"result\":{\"tools\":[],\"nextCursor\":\"@\"}}\n",
     true},
    {"hLs", "start\nbroken 1 500 " RPC "\"error\":{\"code\":1,\"message\":\"@\"}}\n", false},
    {"hLs",
     "start\non 1 $opened_bare(1)\ncall a\nbroken 2 400 " RPC
     "\"id\":null,\"error\":{\"code\":1,\"message\":\"@\"}}\n",
     false},
    /* not a message */
    {"Lsi", CALLED "get {\"jsonrpc\":\"@\",\"id\":2,\"result\":{}}\n", false},
};

/* The steps, with `padding` bytes and the secret in place of each @. */
static haft_str fill(const char *steps, size_t padding)
{
    haft__buf text;
    haft__buf_init(&text, 1 << 20);
    haft_str all = test_client_expand(steps);
    for (size_t i = 0; i < all.len; i++) {
        if (all.ptr[i] != '@') {
            haft__buf_add_char(&text, all.ptr[i]);
            continue;
        }
        for (size_t k = 0; k < padding; k++) {
            haft__buf_add_char(&text, 'x');
        }
        haft__buf_add_str(&text, HAFT__LIT(TEST_CANARY "more"));
    }
    CHECK_INT(haft__buf_check(&text, NULL), HAFT_OK, "no memory");
    char *copy = test_alloc(text.len);
    memcpy(copy, text.ptr, text.len);
    haft_str filled = {copy, text.len};
    haft__buf_finish(&text);
    return filled;
}

/* Whether the log contains eight or more bytes of the secret. */
static bool has_part(haft_str log)
{
    for (size_t i = 0; log.len > 0 && i + 8 <= sizeof(TEST_CANARY) - 1; i++) {
        if (memmem(log.ptr, log.len, &TEST_CANARY[i], 8) != NULL) {
            return true;
        }
    }
    return false;
}

static void play(haft__mcp_client_options options, haft_str steps, haft__buf *log)
{
    haft__mcp_client *client = NULL;
    haft__buf_init(log, 1 << 24);
    CHECK_INT(haft__mcp_client_create(&options, &client, NULL), HAFT_OK, "create");
    CHECK_INT(test_client_play(client, steps, log), HAFT_OK, "%.*s", HAFT__ARG(steps));
    haft__mcp_client_destroy(client);
}

TEST(no_text_of_a_server_shows_half_a_secret)
{
    for (size_t i = 0; i < COUNT(places); i++) {
        bool shown = false;
        for (size_t padding = 0; padding < HAFT__LIMIT_MCP_INSTRUCTIONS_BYTES + 100;
             padding += padding < 400 ? 3 : 41) {
            haft__mcp_client_options options = test_client_options_of(places[i].options);
            haft__buf log;
            haft_str steps = fill(places[i].steps, padding);
            play(options, steps, &log);
            haft_str logged = haft__buf_str(&log);
            bool whole =
                logged.len > 0
                && memmem(logged.ptr, logged.len, TEST_CANARY, sizeof(TEST_CANARY) - 1) != NULL;
            CHECK(!has_part(logged) || (places[i].goes_back && whole),
                  "place %zu, padding %zu: %.*s", i, padding, HAFT__ARG(logged));
            CHECK(!places[i].goes_back || whole || padding > 0,
                  "place %zu: the text was sent back changed", i);
            haft__buf_finish(&log);
            options.cleaner.clean = NULL; /* without redaction the check must fail */
            play(options, steps, &log);
            shown |= has_part(haft__buf_str(&log));
            haft__buf_finish(&log);
        }
        CHECK(shown, "place %zu does not show the secret even without redaction", i);
    }
}

static const test_client_case cases[] = {
    /* redacted values, and values that pass unchanged; a tool with a secret is skipped */
    {"Ls",
     "start\n"
     "get $opened_bare(1)\n"
     "list\n"
     "get {\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{\"tools\":["
     "{\"name\":\"a\",\"inputSchema\":{\"type\":\"object\"}},"
     "{\"name\":\"b\",\"description\":\"of \\u0063"
     "anary-0123456789abcdefghijklmnopqrstuvwxyz"
     "ABCDEFGHIJKLMNOPQ\",\"inputSchema\":{\"type\":\"object\"}},"
     "{\"name\":\"c\",\"inputSchema\":{\"type\":\"object\"}}]}}\n"
     "call a\n"
     "get "
     "{\"jsonrpc\":\"2.0\",\"id\":3,\"result\":{\"content\":[],\"structuredContent\":["
     "\"" TEST_CANARY "\"]}}\n"
     "call a\n"
     "get {\"jsonrpc\":\"2.0\",\"id\":4,\"error\":{\"code\":1,\"message\":\"no " TEST_CANARY
     " here\",\"data\":[\"" TEST_CANARY "\"]}}\n",
     "  send $initialize(1)\n"
     "  send $initialized\n"
     "  ready legacy 2025-11-25 's' '' '' tools\n"
     "  send {\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"tools/list\",\"params\":{}}\n"
     "  tools 2 docs:a docs:c warning 'b: its definition contains a secret'\n"
     "  send $call(3,a) for 1\n"
     "  done 1 result sent {\"content\":[],\"structuredContent\":[\"[redacted]\"]}\n"
     "  send $call(4,a) for 2\n"
     "  done 2 error sent 1 http 0 [\"[redacted]\"] the server answered with an error: no "
     "[redacted] "
     "here\n"},
    /* questions: their keys and the state are returned unchanged */
    {"Mse",
     "start\n"
     "get $discovered(1)\n"
     "call a\n"
     "get "
     "{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{\"resultType\":\"input_required\",\"requestState\":"
     "\"s"
     "\",\"inputRequests\":{\"k-" TEST_CANARY "\":{\"method\":\"elicitation/create\",\"params\":{"
     "\"message\":\"is it " TEST_CANARY "?\",\"requestedSchema\":{\"type\":\"object\","
     "\"properties\":{}}}}}}}\n",
     "  send $discover(1)\n"
     "  ready modern 2026-07-28 '' '' '' tools\n"
     "  send $call_modern(2,a) for 1\n"
     "  done 1 input sent round 1 state 's' answered {} | 0 k-" TEST_CANARY
     " of 1: form 'is it [redacted]?' {\"type\":\"object\",\"properties\":{}}\n"},
};

TEST(values_that_are_sent_back_are_unchanged)
{
    test_client_check_all(cases, COUNT(cases));
}

TEST(redaction_survives_failed_allocations)
{
    test_client_fail_allocations(cases, COUNT(cases));
}

/* A redactor that returns invalid JSON, or too much. */
static bool redact_badly(const void *context, haft_str text, haft__lost lost, haft__buf *out)
{
    (void)lost;
    haft__buf_add_str(out, HAFT__LIT("{["));
    if (context != NULL) {
        haft__buf_fail(out, HAFT_TOO_BIG, "");
    }
    return text.len > 0;
}

TEST(text_that_cannot_be_redacted_is_not_shown)
{
    const int yes = 1;
    const void *contexts[] = {NULL, &yes};
    for (size_t i = 0; i < COUNT(contexts); i++) {
        haft__mcp_client_options options = test_client_options_of("Ls");
        haft__buf log;
        options.cleaner = (haft__cleaner){.clean = redact_badly, .context = contexts[i]};
        play(options, fill(CALLED "get " RPC "\"id\":2,\"result\":{\"content\":\"@\"}}\n", 0),
             &log);
        haft_str logged = haft__buf_str(&log);
        CHECK(!has_part(logged), "%.*s", HAFT__ARG(logged));
        haft__buf_finish(&log);
    }
}
