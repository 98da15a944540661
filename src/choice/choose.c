/* SPDX-License-Identifier: Apache-2.0 */
/*
 * choose.c - applies the rules in their order: limits, schedule, gate, default. The first rule that
 * matches decides. A rule that cannot apply adds its reason to the text, and the next rule appends
 * to it.
 *
 * Tests: tests/choice/choose_test.c, tests/choice/exhaustive_test.c, tests/choice/docs_test.c.
 */
#include <assert.h>
#include <inttypes.h>
#include <stdarg.h>

#include "base/limits.h"
#include "base/str.h"
#include "base/utf8.h"
#include "choice/choice.h"

typedef struct choice_context {
    const haft__spec *spec;
    const haft__choice_facts *facts;
    haft__choice *choice;
} choice_context;

static void add_reason(haft__choice *choice, const char *format, ...) HAFT__PRINTF(2, 3);

static void add_reason(haft__choice *choice, const char *format, ...)
{
    size_t used = strlen(choice->reason);
    va_list args;
    va_start(args, format);
    (void)vsnprintf(choice->reason + used, sizeof(choice->reason) - used, format, args);
    va_end(args);
}

/* Shortens a name for a message. The name may come from a spec and may have any length. */
static haft_str clip_name(haft_str name)
{
    return (haft_str){name.ptr, haft__utf8_floor(name, HAFT__LIMIT_TOOL_NAME_BYTES)};
}

/* ---- allowed tools ---- */

/* Only a declared tool can be forced; a provider rejects other requests. */
static bool can_be_forced(const haft__choice_tool *tool)
{
    return !tool->hidden && !tool->narrowed;
}

/* Whether a tool of that name can be forced. */
static bool is_offered(const haft__choice_facts *facts, haft_str name)
{
    for (size_t i = 0; i < facts->tool_count; i++) {
        if (can_be_forced(&facts->tools[i]) && haft__str_equal(facts->tools[i].name, name)) {
            return true;
        }
    }
    return false;
}

/* Whether the offer has other tools than artifact tools. An artifact tool satisfies a forced call
 * only if there are no other tools. */
static bool has_more_than_artifacts(const haft__choice_facts *facts)
{
    for (size_t i = 0; i < facts->tool_count; i++) {
        if (can_be_forced(&facts->tools[i]) && facts->tools[i].role != HAFT__ROLE_ARTIFACT) {
            return true;
        }
    }
    return false;
}

static bool has_declared(const haft__choice_facts *facts)
{
    for (size_t i = 0; i < facts->tool_count; i++) {
        if (can_be_forced(&facts->tools[i])) {
            return true;
        }
    }
    return false;
}

static void set_allowed(const choice_context *t, bool *ret_allowed)
{
    const haft__choice_facts *facts = t->facts;
    bool artifacts = !has_more_than_artifacts(facts);
    for (size_t i = 0; i < facts->tool_count; i++) {
        const haft__choice_tool *tool = &facts->tools[i];
        switch (t->choice->mode) {
        case HAFT__MODE_AUTO: ret_allowed[i] = true; break;
        case HAFT__MODE_ANY: ret_allowed[i] = artifacts || tool->role != HAFT__ROLE_ARTIFACT; break;
        case HAFT__MODE_TOOL: ret_allowed[i] = haft__str_equal(tool->name, t->choice->tool); break;
        case HAFT__MODE_NONE: ret_allowed[i] = false; break;
        }
        ret_allowed[i] = ret_allowed[i] && !tool->narrowed;
    }
}

static void set_choice(const choice_context *t, haft__choice_rule rule, haft__choice_mode mode)
{
    t->choice->rule = rule;
    t->choice->mode = mode;
}

/* ---- the rules ---- */

static const struct budget_words {
    const char *what, *words;
} budget_words[] = {
    {"turns", "turn"},   {"calls", "call"}, {"cost", "cost"},
    {"tokens", "token"}, {"usd", "money"},  {"wall", "time"},
};

static const char *budget_label(const char *what)
{
    for (size_t i = 0; i < COUNT(budget_words); i++) {
        if (strcmp(budget_words[i].what, what) == 0) {
            return budget_words[i].words;
        }
    }
    return what;
}

/* Dollars have at least two decimals; seconds have decimals only if needed. */
static void add_amount(haft__choice *choice, const char *what, uint64_t amount)
{
    if (strcmp(what, "usd") == 0) {
        uint64_t part = amount % 1000000;
        int digits = 6;
        for (; digits > 2 && part % 10 == 0; digits--) {
            part /= 10;
        }
        add_reason(choice, "$%" PRIu64 ".%0*" PRIu64, amount / 1000000, digits, part);
    } else if (strcmp(what, "wall") == 0) {
        add_reason(choice, "%" PRIu64, amount / 1000);
        if (amount % 1000 != 0) {
            add_reason(choice, ".%03" PRIu64, amount % 1000);
        }
        add_reason(choice, " s");
    } else {
        add_reason(choice, "%" PRIu64, amount);
    }
}

