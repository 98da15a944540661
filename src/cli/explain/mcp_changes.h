/* SPDX-License-Identifier: Apache-2.0 */
/* cli/explain/mcp_changes.h - tools of MCP servers that are not what they were (exec/mcp/pins.h).
 */
#ifndef HAFT_CLI_EXPLAIN_MCP_CHANGES_H
#define HAFT_CLI_EXPLAIN_MCP_CHANGES_H

#include "cli/command.h"
#include "spec/spec.h"
#include "json/write.h"

/* Lines for each tool that has changed since it was first used or accepted: what differs. */
HAFT_MUST_USE haft_status haft__mcp_changes_print(haft__cli *cli, const haft__spec *spec,
                                                  haft_error *err);

/* The same as an array: {server, tool, diff}. */
HAFT_MUST_USE haft_status haft__mcp_changes_write(haft__cli *cli, const haft__spec *spec,
                                                  haft__json_writer *w, haft_error *err);

/* Accepts what a tool ("docs:search") or all tools of a server ("docs:*") are now, and prints what
 * has changed. NOT_FOUND when no such tool is known. */
HAFT_MUST_USE haft_status haft__mcp_changes_accept(haft__cli *cli, const haft__spec *spec,
                                                   haft_str name, haft_error *err);

/* How many servers are remembered, and how many files of them are damaged; *ret_place is where. */
HAFT_MUST_USE haft_status haft__mcp_changes_count_servers(haft__cli *cli, haft_str *ret_place,
                                                          size_t *ret_count, size_t *ret_damaged,
                                                          haft_error *err);

#endif
