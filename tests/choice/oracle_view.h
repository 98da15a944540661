/* SPDX-License-Identifier: Apache-2.0 */
/* oracle_view.h - converts the facts of the policy for the oracle, and compares their results. */
#ifndef HAFT_TESTS_CHOICE_ORACLE_VIEW_H
#define HAFT_TESTS_CHOICE_ORACLE_VIEW_H

#include "choice_help.h"
#include "oracle.h"

enum { MAX_TOOLS = 6, MAX_LEAST = 8 };

/* Millions of checks: only a failure costs time, and the first ones are enough. */
static unsigned failures;

#define MUST(condition, ...)                                                                       \
    ((condition) || ++failures > 10 ? (void)0                                                      \
                                    : test_fail(__FILE__, __LINE__, #condition, __VA_ARGS__))

static inline oracle_list *list_of(oracle_world *w, haft__tool_role role)
{
    switch (role) {
    case HAFT__ROLE_DATA: return &w->data;
    case HAFT__ROLE_NEUTRAL: return &w->neutral;
    case HAFT__ROLE_CONTROL: return &w->control;
    case HAFT__ROLE_ARTIFACT: return &w->artifact;
    }
    HAFT__UNREACHABLE();
}

static inline void append(oracle_list *list, const char *name)
{
    list->names[list->count++] = name;
}

/* All names in this file are literals, and so end with a NUL. */
static inline const char *wish_text(const haft__tool_choice *wish)
{
    return wish->fall_through              ? "gate"
           : wish->mode == HAFT__MODE_TOOL ? wish->tool.ptr
                                           : help_mode(wish->mode);
}

static inline oracle_world see_spec(const haft__spec *spec)
{
    oracle_world w = {.gate = spec->choice.gate,
                      .min_tools_for_auto = (int)spec->choice.min_tools_for_auto,
                      .turns = (int)spec->limits.turns,
                      .wish = wish_text(&spec->choice.default_choice)};
    for (size_t i = 0; i < spec->choice.schedule_count; i++) {
        append(&w.schedule, wish_text(&spec->choice.schedule[i]));
    }
    return w;
}

static inline void see_facts(oracle_world *w, const haft__choice_facts *facts)
{
    w->turn = (int)facts->turn;
    w->opened = facts->gate_opened;
    w->satisfied = facts->default_satisfied;
    for (size_t i = facts->tool_count; i-- > 0;) { /* the order must not matter */
        const haft__choice_tool *tool = &facts->tools[i];
        append(list_of(w, tool->role), tool->name.ptr);
        if (tool->finished) {
            append(&w->finished, tool->name.ptr);
            append(&w->finished, tool->name.ptr);
        }
        if (tool->rejected) {
            append(&w->rejected, tool->name.ptr);
        }
    }
    for (size_t i = 0; i < facts->also_counted_count; i++) {
        append(&w->finished, facts->also_counted[i].ptr);
        append(&w->gone, facts->also_counted[i].ptr);
    }
}

static inline void compare(const haft__choice *choice, const haft__choice_facts *facts,
                           const oracle_world *w, const oracle_answer *answer)
{
    const char *mode = choice->mode == HAFT__MODE_TOOL ? choice->tool.ptr : help_mode(choice->mode);
    MUST(strcmp(mode, answer->mode) == 0, "%s, the oracle says %s", mode, answer->mode);
    MUST(strcmp(help_rule(choice->rule), answer->rule) == 0, "by %s, the oracle says %s",
         help_rule(choice->rule), answer->rule);
    oracle_list allowed = {0};
    for (size_t i = 0; i < facts->tool_count; i++) {
        if (choice->allowed[i]) {
            oracle_put(&allowed, facts->tools[i].name.ptr);
        }
    }
    MUST(oracle_same(&allowed, &answer->allowed), "%d allowed, the oracle says %d", allowed.count,
         answer->allowed.count);
    MUST((int)choice->gate.called == answer->counted.count, "%u counted, the oracle says %d",
         choice->gate.called, answer->counted.count);
    MUST(choice->gate.open == answer->open, "open %d, the oracle says %d", choice->gate.open,
         answer->open);
    MUST(!w->gate || (int)choice->gate.threshold == answer->threshold,
         "threshold %u, the oracle says %d", choice->gate.threshold, answer->threshold);
}

#endif
