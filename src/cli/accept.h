/* SPDX-License-Identifier: Apache-2.0 */
/* cli/accept.h - tools of MCP servers that are not what they were (exec/mcp_record.h). */
#ifndef HAFT_CLI_ACCEPT_H
#define HAFT_CLI_ACCEPT_H

#include "cli/commands.h"
#include "tool/spec.h"

/* A line for each tool that has changed since it was first used or accepted, and for each file that
 * cannot be used. */
HAFT_MUST_USE haft_status haft__accept_print(haft__cli *cli, const haft__spec *spec,
                                             haft_error *err);

/* Accepts what a tool ("docs:search") is now, and prints what has changed. NOT_FOUND when no such
 * tool is known. */
HAFT_MUST_USE haft_status haft__accept(haft__cli *cli, const haft__spec *spec, haft_str name,
                                       haft_error *err);

/* How many servers are remembered, and how many files of them are damaged; *ret_place is where. */
HAFT_MUST_USE haft_status haft__accept_count(haft__cli *cli, haft_str *ret_place, size_t *ret_count,
                                             size_t *ret_damaged, haft_error *err);

#endif
