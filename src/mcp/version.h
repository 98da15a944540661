/* SPDX-License-Identifier: Apache-2.0 */
/* mcp/version.h - the supported versions of MCP. */
#ifndef HAFT_MCP_VERSION_H
#define HAFT_MCP_VERSION_H

#include <stdbool.h>

#include "json/value.h"

#define HAFT__MCP_MODERN_VERSION "2026-07-28"
#define HAFT__MCP_LEGACY_VERSION "2025-11-25" /* the newest legacy version */

/* Whether the version is negotiated by `initialize`. */
bool haft__mcp_version_legacy(haft_str version);
bool haft__mcp_version_modern(haft_str version);

/* The best version of a list: modern, else the newest legacy one; .ptr is NULL if none is supported
 * or `list` is not an array. The text is static. */
haft_str haft__mcp_version_choose(haft__json list);

/* haft's own keys in `_meta` of a call: the key that is the same for all attempts, the epoch of the
 * run, and others (exec/call_facts.c). The prefix is haft.internal reversed; nobody can own this
 * domain. */
#define HAFT__MCP_META       "internal.haft/"
#define HAFT__MCP_META_KEY   HAFT__MCP_META "idempotencyKey"
#define HAFT__MCP_META_EPOCH HAFT__MCP_META "epoch"

#endif
