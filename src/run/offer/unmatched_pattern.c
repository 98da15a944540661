/* SPDX-License-Identifier: Apache-2.0 */
/* unmatched_pattern.c - see run/offer/unmatched_pattern.h. Tests:
 * tests/run/offer/unmatched_pattern_test.c.
 */
#include "run/offer/unmatched_pattern.h"

#include "base/str.h"
#include "base/suggestion.h"
#include "run/pause/condition.h"
#include "schema/lookup.h"
#include "tool/registry.h"

/* Whether the pattern names this server and matches none of its tools. */
static bool matches_nothing(haft_str pattern, const haft__mcp_listing *listing)
{
    haft_str rest = pattern, server = haft__str_split(&rest, ':');
    if (server.len == pattern.len || !haft__str_equal(server, listing->server)) {
        return false;
    }
    for (size_t i = 0; i < listing->tool_count; i++) {
        if (haft__filter_matches(pattern, listing->tools[i].name)) {
            return false;
        }
    }
    return true;
}

static void add_warning(haft__buf *buf, const char *list, haft_str pattern,
                        const haft__mcp_listing *listing)
{
    haft__suggestion near;
    haft__suggestion_init(&near, pattern);
    for (size_t i = 0; i < listing->tool_count; i++) {
        haft__suggestion_offer(&near, listing->tools[i].name);
    }
    haft__buf_addf(buf, "none of its tools matches \"%.*s\" of %s", HAFT__ARG(pattern), list);
    if (near.best.ptr != NULL) {
        haft__buf_addf(buf, "; did you mean %.*s?", HAFT__ARG(near.best));
    }
}

static bool check_list(haft__buf *buf, const haft__spec *spec, const char *key, const char *list,
                       const haft__mcp_listing *listing)
{
    const haft__json *patterns = haft__json_get(spec->mcp, haft__str(key));
    for (uint32_t i = 0;
         patterns != NULL && patterns->kind == HAFT__JSON_ARRAY && i < patterns->count; i++) {
        haft_str pattern = haft__json_text(patterns->items[i]);
        if (matches_nothing(pattern, listing)) {
            add_warning(buf, list, pattern, listing);
            return true;
        }
    }
    return false;
}

static bool check_approvals(haft__buf *buf, const haft__spec *spec,
                            const haft__mcp_listing *listing)
{
    for (size_t i = 0; i < spec->approval_count; i++) {
        const haft__approval_rule *rule = &spec->approvals[i];
        for (size_t k = 0; k < rule->tool_count; k++) {
            if (matches_nothing(rule->tools[k], listing)) {
                add_warning(buf, "approvals", rule->tools[k], listing);
                return true;
            }
        }
    }
    return false;
}

/* ---- arguments ---- */

/* Whether a rule that names this server applies to the tool. */
static bool applies_to(const haft__approval_rule *rule, const haft__mcp_listing *listing,
                       haft_str tool)
{
    bool found = false;
    for (size_t i = 0; i < rule->tool_count; i++) {
        haft_str rest = rule->tools[i], server = haft__str_split(&rest, ':');
        found = found
                || (haft__str_equal(server, listing->server)
                    && haft__filter_matches(rule->tools[i], tool));
    }
    return found;
}

/* Whether no tool that the rule applies to has the argument of its condition. */
static bool lacks_argument(const haft__approval_rule *rule, const haft__mcp_listing *listing)
{
    const haft__json *at = haft__json_get(rule->when, HAFT__LIT("at"));
    bool any = false;
    for (size_t i = 0; at != NULL && i < listing->tool_count; i++) {
        haft_str until;
        haft__json schema;
        if (!applies_to(rule, listing, listing->tools[i].name)) {
            continue;
        }
        any = true;
        if (haft__schema_lookup(listing->tools[i].input_schema, haft__json_text(*at), &until,
                                &schema)
            != HAFT__LOOKUP_IMPOSSIBLE) {
            return false;
        }
    }
    return any && !haft__condition_holds_if_missing(rule->when);
}

static bool check_conditions(haft__buf *buf, const haft__spec *spec,
                             const haft__mcp_listing *listing)
{
    for (size_t i = 0; i < spec->approval_count; i++) {
        const haft__json *at = haft__json_get(spec->approvals[i].when, HAFT__LIT("at"));
        if (lacks_argument(&spec->approvals[i], listing)) {
            haft__buf_addf(buf, "none of its tools has the argument %.*s of approvals",
                           HAFT__ARG(haft__json_text(*at)));
            return true;
        }
    }
    return false;
}

void haft__unmatched_pattern_warn(haft__buf *buf, const haft__spec *spec,
                                  const haft__mcp_listing *listing)
{
    if (listing->tool_count > 0 && !check_list(buf, spec, "deny", "mcp.deny", listing)
        && !check_approvals(buf, spec, listing) && !check_conditions(buf, spec, listing)) {
        (void)check_list(buf, spec, "allow", "mcp.allow", listing);
    }
}
