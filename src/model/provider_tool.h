/* SPDX-License-Identifier: Apache-2.0 */
/*
 * model/provider_tool.h - tools that run at the provider: declared in its form, recorded, never run
 * here.
 *
 *     {name: web, provider: {type: web_search, ...}}
 *
 * A provider's row lists the types that it has. Other members of the object are the provider's own
 * and are sent as they are.
 */
#ifndef HAFT_MODEL_PROVIDER_TOOL_H
#define HAFT_MODEL_PROVIDER_TOOL_H

#include "model/provider.h"
#include "json/write.h"

/* The row of a type; NULL if the provider has no such tool. Providers may date their types: a
 * dated one (web_search_20260318) has the row of its name. */
const haft__provider_tool *haft__provider_tool_find(const haft__provider *provider, haft_str type);

/* The type of a tool of a spec. */
haft_str haft__provider_tool_type(const haft__tool *tool);

/* Whether the provider would know two tools by the same name. `hosted` runs there. */
bool haft__provider_tool_shares_name(const haft__provider *provider, const haft__tool *hosted,
                                     const haft__tool *other);

/* Appends the types that a provider has, separated by commas; nothing if it has none. */
void haft__provider_tool_list(const haft__provider *provider, haft__buf *buf);

/* Adds the members of the tool's object except `type`. */
void haft__provider_tool_add_members(haft__json_writer *w, const haft__tool *tool);

/* Writes a tool in the form of a wire format. */
typedef void haft__provider_tool_writer(haft__json_writer *w, const haft__provider_tool *row,
                                        const haft__tool *tool);

/* Appends the request's tools of the provider as JSON text, separated by commas. */
void haft__provider_tools_write(const haft__provider *provider, const haft__request *request,
                                haft__provider_tool_writer *write, haft__buf *buf);

/* Appends a JSON array with the calls that the provider ran for a reply with these items:
 * {type, id, arguments}. Appends nothing if it ran none. NO_MEMORY only. */
HAFT_MUST_USE haft_status haft__provider_calls_write(const haft__provider *provider, haft_str items,
                                                     haft__buf *buf, haft_error *err);

#endif
