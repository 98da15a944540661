/* SPDX-License-Identifier: Apache-2.0 */
/* engine/ops/tool_reason.h - why a tool has its verdict, in words. */
#ifndef HAFT_ENGINE_OPS_TOOL_REASON_H
#define HAFT_ENGINE_OPS_TOOL_REASON_H

#include "base/buf.h"
#include "engine/ops/first_turn.h"

/* Why no tool of a server can be called. */
typedef struct haft__tool_reason_exclusion {
    const char *code, *text; /* NULL if some can */
} haft__tool_reason_exclusion;

/* The meaning of a server's state. */
const char *haft__tool_reason_state_text(const haft__mcp_listing *listing);

haft__tool_reason_exclusion haft__tool_reason_server_exclusion(const haft__spec *spec,
                                                               const haft__mcp_listing *listing);

/* The result of the search before the first turn for this tool, and its rank; NULL if the search
 * did not reveal it. */
const haft__revealed *haft__tool_reason_find_revealed(const haft__first_turn_preview *first,
                                                      haft_str name, size_t *ret_rank);

/* The reason of a verdict with its details: the pattern, the rank. Replaces the content of the
 * buffer; the text is valid as long as the buffer. */
haft_str haft__tool_reason_text(haft__buf *buf, const haft__first_turn_preview *first,
                                const haft__verdict *verdict);

/* The same for a server of which no tool can be called. */
haft_str haft__tool_reason_exclusion_text(haft__buf *buf, const haft__spec *spec,
                                          const haft__mcp_listing *listing,
                                          haft__tool_reason_exclusion why);

#endif
