/* SPDX-License-Identifier: Apache-2.0 */
/* run/decide/decide_int.h - declarations shared by the files of run/decide. Private to its folder.
 */
#ifndef HAFT_RUN_DECIDE_DECIDE_INT_H
#define HAFT_RUN_DECIDE_DECIDE_INT_H

#include "run/arguments.h"
#include "run/decide/decide.h"
#include "run/event_body.h"
#include "run/offer/offer.h"
#include "json/write.h"

/* The state of one decision. */
typedef struct haft__decision {
    haft__decider *tools;
    const haft__run *run;
    const haft__spec *spec;
    uint64_t now_ms;
    haft__json_writer w; /* writes the body of an event */
    haft__effect *effect;
    haft_error *err;
    bool full;    /* limits.parallel calls are running; others wait */
    bool delayed; /* a call waits for the delay of its tool */
    bool hooked;  /* a call waits for a hook */
} haft__decision;

/* Starts a decision about a run at a time. Resets the buffers of the decider. */
haft__decision haft__decision_open(haft__decider *decider, const haft__run *run, uint64_t now_ms,
                                   haft__effect *ret_effect, haft_error *err);

/* Starts the event of a decision; haft__decision_commit completes it. */
void haft__decision_begin(haft__decision *d, haft__event_kind kind);
haft_status haft__decision_commit(haft__decision *d);

/* Ends the run: decides run_finished. `error` may be NULL. */
haft_status haft__decide_end(haft__decision *d, haft__end end, haft_str answer, bool forced_final,
                             const char *reason, const haft_error *error);

/* The stages of a run. Each function makes one decision. */
haft_status haft__decide_turn(haft__decision *d);  /* idle: gate, choice, ends between turns */
haft_status haft__decide_reply(haft__decision *d); /* judging: violation, text, calls */
haft_status haft__decide_calls(haft__decision *d); /* calling: each call in turn */

/* Decides about one call: start its next attempt, or refuse it with the decider's text. */
haft_status haft__decide_start(haft__decision *d, const haft__run_call *call, haft__json arguments,
                               haft_str note);
haft_status haft__decide_refuse(haft__decision *d, const haft__run_call *call, const char *why);

/* These functions refuse a call with a text of call_event.c. */
haft_status haft__decide_refuse_closed(haft__decision *d, const haft__run_call *call);
haft_status haft__decide_refuse_unknown(haft__decision *d, const haft__run_call *call);
haft_status haft__decide_refuse_not_allowed(haft__decision *d, const haft__run_call *call);
haft_status haft__decide_refuse_truncated(haft__decision *d, const haft__run_call *call);
haft_status haft__decide_refuse_malformed(haft__decision *d, const haft__run_call *call);

/* The functions below pause a call. */

/* The model asks a person. */
haft_status haft__decide_question(haft__decision *d, const haft__run_call *call);
/* The tool asks while it runs. */
haft_status haft__decide_elicitation(haft__decision *d, const haft__run_call *call);
/* A client runs the call. */
haft_status haft__decide_headless(haft__decision *d, const haft__run_call *call);
/* A person must approve the call with these arguments. `rule` may be NULL. */
haft_status haft__decide_approval(haft__decision *d, const haft__run_call *call,
                                  haft__json arguments, const haft__approval_rule *rule);
/* The call was interrupted. `reason`: why its outcome is unknown; "" if the process that ran it has
 * ended. */
haft_status haft__decide_unknown_outcome(haft__decision *d, const haft__run_call *call,
                                         haft_str reason);

/* Finishes the call with a result that no executor returned: from the cache, a person, a client, a
 * built-in or a child. */
haft_status haft__decide_finish(haft__decision *d, const haft__run_call *call, haft__json arguments,
                                haft_str result, bool cached, haft_str note);

/* Finishes the call with an error that no executor returned. */
haft_status haft__decide_error(haft__decision *d, const haft__run_call *call, haft__json arguments,
                               const haft__outcome *error, haft_str note);

/* Finishes the call with the error of an equal call. */
haft_status haft__decide_error_of(haft__decision *d, const haft__run_call *call,
                                  haft__json arguments, const haft__run_call *failed);

/* Whether the arguments, or the call itself, were repaired. */
haft_status haft__decide_check_repair(haft__decision *d, const haft__run_call *call,
                                      bool *ret_repaired);

/* Refuses a call past a limit: with `budget` the limit of the whole run, else the limit of the
 * turn. */
haft_status haft__decide_over_limit(haft__decision *d, const haft__run_call *call, bool budget);

/* Finishes a call of unknown outcome that does not run again: a person decided this, or (`late`)
 * nobody answered before the deadline. */
haft_status haft__decide_give_up(haft__decision *d, const haft__run_call *call, bool late);

/* Decides the next event of a call that has an answer. */
haft_status haft__decide_answer(haft__decision *d, const haft__run_call *call);

/* Decides about a pause whose deadline has passed without an answer. */
haft_status haft__decide_overdue(haft__decision *d, const haft__run_call *call);

/* Approves a pending call if the run has a standing approval for its tool. */
haft_status haft__decide_standing(haft__decision *d, const haft__run_call *call, bool *ret_decided);

/* Starts a call again. If a new spec has changed the tool or the rules since the first start, a
 * person must approve the call again, or the call ends with an error. */
haft_status haft__decide_retry(haft__decision *d, const haft__run_call *call, haft_str note);

