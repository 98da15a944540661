/* SPDX-License-Identifier: Apache-2.0 */
/* engine/ops/tool_reason.h - formats the reason for a tool's verdict as text. */
#ifndef HAFT_ENGINE_OPS_TOOL_REASON_H
#define HAFT_ENGINE_OPS_TOOL_REASON_H

#include "base/buf.h"
#include "engine/ops/first_turn.h"

/* The reason why all tools of a server are excluded; both members are NULL if some tools are not
 * excluded. */
typedef struct haft__tool_reason_exclusion {
    const char *code, *text;
} haft__tool_reason_exclusion;

/* Describes the state of a server in a sentence. */
const char *haft__tool_reason_state_text(const haft__mcp_listing *listing);

/* Whether the spec may use the server's tools, and its list is not cached. */
bool haft__tool_reason_is_unlisted(const haft__spec *spec, const haft__mcp_listing *listing);

haft__tool_reason_exclusion haft__tool_reason_server_exclusion(const haft__spec *spec,
                                                               const haft__mcp_listing *listing);

/* Finds the tool in the results of the initial search and sets its rank (from 1); NULL if the
 * search did not reveal the tool. */
const haft__revealed *haft__tool_reason_find_revealed(const haft__first_turn_preview *preview,
                                                      haft_str name, size_t *ret_rank);

/* Formats the reason for a verdict with its details: the pattern, the rank. Replaces the content of
 * `buf`; the text is valid as long as `buf` is unchanged. */
haft_str haft__tool_reason_text(haft__buf *buf, const haft__first_turn_preview *preview,
                                const haft__verdict *verdict);

/* Formats the reason why all tools of a server are excluded. Uses `buf` like
 * haft__tool_reason_text. */
haft_str haft__tool_reason_exclusion_text(haft__buf *buf, const haft__spec *spec,
                                          const haft__mcp_listing *listing,
                                          haft__tool_reason_exclusion exclusion);

#endif
