/* SPDX-License-Identifier: Apache-2.0 */
/* tool_list.c - see tool_list.h. Tests: tests/engine/ops/tool_list_test.c,
 * tests/cli/tools_test.py. */
#include "engine/ops/tool_list.h"

#include "base/str.h"
#include "io/random.h"

const haft__verdict *haft__tool_list_next_server_tool(const haft__tool_list *l, size_t *at)
{
    while (*at < l->preview.offer.count) {
        const haft__verdict *verdict = &l->preview.offer.items[(*at)++];
        if (verdict->listed != NULL) {
            return verdict;
        }
    }
    return NULL;
}

/* Records that a server failed to list its tools, as its error, or as a warning if a cached list is
 * used. */
static haft_status add_refresh_failure(haft__arena *arena, const haft__mcp_refresh_failure *failure,
                                       haft__mcp_listing *listing, haft_error *err)
{
    if (listing->tool_count == 0) {
        listing->error = failure->error;
        listing->stderr_lines = failure->stderr_lines;
        return HAFT_OK;
    }
    haft_str both = haft__arena_format(
        arena, "the cached list of tools is used: %.*s%s%.*s", HAFT__ARG(failure->error),
        listing->warning.len > 0 ? "; " : "", HAFT__ARG(listing->warning));
    listing->warning = both;
    return both.ptr != NULL ? HAFT_OK : haft__arena_fail(arena, err);
}

static haft_status read_listings(haft__arena *arena, const haft__spec *spec,
                                 const haft__mcp_refresh_result *refreshed,
                                 haft__mcp_listing **ret_listings, size_t *ret_count,
                                 haft_error *err)
{
    const haft__mcp_listing *known = NULL;
    haft_status status = haft__exec_offline_listings(spec, arena, &known, ret_count, err);
    haft__mcp_listing *listings =
        status == HAFT_OK ? haft__arena_array(arena, *ret_count, sizeof(*listings)) : NULL;
    if (listings == NULL) {
        return status != HAFT_OK ? status : haft__arena_fail(arena, err);
    }
    for (size_t i = 0; i < *ret_count && status == HAFT_OK; i++) {
        listings[i] = known[i];
        for (size_t k = 0; k < refreshed->count && status == HAFT_OK; k++) {
            if (haft__str_equal(refreshed->failures[k].server, listings[i].server)) {
                status = add_refresh_failure(arena, &refreshed->failures[k], &listings[i], err);
            }
        }
    }
    *ret_listings = listings;
    return status;
}

haft_status haft__tool_list_read(haft__arena *arena, const haft__spec *spec,
                                 const haft__mcp_refresh_result *refreshed,
                                 haft__tool_list *ret_list, haft_error *err)
{
    haft__tool_list *l = ret_list;
    haft__mcp_listing *listings = NULL;
    size_t count = 0;
    *l = (haft__tool_list){.spec = spec};
    haft_status status = read_listings(arena, spec, refreshed, &listings, &count, err);
    if (status == HAFT_OK) {
        status = haft__first_turn_decide_with(arena, spec, HAFT__LIT(""), haft__random_hash_key(),
                                              listings, count, &l->preview, err);
    }
    haft__tool *server_tools =
        status == HAFT_OK ? haft__arena_array(arena, l->preview.offer.count, sizeof(*server_tools))
                          : NULL;
    if (status == HAFT_OK && server_tools == NULL) {
        status = haft__arena_fail(arena, err);
    }
    const haft__verdict *verdict;
    for (size_t at = 0, i = 0;
         status == HAFT_OK && (verdict = haft__tool_list_next_server_tool(l, &at)) != NULL; i++) {
        status = haft__mcp_tool_to_registry(arena, verdict->listed, &server_tools[i], err);
    }
    l->server_tools = server_tools;
    return status;
}
