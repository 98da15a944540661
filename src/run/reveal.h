/* SPDX-License-Identifier: Apache-2.0 */
/*
 * run/reveal.h - which tools of MCP servers a run gets to see.
 *
 * Servers list their tools to the host; what of that becomes visible is decided here, and written
 * into tools_revealed with whole definitions: fold, replay and explain of a run never need a
 * server.
 */
#ifndef HAFT_RUN_REVEAL_H
#define HAFT_RUN_REVEAL_H

#include "base/buf.h"
#include "mcp/definition.h"
#include "tool/spec.h"

/* What one server offers, as far as it is known. */
typedef struct haft__mcp_listing {
    haft_str server;
    haft_str state; /* "configured", "known" (list from the cache), "started", "used" */
    haft_str error; /* "" when its list is there */
    const haft__mcp_tool *tools;
    size_t tool_count;
} haft__mcp_listing;

/* The verdict on one tool of a listing. */
typedef struct haft__reveal_tool {
    const haft__mcp_tool *tool;
    bool revealed;
    const char *reason; /* static */
} haft__reveal_tool;

typedef struct haft__reveal {
    const haft__mcp_listing *listings;
    size_t listing_count;
    haft__reveal_tool *tools; /* all that were listed, in that order */
    size_t tool_count;
    size_t revealed; /* of them */
} haft__reveal;

/* Whether servers are to be asked for their tools at all: one is enabled. */
bool haft__reveal_wanted(const haft__spec *spec);

/* Why no tool of this server can be used, whatever they are; NULL when nothing stands against it.
 */
const char *haft__reveal_server(const haft__spec *spec, haft_str server);

/* How many tools of servers are visible at once. */
uint32_t haft__reveal_cap(const haft__spec *spec);

/* Gives every tool its verdict: the allowed ones are revealed in the order listed, up to the cap.
 * What it makes lives in `arena`; listings and spec are borrowed. */
HAFT_MUST_USE haft_status haft__reveal_decide(const haft__spec *spec,
                                              const haft__mcp_listing *listings, size_t count,
                                              haft__arena *arena, haft__hash_key hash_key,
                                              haft__reveal *ret_reveal, haft_error *err);

/* Appends one tool as tools_revealed has it. */
void haft__reveal_write(haft__buf *buf, const haft__mcp_tool *tool);

/* Appends the body of tools_revealed. */
void haft__input_tools_revealed(haft__buf *buf, const haft__reveal *reveal);

#endif
