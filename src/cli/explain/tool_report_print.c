/* SPDX-License-Identifier: Apache-2.0 */
/* tool_report_print.c - see tool_report_print.h. Tests:
 * tests/cli/explain/tool_report_print_test.c. */
#include "cli/explain/tool_report_print.h"

#include "base/buf.h"
#include "base/limits.h"
#include "base/str.h"
#include "cli/terminal/print.h"
#include "engine/ops/tool_reason.h"
#include "run/offer/offer.h"
#include "json/object.h"

static void print_verdict(FILE *out, haft__buf *buf, const haft__first_turn_preview *first,
                          const haft__verdict *verdict)
{
    static const char signs[] = {'-', '~', '+'};
    (void)fprintf(out, "  %c %-24.*s %s, %s: ", signs[verdict->visibility],
                  HAFT__ARG(verdict->name), haft__tool_source_name(verdict->source),
                  haft__tool_role_name(verdict->role));
    haft__print_escaped(out, haft__tool_reason_text(buf, first, verdict));
    (void)fputc('\n', out);
}

static size_t print_tools(FILE *out, const haft__first_turn_preview *first, bool served,
                          haft_str start)
{
    size_t shown = 0;
    haft__buf buf;
    haft__buf_init(&buf, HAFT__LIMIT_JSON_BYTES);
    for (size_t i = 0; i < first->offer.count; i++) {
        const haft__verdict *verdict = &first->offer.items[i];
        if ((verdict->server.len > 0) == served && verdict->reason != HAFT__REASON_NOT_ENABLED
            && haft__str_starts_with(verdict->name, start)) {
            print_verdict(out, &buf, first, verdict);
            shown++;
        }
    }
    haft__buf_finish(&buf);
    return shown;
}

/* Whether the name SERVER:TOOL begins with `start`. */
static bool has_prefix(haft_str server, haft_str tool, haft_str start)
{
    if (start.len <= server.len) {
        return haft__str_starts_with(server, start);
    }
    return haft__str_starts_with(start, server) && start.ptr[server.len] == ':'
           && haft__str_starts_with(tool, haft__str_skip(start, server.len + 1));
}

/* Prints the tools of a server that haft leaves out; they cannot be called. */
static size_t print_left_out(FILE *out, const haft__mcp_listing *listing, haft_str start)
{
    size_t shown = 0;
    uint32_t listed = listing->left_out.kind == HAFT__JSON_ARRAY ? listing->left_out.count : 0;
    for (uint32_t i = 0; i < listed; i++) {
        haft_str tool = haft__object_string(listing->left_out.items[i], "tool");
        if (has_prefix(listing->server, tool, start)) {
            (void)fprintf(out, "  - %.*s:", HAFT__ARG(listing->server));
            haft__print_escaped(out, tool.len > 0 ? tool : HAFT__LIT("*"));
            (void)fputs(" mcp, left out: ", out);
            haft__print_escaped(out, haft__object_string(listing->left_out.items[i], "reason"));
            (void)fputc('\n', out);
            shown++;
        }
    }
    if (listing->left_out_all > listed && start.len == 0) {
        (void)fprintf(out, "  - %.*s:* mcp, left out: %llu more\n", HAFT__ARG(listing->server),
                      (unsigned long long)(listing->left_out_all - listed));
        shown++;
    }
    return shown;
}

size_t haft__tool_report_print(FILE *out, const haft__first_turn_preview *first, haft_str start)
{
    size_t shown = print_tools(out, first, false, start);
    return shown + haft__tool_report_print_mcp(out, first, start);
}

size_t haft__tool_report_print_mcp(FILE *out, const haft__first_turn_preview *first, haft_str start)
{
    size_t shown = print_tools(out, first, true, start);
    haft__buf buf;
    haft__buf_init(&buf, HAFT__LIMIT_JSON_BYTES);
    for (size_t i = 0; i < first->listing_count; i++) {
        const haft__mcp_listing *listing = &first->listings[i];
        haft__tool_reason_exclusion why =
            haft__tool_reason_server_exclusion(first->run.spec, listing);
        if (why.text != NULL && haft__str_starts_with(listing->server, start)) {
            (void)fprintf(out, "  - %.*s:%-*s mcp: ", HAFT__ARG(listing->server),
                          listing->server.len < 23 ? (int)(23 - listing->server.len) : 0, "*");
            haft__print_escaped(
                out, haft__tool_reason_exclusion_text(&buf, first->run.spec, listing, why));
            (void)fputc('\n', out);
            shown++;
        }
        shown += print_left_out(out, listing, start);
    }
    haft__buf_finish(&buf);
    return shown;
}

