/* SPDX-License-Identifier: Apache-2.0 */
/* choice_help.h - shared by the tests of the policy: specs, offers and choices as short texts. */
#ifndef HAFT_TESTS_CHOICE_HELP_H
#define HAFT_TESTS_CHOICE_HELP_H

#include "base/limits.h"
#include "choice/choice.h"
#include "test.h"

/* An agent without a gate, all defaults. */
static inline haft__spec help_spec(void)
{
    return (haft__spec){.choice = {.min_tools_for_auto = 5},
                        .limits = {.turns = 12,
                                   .calls = 50,
                                   .tokens = 1000000,
                                   .wall_ms = 600000,
                                   .invalid_calls = 3,
                                   .reminders = 2,
                                   .violations = 2,
                                   .repeats = {.hint = 3, .refuse = 6, .end = 10}}};
}

/* The next word of *text; empty at its end. */
static inline haft_str help_word(haft_str *text)
{
    *text = haft__str_trim(*text);
    return haft__str_split(text, ' ');
}

static inline size_t help_count_words(haft_str text)
{
    size_t count = 0;
    while (help_word(&text).len > 0) {
        count++;
    }
    return count;
}

static inline haft__tool_role help_role(char letter)
{
    switch (letter) {
    case 'd': return HAFT__ROLE_DATA;
    case 'n': return HAFT__ROLE_NEUTRAL;
    case 'c': return HAFT__ROLE_CONTROL;
    default: CHECK_INT(letter, 'a', "a role is one of d, n, c and a"); return HAFT__ROLE_ARTIFACT;
    }
}

/* "glob:d+ grep:d read:d- store_artifact:a": names with roles, + has finished, - was rejected,
 * ~ is not declared. */
static inline const haft__choice_tool *help_tools(const char *text, size_t *ret_count)
{
    haft_str rest = haft__str(text);
    *ret_count = help_count_words(rest);
    haft__choice_tool *tools = test_alloc((*ret_count + 1) * sizeof(*tools));
    for (size_t i = 0; i < *ret_count; i++) {
        haft_str how = help_word(&rest);
        haft_str name = haft__str_split(&how, ':');
        tools[i] = (haft__choice_tool){.name = name,
                                       .role = help_role(how.len > 0 ? how.ptr[0] : '?'),
                                       .finished = memchr(how.ptr, '+', how.len) != NULL,
                                       .rejected = memchr(how.ptr, '-', how.len) != NULL,
                                       .hidden = memchr(how.ptr, '~', how.len) != NULL,
                                       .narrowed = memchr(how.ptr, '!', how.len) != NULL};
    }
    return tools;
}

/* "glob grep" */
static inline const haft_str *help_names(const char *text, size_t *ret_count)
{
    haft_str rest = haft__str(text);
    *ret_count = help_count_words(rest);
    haft_str *names = test_alloc((*ret_count + 1) * sizeof(*names));
    for (size_t i = 0; i < *ret_count; i++) {
        names[i] = help_word(&rest);
    }
    return names;
}

/* "auto", "any", "none", "gate"; anything else is the name of a tool. */
static inline haft__tool_choice help_tool_choice(haft_str text)
{
    if (haft__str_equal(text, HAFT__LIT("auto"))) {
        return (haft__tool_choice){.mode = HAFT__MODE_AUTO};
    }
    if (haft__str_equal(text, HAFT__LIT("any"))) {
        return (haft__tool_choice){.mode = HAFT__MODE_ANY};
    }
    if (haft__str_equal(text, HAFT__LIT("none"))) {
        return (haft__tool_choice){.mode = HAFT__MODE_NONE};
    }
    if (haft__str_equal(text, HAFT__LIT("gate"))) {
        return (haft__tool_choice){.fall_through = true};
    }
    return (haft__tool_choice){.mode = HAFT__MODE_TOOL, .tool = text};
}

static inline void help_schedule(haft__choice_spec *policy, const char *text)
{
    haft_str rest = haft__str(text);
    policy->schedule_count = help_count_words(rest);
    haft__tool_choice *choices = test_alloc((policy->schedule_count + 1) * sizeof(*choices));
    for (size_t i = 0; i < policy->schedule_count; i++) {
        choices[i] = help_tool_choice(help_word(&rest));
    }
    policy->schedule = choices;
}

static inline const char *help_mode(haft__choice_mode mode)
{
    static const char *const names[] = {"auto", "any", "tool", "none"};
    return names[mode];
}

static inline const char *help_rule(haft__choice_rule rule)
{
    static const char *const names[] = {"limit", "schedule", "gate", "default"};
    return names[rule];
}

/* The allowed ones, separated by spaces. */
static inline void help_add_allowed(haft__buf *buf, const haft__choice *choice,
                                    const haft__choice_facts *facts)
{
    size_t shown = 0;
    for (size_t i = 0; i < facts->tool_count; i++) {
        if (choice->allowed[i]) {
            haft__buf_addf(buf, "%s%.*s", shown++ > 0 ? " " : "", HAFT__ARG(facts->tools[i].name));
        }
    }
}

#endif
