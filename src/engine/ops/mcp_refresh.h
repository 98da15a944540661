/* SPDX-License-Identifier: Apache-2.0 */
/* engine/ops/mcp_refresh.h - asks the MCP servers of a spec for their tools. */
#ifndef HAFT_ENGINE_OPS_MCP_REFRESH_H
#define HAFT_ENGINE_OPS_MCP_REFRESH_H

#include "base/arena.h"
#include "spec/load/load.h"

/* A server that did not list its tools, with the error, and the last lines of its standard error
 * ("" if `error` contains them). */
typedef struct haft__mcp_refresh_failure {
    haft_str server, error, stderr_lines;
} haft__mcp_refresh_failure;

typedef struct haft__mcp_refresh_result {
    const haft__mcp_refresh_failure *failures;
    size_t count;
} haft__mcp_refresh_result;

/* Starts each server that the spec enables, and caches its list. If a server fails, its cached list
 * stays. Fails, without starting servers, if lists cannot be stored. `env` is the environment of
 * the servers. The failures live in `arena`. */
HAFT_MUST_USE haft_status haft__mcp_refresh(haft__arena *arena, const haft__spec *spec,
                                            haft__spec_env env,
                                            haft__mcp_refresh_result *ret_result, haft_error *err);

#endif
