/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mcp/definition.h - a tool of an MCP server as haft keeps it.
 *
 * A definition comes from somebody else: its name is checked, what it says is made visible, its
 * schemas must compile within their budgets without any other document, and its hints count only
 * where the spec trusts the server. Its hash names it: a definition that changed has another.
 */
#ifndef HAFT_MCP_DEFINITION_H
#define HAFT_MCP_DEFINITION_H

#include "base/sha256.h"
#include "tool/traits.h"

/* An argument that is also sent as a header: Mcp-Param-NAME. */
typedef struct haft__mcp_param {
    haft_str name;        /* "Region" */
    const haft_str *path; /* the keys that lead to it in the arguments */
    size_t depth;
} haft__mcp_param;

typedef struct haft__mcp_tool {
    haft_str server;          /* as it is configured: "docs" */
    haft_str remote;          /* the tool's name at the server: "search" */
    haft_str name;            /* the name here: "docs:search" */
    haft_str title;           /* made visible; "" when there is none */
    haft_str description;     /* made visible, never empty, at most _TOOL_DESCRIPTION_BYTES */
    haft__json input_schema;  /* with every keyword it came with, texts made visible */
    haft__json output_schema; /* null when there is none */
    haft__json annotations;   /* as sent; null when there are none */
    haft__json definition;    /* what the hash is of: name and what else of the above, as sent */
    char hash[HAFT__SHA256_HEX + 1]; /* of its canonical text; a NUL behind it */
    haft__traits traits;             /* what holds: pessimistic unless the server is trusted */
    bool trusted;                    /* the spec trusts the server's hints */
    bool open_world;                 /* it may meet anybody; true unless a trusted server denies */
    const haft__mcp_param *params;
    size_t param_count;
} haft__mcp_tool;

/* A tool that cannot be used, or a list that was cut. Both made visible. */
typedef struct haft__mcp_skipped_tool {
    haft_str tool; /* as the server calls it; "" when it is about the list */
    haft_str reason;
} haft__mcp_skipped_tool;

/* Who a definition comes from. */
typedef struct haft__mcp_origin {
    haft_str server;     /* the configured name */
    bool trusted;        /* mcp.servers.NAME.trust */
    uint32_t timeout_ms; /* of a call; 0: the default of a tool */
    haft__hash_key hash_key;
} haft__mcp_origin;

/* Reads one entry of a tools/list. What it points to lives in `arena` or where `entry` does;
 * `origin->server` is borrowed. BAD_INPUT or UNSUPPORTED when it cannot be used (no name that can
 * be called, no object as input schema, a schema that does not compile, a reference to another
 * document, a wrong x-mcp-header, a hidden character in a name or value that is compared), TOO_BIG
 * past HAFT__LIMIT_MCP_DEFINITION_BYTES or a limit of schemas: the tool is left out then, and the
 * error says why. err->where is a JSON Pointer into the entry. */
HAFT_MUST_USE haft_status haft__mcp_tool_read(haft__arena *arena, haft__json entry,
                                              const haft__mcp_origin *origin,
                                              haft__mcp_tool *ret_tool, haft_error *err);

/* The tool for a registry: source HAFT__TOOL_MCP, and a definition {"server","tool","hash"}. What
 * is made for it lives in `arena`, the rest is borrowed. */
HAFT_MUST_USE haft_status haft__mcp_tool_to_registry(haft__arena *arena, const haft__mcp_tool *tool,
                                                     haft__tool *ret_tool, haft_error *err);

/* Appends what differs between two definitions (haft__mcp_tool.definition), for people: a line for
 * each part that is gone ("- /description: ..."), new ("+ ..."), texts made visible and cut where
 * they are long; at most HAFT__LIMIT_MCP_DIFF_LINES of them. Nothing when they are equal. */
HAFT_MUST_USE haft_status haft__mcp_tool_diff(haft__buf *buf, haft__json before, haft__json after,
                                              haft_error *err);

#endif
