/* SPDX-License-Identifier: Apache-2.0 */
/*
 * guard.c - refuses a question before the model has gathered data, and the completion of a workflow
 * before the work is done.
 *
 * A refusal lists all missing steps and the calls for them, so that the model can make these calls
 * next.
 *
 * Tests: tests/choice/guard_test.c, tests/choice/exhaustive_test.c.
 */
#include "base/limits.h"
#include "base/macros.h"
#include "base/str.h"
#include "choice/choice_int.h"
#include "tool/builtin.h"

/* Distinct data tools that must be called before a question to a person. */
#define MIN_TOOLS_BEFORE_QUESTION 2U

haft__guard_facts haft__guard_collect(const haft__spec *spec, const haft__choice_facts *facts,
                                      const bool *phase_done, bool artifact_stored)
{
    haft__guard_facts guard = {.gate = haft__gate_evaluate(spec, facts),
                               .phase_done = phase_done,
                               .artifact_stored = artifact_stored,
                               .tools = facts->tools,
                               .tool_count = facts->tool_count};
    guard.data_called = guard.gate.called;
    guard.data_reachable = guard.gate.reachable;
    for (size_t i = 0; i < facts->tool_count; i++) {
        guard.artifact_offered |= facts->tools[i].role == HAFT__ROLE_ARTIFACT;
    }
    return guard;
}

/* ---- request_user_input ---- */

static bool question_passes(const haft__guard_facts *facts, haft_str tool, haft__buf *why)
{
    uint32_t wanted = MIN_TOOLS_BEFORE_QUESTION;
    wanted = facts->data_reachable < wanted ? facts->data_reachable : wanted;
    if (facts->data_called >= wanted) {
        return true;
    }
    haft__buf_addf(why, "%.*s is refused: look for the answer yourself before you ask. First, ",
                   HAFT__ARG(tool));
    haft__name_list_add_uncalled(why, wanted - facts->data_called, facts->tools, facts->tool_count);
    haft__buf_add_char(why, '.');
    return false;
}

/* ---- complete_workflow ---- */

/* The missing parts, numbered: "(1) ...; (2) ...". */
typedef struct missing {
    haft__buf *why;
    haft_str tool; /* the refused tool */
    uint32_t count;
} missing;

static void begin_item(missing *m)
{
    if (m->count == 0) {
        haft__buf_addf(m->why,
                       "%.*s is refused: the work is not finished. Missing: ", HAFT__ARG(m->tool));
    }
    m->count++;
    haft__buf_addf(m->why, "%s(%u) ", m->count > 1 ? "; " : "", m->count);
}

static bool can_be_called(const haft__guard_facts *facts, haft_str name)
{
    for (size_t i = 0; i < facts->tool_count; i++) {
        if (haft__str_equal(facts->tools[i].name, name)) {
            return !facts->tools[i].rejected;
        }
    }
    return facts->tools == NULL; /* the offer is unknown */
}

/* Adds a missing phase. Each check of a tool searches the whole offer, so only the first
 * HAFT__LIMIT_CHOICE_NAMES tools of the phase are checked. */
static void add_phase(missing *m, const haft__phase *phase, const haft__guard_facts *facts)
{
    begin_item(m);
    haft__buf_addf(m->why, "phase %.*s: ", HAFT__ARG(phase->name));
    haft__name_list names = {m->why, 0, 0};
    size_t checked = 0;
    for (; checked < phase->tool_count && checked < HAFT__LIMIT_CHOICE_NAMES; checked++) {
        if (can_be_called(facts, phase->tools[checked])) {
            haft__buf_addf(m->why, "%s", names.shown == 0 ? "call one of: " : "");
            haft__name_list_add(&names, phase->tools[checked]);
        }
    }
    names.left = phase->tool_count - checked;
    if (names.shown == 0) {
        haft__buf_addf(m->why, "none of its %stools can be called now%s",
                       names.left > 0 ? "first " : "", names.left > 0 ? ", call another" : "");
        return;
    }
    haft__name_list_end(&names);
}

static void add_phases(missing *m, const haft__spec *spec, const haft__guard_facts *facts)
{
    size_t undone = 0;
    for (size_t i = 0; i < spec->phase_count; i++) {
        if (!facts->phase_done[i] && undone++ < HAFT__LIMIT_CHOICE_NAMES) {
            add_phase(m, &spec->phases[i], facts);
        }
    }
    if (undone > HAFT__LIMIT_CHOICE_NAMES) {
        begin_item(m);
        haft__buf_addf(m->why, "%zu more phases", undone - HAFT__LIMIT_CHOICE_NAMES);
    }
}

static void add_artifact(missing *m, const haft__guard_facts *facts)
{
    haft_str name = haft__str(haft__builtin_get(HAFT__BUILTIN_STORE_ARTIFACT)->name);
    bool hidden = false; /* not declared while the gate is closed */
    for (size_t i = 0; i < facts->tool_count; i++) {
        if (facts->tools[i].role == HAFT__ROLE_ARTIFACT) {
            name = facts->tools[i].name;
            hidden = facts->tools[i].hidden;
            break;
        }
    }
    begin_item(m);
    haft__buf_addf(m->why, "nothing is stored: call %.*s%s", HAFT__ARG(name),
                   hidden ? ", which you get after that" : "");
}

static bool completion_passes(const haft__spec *spec, const haft__guard_facts *facts, haft_str tool,
                              haft__buf *why)
{
    missing m = {why, tool, 0};
    if (facts->gate.on && !facts->gate.open) {
        begin_item(&m);
        if (facts->gate.searches) {
            haft__buf_add_str(why, HAFT__LIT("search for tools: call " HAFT__TOOL_SEARCH));
        } else {
            haft__name_list_add_uncalled(why, facts->gate.threshold - facts->gate.called,
                                         facts->tools, facts->tool_count);
        }
    }
    add_phases(&m, spec, facts);
    if (facts->artifact_offered && !facts->artifact_stored) {
        add_artifact(&m, facts);
    }
    if (m.count > 0) {
        haft__buf_addf(why, ". Then call %.*s again.", HAFT__ARG(tool));
    }
    return m.count == 0;
}

bool haft__guard_passes(const haft__spec *spec, const haft__guard_facts *facts, haft_str tool,
                        haft__buf *why)
{
    const haft__builtin *builtin = haft__builtin_find(tool);
    switch (builtin != NULL ? builtin->guard : HAFT__BUILTIN_UNGUARDED) {
    case HAFT__BUILTIN_UNGUARDED: return true;
    case HAFT__BUILTIN_GUARD_QUESTION: return question_passes(facts, tool, why);
    case HAFT__BUILTIN_GUARD_COMPLETION: return completion_passes(spec, facts, tool, why);
    }
    HAFT__UNREACHABLE();
}
