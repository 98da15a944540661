/* SPDX-License-Identifier: Apache-2.0 */
/* tool/registry.h - the tools of one agent, by name and in order. */
#ifndef HAFT_TOOL_REGISTRY_H
#define HAFT_TOOL_REGISTRY_H

#include "base/map.h"
#include "tool/tool.h"

typedef struct haft__tools {
    haft__arena *arena;
    const haft__tool **items; /* in the order in which they were added */
    size_t count, capacity;
    haft__map by_name;
    haft__map by_wire; /* by their names on the wire (tool/wire_name.h) */
} haft__tools;

void haft__tools_init(haft__tools *tools, haft__arena *arena, haft__hash_key hash_key);

/* Checks the tool (name, description, schema, traits), compiles its schema and copies the struct;
 * everything that it points to is borrowed. err->where is the name and a JSON Pointer into the
 * tool: "grep#/input_schema/properties/path". After a failure the registry is unchanged.
 *
 * If a tool of that name exists, exactly one of the two must be typed; else BAD_INPUT. For example,
 * one is a C function that a program has added, the other is an entry of the spec without a schema.
 * The two are merged into one tool, at the position of the first:
 *   - the typed tool gives the schema and, unless it is headless, where the tool runs;
 *   - the other tool gives the description and, if it has any (traits_given), the traits. */
HAFT_MUST_USE haft_status haft__tools_add(haft__tools *tools, const haft__tool *tool,
                                          haft_error *err);

/* Replaces the tool of the same name, which must exist and must have been added here (not shared).
 * After a failure the registry is unchanged. */
HAFT_MUST_USE haft_status haft__tools_replace(haft__tools *tools, const haft__tool *tool,
                                              haft_error *err);

/* Adds the tools of another registry to an empty one without a copy: tools and names are borrowed.
 * These tools must not be added again. */
HAFT_MUST_USE haft_status haft__tools_share(haft__tools *tools, const haft__tools *others,
                                            haft_error *err);

/* The tool with this name, or NULL. */
const haft__tool *haft__tools_find(const haft__tools *tools, haft_str name);

/* The name that was probably meant, including a tool of a server without the server ("search" for
 * "docs:search"); .ptr is NULL if no name is near. Compares at most a thousand names. */
haft_str haft__tools_nearest(const haft__tools *tools, haft_str name);

/* Whether `name` passes the filter: a pattern of `allow` matches (an empty list allows all) and no
 * pattern of `deny` does. In a pattern `*` matches any characters; "docs:*", "*:delete_*". Linear
 * time. A text that is too long for a tool name matches nothing. */
bool haft__filter_passes(haft_str name, const haft_str *allow, size_t allow_count,
                         const haft_str *deny, size_t deny_count);
bool haft__filter_matches(haft_str pattern, haft_str name);

#endif
