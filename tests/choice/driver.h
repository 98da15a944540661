/* SPDX-License-Identifier: Apache-2.0 */
/*
 * driver.h - a small agent loop on top of the policy, for tests: the real one is src/run.
 *
 * A drive is a run whose test defines the result of each call. The loop asks the policy before
 * each reply, judges the reply, and runs its accepted calls.
 */
#ifndef HAFT_TESTS_CHOICE_DRIVER_H
#define HAFT_TESTS_CHOICE_DRIVER_H

#include "choice_help.h"

enum { DRIVE_TOOLS = 8, DRIVE_PHASES = 4, DRIVE_CALLS = 4, DRIVE_NO_TOOL = 99 };

typedef enum drive_outcome {
    DRIVE_FINISHES,
    DRIVE_INVALID,  /* the arguments are invalid */
    DRIVE_REJECTED, /* a person rejects the call */
} drive_outcome;

typedef struct drive_reply {
    bool text;
    size_t call_count;
    struct {
        size_t tool; /* index, or DRIVE_NO_TOOL: an unknown name */
        drive_outcome outcome;
    } calls[DRIVE_CALLS];
} drive_reply;

typedef struct drive {
    const haft__spec *spec;
    haft__choice_tool tools[DRIVE_TOOLS];
    size_t tool_count;
    size_t found_count;  /* tools after those, which tool_search finds */
    bool deferred;       /* tools are deferred, and no search has been made */
    uint32_t turn;       /* the one about to start, from 1 */
    uint32_t violations; /* violations in this turn */
    uint32_t invalid;    /* consecutive replies of which no call could run */
    uint32_t reminders;
    bool gate_opened, default_satisfied, artifact_stored, completed;
    const char *end; /* NULL until it ends */
} drive;

/* Observers of the run. Each may be NULL. */
typedef struct drive_watch {
    void (*guarded)(void *context, const drive *run, haft_str tool, bool passed);
    void *context;
    haft__buf *log;   /* "glob finished, gate opens" */
    haft__buf *texts; /* each text for the model on a line */
} drive_watch;

static inline haft__choice_facts drive_facts(const drive *run)
{
    return (haft__choice_facts){.turn = run->turn,
                                .tools = run->tools,
                                .tool_count = run->tool_count,
                                .gate_opened = run->gate_opened,
                                .search = run->deferred ? HAFT__LIT("tool_search") : HAFT__LIT(""),
                                .default_satisfied = run->default_satisfied};
}

static inline void drive_log(const drive_watch *watch, const char *what, const char *more)
{
    if (watch->log != NULL) {
        haft__buf_addf(watch->log, "%s%s%s", watch->log->len > 0 ? ", " : "", what, more);
    }
}

/* Declares the artifact tools that were hidden until the gate opened. */
static inline void drive_declare_artifacts(drive *run, const drive_watch *watch)
{
    for (size_t i = 0; i < run->tool_count; i++) {
        haft__choice_tool *tool = &run->tools[i];
        if (tool->hidden && tool->role == HAFT__ROLE_ARTIFACT) {
            char name[64];
            tool->hidden = false;
            (void)snprintf(name, sizeof(name), "%.*s", HAFT__ARG(tool->name));
            drive_log(watch, name, " declared");
        }
    }
}

/* The gate_opened event: noted once, when the gate is open. */
static inline void drive_note_gate(drive *run, const drive_watch *watch)
{
    haft__choice_facts facts = drive_facts(run);
    haft__gate gate = haft__gate_evaluate(run->spec, &facts);
    if (gate.on && gate.open && !run->gate_opened) {
        run->gate_opened = true;
        drive_log(watch, "gate opens", "");
        drive_declare_artifacts(run, watch);
    }
}

/* `found`: how many of the tools, the last ones, are offered only after a search. */
static inline void drive_start(drive *run, const haft__spec *spec, const haft__choice_tool *tools,
                               size_t count, size_t found, bool deferred)
{
    *run = (drive){.spec = spec,
                   .tool_count = count - found,
                   .found_count = found,
                   .deferred = deferred,
                   .turn = 1};
    memcpy(run->tools, tools, count * sizeof(*tools));
    drive_note_gate(run, &(drive_watch){NULL, NULL, NULL, NULL});
}

static inline void drive_choose(const drive *run, bool allowed[DRIVE_TOOLS],
                                haft__choice *ret_choice)
{
    haft__choice_facts facts = drive_facts(run);
    haft__choice_decide(run->spec, &facts, allowed, ret_choice);
}

static inline haft_str drive_name(const drive *run, size_t tool)
{
    return tool == DRIVE_NO_TOOL ? HAFT__LIT("nosuch") : run->tools[tool].name;
}

static inline haft__violation drive_judge(const drive *run, const haft__choice *choice,
                                          const drive_reply *reply)
{
    haft_str names[DRIVE_CALLS];
    haft__call_standing standings[DRIVE_CALLS];
    for (size_t i = 0; i < reply->call_count; i++) {
        size_t tool = reply->calls[i].tool;
        names[i] = drive_name(run, tool);
        standings[i] = tool == DRIVE_NO_TOOL   ? HAFT__CALL_UNKNOWN
                       : choice->allowed[tool] ? HAFT__CALL_ALLOWED
                                               : HAFT__CALL_NOT_ALLOWED;
    }
    return haft__judge_reply(choice, reply->text, names, standings, reply->call_count);
}

/* Asks the model again, or ends the run. */
static inline void drive_on_violation(drive *run, const haft__choice *choice,
                                      haft__violation violation, const drive_watch *watch)
{
    drive_log(watch, "violation: ", haft__violation_name(violation));
    run->violations++;
    if (run->violations > run->spec->limits.violations) {
        run->end = "violated";
        return;
    }
    if (watch->texts != NULL) {
        haft__choice_facts facts = drive_facts(run);
        haft__violation_correction(watch->texts, choice, &facts, violation);
        haft__buf_add_char(watch->texts, '\n');
    }
    drive_log(watch, "asked again", "");
}

