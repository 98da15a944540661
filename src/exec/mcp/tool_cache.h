/* SPDX-License-Identifier: Apache-2.0 */
/*
 * exec/mcp/tool_cache.h - the tools of an MCP server as it last listed them.
 *
 * Each configuration of a server has one file, so that its tools are known while it does not run.
 * An unusable file is ignored: the server is asked again. exec/mcp/pins.h records which tools may
 * be called.
 */
#ifndef HAFT_EXEC_MCP_TOOL_CACHE_H
#define HAFT_EXEC_MCP_TOOL_CACHE_H

#include "mcp/definition.h"
#include "mcp/server_config.h"
#include "run/redact/redact.h"

typedef struct haft__mcp_tool_cache {
    haft__arena arena;
    haft_str server;  /* its name, for messages */
    haft_str era;     /* the first request of the last session: "initialize", "discover", or "" */
    haft__json tools; /* definitions, in the server's order; null: unknown */
    haft__json left_out;   /* [{tool, reason}], the first of the rejected tools; or null */
    uint64_t left_out_all; /* total number of rejected tools */
    bool too_long;         /* the list exceeded the limit; `tools` is null */
    uint64_t expires_ms;   /* expiry of the list, in ms since 1970 */
} haft__mcp_tool_cache;

void haft__mcp_tool_cache_init(haft__mcp_tool_cache *cache);
void haft__mcp_tool_cache_finish(haft__mcp_tool_cache *cache);

/* The absolute directory of the spec file `path`; "" if `path` is empty (the spec is not a file).
 */
HAFT_MUST_USE haft_status haft__mcp_tool_cache_directory(haft__arena *arena, haft_str path,
                                                         haft_str *ret_directory, haft_error *err);

/* The path, below `state_dir`, of the cache file of `server`. `directory` is the directory of the
 * spec: the same command can mean another program in another directory. .ptr is NULL when out of
 * memory. */
haft_str haft__mcp_tool_cache_path(haft__arena *arena, haft_str state_dir,
                                   const haft__mcp_server_config *server, haft_str directory);

/* Reads the file. NOT_FOUND if it does not exist, BAD_INPUT or TOO_BIG if it is damaged, IO if it
 * cannot be read or other users can write it; the cache is then empty. err->where is the path. */
HAFT_MUST_USE haft_status haft__mcp_tool_cache_read(haft__mcp_tool_cache *cache, const char *path,
                                                    haft__hash_key hash_key, haft_error *err);

/* A list from a server. */
typedef struct haft__mcp_tool_list_update {
    haft_str server;
    haft_str era;                   /* "": unchanged */
    const haft__redactor *redactor; /* secrets that must not be written; NULL: none */
    const haft__mcp_tool *tools;
    size_t tool_count;
    const haft__mcp_skipped_tool *left_out;
    size_t left_out_count, left_out_all;
    uint64_t valid_ms; /* how long the list is valid */
} haft__mcp_tool_list_update;

/* Replaces the cache, and writes it to `path` unless that is NULL. A list above the limit is not
 * stored (`too_long`). A tool whose definition contains a secret is not stored either: no model
 * sees it. When out of memory the cache is unchanged; if the file cannot be written, the cache in
 * memory still changes. */
HAFT_MUST_USE haft_status haft__mcp_tool_cache_update(haft__mcp_tool_cache *cache, const char *path,
                                                      const haft__mcp_tool_list_update *change,
                                                      haft__hash_key hash_key, haft_error *err);

/* Whether the list may be used at `now_ms` without asking the server: it has a tool, and
 * neither HAFT__LIMIT_MCP_LIST_MS nor the time that the server set has passed. */
bool haft__mcp_tool_cache_is_fresh(const haft__mcp_tool_cache *cache, uint64_t now_ms);

/* The definition of a tool in the last list, or NULL. */
const haft__json *haft__mcp_tool_cache_find(const haft__mcp_tool_cache *cache, haft_str tool);

#endif
