/* SPDX-License-Identifier: Apache-2.0 */
/*
 * exec/mcp_record.h - what is remembered of an MCP server: its tools, and those that were used.
 *
 * One file for each configuration of a server, so that its tools are known while it does not run. A
 * pin is the definition of a tool as it was when it was first used, or as somebody accepted it: a
 * tool whose definition is another one is not called. A file that cannot be used is as if it were
 * not there.
 */
#ifndef HAFT_EXEC_MCP_RECORD_H
#define HAFT_EXEC_MCP_RECORD_H

#include "mcp/definition.h"
#include "mcp/servers.h"

typedef struct haft__mcp_record {
    haft__arena arena;
    haft_str server;  /* its name, for people */
    haft__json tools; /* definitions, in the server's order; null: they are not known */
    haft__json pins;  /* definitions by the names of the tools at the server; an object, or null */
} haft__mcp_record;

void haft__mcp_record_init(haft__mcp_record *record);
void haft__mcp_record_finish(haft__mcp_record *record);

/* The directory of all files: $XDG_STATE_HOME/haft/mcp or that below HOME; .ptr is NULL when there
 * is no place, or no memory. */
haft_str haft__mcp_record_place(haft__arena *arena);

/* The directory of a spec at `path`; "" when it has none. */
HAFT_MUST_USE haft_status haft__mcp_record_directory(haft__arena *arena, haft_str path,
                                                     haft_str *ret_directory, haft_error *err);

/* The file of a server of a spec in `directory`; .ptr is NULL for want of memory. */
haft_str haft__mcp_record_path(haft__arena *arena, haft_str place, const haft__mcp_server *server,
                               haft_str directory);

/* Reads the file. NOT_FOUND when there is none, BAD_INPUT or TOO_BIG when it is damaged, IO when it
 * cannot be read or is not ours alone to write: then the record is empty. err->where is the path.
 */
HAFT_MUST_USE haft_status haft__mcp_record_read(haft__mcp_record *record, const char *path,
                                                haft__hash_key hash_key, haft_error *err);

/* What becomes different. */
typedef struct haft__mcp_change {
    haft_str server;
    bool listed; /* `tools` are what the server has now */
    const haft__mcp_tool *tools;
    size_t tool_count;
    const haft__mcp_tool *pin; /* this tool is as it should be; NULL: none */
} haft__mcp_change;

/* Changes the record and writes it to `path`, unless that is NULL; what others have written there
 * meanwhile stays. A list that is too long is not kept, the pins are. When it fails for want of
 * memory the record is as it was; when it cannot be written it is changed here all the same. */
HAFT_MUST_USE haft_status haft__mcp_record_change(haft__mcp_record *record, const char *path,
                                                  const haft__mcp_change *change,
                                                  haft__hash_key hash_key, haft_error *err);

/* The pinned definition of a tool, or NULL. */
const haft__json *haft__mcp_record_pin(const haft__mcp_record *record, haft_str tool);

/* The definition of a tool as it was last listed, or NULL. */
const haft__json *haft__mcp_record_tool(const haft__mcp_record *record, haft_str tool);

#endif
