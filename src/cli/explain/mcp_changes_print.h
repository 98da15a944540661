/* SPDX-License-Identifier: Apache-2.0 */
/* cli/explain/mcp_changes_print.h - prints which tools of MCP servers have changed. */
#ifndef HAFT_CLI_EXPLAIN_MCP_CHANGES_PRINT_H
#define HAFT_CLI_EXPLAIN_MCP_CHANGES_PRINT_H

#include "cli/command.h"
#include "spec/spec.h"

/* Prints lines for each tool that has changed since it was first used or accepted. */
HAFT_MUST_USE haft_status haft__mcp_changes_print(haft__cli *cli, const haft__spec *spec,
                                                  haft_error *err);

/* Accepts the tools that --accept names, and prints the changes. Fails with NOT_FOUND if no such
 * tool is known. */
HAFT_MUST_USE haft_status haft__mcp_changes_print_accepted(haft__cli *cli, const haft__spec *spec,
                                                           haft_str name, haft_error *err);

#endif
