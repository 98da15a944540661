/* SPDX-License-Identifier: Apache-2.0 */
/* servers.c - servers and their tools, with verdicts. Tests: tests/cli/servers_test.c. */
#include "cli/servers.h"

#include "base/str.h"
#include "cli/print.h"

haft_status haft__servers_look(haft__arena *arena, const haft__spec *spec, haft__hash_key hash_key,
                               haft__reveal *ret_reveal, haft_error *err)
{
    const haft__mcp_listing *listings = NULL;
    size_t count = 0;
    haft_status status = haft__exec_known(spec, arena, &listings, &count, err);
    return status == HAFT_OK
               ? haft__reveal_decide(spec, listings, count, arena, hash_key, ret_reveal, err)
               : status;
}

/* Why nothing of it can be called; NULL when something can. */
static const char *reason_of(const haft__spec *spec, const haft__mcp_listing *listing)
{
    const char *why = haft__reveal_server(spec, listing->server);
    if (why != NULL) {
        return why;
    }
    if (listing->error.len > 0) {
        return "it has an error";
    }
    return haft__str_equal(listing->state, HAFT__LIT("configured"))
               ? "deferred: nobody has asked it for its tools yet; a run does"
               : NULL;
}

static size_t print_tools(FILE *out, const haft__reveal *reveal, haft_str server, haft_str start)
{
    size_t shown = 0;
    for (size_t i = 0; i < reveal->tool_count; i++) {
        const haft__reveal_tool *tool = &reveal->tools[i];
        if (haft__str_equal(tool->tool->server, server)
            && haft__str_starts(tool->tool->name, start)) {
            (void)fprintf(out, "  %s %-24.*s mcp, data: %s\n", tool->revealed ? "+" : "-",
                          HAFT__ARG(tool->tool->name), tool->reason);
            shown++;
        }
    }
    return shown;
}

size_t haft__servers_print(FILE *out, const haft__spec *spec, const haft__reveal *reveal,
                           haft_str start)
{
    size_t shown = 0;
    for (size_t i = 0; i < reveal->listing_count; i++) {
        const haft__mcp_listing *listing = &reveal->listings[i];
        const char *why = reason_of(spec, listing);
        if (why != NULL && haft__str_starts(listing->server, start)) {
            (void)fprintf(out, "  - %.*s:%-*s mcp: %s\n", HAFT__ARG(listing->server),
                          listing->server.len < 23 ? (int)(23 - listing->server.len) : 0, "*", why);
            shown++;
        }
        shown += print_tools(out, reveal, listing->server, start);
    }
    return shown;
}

void haft__servers_write(haft__json_writer *w, const haft__spec *spec, const haft__reveal *reveal)
{
    haft__json_begin_array(w);
    for (size_t i = 0; i < reveal->listing_count; i++) {
        const haft__mcp_listing *listing = &reveal->listings[i];
        const char *why = reason_of(spec, listing);
        haft__json_begin_object(w);
        haft__json_key(w, "name");
        haft__json_add_str(w, listing->server);
        haft__json_key(w, "state");
        haft__json_add_str(w, listing->state);
        haft__json_key(w, "tools");
        haft__json_add_int(w, (int64_t)listing->tool_count);
        haft__json_key(w, "reason");
        if (why != NULL) {
            haft__json_add_str(w, haft__str(why));
        } else {
            haft__json_add_null(w);
        }
        haft__json_end_object(w);
    }
    haft__json_end_array(w);
}
