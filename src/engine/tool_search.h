/* SPDX-License-Identifier: Apache-2.0 */
/* engine/tool_search.h - tool search: before the first turn, and as a call of the model. */
#ifndef HAFT_ENGINE_TOOL_SEARCH_H
#define HAFT_ENGINE_TOOL_SEARCH_H

#include "exec/mcp/mcp.h"

/* The last tool list of a server that the run has recorded. */
typedef struct haft__known_list {
    haft_str server;
    uint64_t number; /* haft__mcp_listing.number */
    struct haft__known_list *next;
} haft__known_list;

/* One search runs at a time: it lists the servers, then requests embeddings if the spec has them.
 * At most one of the two pointers is set; both are NULL if no search runs. */
typedef struct haft__tool_search {
    haft__catalogue *catalogue;          /* servers are being listed */
    struct haft__vector_search *vectors; /* embeddings are being requested */
    size_t call; /* index of the call that searches, or HAFT__SEARCH_BEFORE_FIRST_TURN */
    haft__known_list *known_lists; /* in the run's arena */
} haft__tool_search;

#define HAFT__SEARCH_BEFORE_FIRST_TURN SIZE_MAX

bool haft__tool_search_is_active(const haft__tool_search *search);

/* Searches for tools, with the task (HAFT__SEARCH_BEFORE_FIRST_TURN) or with the arguments of the
 * call that has this index. The result is recorded when the servers have been listed. */
HAFT_MUST_USE haft_status haft__tool_search_start(haft_run *run, size_t call, haft_error *err);
void haft__tool_search_stop(haft_run *run);

/* Called when a call of `server` has returned. `number` is the number of the server's current list.
 * Records the list if the run has not seen it. */
HAFT_MUST_USE haft_status haft__tool_search_refresh_list(haft_run *run, haft_str server,
                                                         uint64_t number, haft_error *err);

#endif
