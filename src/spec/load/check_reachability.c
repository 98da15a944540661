/* SPDX-License-Identifier: Apache-2.0 */
/*
 * check_reachability.c - checks that a run of this spec can end as intended.
 *
 * It simulates an ideal model with the real policy (choice/choice.h): in every turn the model makes
 * every allowed call that makes progress, and every call succeeds. If this model cannot reach a
 * goal, no model can. Examples are a workflow that cannot be completed, a gate that cannot open
 * within the turns, and a forced default that is always refused. This file contains no rules of the
 * policy. Tests: tests/spec/load/check_reachability_test.c.
 */
#include "base/str.h"
#include "choice/choice.h"
#include "spec/load/load_int.h"
#include "tool/builtin.h"

#define NO_LIMIT   UINT32_MAX
#define REASON_MAX 512

typedef struct player {
    haft__spec spec; /* a copy with its own limits */
    haft__loader *loader;
    haft__choice_tool *tools;
    size_t tool_count, tool_capacity;
    haft__map by_name; /* name -> haft__choice_tool */
    bool *allowed;
    bool *phase_done;
    size_t undone; /* number of unfinished phases */
    /* The phases of tool i: those in `phases` from starts[i] up to starts[i + 1]. */
    uint32_t *phases, *starts;
    bool stored;    /* an artifact is stored */
    bool completed; /* complete_workflow has passed */
    bool gate_opened;
    bool patient; /* completes only in a turn that begins with all requirements met, as real models
                     do */
    uint32_t turn, calls;
    haft__choice choice;
    haft__buf why;  /* the last refusal of a control tool */
    bool no_memory; /* out of memory while writing `why` */
} player;

/* ---- the tools ---- */

static bool is_offered(const haft__spec *spec, const haft__tool *tool)
{
    return tool->source != HAFT__TOOL_BUILTIN
           || haft__filter_passes(tool->name, spec->builtin_allow, spec->builtin_allow_count,
                                  spec->builtin_deny, spec->builtin_deny_count);
}

static void add_tool(player *p, haft_str name, haft__tool_role role)
{
    if (p->tool_count < p->tool_capacity) {
        haft__choice_tool *tool = &p->tools[p->tool_count++];
        *tool = (haft__choice_tool){.name = name, .role = role};
        (void)haft__loader_failed(p->loader, haft__map_put(&p->by_name, name, tool, NULL));
    }
}

/* Adds a tool of a server. These tools are unknown until the server starts; a tool that the spec
 * names is assumed to exist. */
static void add_named(player *p, haft_str name)
{
    bool server = name.len > 0 && memchr(name.ptr, ':', name.len) != NULL;
    if (server && haft__map_get(&p->by_name, name) == NULL) {
        add_tool(p, name, HAFT__ROLE_DATA);
    }
}

static void collect_names(player *p, const haft__spec *spec)
{
    for (size_t i = 0; i < spec->phase_count; i++) {
        for (size_t j = 0; j < spec->phases[i].tool_count; j++) {
            add_named(p, spec->phases[i].tools[j]);
        }
    }
    for (size_t i = 0; i < spec->choice.schedule_count; i++) {
        add_named(p, spec->choice.schedule[i].tool);
    }
    add_named(p, spec->choice.default_choice.tool);
}

/* The maximum number of tools: the tools of the spec, and each name in the spec may be a tool of a
 * server. */
static size_t count_names(const haft__spec *spec)
{
    size_t count = haft__spec_own_tools(spec, &spec->tools) + spec->choice.schedule_count + 1;
    for (size_t i = 0; i < spec->phase_count; i++) {
        count += spec->phases[i].tool_count;
    }
    return count < HAFT__LIMIT_CHOICE_TOOLS ? count : HAFT__LIMIT_CHOICE_TOOLS;
}

static bool collect_tools(haft__loader *l, player *p)
{
    const haft__spec *spec = l->spec;
    p->tool_capacity = count_names(spec);
    p->tools = haft__loader_alloc(l, p->tool_capacity, sizeof(*p->tools));
    p->allowed = haft__loader_alloc(l, p->tool_capacity, sizeof(*p->allowed));
    p->phase_done = haft__loader_alloc(l, spec->phase_count, sizeof(*p->phase_done));
    haft__map_init(&p->by_name, l->arena, l->options->hash_key);
    p->loader = l;
    for (size_t i = 0; i < spec->tools.count && l->status == HAFT_OK; i++) {
        const haft__tool *tool = spec->tools.items[i];
        if (is_offered(spec, tool)) {
            add_tool(p, tool->name, tool->role);
        }
    }
    if (l->status == HAFT_OK) {
        collect_names(p, spec);
    }
    return l->status == HAFT_OK;
}

