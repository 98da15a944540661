/* SPDX-License-Identifier: Apache-2.0 */
/* serve/mcp/mount.h - the agents of `haft serve` as MCP servers: /mcp/NAME. */
#ifndef HAFT_SERVE_MCP_MOUNT_H
#define HAFT_SERVE_MCP_MOUNT_H

#include "serve/api/gateway.h"
#include "serve/runs/runs.h"

typedef struct haft__mcp_mount haft__mcp_mount;

typedef struct haft__mcp_mount_options {
    haft_runtime *runtime;
    haft__runs *runs; /* has the agents */
    const char *store;
    const haft__service_host *host;
} haft__mcp_mount_options;

/* Options are borrowed. */
HAFT_MUST_USE haft_status haft__mcp_mount_create(const haft__mcp_mount_options *options,
                                                 haft__mcp_mount **ret_mount, haft_error *err);

/* Drops all requests; before the gateway is destroyed. NULL is allowed, also below. */
void haft__mcp_mount_destroy(haft__mcp_mount *mount);

/* The row for the gateway. */
haft__api_mount haft__mcp_mount_route(haft__mcp_mount *mount);

/* Called after each step of the loop. */
void haft__mcp_mount_update(haft__mcp_mount *mount);

/* Drops all requests, and cancels runs that wait in this process for a client to return. */
void haft__mcp_mount_shutdown(haft__mcp_mount *mount);
bool haft__mcp_mount_is_busy(const haft__mcp_mount *mount);

#endif
