/* SPDX-License-Identifier: Apache-2.0 */
/* tool/traits.h - the traits of a tool, from specs and MCP servers and back to JSON. */
#ifndef HAFT_TOOL_TRAITS_H
#define HAFT_TOOL_TRAITS_H

#include "tool/tool.h"
#include "json/write.h"

/* What holds for a tool that says nothing: no promises, light, a minute for each attempt. */
#define HAFT__TRAITS_TIMEOUT_MS 60000U
void haft__traits_init(haft__traits *traits);

/* Reads {read_only, idempotent, destructive, return_direct, needs_approval, cost, timeout, retries,
 * cache, lane, on_unknown}; what is not named, or null, stays as it is. BAD_INPUT for an unknown
 * key (the hint names the nearest) or a wrong value, TOO_BIG past a limit; err->where is a JSON
 * Pointer into `object`, and *traits is left alone. A lane is borrowed from `object`. */
HAFT_MUST_USE haft_status haft__traits_read(haft__json object, haft__traits *traits,
                                            haft_error *err);

/* Whether they can all be true of one tool: nothing is destructive and read_only, only what is
 * read_only or idempotent is retried or cached, and numbers are within their limits. err->where is
 * a JSON Pointer as above. */
HAFT_MUST_USE haft_status haft__traits_check(const haft__traits *traits, haft_error *err);

/* From the `annotations` of an MCP tool (or null). They are hints of a server, never permission:
 * what is not said, or said in a way that contradicts itself, counts as MCP's cautious default, and
 * a hint of the wrong type as not said. */
void haft__traits_from_mcp(haft__json annotations, haft__traits *traits);

/* All of them as one object, which haft__traits_read reads back as the same. */
void haft__traits_write(haft__json_writer *w, const haft__traits *traits);

const char *haft__cost_name(haft__tool_cost cost);           /* "free", "light", "heavy" */
const char *haft__cache_scope_name(haft__cache_scope scope); /* "none", "run", "thread", "global" */

#endif
