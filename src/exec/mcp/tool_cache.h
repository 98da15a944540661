/* SPDX-License-Identifier: Apache-2.0 */
/*
 * exec/mcp/tool_cache.h - what is remembered of an MCP server: its tools as it last listed them.
 *
 * One file for each configuration of a server, so that its tools are known while it does not run.
 * A file that cannot be used is as if it were not there: the server is asked again. Which tools may
 * be called is in another file (exec/mcp/pins.h).
 */
#ifndef HAFT_EXEC_MCP_TOOL_CACHE_H
#define HAFT_EXEC_MCP_TOOL_CACHE_H

#include "mcp/definition.h"
#include "mcp/server_config.h"
#include "run/redact/redact.h"

typedef struct haft__mcp_tool_cache {
    haft__arena arena;
    haft_str server;     /* its name, for people */
    haft_str era;        /* how it was last opened: "initialize", "discover", or "" */
    haft__json tools;    /* definitions, in the server's order; null: they are not known */
    haft__json left_out; /* [{tool, reason}], the first of those that could not be taken; or null */
    uint64_t left_out_all; /* how many there were */
    bool too_long;         /* that is why its tools are not known */
    uint64_t until;        /* when the server is asked again, in ms since 1970 */
} haft__mcp_tool_cache;

void haft__mcp_tool_cache_init(haft__mcp_tool_cache *record);
void haft__mcp_tool_cache_finish(haft__mcp_tool_cache *record);

/* The directory of a spec at `path`; "" when it has none. */
HAFT_MUST_USE haft_status haft__mcp_tool_cache_directory(haft__arena *arena, haft_str path,
                                                         haft_str *ret_directory, haft_error *err);

/* The file of a server of a spec in `directory`; .ptr is NULL for want of memory. */
haft_str haft__mcp_tool_cache_path(haft__arena *arena, haft_str place,
                                   const haft__mcp_server_config *server, haft_str directory);

/* Reads the file. NOT_FOUND when there is none, BAD_INPUT or TOO_BIG when it is damaged, IO when it
 * cannot be read or is not ours alone to write: then the record is empty. err->where is the path.
 */
HAFT_MUST_USE haft_status haft__mcp_tool_cache_read(haft__mcp_tool_cache *record, const char *path,
                                                    haft__hash_key hash_key, haft_error *err);

/* What a server has listed. */
typedef struct haft__mcp_tool_list_update {
    haft_str server;
    haft_str era;                   /* "": as before */
    const haft__redactor *redactor; /* what must not be written down; NULL: nothing */
    const haft__mcp_tool *tools;
    size_t tool_count;
    const haft__mcp_skipped_tool *left_out;
    size_t left_out_count, left_out_all;
    uint64_t good_ms; /* how long the list may be used without asking again */
} haft__mcp_tool_list_update;

/* Makes this the record, and writes it to `path`, unless that is NULL. A list that is too long is
 * not kept (`too_long`), nor is a tool whose definition has a secret in it: no model gets to see
 * that one. When
 * it fails for want of memory the record is as it was; when it cannot be written it is changed here
 * all the same. */
HAFT_MUST_USE haft_status haft__mcp_tool_cache_update(haft__mcp_tool_cache *record,
                                                      const char *path,
                                                      const haft__mcp_tool_list_update *change,
                                                      haft__hash_key hash_key, haft_error *err);

/* Whether its list may be used at `now_ms` without asking the server: there is a tool in it, and it
 * is not older than HAFT__LIMIT_MCP_LIST_MS or than the server has allowed. */
bool haft__mcp_tool_cache_is_fresh(const haft__mcp_tool_cache *record, uint64_t now_ms);

/* The definition of a tool as it was last listed, or NULL. */
const haft__json *haft__mcp_tool_cache_find(const haft__mcp_tool_cache *record, haft_str tool);

#endif