/* Maps tools to phases: counts first, then fills in, so that one array holds all. */
static bool collect_phases(haft__loader *l, player *p)
{
    const haft__spec *spec = l->spec;
    size_t total = 0;
    p->starts = haft__loader_alloc(l, p->tool_count + 2, sizeof(*p->starts));
    for (size_t i = 0; i < spec->phase_count; i++) {
        total += spec->phases[i].tool_count;
    }
    p->phases = haft__loader_alloc(l, total, sizeof(*p->phases));
    for (int fill = 0; fill <= 1 && l->status == HAFT_OK; fill++) {
        for (size_t i = 0; i < spec->phase_count; i++) {
            for (size_t j = 0; j < spec->phases[i].tool_count; j++) {
                const haft__choice_tool *tool =
                    haft__map_get(&p->by_name, spec->phases[i].tools[j]);
                size_t index = tool != NULL ? (size_t)(tool - p->tools) : p->tool_count;
                if (tool != NULL && fill != 0) {
                    p->phases[p->starts[index + 1]++] = (uint32_t)i;
                } else if (tool != NULL) {
                    p->starts[index + 2]++;
                }
            }
        }
        for (size_t i = 2; i < p->tool_count + 2 && fill == 0; i++) {
            p->starts[i] += p->starts[i - 1];
        }
    }
    return l->status == HAFT_OK;
}

/* ---- simulation ---- */

static haft__choice_facts facts_of(const player *p)
{
    const haft__tool_choice *wish = &p->spec.choice.default_choice;
    haft__usage usage = {.calls = p->calls};
    haft__choice_facts facts = {.turn = p->turn,
                                .tools = p->tools,
                                .tool_count = p->tool_count,
                                .gate_opened = p->gate_opened,
                                .spent = haft__budget_check(&p->spec, &usage)};
    for (size_t i = 0; i < p->tool_count; i++) {
        bool wanted = wish->mode == HAFT__MODE_ANY || haft__str_equal(p->tools[i].name, wish->tool);
        facts.default_satisfied |= wanted && p->tools[i].finished;
    }
    return facts;
}

/* Whether a call of the tool would finish a phase. */
static bool helps_a_phase(const player *p, size_t tool)
{
    for (uint32_t i = p->starts[tool]; i < p->starts[tool + 1]; i++) {
        if (!p->phase_done[p->phases[i]]) {
            return true;
        }
    }
    return false;
}

/* Performs a call of a tool without a guard. */
static void call(player *p, size_t index)
{
    haft__choice_tool *tool = &p->tools[index];
    tool->finished = true;
    p->calls++;
    p->stored |= tool->role == HAFT__ROLE_ARTIFACT;
    for (uint32_t i = p->starts[index]; i < p->starts[index + 1]; i++) {
        bool *done = &p->phase_done[p->phases[i]];
        p->undone -= !*done;
        *done = true;
    }
}

/* Makes all calls that make progress: first calls that a phase needs, then calls of tools that were
 * not called yet. */
static bool call_all(player *p)
{
    bool cut = p->spec.limits.overflow == HAFT__OVERFLOW_TRUNCATE;
    uint32_t left = cut ? p->spec.limits.parallel : NO_LIMIT;
    bool changed = false;
    for (int phases = p->undone > 0; phases >= 0; phases--) {
        for (size_t i = 0; i < p->tool_count && left > 0; i++) {
            const haft__choice_tool *tool = &p->tools[i];
            bool helps = phases != 0 ? helps_a_phase(p, i) : !tool->finished;
            if (p->allowed[i] && helps && tool->role != HAFT__ROLE_CONTROL
                && p->calls < p->spec.limits.calls) {
                call(p, i);
                left--;
                changed = true;
            }
        }
    }
    return changed;
}

/* Makes control calls, which come last in their batch. A patient player makes them first. */
static bool call_control(player *p)
{
    bool changed = false;
    for (size_t i = 0; i < p->tool_count; i++) {
        haft__choice_tool *tool = &p->tools[i];
        if (!p->allowed[i] || tool->role != HAFT__ROLE_CONTROL || tool->finished) {
            continue;
        }
        haft__choice_facts facts = facts_of(p);
        haft__guard_facts guard = haft__guard_collect(&p->spec, &facts, p->phase_done, p->stored);
        const haft__builtin *builtin = haft__builtin_find(tool->name);
        haft__buf_clear(&p->why);
        tool->finished = haft__guard_passes(&p->spec, &guard, tool->name, &p->why);
        changed |= tool->finished;
        p->no_memory |= p->why.status == HAFT_NO_MEMORY;
        p->completed |= builtin != NULL && builtin->completes && tool->finished;
    }
    return changed;
}

