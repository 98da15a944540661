/* SPDX-License-Identifier: Apache-2.0 */
/*
 * servers_help.h - MCP servers in tests, described by words:
 *
 *     server=docs,search!read_only,write       a server and what it lists, with traits
 *     server=docs,far_one                      a tool that the task does not find
 *     server=dead!error                        a server that cannot be reached
 *     server=off!disabled,look                 a server that is not enabled
 *     server=docs,say!changed                  a tool that differs from its pin
 *     asks=docs:write!durable                  a tool that asks before it answers
 *     mcp_allow=docs:*+other:look              patterns; the same with mcp_deny
 */
#ifndef HAFT_TESTS_SERVERS_HELP_H
#define HAFT_TESTS_SERVERS_HELP_H

#include "run/decide/decide.h"
#include "run/offer/resolve.h"
#include "run/offer/reveal.h"

enum { HELP_SERVERS = 8, HELP_LISTED = 64 };

typedef struct help_servers {
    haft__mcp_listing listings[HELP_SERVERS];
    bool disabled[HELP_SERVERS];
    size_t count;
    haft__mcp_tool tools[HELP_LISTED];
    bool changed[HELP_LISTED];
    size_t tool_count;
    haft_str allow, deny;
    haft_str asks; /* the tool that asks */
    bool durable;
} help_servers;

/* One word and its value; false if the word is unknown. Texts are borrowed. */
bool help_servers_word(help_servers *s, haft__arena *arena, haft_str name, haft_str value);

/* The member `mcp` of the spec; null if there are no servers. */
haft__json help_servers_spec(const help_servers *s, haft__arena *arena);

/* Reads the definition of a server's tool; with traits by name after '!'. */
haft__mcp_tool help_server_tool(haft__arena *arena, haft_str server, haft_str words);

/* Appends the tools_revealed event of a simple search: with the task, or for a call of tool_search.
 */
HAFT_MUST_USE haft_status help_search(const haft__run *run, const haft__run_call *call,
                                      const haft__mcp_listing *listings, size_t count,
                                      haft__arena *scratch, haft__hash_key hash_key,
                                      haft__buf *body, haft_error *err);

#endif
