/* SPDX-License-Identifier: Apache-2.0 */
/*
 * exec/mcp/mcp.h - the MCP servers of a spec, for the engine: what tools they have.
 *
 * Calls of their tools run like all others (exec/exec.h).
 */
#ifndef HAFT_EXEC_MCP_MCP_H
#define HAFT_EXEC_MCP_MCP_H

#include "exec/exec.h"
#include "run/offer/reveal.h"

/* Asking all servers of a spec. */
typedef struct haft__catalogue haft__catalogue;

/* What came of it, one listing for each enabled server, in the order of the spec. Borrowed until
 * this returns. Called from the loop, once, never before haft__exec_catalogue has returned; the
 * catalogue is gone then. */
typedef void haft__catalogue_done(void *context, const haft__mcp_listing *listings, size_t count);

/* Fails only for want of memory: a server that is dead or slow is a listing with an error, and
 * never holds back the others for longer than its own deadline. */
HAFT_MUST_USE haft_status haft__exec_catalogue(haft__exec *exec, const haft__spec *spec,
                                               haft__catalogue_done *done, void *context,
                                               haft__catalogue **ret_catalogue, haft_error *err);

/* `done` will not be called. */
void haft__catalogue_cancel(haft__catalogue *catalogue);

/* What one of them lists as far as this process knows; it is not asked. Its tools are borrowed
 * until the loop goes on, the rest lives in `arena`. */
HAFT_MUST_USE haft_status haft__exec_server_listing(haft__exec *exec, const haft__spec *spec,
                                                    haft_str server, haft__arena *arena,
                                                    haft__mcp_listing *ret_listing,
                                                    haft_error *err);

/* What is known of a spec's servers without asking any: all of them, in the order of the spec, the
 * disabled ones too. A server of which nothing is known has the state "configured" and no tools;
 * the list of one that is "known" was remembered. Lives in `arena`. */
HAFT_MUST_USE haft_status haft__exec_offline_listings(const haft__spec *spec, haft__arena *arena,
                                                      const haft__mcp_listing **ret_listings,
                                                      size_t *ret_count, haft_error *err);

/* Ends all connections of `exec`, and waits a bounded time until their sessions are closed. */
void haft__mcp_connection_pool_destroy(haft__exec *exec);

#endif