/* Simulates one turn. Returns false if the turn changed nothing. */
static bool simulate_turn(player *p)
{
    haft__choice_facts facts = facts_of(p);
    haft__choice_decide(&p->spec, &facts, p->allowed, &p->choice);
    bool opened = p->choice.gate.open && !p->gate_opened;
    p->gate_opened |= p->choice.gate.open;
    bool early = p->patient && call_control(p);
    bool called = call_all(p);
    facts = facts_of(p);
    p->gate_opened |= haft__gate_evaluate(&p->spec, &facts).open;
    bool late = !p->patient && call_control(p);
    return early || called || late || opened;
}

/* Whether the model stores an artifact in this turn: not while the gate forces tools, unless the
 * schedule overrides the gate. */
static bool stores(const player *p, const haft__tool_choice *wish)
{
    const haft__choice_tool *tool =
        wish->mode == HAFT__MODE_TOOL ? haft__map_get(&p->by_name, wish->tool) : NULL;
    return tool != NULL && tool->role == HAFT__ROLE_ARTIFACT;
}

/* Checks whether the schedule's entry for this turn releases the model from the gate. */
static void check_entry(haft__loader *l, const player *p)
{
    const haft__choice_spec *choice = &p->spec.choice;
    const haft__tool_choice *wish = &choice->schedule[p->turn - 1];
    bool bypasses_gate =
        wish->mode == HAFT__MODE_AUTO || wish->mode == HAFT__MODE_NONE || stores(p, wish);
    if (wish->fall_through || !bypasses_gate || choice->schedule_overrides_gate
        || !p->choice.gate.on || p->choice.gate.open || p->choice.rule != HAFT__RULE_SCHEDULE) {
        return;
    }
    haft_str name = wish->mode == HAFT__MODE_AUTO ? HAFT__LIT("auto") : HAFT__LIT("none");
    name = wish->mode == HAFT__MODE_TOOL ? wish->tool : name;
    haft__spec_problem *problem = haft__loader_error(
        l, haft__loader_pointer(l, "/choice/schedule/%u", p->turn - 1), HAFT__SUBJECT_VALUE,
        "turn %u is scheduled as %.*s, but at most %u of %u data tools can have been called before "
        "it",
        p->turn, HAFT__ARG(name), p->choice.gate.called, p->choice.gate.threshold);
    haft__loader_hint(l, problem, "write gate, or choice.schedule_overrides_gate: true");
}

static bool reaches_goal(const player *p)
{
    return p->spec.kind == HAFT__SPEC_WORKFLOW ? p->completed : p->gate_opened;
}

/* Simulates turns until a turn changes nothing. If `l` is NULL, reports no problems. */
static void simulate(haft__loader *l, player *p)
{
    bool changed = true;
    for (p->turn = 1; p->turn < p->spec.limits.turns; p->turn++) {
        bool scheduled = p->turn <= p->spec.choice.schedule_count;
        if (!changed && p->turn > p->spec.choice.schedule_count + 1) {
            return;
        }
        changed = simulate_turn(p);
        if (l != NULL && scheduled) {
            check_entry(l, p);
        }
        if (p->completed || (l == NULL && reaches_goal(p))) {
            return;
        }
    }
}

static void start(player *p, const haft__spec *spec, bool limited)
{
    p->spec = *spec;
    if (!limited) {
        p->spec.limits.turns = NO_LIMIT;
        p->spec.limits.calls = NO_LIMIT;
    }
    for (size_t i = 0; i < p->tool_count; i++) {
        p->tools[i].finished = false;
    }
    for (size_t i = 0; i < spec->phase_count; i++) {
        p->phase_done[i] = false;
    }
    p->undone = spec->phase_count;
    p->stored = p->completed = p->gate_opened = false;
    p->calls = 0;
    p->turn = 1;
    haft__choice_facts facts = facts_of(p);
    p->gate_opened = haft__gate_evaluate(&p->spec, &facts).open;
    p->choice = (haft__choice){.rule = HAFT__RULE_LIMIT};
}

/* ---- reports ---- */

/* Reports limits that are too small. `p` is a simulation without limits, which has the required
 * values. */
static void report_limits(haft__loader *l, const player *p)
{
    const haft__spec_limits *limits = &l->spec->limits;
    bool workflow = l->spec->kind == HAFT__SPEC_WORKFLOW;
    const char *what = workflow ? "the workflow cannot be completed" : "the gate cannot open";
    if (p->calls > limits->calls) {
        (void)haft__loader_error(l, HAFT__LIT("/limits/calls"), HAFT__SUBJECT_VALUE,
                                 "with %u calls %s: it takes at least %u", limits->calls, what,
                                 p->calls);
        return;
    }
    /* `turn` is the turn that reached the goal, or the turn after it if the goal was the gate. */
    uint32_t required = p->turn + 1;
    haft__spec_problem *problem =
        haft__loader_error(l, HAFT__LIT("/limits/turns"), HAFT__SUBJECT_VALUE,
                           "with %u turns %s: it takes at least %u", limits->turns, what, required);
    haft__loader_hint(l, problem, "in the last turn no tool can be called");
}

