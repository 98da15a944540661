/* SPDX-License-Identifier: Apache-2.0 */
/*
 * choice/choice.h - the tool-choice policy: may the model call a tool in this turn, must it, which
 * ones, and why. Pure functions of the spec and of what has happened; docs/choice.md explains them.
 */
#ifndef HAFT_CHOICE_CHOICE_H
#define HAFT_CHOICE_CHOICE_H

#include "base/buf.h"
#include "tool/spec.h"

/* Most tools that can be offered in one turn. */
#define HAFT__CHOICE_TOOLS HAFT__LIMIT_CHOICE_TOOLS

/* A tool that is offered in this turn, and what has become of its calls so far in this run. */
typedef struct haft__choice_tool {
    haft_str name;
    haft__tool_role role;
    bool finished; /* has a call_finished, ok or not: counts for the gate if it is a data tool */
    bool rejected; /* was called, and a person rejected every call of it */
} haft__choice_tool;

/* A budget that is used up: "turns", "calls", "tokens", "usd", "wall". */
typedef struct haft__spent {
    const char *what; /* NULL: none is */
    uint64_t used, limit;
} haft__spent;

/* What has happened, as far as the policy looks at it. */
typedef struct haft__choice_facts {
    uint32_t turn; /* the one about to start, from 1 */
    const haft__choice_tool *tools;
    size_t tool_count;
    /* Tools that are not offered any more but were counted; they stay counted. */
    const haft_str *also_counted;
    size_t also_counted_count;
    bool gate_opened;       /* a gate_opened event has been seen: it stays open */
    bool default_satisfied; /* a call such as the forced default wants has finished */
    haft__spent spent;      /* a budget other than turns */
} haft__choice_facts;

typedef struct haft__gate {
    bool on;            /* this run has a gate */
    uint32_t called;    /* distinct data tools counted */
    uint32_t threshold; /* after the cap by what is reachable */
    bool open;
} haft__gate;

/* Which rule decided. */
typedef enum haft__choice_rule {
    HAFT__RULE_LIMIT,
    HAFT__RULE_SCHEDULE,
    HAFT__RULE_GATE,
    HAFT__RULE_DEFAULT,
} haft__choice_rule;

typedef struct haft__choice {
    haft__mode mode;
    haft_str tool; /* of HAFT__MODE_TOOL */
    haft__choice_rule rule;
    haft__gate gate;
    char reason[160]; /* one sentence for people: "2 of 4 data tools called" */
    bool *allowed;    /* for each of facts->tools: may it run in this turn */
} haft__choice;

/* Decides the next turn. `allowed` (facts->tool_count of them) is the caller's. */
void haft__choose(const haft__spec *spec, const haft__choice_facts *facts, bool *allowed,
                  haft__choice *ret_choice);

/* The gate alone: what gate_opened is decided by. */
haft__gate haft__gate_look(const haft__spec *spec, const haft__choice_facts *facts);

/* Which budget is used up, if any; turns are not looked at here. */
typedef struct haft__usage {
    uint32_t calls;
    uint64_t input_tokens, output_tokens, cached_tokens;
    uint64_t cost_micros;
    uint64_t wall_ms;
} haft__usage;
haft__spent haft__budget_look(const haft__spec *spec, const haft__usage *usage);

/* ---- judging a reply ---- */

typedef enum haft__call_standing {
    HAFT__CALL_ALLOWED,     /* a tool that may run in this turn */
    HAFT__CALL_NOT_ALLOWED, /* a tool that exists but may not */
    HAFT__CALL_UNKNOWN,     /* no such tool */
} haft__call_standing;

#define HAFT__VIOLATIONS(X)                                                                        \
    X(NONE, "")                                                                                    \
    X(EMPTY, "empty_reply")                                                                        \
    X(TEXT, "text_instead_of_call")                                                                \
    X(NOT_ALLOWED, "only_disallowed_calls")                                                        \
    X(WRONG_TOOL, "wrong_tool")                                                                    \
    X(CALLS, "calls_under_none")

typedef enum haft__violation {
#define X(name, text) HAFT__VIOLATION_##name,
    HAFT__VIOLATIONS(X)
#undef X
} haft__violation;

/* Whether a reply breaks the choice. Under `none` because of a limit nothing is a violation: the
 * caller does not run the calls. */
haft__violation haft__judge(const haft__choice *choice, bool has_text, const haft_str *call_names,
                            const haft__call_standing *standings, size_t call_count);
const char *haft__violation_name(haft__violation violation);

/* What the model is told when it is asked again. */
void haft__violation_correction(haft__buf *buf, const haft__choice *choice,
                                const haft__choice_facts *facts, haft__violation violation);

/* ---- guards ---- */

/* What the guards of control tools look at. */
typedef struct haft__guard_facts {
    haft__gate gate;
    uint32_t data_called;    /* distinct data tools with a finished call */
    uint32_t data_reachable; /* data tools allowed now or already counted, rejected ones left out */
    const bool *phase_done;  /* for each phase of the spec: has one of its tools a finished call? */
    bool artifact_offered;   /* store_artifact is enabled */
    bool artifact_stored;
} haft__guard_facts;

/* Whether the control tool may run now. If not, appends what is missing, for the model to read. */
bool haft__guard_passes(const haft__spec *spec, const haft__guard_facts *facts, haft_str tool,
                        haft__buf *why);

/* ---- the no-progress detector ---- */

typedef enum haft__progress_verdict {
    HAFT__PROGRESS_FINE,
    HAFT__PROGRESS_HINT,   /* run it, and tell the model with the result */
    HAFT__PROGRESS_REFUSE, /* do not run it */
    HAFT__PROGRESS_STOP,   /* end the run */
} haft__progress_verdict;

#define HAFT__PROGRESS_KEPT 8

/* The last calls of a run, newest last. Plain data, folded like the rest of the state. */
typedef struct haft__progress {
    struct {
        uint64_t call;   /* hash of tool and canonical arguments */
        uint64_t result; /* hash of what came back; 0 while it is not known */
    } last[HAFT__PROGRESS_KEPT];
    uint32_t count;    /* entries used */
    uint32_t repeated; /* how often in a row a call was found to repeat itself */
} haft__progress;

/* What to do about a call that is about to run. */
haft__progress_verdict haft__progress_look(const haft__progress *progress, uint64_t call);

/* Notes a call that finished (or was refused as a repetition: result 0). */
void haft__progress_note(haft__progress *progress, uint64_t call, uint64_t result);

#endif
