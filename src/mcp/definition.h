/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mcp/definition.h - the definition of an MCP tool.
 *
 * A definition is untrusted: its name is validated, hidden characters are made visible, its schemas
 * must compile within their budgets without external references, and its hints are used only if the
 * spec trusts the server. Its hash identifies it: a changed definition has another hash.
 */
#ifndef HAFT_MCP_DEFINITION_H
#define HAFT_MCP_DEFINITION_H

#include "base/sha256.h"
#include "tool/traits.h"

/* An argument that is also sent as a header: Mcp-Param-NAME. */
typedef struct haft__mcp_param {
    haft_str name;        /* "Region" */
    const haft_str *path; /* the keys of its path in the arguments */
    size_t depth;
} haft__mcp_param;

typedef struct haft__mcp_tool {
    haft_str server;          /* configured name: "docs" */
    haft_str remote;          /* the server's name of the tool: "search" */
    haft_str name;            /* name in haft: "docs:search" */
    haft_str title;           /* made visible; "" if missing */
    haft_str description;     /* made visible, never empty, at most _TOOL_DESCRIPTION_BYTES */
    haft__json input_schema;  /* with all its keywords, texts made visible */
    haft__json output_schema; /* null if missing */
    haft__json annotations;   /* as sent; null if missing */
    haft__json definition;    /* the input of the hash: the name and the members above, as sent */
    char hash[HAFT__SHA256_HEX + 1]; /* of the canonical text; NUL-terminated */
    haft__traits traits; /* effective traits: the cautious defaults unless the server is trusted */
    bool trusted;        /* the spec trusts the server's hints */
    bool hinted_destructive; /* the server itself sends destructiveHint: true, trusted or not */
    bool open_world; /* may access external systems; true unless a trusted server denies it */
    const haft__mcp_param *params;
    size_t param_count;
} haft__mcp_tool;

/* A rejected tool, or a truncated list. Hidden characters in both texts are made visible. */
typedef struct haft__mcp_skipped_tool {
    haft_str tool; /* the server's name of the tool; "" for the list */
    haft_str reason;
} haft__mcp_skipped_tool;

/* The origin of a definition. */
typedef struct haft__mcp_origin {
    haft_str server;       /* the configured name */
    bool trusted;          /* mcp.servers.NAME.trust */
    uint32_t timeout_ms;   /* of a call; 0: the default of tools */
    const haft_str *polls; /* mcp.servers.NAME.polls */
    size_t poll_count;
    haft__hash_key hash_key;
} haft__mcp_origin;

/* Reads one entry of a tools/list. The result points into `arena` or the memory of `entry`;
 * `origin->server` is borrowed. BAD_INPUT or UNSUPPORTED if the tool cannot be used (invalid name,
 * no object as input schema, a schema that does not compile, an external reference, an invalid
 * x-mcp-header, a hidden character in a name or compared value), TOO_BIG above
 * HAFT__LIMIT_MCP_DEFINITION_BYTES or a schema limit. The caller then skips the tool; the error is
 * the reason. err->where is a JSON Pointer into the entry. */
HAFT_MUST_USE haft_status haft__mcp_tool_read(haft__arena *arena, haft__json entry,
                                              const haft__mcp_origin *origin,
                                              haft__mcp_tool *ret_tool, haft_error *err);

/* The tool for a registry: source HAFT__TOOL_MCP, and a definition {"server","tool","hash"}. New
 * memory is in `arena`, the rest is borrowed. */
HAFT_MUST_USE haft_status haft__mcp_tool_to_registry(haft__arena *arena, const haft__mcp_tool *tool,
                                                     haft__tool *ret_tool, haft_error *err);

/* Appends the differences between two definitions (haft__mcp_tool.definition), for people: one line
 * for each removed ("- /description: ...") or added part ("+ ..."), texts made visible and
 * truncated; at most HAFT__LIMIT_MCP_DIFF_LINES lines. Nothing if they are equal. */
HAFT_MUST_USE haft_status haft__mcp_tool_diff(haft__buf *buf, haft__json before, haft__json after,
                                              haft_error *err);

#endif
