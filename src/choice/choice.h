/* SPDX-License-Identifier: Apache-2.0 */
/*
 * choice/choice.h - the tool-choice policy: decides whether the model may or must call a tool in
 * this turn, which tools are allowed, and why.
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

/* A tool of the offer of this turn (at most HAFT__LIMIT_CHOICE_TOOLS), with facts about its earlier
 * calls in this run. Names are distinct. */
typedef struct haft__choice_tool {
    haft_str name;
    haft__tool_role role;
    bool finished; /* a call has finished, with or without an error: a data tool counts for the
                    * gate */
    bool rejected; /* a person rejected every call of the tool; ignored if `finished` */
    bool hidden;   /* callable but not declared, so the model cannot be forced to call it */
    bool narrowed; /* a skill that the model has read does not allow it: declared, but not allowed
                    * and not forced */
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
    /* Counted data tools that are no longer offered. They still count. Names are distinct, and none
     * is in `tools`. */
    const haft_str *also_counted;
    size_t also_counted_count;
    bool gate_opened;         /* gate_opened is recorded; the gate stays open */
    uint32_t fixed_threshold; /* threshold of an earlier turn, which is now the maximum; 0: no such
                               * turn */
    haft_str search;          /* the name of the search tool, if a search may still find data tools;
                               * else "" */
    bool default_satisfied;   /* a call that satisfies the forced default has finished */
    haft__spent_budget spent; /* a budget other than turns */
    bool cut;                 /* for a correction: the reply ended at the token limit */
} haft__choice_facts;

typedef struct haft__gate {
    bool on;            /* this run has a gate */
    uint32_t called;    /* number of counted data tools; also set without a gate */
    uint32_t reachable; /* number of data tools that are counted, or offered and not rejected; also
                           set without a gate */
    uint32_t threshold; /* capped at `reachable`; 0 without a gate */
    bool open;          /* also true without a gate */
    bool searches; /* the gate is closed and no data tool is offered: the model must search first */
} haft__gate;

/* The rule that decided. */
typedef enum haft__choice_rule {
    HAFT__RULE_LIMIT,
    HAFT__RULE_SCHEDULE,
    HAFT__RULE_GATE,
    HAFT__RULE_DEFAULT,
} haft__choice_rule;

/* Size of the longest reason: two names of tools and other words. */
#define HAFT__CHOICE_REASON (2 * HAFT__LIMIT_TOOL_NAME_BYTES + 96)

typedef struct haft__choice {
    haft__choice_mode mode;
    haft_str tool; /* for HAFT__MODE_TOOL */
    haft__choice_rule rule;
    haft__gate gate;
    char reason[HAFT__CHOICE_REASON]; /* for people: "2 of 4 data tools called" */
    bool *allowed; /* for each of facts->tools: whether it may run in this turn */
} haft__choice;

/* Decides the next turn. The caller owns `allowed` (facts->tool_count items). */
void haft__choice_decide(const haft__spec *spec, const haft__choice_facts *facts, bool *allowed,
                         haft__choice *ret_choice);

/* Evaluates only the gate. The caller records gate_opened if the gate opens. */
haft__gate haft__gate_evaluate(const haft__spec *spec, const haft__choice_facts *facts);

/* While the gate is closed, and skills allow no data tool that it waits for, they do not narrow
 * those tools: what a skill says opens no gate, and the gate can still be opened. `io_tools` are
 * the tools of the facts. */
void haft__gate_widen(const haft__spec *spec, const haft__choice_facts *facts,
                      haft__choice_tool *io_tools);

typedef struct haft__usage {
    uint32_t calls;
    uint64_t input_tokens, output_tokens; /* their sum is compared with the token budget */
    uint64_t cached_tokens;               /* part of input_tokens */
    uint64_t cost_micros;
    uint64_t wall_ms;
    uint32_t cost_units; /* sum of haft__evidence_cost() of the started calls */
} haft__usage;

/* Returns the first of calls, cost, tokens, usd and wall that has reached its limit. Does not check
 * turns. */
haft__spent_budget haft__budget_check(const haft__spec *spec, const haft__usage *usage);

/* ---- judging a reply ---- */

