/* SPDX-License-Identifier: Apache-2.0 */
/*
 * engine/ops/client_tools.h - an agent with further tools, which the client of one run has.
 *
 * The tools are headless: a call waits until the client answers it. The run has a spec of its own,
 * so another process can continue it without the client.
 */
#ifndef HAFT_ENGINE_OPS_CLIENT_TOOLS_H
#define HAFT_ENGINE_OPS_CLIENT_TOOLS_H

#include "engine/runtime.h"
#include "json/value.h"

/* Creates an agent with the spec of `agent` and `tools`, a list of
 * {"name", "description", "input_schema"}. BAD_INPUT if a tool is not valid, or if the agent has a
 * tool with that name. */
HAFT_MUST_USE haft_status haft__agent_add_client_tools(const haft_agent *agent, haft__json tools,
                                                       haft_agent **ret_agent, haft_error *err);

#endif