static bool decide_by_limit(const choice_context *t)
{
    const haft__choice_facts *facts = t->facts;
    const haft__spent_budget *spent = &facts->spent;
    if (facts->turn + facts->child_turns >= t->spec->limits.turns) {
        add_reason(t->choice, "last turn (%u of %u)", facts->turn + facts->child_turns,
                   t->spec->limits.turns);
    } else if (spent->what != NULL) {
        add_reason(t->choice, "%s budget used up (", budget_label(spent->what));
        add_amount(t->choice, spent->what, spent->used);
        add_reason(t->choice, " of ");
        add_amount(t->choice, spent->what, spent->limit);
        add_reason(t->choice, ")");
    } else {
        return false;
    }
    set_choice(t, HAFT__RULE_LIMIT, HAFT__MODE_NONE);
    return true;
}

static void add_requested(haft__choice *choice, const haft__tool_choice *requested)
{
    switch (requested->mode) {
    case HAFT__MODE_AUTO: add_reason(choice, "auto"); return;
    case HAFT__MODE_ANY: add_reason(choice, "any"); return;
    case HAFT__MODE_TOOL:
        add_reason(choice, "tool %.*s", HAFT__ARG(clip_name(requested->tool)));
        return;
    case HAFT__MODE_NONE: add_reason(choice, "none"); return;
    }
    HAFT__UNREACHABLE();
}

/* Applies a choice of the schedule or the default that can be satisfied. */
static void apply_requested(const choice_context *t, haft__choice_rule rule,
                            const haft__tool_choice *requested)
{
    add_requested(t->choice, requested);
    set_choice(t, rule, requested->mode);
    if (requested->mode == HAFT__MODE_TOOL) {
        t->choice->tool = requested->tool;
    } else if (requested->mode == HAFT__MODE_ANY && !has_declared(t->facts)) {
        t->choice->mode = HAFT__MODE_AUTO;
        add_reason(t->choice, ", but no tool is offered");
    }
}

static bool decide_by_schedule(const choice_context *t)
{
    const haft__choice_spec *policy = &t->spec->choice;
    if (t->facts->turn > policy->schedule_count) {
        return false;
    }
    const haft__tool_choice *requested = &policy->schedule[t->facts->turn - 1];
    if (requested->fall_through) {
        return false;
    }
    if (requested->mode == HAFT__MODE_TOOL && !is_offered(t->facts, requested->tool)) {
        add_reason(t->choice, "scheduled tool %.*s is not offered; ",
                   HAFT__ARG(clip_name(requested->tool)));
        return false;
    }
    add_reason(t->choice, "schedule, turn %u: ", t->facts->turn);
    apply_requested(t, HAFT__RULE_SCHEDULE, requested);
    return true;
}

static bool decide_by_gate(const choice_context *t)
{
    const haft__gate *gate = &t->choice->gate;
    if (!gate->on) {
        return false;
    }
    if (gate->open) {
        add_reason(t->choice, "gate open; ");
        return false;
    }
    if (gate->searches) {
        add_reason(t->choice, "no data tool is offered; tools are deferred: search first");
        set_choice(t, HAFT__RULE_GATE, HAFT__MODE_TOOL);
        t->choice->tool = t->facts->search;
        return true;
    }
    add_reason(t->choice, "%u of %u data tools called", gate->called, gate->threshold);
    set_choice(t, HAFT__RULE_GATE, HAFT__MODE_ANY);
    return true;
}

static void decide_by_default(const choice_context *t)
{
    const haft__tool_choice *requested = &t->spec->choice.default_choice;
    bool forced = requested->mode == HAFT__MODE_ANY || requested->mode == HAFT__MODE_TOOL;
    add_reason(t->choice, "default ");
    if (forced && t->facts->default_satisfied) {
        add_reason(t->choice, "satisfied");
        set_choice(t, HAFT__RULE_DEFAULT, HAFT__MODE_AUTO);
    } else if (requested->mode == HAFT__MODE_TOOL && !is_offered(t->facts, requested->tool)) {
        add_requested(t->choice, requested);
        add_reason(t->choice, " is not offered");
        set_choice(t, HAFT__RULE_DEFAULT, HAFT__MODE_AUTO);
    } else {
        apply_requested(t, HAFT__RULE_DEFAULT, requested);
    }
}

void haft__choice_decide(const haft__spec *spec, const haft__choice_facts *facts, bool *allowed,
                         haft__choice *ret_choice)
{
    assert(facts->turn >= 1);
    *ret_choice = (haft__choice){.gate = haft__gate_evaluate(spec, facts), .allowed = allowed};
    choice_context t = {spec, facts, ret_choice};
    if (!decide_by_limit(&t) && !decide_by_schedule(&t) && !decide_by_gate(&t)) {
        decide_by_default(&t);
    }
    set_allowed(&t, allowed);
}
