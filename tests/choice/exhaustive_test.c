/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests of the whole policy by exhaustion: all sets of up to six tools (data, control, artifact),
 * every min_tools_for_auto from 0 to 8, everything a model can do in each turn, to the end of the
 * run. States that differ only in the names of data tools count as one. In each state and step:
 *   - the gate is never stuck: while it is closed, a data tool that would count may be called;
 *   - once open, it never closes again, even if the tool set grows;
 *   - no artifact tool is allowed while calls are forced, unless nothing else is left;
 *   - no early question and no early completion passes, and every late one does;
 *   - each reply brings the run nearer to its end;
 *   - choice, judgement and guards agree with the oracle.
 */
#include "driver.h"
#include "oracle_view.h"

enum { TURNS = 8, SLOTS = 1 << 18 };

/* The kind of run that is explored, and statistics. */
typedef struct maze {
    uint32_t slots[SLOTS]; /* keys of states seen, 0 is free */
    drive queue[SLOTS / 2];
    size_t used[SLOTS / 2];
    size_t count;
    size_t states, replies, passed, refused;
    size_t ends[4];
} maze;

static const char *const endings[] = {"done", "exhausted", "incomplete", "violated"};

/* The state as one number. Data tools from `first` on are interchangeable, so they are sorted. */
static uint32_t key_of(drive *run, size_t first)
{
    for (size_t i = first; i < run->tool_count; i++) {
        for (size_t k = i; k > first && run->tools[k].role == HAFT__ROLE_DATA; k--) {
            haft__choice_tool *a = &run->tools[k - 1], *b = &run->tools[k];
            if (a->finished + 2 * a->rejected >= b->finished + 2 * b->rejected) {
                break;
            }
            haft__choice_tool flags = *a;
            a->finished = b->finished, a->rejected = b->rejected;
            b->finished = flags.finished, b->rejected = flags.rejected;
        }
    }
    uint32_t key = 1;
    for (size_t i = 0; i < MAX_TOOLS; i++) {
        /* Of the others only one thing matters: whether something is stored, or the run is
         * complete. */
        bool data = i < run->tool_count && run->tools[i].role == HAFT__ROLE_DATA;
        key = key * 3 + (data ? run->tools[i].finished + 2U * run->tools[i].rejected : 0);
    }
    key = key * (TURNS + 1) + run->turn;
    key = key * 4 + run->violations;
    key = key * 4 + run->invalid;
    key = key * 4 + run->reminders;
    return key * 16 + run->gate_opened + 2U * run->default_satisfied + 4U * run->artifact_stored
           + 8U * run->completed;
}

static void visit(maze *walk, drive *run, size_t first)
{
    uint32_t key = key_of(run, first);
    size_t slot = (key * 2654435761U) >> 14;
    while (walk->slots[slot] != 0 && walk->slots[slot] != key) {
        slot = (slot + 1) % SLOTS;
    }
    if (walk->slots[slot] == key) {
        return;
    }
    if (walk->count == COUNT(walk->queue)) {
        MUST(false, "too many states");
        return;
    }
    walk->slots[slot] = key;
    walk->used[walk->count] = slot;
    walk->queue[walk->count++] = *run;
}

static oracle_world see_run(const drive *run)
{
    haft__choice_facts facts = drive_facts(run);
    oracle_world w = see_spec(run->spec);
    see_facts(&w, &facts);
    w.stored = run->artifact_stored;
    /* There is at most one phase, with all data tools. */
    if (run->spec->phase_count > 0 && oracle_counted(&w).count == 0) {
        append(&w.phases_left, "gather");
    }
    return w;
}

/* The driver reports each control call that reached a guard. */
static void on_guard(void *context, const drive *run, haft_str tool, bool passed)
{
    maze *walk = context;
    oracle_world w = see_run(run);
    if (haft__str_equal(tool, HAFT__LIT("request_user_input"))) {
        MUST(passed != oracle_question_is_early(&w), "question: passed %d", passed);
    } else if (haft__str_equal(tool, HAFT__LIT("complete_workflow"))) {
        MUST(passed != oracle_completion_is_early(&w), "completion: passed %d", passed);
    } else {
        MUST(passed, "%s was refused, but has no guard", tool.ptr);
    }
    walk->passed += passed ? 1 : 0;
    walk->refused += passed ? 0 : 1;
}