/* Validates arguments for the current tool. If they are invalid, the decider's text says why. */
haft_status haft__decide_revalidate(haft__decision *d, const haft__run_call *call, haft__json given,
                                    haft__arguments *ret_fitted);

/* The approved binding no longer matches. Asks for a new approval if the tool still accepts the
 * arguments. */
haft_status haft__decide_new_approval(haft__decision *d, const haft__run_call *call,
                                      haft__json arguments);

/* limits.wall was reached inside an operation: finishes the calls that were cancelled, then ends
 * the run. */
haft_status haft__decide_wall(haft__decision *d);

/* The reason why a child is refused: a text for the model, or the failure of a node. */
const char *haft__decide_child_refusal(const haft__run *run, haft__child_refusal refusal);
/* The budgets of the child that the call starts, or why it cannot start one. */
haft__child_refusal haft__decide_child_budget(const haft__run *run, const haft__run_call *call,
                                              haft__child_budget *ret_budget);

/* Decides about a started call of an agent: starts its child, or finishes the call with the end of
 * the child. *ret_decided is false while the child runs. */
haft_status haft__decide_child(haft__decision *d, const haft__run_call *call, bool *ret_decided);

/* ---- middleware.c ---- */

/* `why` of call_refused if middleware has denied the call. */
#define HAFT__REFUSED_BY_MIDDLEWARE "middleware"

/* Records a finding in an earlier input (run->due). */
haft_status haft__decide_due(haft__decision *d);
/* Middleware has ended the run. */
haft_status haft__decide_denied(haft__decision *d);

typedef enum haft__entering {
    HAFT__ENTERING_PASSES,  /* every entry lets the call pass with these arguments */
    HAFT__ENTERING_DECIDED, /* decided: an event */
    HAFT__ENTERING_WAITS,   /* a hook runs */
} haft__entering;

/* Decides about a valid call on its way through the middleware, before it starts. */
haft_status haft__decide_entering(haft__decision *d, const haft__run_call *call,
                                  haft__json arguments, haft__entering *ret_entering);
/* Records, once, that a rate limit delays the call. */
haft_status haft__decide_delayed(haft__decision *d, const haft__run_call *call, bool *ret_decided);
/* Decides about a result on its way back. */
haft_status haft__decide_returning(haft__decision *d, const haft__run_call *call, bool *ret_waits);
/* Decides whether a hook sees the request, or the reply. */
haft_status haft__decide_for_model(haft__decision *d, haft__hook_point at, bool *ret_decided);
/* Records which tools the entries leave out of the next turn, if this has changed. */
haft_status haft__decide_selection(haft__decision *d, bool *ret_decided);

/* ---- context.c ---- */

/* Switches to the next model of the spec in the same turn, because of this failure. */
haft_status haft__decide_next_model(haft__decision *d, haft__failure_kind failure);

/* Decides how to shorten the history before the open request is sent, or ends the run if the
 * request cannot fit. */
haft_status haft__decide_context(haft__decision *d, bool *ret_decided);
/* A summary is due: asks the model for it, or uses its reply. */
haft_status haft__decide_summary(haft__decision *d);

/* ---- graph.c ---- */

/* A run of a graph: its next step, its end, or its calls. */
haft_status haft__decide_graph(haft__decision *d);
/* The answer of a run that ends before its model has answered: the last result. The answer of a
 * graph is its output, if all its nodes have run. */
haft_str haft__decide_last_text(const haft__run *run);

/* ---- builtin.c ---- */

/* Finishes a call of a built-in that needs only the run. */
haft_status haft__decide_builtin_result(haft__decision *d, const haft__run_call *call,
                                        const haft__outcome *outcome);

/* ---- handoff.c ---- */

/* Decides the result of a call that hands the run to another agent; and, after the turn, the
 * handoff. */
haft_status haft__decide_transfer(haft__decision *d, const haft__run_call *call);
haft_status haft__decide_handoff(haft__decision *d, const haft__run_call *call);

/* The run ends when its children have ended. */
haft_status haft__decide_wait_for_children(haft__decision *d);

/* Whether the guard of a control tool passes. If not, the decider's text says what is missing. */
haft_status haft__decide_guard(haft__decision *d, haft_str tool, bool *ret_passes);

/* Judges a call by choice.evidence_first. If it is `repeated`, it gets the result of an equal call.
 * If it is refused, *ret_why is the reason and the decider's text is what the model reads; else
 * *ret_why is NULL. */
haft_status haft__decide_evidence(haft__decision *d, const haft__run_call *call,
                                  haft__json arguments, bool repeated, const char **ret_why);

/* Decides the events of a started call of a built-in that needs no host. */
haft_status haft__decide_builtin(haft__decision *d, const haft__run_call *call);

/* Estimates the tokens of the last request that a provider may have cached after the first changed
 * tool: the tools after it and all messages. 0 before the first request, or if none of the tools
 * was in it; with `after_tools` the messages count in any case. */
haft_status haft__decide_cache_cost(haft__decision *d, const bool *changed, bool after_tools,
                                    uint64_t *ret_tokens);

/* If more revealed tools are declared than the cap allows, decides which to evict. */
haft_status haft__decide_evictions(haft__decision *d, bool *ret_decided);

/* Decides the result of a tool_search after its hits are recorded. */
haft_status haft__decide_search(haft__decision *d, const haft__run_call *call);

/* For a call of a tool that the model does not have: if the tool exists, returns the reason of the
 * refusal and writes the decider's text; else returns NULL. */
const char *haft__decide_missing_tool(haft__decision *d, const haft__run_call *call);

#endif
