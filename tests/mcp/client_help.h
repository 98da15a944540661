/* SPDX-License-Identifier: Apache-2.0 */
/*
 * client_help.h - a client driven by lines, and what it did as lines.
 *
 * Steps, one a line:  start | probe-timeout | list | get JSON | on N JSON (came on exchange N)
 *                     call TOOL JSON | again TOOL ROUND STATE JSON | cancel N WHY
 *                     accept N JSON | decline N | dismiss N | session N ID | broken N HTTP BODY
 *                     cut N WHY | lost WHY | fail WHY
 * What happens is written behind "  ", an event a line; _meta of a modern request is left out.
 */
#ifndef HAFT_TESTS_MCP_CLIENT_HELP_H
#define HAFT_TESTS_MCP_CLIENT_HELP_H

#include "base/buf.h"
#include "mcp/client.h"

/* Options for a test: a server "docs". */
haft__mcp_client_options test_client_options(void);

/* Does the steps and appends what happened. Stops at a step that fails and returns its status. */
haft_status test_client_play(haft__mcp_client *client, haft_str steps, haft__buf *log);

/* The same with a client of its own, which must not fail. */
void test_client_check(const haft__mcp_client_options *options, const char *steps,
                       const char *wanted);

#endif
