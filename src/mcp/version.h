/* SPDX-License-Identifier: Apache-2.0 */
/* mcp/version.h - the versions of MCP that haft speaks. */
#ifndef HAFT_MCP_VERSION_H
#define HAFT_MCP_VERSION_H

#include <stdbool.h>

#include "json/value.h"

#define HAFT__MCP_MODERN_VERSION "2026-07-28"
#define HAFT__MCP_LEGACY_VERSION "2025-11-25" /* the newest of them */

/* Whether it is one of those that `initialize` settles. */
bool haft__mcp_version_legacy(haft_str version);
bool haft__mcp_version_modern(haft_str version);

/* The best of a list of versions: modern, else the newest legacy one; .ptr is NULL when none is
 * spoken here or it is no list. The text is static. */
haft_str haft__mcp_version_choose(haft__json list);

/* Of haft itself, in `_meta` of a call: the key that is the same for all attempts, and how often
 * its run was taken up. haft.internal, the other way round: a name that nobody can own. */
#define HAFT__MCP_META_KEY   "internal.haft/idempotencyKey"
#define HAFT__MCP_META_EPOCH "internal.haft/epoch"

#endif
