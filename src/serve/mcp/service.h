/* SPDX-License-Identifier: Apache-2.0 */
/* serve/mcp/service.h - runs a spec as an MCP server, on standard input and output or over HTTP,
 * until its client leaves or its host stops it. */
#ifndef HAFT_SERVE_MCP_SERVICE_H
#define HAFT_SERVE_MCP_SERVICE_H

#include "engine/ops/service.h"

HAFT_MUST_USE haft_status haft__mcp_service_run(const haft__mcp_service_options *options,
                                                haft_error *err);

#endif