/* While the gate is closed, calling the tools that count, one after the other, opens it. */
static void check_can_open(const drive *run, const haft__choice *choice)
{
    drive ahead = *run;
    bool allowed[DRIVE_TOOLS];
    memcpy(allowed, choice->allowed, sizeof(allowed));
    for (size_t calls = 0; calls <= run->tool_count; calls++) {
        haft__choice_facts facts = drive_facts(&ahead);
        if (haft__gate_evaluate(run->spec, &facts).open) {
            MUST(calls > 0, "the gate is open before any call");
            return;
        }
        for (size_t i = 0; i < ahead.tool_count; i++) {
            haft__choice_tool *tool = &ahead.tools[i];
            if (allowed[i] && tool->role == HAFT__ROLE_DATA && !tool->finished && !tool->rejected) {
                tool->finished = true;
                break;
            }
        }
    }
    MUST(false, "the gate is stuck in turn %u", run->turn);
}

static void check_stays_open(const drive *run)
{
    drive grown = *run;
    while (grown.tool_count < DRIVE_TOOLS) {
        grown.tools[grown.tool_count++] =
            (haft__choice_tool){.name = {"new", 3}, .role = HAFT__ROLE_DATA};
        haft__choice_facts facts = drive_facts(&grown);
        MUST(haft__gate_evaluate(run->spec, &facts).open, "a new tool closed the gate");
    }
}

static void check_artifacts(const drive *run, const haft__choice *choice)
{
    bool artifact = false, other = false;
    for (size_t i = 0; i < run->tool_count; i++) {
        bool is_artifact = run->tools[i].role == HAFT__ROLE_ARTIFACT;
        artifact |= is_artifact && choice->allowed[i];
        other |= !is_artifact;
    }
    MUST(choice->mode != HAFT__MODE_ANY || !artifact || !other,
         "an artifact tool is allowed while calls are forced");
    MUST(choice->mode != HAFT__MODE_ANY || artifact || other,
         "calls are forced, but no tool is allowed");
}

static void check_state(const drive *run, const haft__choice *choice, const oracle_world *w,
                        const oracle_answer *answer)
{
    haft__choice_facts facts = drive_facts(run);
    compare(choice, &facts, w, answer);
    check_artifacts(run, choice);
    if (run->gate_opened) {
        MUST(choice->gate.open && choice->rule != HAFT__RULE_GATE, "the gate closed again");
        check_stays_open(run);
    } else if (choice->rule == HAFT__RULE_GATE) {
        check_can_open(run, choice);
    }
}

/* One reply, all its checks, and the state after it. */
static void try_reply(maze *walk, const drive *run, const haft__choice *choice,
                      const oracle_world *w, const oracle_answer *answer, const drive_reply *reply,
                      size_t first)
{
    oracle_list calls = {0};
    for (size_t i = 0; i < reply->call_count; i++) {
        append(&calls, drive_name(run, reply->calls[i].tool).ptr);
    }
    const char *found = haft__violation_name(drive_judge(run, choice, reply));
    const char *wanted = oracle_judge(w, answer, reply->text, &calls);
    MUST(strcmp(found, wanted) == 0, "'%s', the oracle says '%s'", found, wanted);

    drive next = *run;
    drive_take(&next, choice, reply, &(drive_watch){on_guard, walk, NULL, NULL});
    walk->replies++;
    MUST(next.turn > run->turn || next.violations > run->violations || next.end != NULL,
         "nothing has changed in turn %u", run->turn);
    MUST(next.turn <= run->spec->limits.turns, "turn %u", next.turn);
    MUST(next.violations <= run->spec->limits.violations + 1, "asked %u times", next.violations);
    MUST(!run->gate_opened || next.gate_opened, "the gate closed");
    if (next.end == NULL) {
        visit(walk, &next, first);
        return;
    }
    size_t end = 0;
    while (end < COUNT(endings) && strcmp(endings[end], next.end) != 0) {
        end++;
    }
    MUST(end < COUNT(endings), "ended as %s", next.end);
    walk->ends[end]++;
}

/* A data tool whose predecessor has the same state needs no reply of its own. */
static bool is_like_the_one_before(const drive *run, size_t tool, size_t first)
{
    const haft__choice_tool *t = &run->tools[tool];
    return tool > first && t->role == HAFT__ROLE_DATA && t[-1].role == HAFT__ROLE_DATA
           && t->finished == t[-1].finished && t->rejected == t[-1].rejected;
}

