/* SPDX-License-Identifier: Apache-2.0 */
/* cli/explain/mcp_refresh.h - asks the MCP servers of a spec what tools they have now. */
#ifndef HAFT_CLI_EXPLAIN_MCP_REFRESH_H
#define HAFT_CLI_EXPLAIN_MCP_REFRESH_H

#include "cli/command.h"
#include "spec/spec.h"

/* A server that did not list its tools, and why. */
typedef struct haft__mcp_refresh_failure {
    haft_str server, error;
} haft__mcp_refresh_failure;

/* Starts each server that the spec enables and remembers its list; one that did not answer is told
 * on standard error, and what was known of it stays. They are in the command's arena. */
HAFT_MUST_USE haft_status haft__mcp_refresh(haft__cli *cli, const haft__spec *spec,
                                            const haft__mcp_refresh_failure **ret_unlisted,
                                            size_t *ret_count, haft_error *err);

#endif
