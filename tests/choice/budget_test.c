/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/choice/budget.c: one below, at and above each limit. */
#include "choice_help.h"

static const struct {
    const char *name;
    haft__usage usage;
    const char *want; /* NULL: none is used up */
    uint64_t used, limit;
} cases[] = {
    {"nothing used", {0}, NULL, 0, 0},
    {"calls, one before", {.calls = 49}, NULL, 0, 0},
    {"calls, at", {.calls = 50}, "calls", 50, 50},
    {"calls, past", {.calls = 53}, "calls", 53, 50},
    {"tokens, one before", {.input_tokens = 1000, .output_tokens = 998999}, NULL, 0, 0},
    {"tokens, at", {.input_tokens = 999000, .output_tokens = 1000}, "tokens", 1000000, 1000000},
    {"tokens, past", {.output_tokens = 1000001}, "tokens", 1000001, 1000000},
    {"cached tokens are part of the input", {.cached_tokens = 5000000}, NULL, 0, 0},
    {"tokens past what can be counted",
     {.input_tokens = UINT64_MAX, .output_tokens = 2},
     "tokens",
     UINT64_MAX,
     1000000},
    {"money, one before", {.cost_micros = 499999}, NULL, 0, 0},
    {"money, at", {.cost_micros = 500000}, "usd", 500000, 500000},
    {"money, past", {.cost_micros = 500001}, "usd", 500001, 500000},
    {"time, one before", {.wall_ms = 599999}, NULL, 0, 0},
    {"time, at", {.wall_ms = 600000}, "wall", 600000, 600000},
    {"time, past", {.wall_ms = 600001}, "wall", 600001, 600000},
    {"all at once",
     {.calls = 50, .input_tokens = 9999999, .cost_micros = 9999999, .wall_ms = 9999999},
     "calls",
     50,
     50},
    {"money and time", {.cost_micros = 9999999, .wall_ms = 9999999}, "usd", 9999999, 500000},
};

TEST(a_budget_is_used_up_when_its_limit_is_reached)
{
    haft__spec spec = help_spec();
    spec.limits.has_usd = true;
    spec.limits.usd_micros = 500000;
    for (size_t i = 0; i < COUNT(cases); i++) {
        haft__spent_budget spent = haft__budget_check(&spec, &cases[i].usage);
        CHECK_STR(haft__str(spent.what == NULL ? "-" : spent.what),
                  haft__str(cases[i].want == NULL ? "-" : cases[i].want), "%s", cases[i].name);
        CHECK(spent.used == cases[i].used && spent.limit == cases[i].limit, "%s: %llu of %llu",
              cases[i].name, (unsigned long long)spent.used, (unsigned long long)spent.limit);
    }
}

TEST(money_has_no_limit_unless_one_is_given)
{
    haft__spec spec = help_spec();
    haft__usage usage = {.cost_micros = UINT64_MAX};
    CHECK(haft__budget_check(&spec, &usage).what == NULL,
          "the cost is limited although no limit is set");
    spec.limits.has_usd = true;
    CHECK(haft__budget_check(&spec, &(haft__usage){0}).what != NULL,
          "a limit of zero is not reached at once");
}
