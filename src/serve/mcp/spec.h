/* SPDX-License-Identifier: Apache-2.0 */
/*
 * serve/mcp/spec.h - a spec as an MCP server: its tools, and its agent as the tool run_<name>.
 *
 *     spec.c    what there is, and who performs a request
 *     tool.c    calls of tools: checked, approved, run
 *     run.c     runs of the agent: progress, questions, answers
 *     idempotency.c     the key of a call, which is that of one run
 *
 * A tool runs as it does in a run: the same checks and conversions of its arguments, the same
 * timeout, retries and lane, and no secret in its result. What needs a run around it (questions to
 * people, artifacts, headless tools) is not served by itself.
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
    const char *store; /* for commands that are told to people; NULL when it is the usual one */
} haft__mcp_spec_options;

/* All is borrowed. BAD_INPUT when a tool has the name of the agent's. */
HAFT_MUST_USE haft_status haft__mcp_spec_create(const haft__mcp_spec_options *options,
                                                haft__mcp_spec_server **ret_served,
                                                haft_error *err);

/* No request may be under way; runs that were cancelled are left to the store. */
void haft__mcp_spec_destroy(haft__mcp_spec_server *served);

/* Its context is a haft__mcp_spec_server. */
extern const haft__mcp_server_handlers haft__mcp_spec_handlers;

/* To be called after each step of the runtime: sees to the runs. */
void haft__mcp_spec_update_runs(haft__mcp_spec_server *served);

/* The server ends: cancels runs that wait here for a client that is to come again. */
void haft__mcp_spec_shutdown(haft__mcp_spec_server *served);

/* Whether a run goes on, one that was cancelled included. */
bool haft__mcp_spec_busy(const haft__mcp_spec_server *served);

#endif
