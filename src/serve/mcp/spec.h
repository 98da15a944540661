/* SPDX-License-Identifier: Apache-2.0 */
/*
 * serve/mcp/spec.h - a spec as an MCP server: its tools, and its agent as the tool run_<name>.
 *
 *     spec.c         the lists, and the dispatch of requests
 *     tool.c         tool calls: validation, approval, execution
 *     run.c          runs of the agent: progress, questions, answers
 *     idempotency.c  the key of a call, which identifies one run
 *
 * A tool behaves as in a run: the same validation and conversion of its arguments, the same
 * timeout, retries and lane, and redacted results. Tools that need a run (questions to people,
 * artifacts, headless tools) are not served separately.
 */
#ifndef HAFT_SERVE_MCP_SPEC_H
#define HAFT_SERVE_MCP_SPEC_H

#include "engine/runtime.h"
#include "mcp/server/server.h"

typedef struct haft__mcp_spec_server haft__mcp_spec_server;

typedef struct haft__mcp_spec_options {
    haft_runtime *runtime;
    const haft__spec *spec;
    haft_agent *agent; /* NULL: only the tools are served */
    const char *store; /* for commands in messages; NULL if it is the default */
    bool among_others; /* the runtime also has other servers and a worker: children that wait are
                        * released, and answered through the store */
} haft__mcp_spec_options;

/* All options are borrowed. BAD_INPUT if a tool has the name of the agent's tool. */
HAFT_MUST_USE haft_status haft__mcp_spec_create(const haft__mcp_spec_options *options,
                                                haft__mcp_spec_server **ret_spec_server,
                                                haft_error *err);

/* No request may be open; cancelled runs stay in the store. */
void haft__mcp_spec_destroy(haft__mcp_spec_server *spec_server);

/* Its context is a haft__mcp_spec_server. */
extern const haft__mcp_server_handlers haft__mcp_spec_handlers;

/* Processes the runs. Call it after each step of the runtime. */
void haft__mcp_spec_update_runs(haft__mcp_spec_server *spec_server);

/* Sets the user for whom runs of the following requests act; copied with each request. "": nobody
 * that is known. The default is "mcp". */
void haft__mcp_spec_set_user(haft__mcp_spec_server *spec_server, haft_str user);

/* Shuts down: cancels runs that wait in this process for a client to return. */
void haft__mcp_spec_shutdown(haft__mcp_spec_server *spec_server);

/* Whether a run is active, including cancelled ones. */
bool haft__mcp_spec_busy(const haft__mcp_spec_server *spec_server);

#endif