/* Reports a workflow that did not complete even without limits. */
static void report_no_end(haft__loader *l, const player *p)
{
    bool none = l->spec->choice.default_choice.mode == HAFT__MODE_NONE;
    haft_str pointer = none ? HAFT__LIT("/choice/default") : HAFT__LIT("/kind");
    haft__spec_problem *problem = haft__loader_error(
        l, pointer, HAFT__SUBJECT_VALUE,
        "the workflow can never end: " HAFT__TOOL_COMPLETE " would always be refused");
    haft__loader_hint(l, problem, "%.*s", HAFT__ARG(haft__buf_str(&p->why)));
}

/* Reports a workflow that can be completed only in the turn that opens the gate, before the model
 * sees the results of that turn. */
static void report_unlikely_end(haft__loader *l)
{
    bool none = l->spec->choice.default_choice.mode == HAFT__MODE_NONE;
    haft_str pointer = none ? HAFT__LIT("/choice/default") : HAFT__LIT("/choice/schedule");
    haft__spec_problem *problem =
        haft__loader_error(l, pointer, HAFT__SUBJECT_VALUE,
                           "once the gate is open, no turn allows " HAFT__TOOL_COMPLETE
                           ": the workflow can end only by chance");
    haft__loader_hint(l, problem, "%s",
                      none ? "the default is none; write auto" : "check choice.schedule");
}

static bool has_completion(const player *p)
{
    for (size_t i = 0; i < p->tool_count; i++) {
        if (haft__str_equal(p->tools[i].name, HAFT__LIT(HAFT__TOOL_COMPLETE))) {
            return true;
        }
    }
    return false;
}

/* Reports a forced default whose tool is always refused, so that it would be forced in every
 * turn. */
static void check_default(haft__loader *l, const player *p)
{
    const haft__tool_choice *wish = &l->spec->choice.default_choice;
    haft__choice_facts facts = facts_of(p);
    if (wish->mode != HAFT__MODE_TOOL || facts.default_satisfied || p->completed
        || p->choice.rule != HAFT__RULE_DEFAULT || p->choice.mode != HAFT__MODE_TOOL) {
        return;
    }
    haft__spec_problem *problem = haft__loader_error(
        l, HAFT__LIT("/choice/default"), HAFT__SUBJECT_VALUE,
        "the default requires \"%.*s\", whose calls are always refused", HAFT__ARG(wish->tool));
    haft__loader_hint(l, problem, "%.*s", HAFT__ARG(haft__buf_str(&p->why)));
}

static void check_goal(haft__loader *l, player *p)
{
    bool workflow = l->spec->kind == HAFT__SPEC_WORKFLOW;
    if (workflow && !has_completion(p)) {
        haft__spec_problem *problem = haft__loader_error(
            l, HAFT__LIT("/kind"), HAFT__SUBJECT_VALUE,
            "the workflow can never end: " HAFT__TOOL_COMPLETE " is not %s",
            haft__tools_find(&l->spec->tools, HAFT__LIT(HAFT__TOOL_COMPLETE)) != NULL
                ? "allowed by builtins"
                : "enabled");
        haft__loader_hint(
            l, problem, "add - builtin: [" HAFT__TOOL_COMPLETE "] to tools, or write kind: agent");
        return;
    }
    size_t before = l->problems.errors;
    start(p, l->spec, true);
    simulate(l, p);
    check_default(l, p);
    if (l->problems.errors > before || (!workflow && (reaches_goal(p) || !l->spec->choice.gate))) {
        return;
    }
    bool reached = reaches_goal(p);
    p->patient = reached;
    start(p, l->spec, false);
    simulate(NULL, p);
    if (reached && !reaches_goal(p)) {
        report_unlikely_end(l);
    } else if (!reached && reaches_goal(p)) {
        report_limits(l, p);
    } else if (!reached && workflow) {
        report_no_end(l, p);
    }
}

void haft__loader_check_reachability(haft__loader *l)
{
    static const char keys[] = "kind phases tools mcp choice builtins enabled_builtins limits";
    player p = {.turn = 1};
    if (l->broken || l->spec->kind == HAFT__SPEC_GRAPH || !haft__loader_keys_are_valid(l, keys)
        || !collect_tools(l, &p) || !collect_phases(l, &p)) {
        return;
    }
    haft__buf_init(&p.why, REASON_MAX);
    check_goal(l, &p);
    if (p.no_memory) {
        l->status = HAFT_NO_MEMORY;
    }
    haft__buf_finish(&p.why);
}
