/* SPDX-License-Identifier: Apache-2.0 */
/* approval.c - see run/pause/approval.h. Tests: tests/run/pause/approval_test.c. */
#include "run/pause/approval.h"

#include "base/error.h"
#include "base/limits.h"
#include "base/macros.h"
#include "base/str.h"
#include "run/arguments.h"
#include "run/pause/condition.h"
#include "tool/traits.h"

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
    for (size_t i = 0; i < rule->trait_count; i++) {
        const haft__trait *trait = haft__trait_find(rule->traits[i]);
        if (trait != NULL && trait->in_approvals && haft__trait_is_set(trait, traits)) {
            return true;
        }
    }
    return false;
}

bool haft__approval_matches(const haft__approval_rule *rule, const haft__tool *tool)
{
    return !tool->reducer && (names_tool(rule, tool->name) || names_trait(rule, &tool->traits));
}

bool haft__approval_by_tool(const haft__spec *spec, const haft__tool *tool)
{
    return tool->traits.needs_approval || (spec->approve_destructive && tool->hinted_destructive);
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
    return haft__approval_by_tool(spec, tool);
}

haft_status haft__approval_check_command(const haft__run *run, const haft__run_call *call,
                                         const haft__run_command *command, haft_error *err)
{
    haft__arena arena;
    haft__json arguments;
    if (command->kind != HAFT__RUN_COMMAND_APPROVE || command->value.kind == HAFT__JSON_NULL) {
        return HAFT_OK;
    }
    haft__arena_init(&arena, HAFT__LIMIT_RUN_BYTES);
    haft_status status = haft__run_command_check_secrets(run, command, "new arguments", err);
    if (status == HAFT_OK) {
        status = haft__arguments_read_value(call->tool, command->value,
                                            "the tool does not accept these arguments", &arena,
                                            run->hash_key, &arguments, err);
    }
    haft__arena_finish(&arena);
    return status == HAFT_BAD_INPUT
               ? haft__hint(err, status, "nothing was approved; the call is still pending")
               : status;
}
