/* SPDX-License-Identifier: Apache-2.0 */
/* budget.c - finds the budget that is used up. Tests: tests/choice/budget_test.c. */
#include "choice/choice.h"

static uint64_t sum(uint64_t a, uint64_t b)
{
    return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

haft__spent_budget haft__budget_check(const haft__spec *spec, const haft__usage *usage)
{
    const haft__spec_limits *limits = &spec->limits;
    const struct {
        haft__spent_budget spent;
        bool limited;
    } budgets[] = {
        {{"calls", usage->calls, limits->calls}, true},
        {{"cost", usage->cost_units, spec->choice.cost_budget}, spec->choice.evidence_first},
        {{"tokens", sum(usage->input_tokens, usage->output_tokens), limits->tokens}, true},
        {{"usd", usage->cost_micros, limits->usd_micros}, limits->has_usd},
        {{"wall", usage->wall_ms, limits->wall_ms}, true},
    };
    for (size_t i = 0; i < COUNT(budgets); i++) {
        if (budgets[i].limited && budgets[i].spent.used >= budgets[i].spent.limit) {
            return budgets[i].spent;
        }
    }
    return (haft__spent_budget){NULL, 0, 0};
}
