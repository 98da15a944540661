/* SPDX-License-Identifier: Apache-2.0 */
/* model_options.c - see model_options.h. Tests: tests/model/model_options_test.c. */
#include "model/model_options.h"

#include "base/str.h"
#include "model/model_rules.h"
#include "json/object.h"

const haft__option_rule *haft__model_options_find(const haft__provider *provider, haft_str option)
{
    const haft__option_rule *rule = provider->capabilities.options;
    while (rule != NULL && rule->option != NULL
           && !haft__str_equal(option, haft__str(rule->option))) {
        rule++;
    }
    return rule != NULL && rule->option != NULL ? rule : NULL;
}

static bool is_none(haft_str effort)
{
    return haft__str_equal(effort, HAFT__LIT("none"));
}

static bool reasons(haft__json options)
{
    return !is_none(haft__object_string(options, "reasoning_effort"))
           && !is_none(haft__object_string(haft__object_object(options, "reasoning"), "effort"));
}

static bool is_sampling(haft_str option)
{
    return haft__str_equal(option, HAFT__LIT("temperature"))
           || haft__str_equal(option, HAFT__LIT("top_p"));
}

const char *haft__model_options_why_unsent(const haft__provider *provider, haft_str model,
                                           haft__json options, haft_str option)
{
    const haft__option_rule *rule = haft__model_options_find(provider, option);
    if (rule != NULL && rule->member == NULL) {
        return "the provider has no such option";
    }
    return provider->capabilities.fixed_sampling && is_sampling(option)
                   && haft__model_rules_find(model)->fixed_sampling && reasons(options)
               ? "the model rejects it while it reasons"
               : NULL;
}
