/* SPDX-License-Identifier: Apache-2.0 */
/* tool_reason.c - see tool_reason.h. Tests: tests/engine/ops/tool_report_test.c,
 * tests/cli/explain/tool_report_print_test.c. */
#include "engine/ops/tool_reason.h"

#include "base/limits.h"
#include "base/str.h"

/* ---- servers ---- */

static const struct {
    const char *state, *text;
} states[] = {
    {"configured", "configured in the spec; not asked for its tools yet"},
    {"known", "the tools are cached; the server need not run"},
    {"started", "the server is running and has listed its tools"},
    {"used", "the server is running, and one of its tools has been called"},
};

const char *haft__tool_reason_state_text(const haft__mcp_listing *listing)
{
    haft_str state = listing->state;
    if (listing->error.len > 0) {
        return "configured in the spec; the server failed to list its tools";
    }
    for (size_t i = 0; i < COUNT(states); i++) {
        if (haft__str_equal(state, haft__str(states[i].state))) {
            return states[i].text;
        }
    }
    return "";
}

static bool is_configured(const haft__mcp_listing *listing)
{
    return haft__str_equal(listing->state, HAFT__LIT("configured"));
}

bool haft__tool_reason_is_unlisted(const haft__spec *spec, const haft__mcp_listing *listing)
{
    return haft__resolve_server(spec, listing->server) == HAFT__REASON_DEFERRED
           && listing->error.len == 0 && is_configured(listing);
}

haft__tool_reason_exclusion haft__tool_reason_server_exclusion(const haft__spec *spec,
                                                               const haft__mcp_listing *listing)
{
    haft__reason reason = haft__resolve_server(spec, listing->server);
    if (reason != HAFT__REASON_DEFERRED) {
        return (haft__tool_reason_exclusion){haft__reason_word(reason), haft__reason_text(reason)};
    }
    if (listing->error.len > 0) {
        return (haft__tool_reason_exclusion){"server_error", "the server has an error"};
    }
    if (is_configured(listing)) {
        return (haft__tool_reason_exclusion){
            "not_known", "deferred: the tools are not known yet; a run lists them"};
    }
    if (listing->tool_count == 0) {
        return listing->left_out_all > 0
                   ? (haft__tool_reason_exclusion){"no_tools", "the server has no usable tools"}
                   : (haft__tool_reason_exclusion){"no_tools", "the server has no tools"};
    }
    return (haft__tool_reason_exclusion){NULL, NULL};
}

/* ---- reasons ---- */

const haft__revealed *haft__tool_reason_find_revealed(const haft__first_turn_preview *preview,
                                                      haft_str name, size_t *ret_rank)
{
    for (size_t i = 0; i < preview->search.count; i++) {
        if (haft__str_equal(preview->search.items[i].tool->name, name)) {
            *ret_rank = i + 1;
            return &preview->search.items[i];
        }
    }
    return NULL;
}

/* Appends, for example, `denied by mcp.deny "*:delete_*"`; false if no rule denies the tool. */
static bool add_denial(haft__buf *buf, const haft__spec *spec, haft__reason reason, haft_str server,
                       haft_str name)
{
    haft__denial denial = haft__resolve_denial(spec, reason, server, name);
    if (denial.list == NULL) {
        return false;
    }
    haft__buf_addf(buf, "%s%s %s", reason == HAFT__REASON_SERVER_DENIED ? "the server is " : "",
                   denial.pattern.ptr != NULL ? "denied by" : "not in", denial.list);
    if (denial.pattern.ptr != NULL) {
        haft__buf_addf(buf, " \"%.*s\"", HAFT__ARG(denial.pattern));
    }
    return true;
}

static void add_revealed(haft__buf *buf, const haft__first_turn_preview *preview, haft_str name)
{
    size_t rank = 0;
    const haft__revealed *revealed = haft__tool_reason_find_revealed(preview, name, &rank);
    if (revealed == NULL) {
        haft__buf_add_str(buf, haft__str(haft__reason_text(HAFT__REASON_REVEALED)));
    } else if (revealed->hit != NULL) {
        haft__buf_addf(buf, "shown: found by the search, rank %zu, score %.4f (%.*s)", rank,
                       revealed->hit->score, HAFT__ARG(revealed->hit->why));
    } else {
        haft__buf_add_str(buf, HAFT__LIT("shown: the spec names it"));
    }
}

haft_str haft__tool_reason_text(haft__buf *buf, const haft__first_turn_preview *preview,
                                const haft__verdict *verdict)
{
    haft__buf_clear(buf);
    if (verdict->reason == HAFT__REASON_REVEALED) {
        add_revealed(buf, preview, verdict->name);
    } else if (verdict->reason == HAFT__REASON_SHARE) {
        const haft__spec *spec = preview->run.spec;
        haft__buf_addf(buf,
                       "deferred: the spec's tools take about %llu of %llu tokens, more than %u %% "
                       "(max_tools_share)",
                       (unsigned long long)haft__resolve_tokens(spec),
                       (unsigned long long)spec->model.context_tokens, spec->tools_share);
    } else {
        (void)add_denial(buf, preview->run.spec, verdict->reason, verdict->server, verdict->name);
    }
    haft_str text = haft__buf_str(buf);
    return text.len > 0 && haft__buf_check(buf, NULL) == HAFT_OK
               ? text
               : haft__str(haft__reason_text(verdict->reason));
}

haft_str haft__tool_reason_exclusion_text(haft__buf *buf, const haft__spec *spec,
                                          const haft__mcp_listing *listing,
                                          haft__tool_reason_exclusion exclusion)
{
    haft_str server = listing->server, error = listing->error;
    haft__buf_clear(buf);
    bool denied = add_denial(buf, spec, haft__resolve_server(spec, server), server, HAFT__LIT(""));
    if (!denied && error.len > 0) {
        return error;
    }
    return denied && haft__buf_check(buf, NULL) == HAFT_OK ? haft__buf_str(buf)
           : exclusion.text != NULL                        ? haft__str(exclusion.text)
                                                           : (haft_str){NULL, 0};
}
