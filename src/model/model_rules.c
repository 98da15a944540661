/* SPDX-License-Identifier: Apache-2.0 */
/* model_rules.c - see model_rules.h. Tests: tests/model/model_rules_test.c. */
#include "model/model_rules.h"

#include "base/ascii.h"
#include "base/macros.h"
#include "base/str.h"
#include "json/object.h"

/* The first match counts. A name without a version (gemini-flash-latest) means the newest model. */
static const haft__model_rules rows[] = {
    {.pattern = "claude-opus-5-5", .no_force = true, .binds_reasoning = true},
    {.pattern = "claude-sonnet-5-5", .no_force = true, .binds_reasoning = true},
    {.pattern = "claude-haiku-5-5", .binds_reasoning = true},
    {.pattern = "claude-fable-5-1", .no_force = true, .binds_reasoning = true},
    {.pattern = "claude-fable-5-2", .binds_reasoning = true},
    {.pattern = "claude-mythos-5-1", .binds_reasoning = true},
    {.pattern = "claude-mythos-5-2", .binds_reasoning = true},
    {.pattern = "gpt-5-chat", .takes_late_tools = true},
    {.pattern = "gpt-5.4",
     .takes_late_tools = true,
     .fixed_sampling = true,
     .chat_tools = HAFT__CHAT_TOOLS_WITHOUT_REASONING},
    {.pattern = "gpt-5.5",
     .takes_late_tools = true,
     .fixed_sampling = true,
     .chat_tools = HAFT__CHAT_TOOLS_WITHOUT_REASONING},
    {.pattern = "gpt-5.6",
     .takes_late_tools = true,
     .fixed_sampling = true,
     .chat_tools = HAFT__CHAT_TOOLS_WITHOUT_REASONING},
    {.pattern = "gpt-5", .takes_late_tools = true, .fixed_sampling = true},
    {.pattern = "gpt-6",
     .takes_late_tools = true,
     .fixed_sampling = true,
     .chat_tools = HAFT__CHAT_TOOLS_NEVER},
    {.pattern = "o1", .fixed_sampling = true},
    {.pattern = "o3", .fixed_sampling = true},
    {.pattern = "o4", .fixed_sampling = true},
    {.pattern = "gemini-1", .thinks_by_budget = true},
    {.pattern = "gemini-2", .thinks_by_budget = true},
    {.pattern = "gemini", .needs_signatures = true},
};

/* claude-opus-5-50 is not claude-opus-5-5. Gateways write a version with a dot: claude-opus-5.5. */
static bool starts_with_name(haft_str model, haft_str name)
{
    bool same = model.len >= name.len;
    for (size_t i = 0; same && i < name.len; i++) {
        char c = model.ptr[i];
        same = c == name.ptr[i] || (c == '.' && name.ptr[i] == '-');
    }
    return same && (model.len == name.len || !haft__ascii_is_digit(model.ptr[name.len]));
}

static bool has_name(haft_str model, haft_str name)
{
    bool found = false;
    for (size_t i = 0; !found && i < model.len; i++) {
        bool word = i == 0 || !haft__ascii_is_alphanumeric(model.ptr[i - 1]);
        found = word && starts_with_name(haft__str_skip(model, i), name);
    }
    return found;
}

const haft__model_rules *haft__model_rules_all(size_t *ret_count)
{
    *ret_count = COUNT(rows);
    return rows;
}

const haft__model_rules *haft__model_rules_find(haft_str model)
{
    static const haft__model_rules none = {.pattern = ""};
    for (size_t i = 0; i < COUNT(rows); i++) {
        if (has_name(model, haft__str(rows[i].pattern))) {
            return &rows[i];
        }
    }
    return &none;
}

haft__chat_tools haft__model_chat_tools(const haft__provider *provider, haft_str model)
{
    return provider->chat.limits_tools ? haft__model_rules_find(model)->chat_tools
                                       : HAFT__CHAT_TOOLS_ALWAYS;
}

const char *haft__chat_tools_text(haft__chat_tools rule)
{
    static const char *const texts[] = {
#define X(name, text) text,
        HAFT__CHAT_TOOLS(X)
#undef X
    };
    return texts[rule];
}

haft__deferral haft__model_deferral(const haft__provider *provider, haft_str model,
                                    haft__member_set refused)
{
    const haft__model_rules *rules = haft__model_rules_find(model);
    haft__deferral deferral = provider->capabilities.deferred_tools;
    bool applies =
        deferral == HAFT__DEFERRAL_DECLARED ? rules->binds_reasoning : rules->takes_late_tools;
    bool rejected = (refused & HAFT__MEMBER_BIT(HAFT__MEMBER_DEFER)) != 0;
    return applies && !rejected ? deferral : HAFT__DEFERRAL_NONE;
}

const char *haft__force_rule_text(haft__force_rule rule)
{
    static const char *const texts[] = {
#define X(name, text) text,
        HAFT__FORCE_RULES(X)
#undef X
    };
    return texts[rule];
}

/* Whether the options switch on thinking. */
static bool thinks(haft__json options)
{
    haft_str type = haft__object_string(haft__object_object(options, "thinking"), "type");
    return type.len > 0 && !haft__str_equal(type, HAFT__LIT("disabled"));
}

haft__force_rule haft__model_force_rule(const haft__provider *provider, haft_str model,
                                        haft__json options, haft__member_set refused)
{
    return haft__model_rules_find(model)->no_force                        ? HAFT__FORCE_MODEL
           : provider->capabilities.no_forced_thinking && thinks(options) ? HAFT__FORCE_THINKING
           : (refused & HAFT__MEMBER_BIT(HAFT__MEMBER_TOOL_CHOICE)) != 0  ? HAFT__FORCE_REFUSED
                                                                          : HAFT__FORCE_NATIVE;
}
