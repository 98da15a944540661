/* SPDX-License-Identifier: Apache-2.0 */
/*
 * choice/choice.h - the tool-choice policy: whether the model may call a tool in this turn, whether
 * it must, which ones, and why.
 *
 * The functions are pure: they depend only on the spec and on the facts of the run. docs/choice.md
 * explains them. They allocate only to grow a haft__buf of the caller. Every cost is linear in the
 * number of offered tools.
 */
#ifndef HAFT_CHOICE_CHOICE_H
#define HAFT_CHOICE_CHOICE_H

#include "base/buf.h"
#include "base/limits.h"
#include "spec/spec.h"

/* A tool of the offer of this turn (at most HAFT__LIMIT_CHOICE_TOOLS), and the results of its calls
 * so far in this run. Names are distinct. */
typedef struct haft__choice_tool {
    haft_str name;
    haft__tool_role role;
    bool finished; /* has a call_finished, ok or not: counts for the gate if it is a data tool */
    bool rejected; /* it was called, and a person rejected every call; `finished` wins */
    bool hidden;   /* callable but not declared: the model cannot be forced to call it */
} haft__choice_tool;

/* A budget that is used up: "turns", "calls", "cost", "tokens", "usd", "wall". */
typedef struct haft__spent_budget {
    const char *what; /* NULL: no budget is used up */
    uint64_t used, limit;
} haft__spent_budget;

/* The facts that the policy depends on. */
typedef struct haft__choice_facts {
    uint32_t turn;        /* the turn about to start, from 1 */
    uint32_t child_turns; /* turns that child runs have used of the budget */
    const haft__choice_tool *tools;
    size_t tool_count;
    /* Data tools that were counted and are no longer offered; they stay counted. Distinct, and
     * disjoint from `tools`. */
    const haft_str *also_counted;
    size_t also_counted_count;
    bool gate_opened;         /* a gate_opened event was seen; the gate stays open */
    uint32_t fixed_threshold; /* of an earlier turn; the threshold never rises above it; 0: none */
    haft_str search;          /* the tool that may still find data tools; "" without one */
    bool default_satisfied;   /* a call that satisfies the forced default has finished */
    haft__spent_budget spent; /* a budget other than turns */
    bool cut;                 /* of a correction: the reply ended at the token limit */
} haft__choice_facts;

typedef struct haft__gate {
    bool on;            /* this run has a gate */
    uint32_t called;    /* distinct data tools counted; also without a gate */
    uint32_t reachable; /* data tools counted, or offered and not rejected; also without a gate */
    uint32_t threshold; /* capped at `reachable`; 0 without a gate */
    bool open;          /* also true without a gate */
    bool searches;      /* closed, without a data tool: the model must search for one first */
} haft__gate;

/* The rule that decided. */
typedef enum haft__choice_rule {
    HAFT__RULE_LIMIT,
    HAFT__RULE_SCHEDULE,
    HAFT__RULE_GATE,
    HAFT__RULE_DEFAULT,
} haft__choice_rule;

/* Room for the longest reason: two names of tools and the words around them. */
#define HAFT__CHOICE_REASON (2 * HAFT__LIMIT_TOOL_NAME_BYTES + 96)

typedef struct haft__choice {
    haft__choice_mode mode;
    haft_str tool; /* of HAFT__MODE_TOOL */
    haft__choice_rule rule;
    haft__gate gate;
    char reason[HAFT__CHOICE_REASON]; /* for people: "2 of 4 data tools called" */
    bool *allowed;                    /* for each of facts->tools: may it run in this turn */
} haft__choice;

/* Decides the next turn. The caller owns `allowed` (facts->tool_count items). */
void haft__choice_decide(const haft__spec *spec, const haft__choice_facts *facts, bool *allowed,
                         haft__choice *ret_choice);

/* Evaluates the gate alone; the gate_opened event follows from it. */
haft__gate haft__gate_evaluate(const haft__spec *spec, const haft__choice_facts *facts);

typedef struct haft__usage {
    uint32_t calls;
    uint64_t input_tokens, output_tokens; /* their sum counts against the token budget */
    uint64_t cached_tokens;               /* part of the input; not counted a second time */
    uint64_t cost_micros;
    uint64_t wall_ms;
    uint32_t cost_units; /* haft__evidence_cost() of the calls that have started */
} haft__usage;

/* Returns the first of calls, cost, tokens, usd and wall that has reached its limit. Does not check
 * turns. */
haft__spent_budget haft__budget_check(const haft__spec *spec, const haft__usage *usage);

/* ---- judging a reply ---- */