/* Everything that a model can do: nothing, text, one call of each tool with every result, and two
 * calls of which the second may be unknown or a control tool. */
static void try_replies(maze *walk, const drive *run, size_t first)
{
    bool allowed[DRIVE_TOOLS] = {false};
    haft__choice choice;
    drive_choose(run, allowed, &choice);
    oracle_world w = see_run(run);
    oracle_answer answer = oracle_decide(&w);
    check_state(run, &choice, &w, &answer);
    drive_reply reply = {.text = false};
    try_reply(walk, run, &choice, &w, &answer, &reply, first);
    reply.text = true;
    try_reply(walk, run, &choice, &w, &answer, &reply, first);
    reply = (drive_reply){.call_count = 1, .calls = {{DRIVE_NO_TOOL, DRIVE_FINISHES}}};
    try_reply(walk, run, &choice, &w, &answer, &reply, first);
    for (size_t i = 0; i < run->tool_count; i++) {
        if (is_like_the_one_before(run, i, first)) {
            continue;
        }
        reply.calls[0].tool = i;
        for (unsigned outcome = DRIVE_FINISHES; outcome <= DRIVE_REJECTED; outcome++) {
            reply.calls[0].outcome = (drive_outcome)outcome;
            try_reply(walk, run, &choice, &w, &answer, &reply, first);
        }
        reply.calls[0].outcome = DRIVE_FINISHES;
        reply.call_count = 2;
        reply.calls[1].tool = DRIVE_NO_TOOL;
        try_reply(walk, run, &choice, &w, &answer, &reply, first);
        for (size_t k = 0; k < run->tool_count; k++) {
            if (k != i && run->tools[k].role == HAFT__ROLE_CONTROL) {
                /* The control call first: it is judged last all the same. */
                drive_reply batch = {.call_count = 2,
                                     .calls = {{k, DRIVE_FINISHES}, {i, DRIVE_FINISHES}}};
                try_reply(walk, run, &choice, &w, &answer, &batch, first);
            }
        }
        reply.call_count = 1;
    }
}

/* From the first turn to every reachable state; `first` is the first interchangeable data tool. */
static void explore(maze *walk, const haft__spec *spec, const haft__choice_tool *tools,
                    size_t count, size_t first)
{
    for (size_t i = 0; i < walk->count; i++) {
        walk->slots[walk->used[i]] = 0;
    }
    walk->count = 0;
    drive run;
    drive_start(&run, spec, tools, count, 0, false);
    visit(walk, &run, first);
    for (size_t at = 0; at < walk->count; at++) {
        run = walk->queue[at];
        try_replies(walk, &run, first);
    }
    walk->states += walk->count;
}

static const haft_str data_names[] = {{"d1", 2}, {"d2", 2}, {"d3", 2},
                                      {"d4", 2}, {"d5", 2}, {"d6", 2}};
static const haft_str control_names[] = {
    {"request_user_input", 18},
    {"complete_workflow", 17},
    {"c3", 2},
    {"c4", 2},
    {"c5", 2},
    {"c6", 2},
};
static const haft_str artifact_names[] = {
    {"store_artifact", 14}, {"s2", 2}, {"s3", 2}, {"s4", 2}, {"s5", 2}, {"s6", 2}};

/* Makes a set of tools. With one control tool it is either of the two. */
static size_t make_set(const size_t counts[3], size_t control_from, haft__choice_tool *tools)
{
    static const haft__tool_role roles[] = {HAFT__ROLE_DATA, HAFT__ROLE_CONTROL,
                                            HAFT__ROLE_ARTIFACT};
    const haft_str *const all_names[] = {data_names, control_names + control_from, artifact_names};
    size_t count = 0;
    for (size_t role = 0; role < 3; role++) {
        for (size_t i = 0; i < counts[role]; i++) {
            tools[count++] = (haft__choice_tool){.name = all_names[role][i], .role = roles[role]};
        }
    }
    return count;
}

