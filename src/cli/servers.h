/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cli/servers.h - the MCP servers of a spec as far as they are known without asking them: nothing
 * is started here (exec/mcp_record.h).
 */
#ifndef HAFT_CLI_SERVERS_H
#define HAFT_CLI_SERVERS_H

#include "cli/commands.h"
#include "tool/spec.h"
#include "json/write.h"

/* For people: a line for each server, and one for each of its tools that is known. */
HAFT_MUST_USE haft_status haft__servers_print(haft__cli *cli, const haft__spec *spec,
                                              haft_error *err);

/* The same as the members of an array. */
HAFT_MUST_USE haft_status haft__servers_write(haft__cli *cli, const haft__spec *spec,
                                              haft__json_writer *w, haft_error *err);

/* Accepts what a tool ("docs:search") is now, and prints what has changed. NOT_FOUND when no such
 * tool is known. */
HAFT_MUST_USE haft_status haft__servers_accept(haft__cli *cli, const haft__spec *spec,
                                               haft_str name, haft_error *err);

/* How many servers are remembered, and how many files of them are damaged; *ret_place is where. */
HAFT_MUST_USE haft_status haft__servers_count(haft__cli *cli, haft_str *ret_place,
                                              size_t *ret_count, size_t *ret_damaged,
                                              haft_error *err);

#endif
