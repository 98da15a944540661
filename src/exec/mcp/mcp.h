/* SPDX-License-Identifier: Apache-2.0 */
/*
 * exec/mcp/mcp.h - the tools of a spec's MCP servers, for the engine.
 *
 * Calls of these tools run like all others (exec/exec.h).
 */
#ifndef HAFT_EXEC_MCP_MCP_H
#define HAFT_EXEC_MCP_MCP_H

#include "exec/exec.h"
#include "run/offer/reveal.h"

/* A query to all servers of a spec. */
typedef struct haft__catalogue haft__catalogue;

/* Delivers one listing for each enabled server, in the order of the spec. Borrowed until this
 * returns. Called once, from the loop, never before haft__exec_catalogue has returned; the
 * catalogue is freed after it. */
typedef void haft__catalogue_done(void *context, const haft__mcp_listing *listings, size_t count);

/* Fails only when out of memory. A dead or slow server has a listing with an error. It delays the
 * other servers at most until its own deadline. */
HAFT_MUST_USE haft_status haft__exec_catalogue(haft__exec *exec, const haft__spec *spec,
                                               haft__catalogue_done *done, void *context,
                                               haft__catalogue **ret_catalogue, haft_error *err);

/* Ends the query without calling `done`. */
void haft__catalogue_cancel(haft__catalogue *catalogue);

/* The listing of one server from the memory of this process; the server is not asked. Its tools are
 * borrowed until control returns to the loop, the rest lives in `arena`. */
HAFT_MUST_USE haft_status haft__exec_server_listing(haft__exec *exec, const haft__spec *spec,
                                                    haft_str server, haft__arena *arena,
                                                    haft__mcp_listing *ret_listing,
                                                    haft_error *err);

/* The cached listings of all servers of a spec, in the order of the spec, including disabled
 * servers. No server is asked. A server without a cached list has the state "configured" and no
 * tools; a server with a cached list has the state "known". Lives in `arena`. */
HAFT_MUST_USE haft_status haft__exec_offline_listings(const haft__spec *spec, haft__arena *arena,
                                                      const haft__mcp_listing **ret_listings,
                                                      size_t *ret_count, haft_error *err);

/* Ends all connections of `exec`, and waits a bounded time until their sessions are closed. */
void haft__mcp_connection_pool_destroy(haft__exec *exec);

#endif