/* The shortest workflow that has everything. */
static haft__spec short_workflow(const haft__phase *gather)
{
    haft__spec spec = help_spec();
    spec.kind = HAFT__SPEC_WORKFLOW;
    spec.choice.gate = true;
    spec.phases = gather;
    spec.phase_count = gather->tool_count > 0 ? 1 : 0;
    spec.limits.turns = TURNS;
    spec.limits.violations = 1;
    spec.limits.invalid_calls = 2;
    spec.limits.reminders = 1;
    return spec;
}

static void explore_set(maze *walk, const size_t counts[3], size_t control_from,
                        void (*vary)(maze *, haft__spec *, const haft__choice_tool *, size_t))
{
    haft__choice_tool tools[MAX_TOOLS];
    size_t count = make_set(counts, control_from, tools);
    const haft__phase gather = {HAFT__LIT("gather"), data_names, counts[0]};
    haft__spec spec = short_workflow(&gather);
    for (uint32_t min = 0; min <= MAX_LEAST; min++) {
        spec.choice.min_tools_for_auto = min;
        vary(walk, &spec, tools, count);
    }
}

static void for_each_set(maze *walk, size_t max,
                         void (*vary)(maze *, haft__spec *, const haft__choice_tool *, size_t))
{
    for (size_t all = 0; all <= max; all++) {
        for (size_t data = 0; data <= all; data++) {
            for (size_t control = 0; control <= all - data; control++) {
                const size_t counts[] = {data, control, all - data - control};
                for (size_t from = 0; from < (control == 1 ? 2 : 1); from++) {
                    explore_set(walk, counts, from, vary);
                }
            }
        }
    }
}

static void report(const maze *walk, const char *what)
{
    printf("# %s: %zu states, %zu replies, guards passed %zu and refused %zu; ends:", what,
           walk->states, walk->replies, walk->passed, walk->refused);
    for (size_t i = 0; i < COUNT(endings); i++) {
        printf(" %s %zu", endings[i], walk->ends[i]);
        CHECK(walk->ends[i] > 0, "no run ended as %s", endings[i]);
    }
    printf("\n");
    CHECK(walk->passed > 0 && walk->refused > 0, "no guard passed or refused a call");
    CHECK_INT(failures, 0, "failures in %zu states", walk->states);
}

static void with_gate(maze *walk, haft__spec *spec, const haft__choice_tool *tools, size_t count)
{
    explore(walk, spec, tools, count, 0);
}

TEST(every_run_through_the_gate_keeps_the_rules_and_ends)
{
    failures = 0;
    maze *walk = test_alloc(sizeof(*walk));
    memset(walk, 0, sizeof(*walk));
    for_each_set(walk, MAX_TOOLS, with_gate);
    report(walk, "gate");
}

/* Forced defaults and schedules, with and without a gate, for agents and for workflows. */
static void with_schedules_and_defaults(maze *walk, haft__spec *spec,
                                        const haft__choice_tool *tools, size_t count)
{
    static const char *const defaults[] = {"any", "d1", "none", "missing", "complete_workflow"};
    static const char *const schedules[][4] = {{"gate", "gate", "gate", "gate"},
                                               {"d1", "auto", "gate", "none"},
                                               {"none", "any", "missing", "store_artifact"}};
    uint32_t min = spec->choice.min_tools_for_auto;
    if (min != 0 && min != 3) {
        return;
    }
    for (size_t i = 0; i < COUNT(defaults) * COUNT(schedules); i++) {
        haft__spec varied = *spec;
        varied.choice.default_choice = help_tool_choice(haft__str(defaults[i % COUNT(defaults)]));
        const size_t length = COUNT(schedules[0]);
        haft__tool_choice *schedule = test_alloc(length * sizeof(*schedule));
        for (size_t k = 0; k < length; k++) {
            schedule[k] = help_tool_choice(haft__str(schedules[i / COUNT(defaults)][k]));
        }
        varied.choice.schedule = schedule;
        varied.choice.schedule_count = length;
        varied.choice.gate = min > 0;
        explore(walk, &varied, tools, count, 1);
        varied.kind = HAFT__SPEC_AGENT;
        explore(walk, &varied, tools, count, 1);
    }
}

TEST(every_run_with_a_schedule_or_a_forced_default_keeps_the_rules_and_ends)
{
    failures = 0;
    maze *walk = test_alloc(sizeof(*walk));
    memset(walk, 0, sizeof(*walk));
    for_each_set(walk, 4, with_schedules_and_defaults);
    report(walk, "schedule and default");
}
