/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/serve/mcp/tool.c with failed allocations; everything else is in
 * tests/cli/mcp_test.py. */
#include "engine/engine_help.h"
#include "mcp/rpc.h"
#include "serve/mcp/spec.h"

HAFT_TOOL(stamp, "Stamps something.")
{
    (void)args;
    return haft_replyf(call, "stamped");
}

#define SPEC                                                                                       \
    "\"tools\":[{\"name\":\"stamp\",\"description\":\"Stamps something.\",\"traits\":{\"cost\":"   \
    "\"free\",\"lane\":\"desk\"}}]"

/* A client without a handshake. */
typedef struct client {
    help_host h;
    haft_agent *agent;
    haft__mcp_spec_server *spec_server;
    haft__mcp_server *server;
    haft__mcp_peer *peer;
    int answers;
} client;

static void on_sent(void *context, void *stream, const haft__mcp_server_message *sent)
{
    client *c = context;
    (void)stream;
    c->answers += sent->kind == HAFT__MCP_MESSAGE_ANSWER;
}

static void open_client(client *c)
{
    *c = (client){.answers = 0};
    help_host_init(&c->h, "memory:");
    haft_error *err = &c->h.err;
    CHECK_INT(haft_tool_add(c->h.runtime, &stamp_tool, err), HAFT_OK, "%s", err->message);
    c->agent = help_host_agent(&c->h, SPEC, "{\"replies\":[]}");
    haft__mcp_spec_options options = {.runtime = c->h.runtime, .spec = c->agent->spec};
    CHECK_INT(haft__mcp_spec_create(&options, &c->spec_server, err), HAFT_OK, "%s", err->message);
    haft__mcp_server_options server = {.name = HAFT__LIT("s"),
                                       .version = HAFT__LIT("1"),
                                       .served = &haft__mcp_spec_handlers,
                                       .context = c->spec_server,
                                       .hash_key = {1, 2}};
    CHECK_INT(haft__mcp_server_create(&server, &c->server, err), HAFT_OK, "%s", err->message);
    CHECK_INT(haft__mcp_peer_create(c->server, HAFT__LIT(""), on_sent, c, &c->peer, err), HAFT_OK,
              "%s", err->message);
}

static void close_client(client *c)
{
    haft__mcp_peer_destroy(c->peer);
    haft__mcp_server_destroy(c->server);
    haft__mcp_spec_destroy(c->spec_server);
    haft_agent_release(c->agent);
    help_host_finish(&c->h);
}

static haft__mcp_request *read_call(client *c, int id)
{
    char text[512];
    haft__mcp_request *mcp_request = NULL;
    (void)snprintf(
        text, sizeof(text),
        "{\"jsonrpc\":\"2.0\",\"id\":%d,\"method\":\"tools/call\",\"params\":{\"name\":"
        "\"stamp\",\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\","
        "\"io.modelcontextprotocol/clientCapabilities\":{}}}}",
        id);
    CHECK_INT(haft__mcp_request_read(c->server, haft__str(text), NULL, &mcp_request, NULL), HAFT_OK,
              "read");
    return mcp_request;
}

/* The first call of a lane is cancelled, and an allocation for the next one fails: each waiting
 * call is answered all the same. */
TEST(a_lane_continues_when_one_of_its_calls_cannot_start)
{
    for (unsigned n = 0;; n++) {
        client c;
        haft__mcp_request *mcp_request[3];
        open_client(&c);
        for (int i = 0; i < 3; i++) {
            mcp_request[i] = read_call(&c, i);
            haft__mcp_peer_receive(c.peer, mcp_request[i], NULL, NULL, 1000);
        }
        CHECK_INT(c.answers, 0, "answers before the cancellation");
        test_fail_allocation(n);
        haft__mcp_request_abandon(mcp_request[0]);
        bool failed = test_allow_allocations();
        for (int i = 0; i < 300000 && c.answers < 2; i++) {
            CHECK_INT(haft_runtime_step(c.h.runtime, 1, &c.h.err), HAFT_OK, "%s", c.h.err.message);
        }
        CHECK_INT(c.answers, 2, "allocation %u: answers", n);
        close_client(&c);
        if (!failed) {
            CHECK(n > 0, "no allocation failed");
            break;
        }
    }
}