static inline void drive_on_text(drive *run, const drive_watch *watch)
{
    run->invalid = 0;
    if (run->spec->kind != HAFT__SPEC_WORKFLOW || run->completed) {
        run->end = "done";
    } else if (run->reminders == run->spec->limits.reminders) {
        run->end = "incomplete";
    } else {
        run->reminders++;
        run->turn++;
        drive_log(watch, "reminded", "");
    }
}

static inline bool drive_phase_done(const drive *run, const haft__phase *phase)
{
    for (size_t i = 0; i < phase->tool_count; i++) {
        for (size_t k = 0; k < run->tool_count; k++) {
            if (run->tools[k].finished && haft__str_equal(run->tools[k].name, phase->tools[i])) {
                return true;
            }
        }
    }
    return false;
}

static inline bool drive_passes_guard(const drive *run, haft_str name, const drive_watch *watch)
{
    bool phase_done[DRIVE_PHASES];
    for (size_t i = 0; i < run->spec->phase_count; i++) {
        phase_done[i] = drive_phase_done(run, &run->spec->phases[i]);
    }
    haft__choice_facts facts = drive_facts(run);
    haft__guard_facts guard =
        haft__guard_collect(run->spec, &facts, phase_done, run->artifact_stored);
    haft__buf no_text; /* has no capacity: without an observer no text is made */
    haft__buf_init(&no_text, 0);
    bool passed =
        haft__guard_passes(run->spec, &guard, name, watch->texts != NULL ? watch->texts : &no_text);
    if (!passed && watch->texts != NULL) {
        haft__buf_add_char(watch->texts, '\n');
    }
    haft__buf_finish(&no_text);
    if (watch->guarded != NULL) {
        watch->guarded(watch->context, run, name, passed);
    }
    return passed;
}

static inline void drive_finish_call(drive *run, size_t index)
{
    haft__choice_tool *tool = &run->tools[index];
    const haft__tool_choice *by_default = &run->spec->choice.default_choice;
    tool->finished = true;
    tool->rejected = false;
    if (haft__str_equal(tool->name, HAFT__LIT("tool_search"))) {
        run->tool_count += run->found_count;
        run->found_count = 0;
        run->deferred = false;
    }
    run->artifact_stored |= tool->role == HAFT__ROLE_ARTIFACT;
    run->completed |= haft__str_equal(tool->name, HAFT__LIT("complete_workflow"));
    run->default_satisfied |=
        by_default->mode == HAFT__MODE_ANY
        || (by_default->mode == HAFT__MODE_TOOL && haft__str_equal(tool->name, by_default->tool));
}

/* Known? allowed? valid? guard? approval? Returns the result; NULL if it was unknown or invalid. */
static inline const char *drive_call(drive *run, const haft__choice *choice, size_t index,
                                     drive_outcome outcome, const drive_watch *watch)
{
    if (index == DRIVE_NO_TOOL || (choice->allowed[index] && outcome == DRIVE_INVALID)) {
        return NULL;
    }
    if (!choice->allowed[index]) {
        return " refused: not_allowed";
    }
    if (run->tools[index].role == HAFT__ROLE_CONTROL
        && !drive_passes_guard(run, run->tools[index].name, watch)) {
        return " refused: guard";
    }
    if (outcome == DRIVE_REJECTED) {
        run->tools[index].rejected = !run->tools[index].finished;
        return " refused: denied";
    }
    drive_finish_call(run, index);
    return " finished";
}

static inline void drive_on_calls(drive *run, const haft__choice *choice, const drive_reply *reply,
                                  const drive_watch *watch)
{
    bool all_bad = true;
    for (int control = 0; control < 2; control++) { /* control calls are judged last */
        for (size_t i = 0; i < reply->call_count; i++) {
            size_t tool = reply->calls[i].tool;
            bool is_control = tool != DRIVE_NO_TOOL && run->tools[tool].role == HAFT__ROLE_CONTROL;
            if (is_control == (control == 1)) {
                const char *what = drive_call(run, choice, tool, reply->calls[i].outcome, watch);
                const char *bad = tool == DRIVE_NO_TOOL ? " refused: unknown" : " refused: invalid";
                char name[64];
                (void)snprintf(name, sizeof(name), "%.*s", HAFT__ARG(drive_name(run, tool)));
                drive_log(watch, name, what == NULL ? bad : what);
                all_bad &= what == NULL;
            }
        }
    }
    run->invalid = all_bad ? run->invalid + 1 : 0;
    run->turn++;
    run->end =
        run->invalid > 0 && run->invalid >= run->spec->limits.invalid_calls ? "violated" : NULL;
    drive_note_gate(run, watch);
}

/* Applies one reply under its choice. */
static inline void drive_take(drive *run, const haft__choice *choice, const drive_reply *reply,
                              const drive_watch *watch)
{
    haft__violation violation = drive_judge(run, choice, reply);
    if (violation != HAFT__VIOLATION_NONE) {
        drive_on_violation(run, choice, violation, watch);
    } else if (choice->rule == HAFT__RULE_LIMIT) {
        run->end = reply->text ? "done" : "exhausted"; /* calls are not run */
    } else {
        run->violations = 0;
        if (reply->call_count == 0) {
            drive_on_text(run, watch);
        } else {
            drive_on_calls(run, choice, reply, watch);
        }
    }
    if (run->end != NULL) {
        drive_log(watch, run->end,
                  choice->rule == HAFT__RULE_LIMIT && reply->text ? ", forced_final" : "");
    }
}

#endif