typedef enum haft__call_standing {
    HAFT__CALL_ALLOWED,     /* a tool that may run in this turn */
    HAFT__CALL_NOT_ALLOWED, /* a tool that exists but is not allowed */
    HAFT__CALL_UNKNOWN,     /* a tool that does not exist */
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

/* Returns the violation of a reply, if the reply breaks the choice. In mode `none` because of a
 * limit, no reply is a violation: the caller does not run the calls. */
haft__violation haft__judge_reply(const haft__choice *choice, bool has_text,
                                  const haft_str *call_names, const haft__call_standing *standings,
                                  size_t call_count);
const char *haft__violation_name(haft__violation violation);

/* Appends the demand for a call, for a model that cannot be forced. `names` are the allowed tools
 * for HAFT__MODE_ANY; `tool` is the tool for HAFT__MODE_TOOL. */
void haft__choice_write_demand(haft__buf *buf, haft__choice_mode mode, haft_str tool,
                               const haft_str *names, size_t count);

/* Appends the correction for the next request; nothing for HAFT__VIOLATION_NONE. */
void haft__violation_correction(haft__buf *buf, const haft__choice *choice,
                                const haft__choice_facts *facts, haft__violation violation);

/* ---- guards ---- */

/* The facts that the guards of control tools depend on. */
typedef struct haft__guard_facts {
    haft__gate gate;
    uint32_t data_called;    /* distinct data tools with a finished call */
    uint32_t data_reachable; /* data tools that are allowed now or already counted, without rejected
                              * tools */
    const bool *phase_done;  /* for each phase of the spec: one of its tools has a finished call */
    bool artifact_offered;   /* store_artifact is enabled */
    bool artifact_stored;
    /* The offer, from which a refusal names possible next calls. May be NULL. */
    const haft__choice_tool *tools;
    size_t tool_count;
} haft__guard_facts;

/* Collects the current facts. They include the other calls of the batch, because control calls are
 * decided last. */
haft__guard_facts haft__guard_collect(const haft__spec *spec, const haft__choice_facts *facts,
                                      const bool *phase_done, bool artifact_stored);

/* Whether the tool may run now. Some built-ins have a guard (tool/builtin.h); all other tools pass.
 * If the guard fails, appends a text for the model with all missing steps. */
bool haft__guard_passes(const haft__spec *spec, const haft__guard_facts *facts, haft_str tool,
                        haft__buf *why);

/* ---- evidence first ---- */

/* The units of choice.cost_budget that a call of a tool with that cost takes: free 0, light 1,
 * heavy 4. */
uint32_t haft__evidence_cost(haft__tool_cost cost);

/* A result of a search lists the file if a line of it is the path, or begins with the path and a
 * colon. A leading "./" of the path is ignored. */
bool haft__evidence_lists(haft_str result, haft_str path);

/* A task names the file if it contains the path, or the last part of the path, as a whole word. */
bool haft__evidence_names(haft_str task, haft_str path);

/* The facts about one call under choice.evidence_first. */
typedef struct haft__evidence_facts {
    haft_str tool;
    haft__tool_cost cost;
    bool forced;   /* the mode forces this tool */
    bool cheaper;  /* a data tool that is not heavy may be called in this turn */
    bool repeated; /* it gets the result of an equal call, and costs nothing */
    haft_str path; /* the file that the call opens; "" if no argument names one */
    haft_str task;
    const haft_str *results; /* results of finished calls of cheaper data tools, without errors */
    size_t result_count;
    uint32_t cost_used, cost_budget;
} haft__evidence_facts;

typedef enum haft__evidence_verdict {
    HAFT__EVIDENCE_FINE,
    HAFT__EVIDENCE_MISSING,     /* the call is heavy, and no earlier result names its file */
    HAFT__EVIDENCE_OVER_BUDGET, /* the call costs more than the remaining budget */
} haft__evidence_verdict;

haft__evidence_verdict haft__evidence_judge(const haft__evidence_facts *facts);

/* Appends the text of a refusal for the model: the reason, and possible next calls. `names` are the
 * cheaper data tools that may be called now, cheapest first. Appends nothing for
 * HAFT__EVIDENCE_FINE. */
void haft__evidence_explain(haft__buf *buf, const haft__evidence_facts *facts,
                            haft__evidence_verdict verdict, const haft_str *names, size_t count);

/* ---- the no-progress detector ---- */

typedef enum haft__no_progress_verdict {
    HAFT__NO_PROGRESS_FINE,
    HAFT__NO_PROGRESS_HINT,   /* run the call; if the result is not new, add a hint for the model */
    HAFT__NO_PROGRESS_REFUSE, /* do not run the call */
    HAFT__NO_PROGRESS_STOP,   /* end the run */
} haft__no_progress_verdict;

/* The data of a finished call for the detector. */
typedef struct haft__no_progress_call {
    uint64_t tool;   /* hash of the tool's name */
    uint64_t call;   /* hash of the name and the canonical arguments */
    uint64_t result; /* hash of the result or error; never 0 */
    bool failed;     /* the result is an error */
} haft__no_progress_call;

/* A series of consecutive equal calls with equal results. */
typedef struct haft__no_progress_row {
    haft__no_progress_call last;
    uint32_t count; /* number of calls in the series, including refused calls; 0: unused */
    uint32_t turn;  /* turn of the last counted call; equal calls of one reply count once */
} haft__no_progress_row;

/* Two series are enough to detect A-B-A-B. */
#define HAFT__NO_PROGRESS_ROWS 2

/* The open series, newest first. A new result ends a series. This struct is a part of the folded
 * state. */
typedef struct haft__no_progress {
    haft__no_progress_row rows[HAFT__NO_PROGRESS_ROWS];
} haft__no_progress;

/* Decides about a call before it runs, by limits.repeats. The call continues a series of the same
 * call, and also a series of calls of the same tool that all failed with the same error. */
haft__no_progress_verdict haft__no_progress_check(const haft__no_progress *progress,
                                                  const haft__repeat_limits *limits, uint64_t tool,
                                                  uint64_t call, uint32_t turn);

/* Records a finished call. Returns true if its result is not new, so that the call continues a
 * series. */
bool haft__no_progress_note(haft__no_progress *progress, haft__no_progress_call call,
                            uint32_t turn);

/* Records that a call of the tool was refused as a repetition. */
void haft__no_progress_note_refused(haft__no_progress *progress, uint64_t tool, uint32_t turn);

/* Appends the text for the model that is added to the result (HINT) or replaces it (REFUSE), or the
 * reason why the run ends (STOP). Appends nothing for other verdicts. */
void haft__no_progress_explain(haft__buf *buf, haft__no_progress_verdict verdict, haft_str tool);

#endif
