/* SPDX-License-Identifier: Apache-2.0 */
/* approval.c - rules about approvals. Tests: tests/run/pause/approval_test.c. */
#include "run/pause/approval.h"

#include "base/macros.h"
#include "base/str.h"
#include "run/pause/condition.h"

static bool names_tool(const haft__approval_rule *rule, haft_str name)
{
    for (size_t i = 0; i < rule->tool_count; i++) {
        if (haft__filter_matches(rule->tools[i], name)) {
            return true;
        }
    }
    return false;
}

static bool names_trait(const haft__approval_rule *rule, const haft__traits *traits)
{
    const struct {
        const char *name;
        bool held;
    } known[] = {
        {"read_only", traits->read_only},
        {"idempotent", traits->idempotent},
        {"destructive", traits->destructive},
        {"return_direct", traits->return_direct},
    };
    for (size_t i = 0; i < rule->trait_count; i++) {
        for (size_t k = 0; k < COUNT(known); k++) {
            if (known[k].held && haft__str_equal(rule->traits[i], haft__str(known[k].name))) {
                return true;
            }
        }
    }
    return false;
}

bool haft__approval_matches(const haft__approval_rule *rule, const haft__tool *tool)
{
    return names_tool(rule, tool->name) || names_trait(rule, &tool->traits);
}

bool haft__approval_is_required(const haft__spec *spec, const haft__tool *tool,
                                const haft__json *arguments, haft__arena *scratch,
                                const haft__approval_rule **ret_rule)
{
    *ret_rule = NULL;
    for (size_t i = 0; i < spec->approval_count; i++) {
        const haft__approval_rule *rule = &spec->approvals[i];
        if (haft__approval_matches(rule, tool)
            && haft__condition_needs_approval(scratch, rule->when, arguments)) {
            *ret_rule = rule;
            return true;
        }
    }
    return tool->traits.needs_approval;
}
