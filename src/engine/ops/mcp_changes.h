/* SPDX-License-Identifier: Apache-2.0 */
/* engine/ops/mcp_changes.h - finds tools of MCP servers that differ from their pins
 * (exec/mcp/pins.h), and accepts their changes. Reads files only; no server is started. */
#ifndef HAFT_ENGINE_OPS_MCP_CHANGES_H
#define HAFT_ENGINE_OPS_MCP_CHANGES_H

#include "spec/spec.h"
#include "json/write.h"

/* Called for one tool. `diff` has a line for each difference; it is "" without differences. */
typedef void haft__mcp_change_visitor(void *context, haft_str server, haft_str tool, haft_str diff);

/* Calls `visit` for each tool that has changed since it was first used or accepted. */
HAFT_MUST_USE haft_status haft__mcp_changes_visit(haft__arena *arena, const haft__spec *spec,
                                                  haft__mcp_change_visitor *visit, void *context,
                                                  haft_error *err);

/* Writes the changed tools as an array: {server, tool, diff}. */
HAFT_MUST_USE haft_status haft__mcp_changes_write(haft__arena *arena, const haft__spec *spec,
                                                  haft__json_writer *w, haft_error *err);

/* Accepts a tool ("docs:search") or all tools of a server ("docs:*") as they are now, and calls
 * `visit` for each. NOT_FOUND if no such tool is known. */
HAFT_MUST_USE haft_status haft__mcp_changes_accept(haft__arena *arena, const haft__spec *spec,
                                                   haft_str name, haft__mcp_change_visitor *visit,
                                                   void *context, haft_error *err);

/* Counts the servers with a cached list, and the damaged files. *ret_directory is the directory;
 * .ptr is NULL if it does not exist. */
HAFT_MUST_USE haft_status haft__mcp_changes_count_servers(haft__arena *arena,
                                                          haft_str *ret_directory,
                                                          size_t *ret_count, size_t *ret_damaged,
                                                          haft_error *err);

#endif
