/* SPDX-License-Identifier: Apache-2.0 */
/*
 * choose.c - the rules in their order: limits, schedule, gate, default. The first that matches
 * decides; one that has to pass says why, and the reason goes on with the next.
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

typedef struct turn {
    const haft__spec *spec;
    const haft__choice_facts *facts;
    haft__choice *choice;
} turn;

/* Appends to the reason. */
static void say(haft__choice *choice, const char *format, ...) HAFT__PRINTF(2, 3);

static void say(haft__choice *choice, const char *format, ...)
{
    size_t used = strlen(choice->reason);
    va_list args;
    va_start(args, format);
    (void)vsnprintf(choice->reason + used, sizeof(choice->reason) - used, format, args);
    va_end(args);
}

/* A name may have been asked for that no tool could have, of any length: what of it is shown. */
static haft_str shown(haft_str name)
{
    return (haft_str){name.ptr, haft__utf8_floor(name, HAFT__LIMIT_TOOL_NAME_BYTES)};
}

/* ---- what may run ---- */

/* What is not declared cannot be demanded: a provider would refuse the request. */
static bool is_offered(const haft__choice_facts *facts, haft_str name)
{
    for (size_t i = 0; i < facts->tool_count; i++) {
        if (!facts->tools[i].hidden && haft__str_equal(facts->tools[i].name, name)) {
            return true;
        }
    }
    return false;
}

/* Storing is no way to meet a demand for a call, unless it is the only one. */
static bool has_more_than_artifacts(const haft__choice_facts *facts)
{
    for (size_t i = 0; i < facts->tool_count; i++) {
        if (!facts->tools[i].hidden && facts->tools[i].role != HAFT__ROLE_ARTIFACT) {
            return true;
        }
    }
    return false;
}

static bool has_declared(const haft__choice_facts *facts)
{
    for (size_t i = 0; i < facts->tool_count; i++) {
        if (!facts->tools[i].hidden) {
            return true;
        }
    }
    return false;
}

static void allow(const turn *t, bool *ret_allowed)
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
    }
}

static void set(const turn *t, haft__choice_rule rule, haft__choice_mode mode)
{
    t->choice->rule = rule;
    t->choice->mode = mode;
}

/* ---- the rules ---- */

static const struct budget_words {
    const char *what, *words;
} budget_words[] = {
    {"turns", "turn"}, {"calls", "call"}, {"tokens", "token"}, {"usd", "money"}, {"wall", "time"},
};

static const char *words_of(const char *what)
{
    for (size_t i = 0; i < COUNT(budget_words); i++) {
        if (strcmp(budget_words[i].what, what) == 0) {
            return budget_words[i].words;
        }
    }
    return what;
}

/* Dollars have two digits behind the point, or as many as it takes; so have seconds, or none. */
static void say_amount(haft__choice *choice, const char *what, uint64_t amount)
{
    if (strcmp(what, "usd") == 0) {
        uint64_t part = amount % 1000000;
        int digits = 6;
        for (; digits > 2 && part % 10 == 0; digits--) {
            part /= 10;
        }
        say(choice, "$%" PRIu64 ".%0*" PRIu64, amount / 1000000, digits, part);
    } else if (strcmp(what, "wall") == 0) {
        say(choice, "%" PRIu64, amount / 1000);
        if (amount % 1000 != 0) {
            say(choice, ".%03" PRIu64, amount % 1000);
        }
        say(choice, " s");
    } else {
        say(choice, "%" PRIu64, amount);
    }
}

static bool by_limit(const turn *t)
{
    const haft__choice_facts *facts = t->facts;
    const haft__spent *spent = &facts->spent;
    if (facts->turn >= t->spec->limits.turns) {
        say(t->choice, "last turn (%u of %u)", facts->turn, t->spec->limits.turns);
    } else if (spent->what != NULL) {
        say(t->choice, "%s budget used up (", words_of(spent->what));
        say_amount(t->choice, spent->what, spent->used);
        say(t->choice, " of ");
        say_amount(t->choice, spent->what, spent->limit);
        say(t->choice, ")");
    } else {
        return false;
    }
    set(t, HAFT__RULE_LIMIT, HAFT__MODE_NONE);
    return true;
}

static void say_wish(haft__choice *choice, const haft__tool_choice *wish)
{
    switch (wish->mode) {
    case HAFT__MODE_AUTO: say(choice, "auto"); return;
    case HAFT__MODE_ANY: say(choice, "any"); return;
    case HAFT__MODE_TOOL: say(choice, "tool %.*s", HAFT__ARG(shown(wish->tool))); return;
    case HAFT__MODE_NONE: say(choice, "none"); return;
    }
    HAFT__UNREACHABLE();
}

/* What somebody asked for and can have. */
static void grant(const turn *t, haft__choice_rule rule, const haft__tool_choice *wish)
{
    say_wish(t->choice, wish);
    set(t, rule, wish->mode);
    if (wish->mode == HAFT__MODE_TOOL) {
        t->choice->tool = wish->tool;
    } else if (wish->mode == HAFT__MODE_ANY && !has_declared(t->facts)) {
        t->choice->mode = HAFT__MODE_AUTO;
        say(t->choice, ", but no tool is offered");
    }
}

static bool by_schedule(const turn *t)
{
    const haft__choice_spec *policy = &t->spec->choice;
    if (t->facts->turn > policy->schedule_count) {
        return false;
    }
    const haft__tool_choice *wish = &policy->schedule[t->facts->turn - 1];
    if (wish->fall_through) {
        return false;
    }
    if (wish->mode == HAFT__MODE_TOOL && !is_offered(t->facts, wish->tool)) {
        say(t->choice, "scheduled tool %.*s is not offered; ", HAFT__ARG(shown(wish->tool)));
        return false;
    }
    say(t->choice, "schedule, turn %u: ", t->facts->turn);
    grant(t, HAFT__RULE_SCHEDULE, wish);
    return true;
}

static bool by_gate(const turn *t)
{
    const haft__gate *gate = &t->choice->gate;
    if (!gate->on) {
        return false;
    }
    if (gate->open) {
        say(t->choice, "gate open; ");
        return false;
    }
    say(t->choice, "%u of %u data tools called", gate->called, gate->threshold);
    set(t, HAFT__RULE_GATE, HAFT__MODE_ANY);
    return true;
}

static void by_default(const turn *t)
{
    const haft__tool_choice *wish = &t->spec->choice.default_choice;
    bool forced = wish->mode == HAFT__MODE_ANY || wish->mode == HAFT__MODE_TOOL;
    say(t->choice, "default ");
    if (forced && t->facts->default_satisfied) {
        say(t->choice, "satisfied");
        set(t, HAFT__RULE_DEFAULT, HAFT__MODE_AUTO);
    } else if (wish->mode == HAFT__MODE_TOOL && !is_offered(t->facts, wish->tool)) {
        say_wish(t->choice, wish);
        say(t->choice, " is not offered");
        set(t, HAFT__RULE_DEFAULT, HAFT__MODE_AUTO);
    } else {
        grant(t, HAFT__RULE_DEFAULT, wish);
    }
}

void haft__choose(const haft__spec *spec, const haft__choice_facts *facts, bool *allowed,
                  haft__choice *ret_choice)
{
    assert(facts->turn >= 1);
    *ret_choice = (haft__choice){.gate = haft__gate_look(spec, facts), .allowed = allowed};
    turn t = {spec, facts, ret_choice};
    if (!by_limit(&t) && !by_schedule(&t) && !by_gate(&t)) {
        by_default(&t);
    }
    allow(&t, allowed);
}