typedef enum haft__call_standing {
    HAFT__CALL_ALLOWED,     /* a tool that may run in this turn */
    HAFT__CALL_NOT_ALLOWED, /* a tool that exists but is not allowed */
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

/* Whether a reply breaks the choice. In mode `none` because of a limit nothing is a violation: the
 * caller does not run the calls. */
haft__violation haft__judge_reply(const haft__choice *choice, bool has_text,
                                  const haft_str *call_names, const haft__call_standing *standings,
                                  size_t call_count);
const char *haft__violation_name(haft__violation violation);

/* Appends the demand for a call, for a model that cannot be forced: `names` are the tools that it
 * may call under HAFT__MODE_ANY, `tool` is that of HAFT__MODE_TOOL. */
void haft__choice_write_demand(haft__buf *buf, haft__choice_mode mode, haft_str tool,
                               const haft_str *names, size_t count);

/* Appends the correction that the model reads when it is asked again; nothing for
 * HAFT__VIOLATION_NONE. */
void haft__violation_correction(haft__buf *buf, const haft__choice *choice,
                                const haft__choice_facts *facts, haft__violation violation);

/* ---- guards ---- */

/* The facts that the guards of control tools depend on. */
typedef struct haft__guard_facts {
    haft__gate gate;
    uint32_t data_called;    /* distinct data tools with a finished call */
    uint32_t data_reachable; /* data tools that are allowed now or already counted, without rejected
                                ones */
    const bool *phase_done;  /* for each phase of the spec: one of its tools has a finished call */
    bool artifact_offered;   /* store_artifact is enabled */
    bool artifact_stored;
    /* The offer, so that a refusal can name possible next calls. Optional. */
    const haft__choice_tool *tools;
    size_t tool_count;
} haft__guard_facts;

/* Collects the current facts. Control calls are decided last, so the facts include the other calls
 * of the batch. */
haft__guard_facts haft__guard_collect(const haft__spec *spec, const haft__choice_facts *facts,
                                      const bool *phase_done, bool artifact_stored);

/* Whether the tool may run now. Some built-ins have a guard (tool/builtin.h); all other tools pass.
 * If the guard fails, appends everything that is missing, for the model to read. */
bool haft__guard_passes(const haft__spec *spec, const haft__guard_facts *facts, haft_str tool,
                        haft__buf *why);

/* ---- evidence first ---- */

/* The part of choice.cost_budget that a call of a tool with that cost takes: free 0, light 1, heavy
 * 4. */
uint32_t haft__evidence_cost(haft__tool_cost cost);

/* A result of a search lists the file if a line of it is the path, or begins with the path and a
 * colon. A leading "./" of the path does not matter. */
bool haft__evidence_lists(haft_str result, haft_str path);

/* A task names the file if it contains the path, or the last part of the path, as a whole word. */
bool haft__evidence_names(haft_str task, haft_str path);

/* The facts about one call under choice.evidence_first. */
typedef struct haft__evidence_facts {
    haft_str tool;
    haft__tool_cost cost;
    bool forced;   /* the mode names this tool */
    bool cheaper;  /* a data tool that is not heavy may be called in this turn */
    haft_str path; /* the file that the call opens; "" if no argument names one */
    haft_str task;
    const haft_str *results; /* of the finished calls of cheaper data tools, without errors */
    size_t result_count;
    uint32_t cost_used, cost_budget;
} haft__evidence_facts;

typedef enum haft__evidence_verdict {
    HAFT__EVIDENCE_FINE,
    HAFT__EVIDENCE_MISSING,     /* heavy, and nothing has pointed to its file */
    HAFT__EVIDENCE_OVER_BUDGET, /* it costs more than what is left */
} haft__evidence_verdict;

haft__evidence_verdict haft__evidence_judge(const haft__evidence_facts *facts);

/* Appends what the model reads about a refusal: the reason, and what to do instead. `names` are the
 * cheaper data tools that may be called now, cheapest first. Nothing for HAFT__EVIDENCE_FINE. */
void haft__evidence_explain(haft__buf *buf, const haft__evidence_facts *facts,
                            haft__evidence_verdict verdict, const haft_str *names, size_t count);

/* ---- the no-progress detector ---- */

typedef enum haft__no_progress_verdict {
    HAFT__NO_PROGRESS_FINE,
    HAFT__NO_PROGRESS_HINT,   /* run it; if the result is not new, add a hint for the model */
    HAFT__NO_PROGRESS_REFUSE, /* do not run it */
    HAFT__NO_PROGRESS_STOP,   /* end the run */
} haft__no_progress_verdict;

/* A finished call, as the detector sees it. */
typedef struct haft__no_progress_call {
    uint64_t tool;   /* hash of the tool's name */
    uint64_t call;   /* hash of the name and the canonical arguments */
    uint64_t result; /* hash of the result or error; never 0 */
    bool failed;     /* the result is an error */
} haft__no_progress_call;

/* A row of equal calls with equal results. */
typedef struct haft__no_progress_row {
    haft__no_progress_call last;
    uint32_t count; /* how many came in a row, refused ones included; 0: unused */
    uint32_t turn;  /* of the last one that counted: the equal calls of one reply count once */
} haft__no_progress_row;

/* Two rows are enough to detect A-B-A-B. */
#define HAFT__NO_PROGRESS_ROWS 2

/* The rows that no new result has ended, newest first. Plain data, folded like the rest of the
 * state. */
typedef struct haft__no_progress {
    haft__no_progress_row rows[HAFT__NO_PROGRESS_ROWS];
} haft__no_progress;

/* Decides about a call that is about to run, by limits.repeats. It continues a row if it is the
 * same call, or if the calls of the row are of this tool and all failed with the same error. */
haft__no_progress_verdict haft__no_progress_check(const haft__no_progress *progress,
                                                  const haft__repeat_limits *limits, uint64_t tool,
                                                  uint64_t call, uint32_t turn);

/* Records a finished call. Returns true if its result is not new: it continues a row. */
bool haft__no_progress_note(haft__no_progress *progress, haft__no_progress_call call,
                            uint32_t turn);

/* Records that a call of the tool was refused as a repetition. */
void haft__no_progress_note_refused(haft__no_progress *progress, uint64_t tool, uint32_t turn);

/* Appends the text that the model reads with the result (HINT) or in its place (REFUSE), or the
 * reason why the run ends (STOP); nothing for other verdicts. */
void haft__no_progress_explain(haft__buf *buf, haft__no_progress_verdict verdict, haft_str tool);

#endif