void haft__tool_report_print_not_enabled(FILE *out, const haft__first_turn_preview *first)
{
    size_t shown = 0;
    for (size_t i = 0; i < first->offer.count; i++) {
        const haft__verdict *verdict = &first->offer.items[i];
        if (verdict->reason == HAFT__REASON_NOT_ENABLED) {
            (void)fprintf(out, "%s%.*s",
                          shown++ == 0 ? "  - built-ins that the spec does not enable: " : ", ",
                          HAFT__ARG(verdict->name));
        }
    }
    (void)fputs(shown > 0 ? "\n" : "", out);
}

/* Counts the tools of MCP servers that are not deferred. */
static size_t count_not_deferred(const haft__offer *offer)
{
    size_t count = 0;
    for (size_t i = 0; i < offer->count; i++) {
        count +=
            offer->items[i].server.len > 0 && !haft__reason_is_deferred(offer->items[i].reason);
    }
    return count;
}

void haft__tool_report_print_limit(FILE *out, const haft__first_turn_preview *first)
{
    const haft__offer *offer = &first->offer;
    const haft__spec *spec = first->run.spec;
    const char *why;
    uint32_t cap = haft__resolve_cap(spec, &why);
    size_t unusable = count_not_deferred(offer);
    haft__deferral deferral = haft__offer_deferral(spec, &first->run);
    if (offer->deferred == 0) {
        return;
    }
    (void)fprintf(out, "  %zu deferred tool%s, %zu shown: at most %u ", offer->deferred,
                  offer->deferred == 1 ? "" : "s", offer->shown, cap);
    if (spec->max_mcp_tools > 0) {
        (void)fputs("(max_mcp_tools)", out);
    } else if (spec->model.size_b.len > 0) {
        (void)fprintf(out, "(cap for a model of %.*s B)", HAFT__ARG(spec->model.size_b));
    } else if (spec->model.family.hosted) {
        (void)fputs("(cap for a hosted model)", out);
    } else {
        (void)fputs("(cap for a model of unknown size)", out);
    }
    if (unusable > 0) {
        (void)fprintf(out, "; %zu more tools of servers cannot be used", unusable);
    }
    (void)fputc('\n', out);
    if (deferral != HAFT__DEFERRAL_NONE) {
        (void)fprintf(out, "  if a search reveals a tool: %s\n", haft__deferral_text(deferral));
    }
}

void haft__tool_report_print_warnings(FILE *out, const haft__mcp_listing *listings, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const haft__mcp_listing *listing = &listings[i];
        if (listing->left_out_all > 0) {
            (void)fprintf(out, "haft: warning: %llu tool%s of the MCP server %.*s cannot be used\n",
                          (unsigned long long)listing->left_out_all,
                          listing->left_out_all == 1 ? "" : "s", HAFT__ARG(listing->server));
            (void)fputs("  hint: `haft tools SPEC` prints the reasons\n", out);
        }
        if (listing->warning.len > 0) {
            (void)fprintf(out, "haft: warning: the MCP server %.*s: ", HAFT__ARG(listing->server));
            haft__print_escaped(out, listing->warning);
            (void)fputc('\n', out);
        }
    }
}

void haft__tool_report_print_servers(FILE *out, const haft__first_turn_preview *first)
{
    for (size_t i = 0; i < first->listing_count; i++) {
        const haft__mcp_listing *listing = &first->listings[i];
        (void)fprintf(out, "  %.*s: %.*s (%s)", HAFT__ARG(listing->server),
                      HAFT__ARG(listing->state), haft__tool_reason_state_text(listing));
        if (!haft__str_equal(listing->state, HAFT__LIT("configured"))) {
            (void)fprintf(out, ", %zu tool%s", listing->tool_count,
                          listing->tool_count == 1 ? "" : "s");
        }
        if (listing->left_out_all > 0) {
            (void)fprintf(out, ", %llu left out", (unsigned long long)listing->left_out_all);
        }
        (void)fputc('\n', out);
        if (listing->warning.len > 0) {
            (void)fputs("    warning: ", out);
            haft__print_escaped(out, listing->warning);
            (void)fputc('\n', out);
        }
    }
}
