/* SPDX-License-Identifier: Apache-2.0 */
/* cli/explain/tool_reason.h - why a verdict is what it is: shared by the files of servers. */
#ifndef HAFT_CLI_EXPLAIN_TOOL_REASON_H
#define HAFT_CLI_EXPLAIN_TOOL_REASON_H

#include "base/buf.h"
#include "cli/explain/tool_report.h"

/* Why nothing of a server can be called. */
typedef struct haft__tool_reason_exclusion {
    const char *code, *text; /* NULL when something can */
} haft__tool_reason_exclusion;

/* What the state of a server means. */
const char *haft__tool_reason_state_text(const haft__mcp_listing *listing);

haft__tool_reason_exclusion haft__tool_reason_server_exclusion(const haft__spec *spec,
                                                               const haft__mcp_listing *listing);

/* What the search in front of the first turn made of it, and its rank; NULL for nothing. */
const haft__revealed *haft__tool_reason_find_revealed(const haft__first_turn_preview *first,
                                                      haft_str name, size_t *ret_rank);

/* The reason with what led to it: the pattern, the rank. In place of what is in the buffer. */
haft_str haft__tool_reason_text(haft__buf *buf, const haft__first_turn_preview *first,
                                const haft__verdict *verdict);

/* The same for a server of which nothing can be used. */
haft_str haft__tool_reason_exclusion_text(haft__buf *buf, const haft__spec *spec,
                                          const haft__mcp_listing *listing,
                                          haft__tool_reason_exclusion why);

#endif
