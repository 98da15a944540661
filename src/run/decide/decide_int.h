/* SPDX-License-Identifier: Apache-2.0 */
/* run/decide/decide_int.h - what the files of deciding share. Private to src/run. */
#ifndef HAFT_RUN_DECIDE_DECIDE_INT_H
#define HAFT_RUN_DECIDE_DECIDE_INT_H

#include "run/decide/decide.h"
#include "run/event_body.h"
#include "run/offer/offer.h"
#include "json/write.h"

/* One decision being made. */
typedef struct haft__decision {
    haft__decider *tools;
    const haft__run *run;
    const haft__spec *spec;
    uint64_t now_ms;
    haft__json_writer w; /* writes the body of an event */
    haft__effect *effect;
    haft_error *err;
    bool full; /* as many calls run as may: others wait */
} haft__decision;

/* A decision about a run at a time; what the decider had from the last one is gone. */
haft__decision haft__decision_open(haft__decider *decider, const haft__run *run, uint64_t now_ms,
                                   haft__effect *ret_effect, haft_error *err);

/* Starts the event of a decision; `commit` says that the decision is made. */
void haft__decision_begin(haft__decision *d, haft__event_kind kind);
haft_status haft__decision_commit(haft__decision *d);

/* Ends the run: decides run_finished. `error` may be NULL. */
haft_status haft__decide_end(haft__decision *d, haft__end end, haft_str answer, bool forced_final,
                             const char *reason, const haft_error *error);

/* The stages, each deciding one thing. */
haft_status haft__decide_turn(haft__decision *d);  /* idle: gate, choice, ends between turns */
haft_status haft__decide_reply(haft__decision *d); /* judging: violation, text, calls */
haft_status haft__decide_calls(haft__decision *d); /* calling: each call in turn */

/* What becomes of one call: it starts (its next attempt), or is refused with the decider's text. */
haft_status haft__decide_start(haft__decision *d, const haft__run_call *call, haft__json arguments,
                               haft_str note);
haft_status haft__decide_refuse(haft__decision *d, const haft__run_call *call, const char *why);

/* Pauses the call: the model asks a person, */
haft_status haft__decide_question(haft__decision *d, const haft__run_call *call);
/* the tool itself asks while it runs, */
haft_status haft__decide_elicitation(haft__decision *d, const haft__run_call *call);
/* a client runs it, */
haft_status haft__decide_headless(haft__decision *d, const haft__run_call *call);
/* a person must approve it with these arguments (`rule` may be NULL), */
haft_status haft__decide_approval(haft__decision *d, const haft__run_call *call,
                                  haft__json arguments, const haft__approval_rule *rule);
/* or it was interrupted and its outcome is unknown. */
haft_status haft__decide_unknown_outcome(haft__decision *d, const haft__run_call *call);

/* It has a result that no tool gave just now: from the cache, or from somebody in its place. */
haft_status haft__decide_finish(haft__decision *d, const haft__run_call *call, haft__json arguments,
                                haft_str result, bool cached, haft_str note);

/* There are more calls than may be: `budget` says of all of them, else of the turn's. */
haft_status haft__decide_over_limit(haft__decision *d, const haft__run_call *call, bool budget);

/* It had begun, its outcome is unknown, and somebody, or nobody in time, does not want it again. */
haft_status haft__decide_give_up(haft__decision *d, const haft__run_call *call, bool late);

/* Somebody has spoken about the call: what follows from it. */
haft_status haft__decide_answer(haft__decision *d, const haft__run_call *call);

/* Nobody has, and its deadline has passed. */
haft_status haft__decide_overdue(haft__decision *d, const haft__run_call *call);

/* A call that had begun is to begin again. It does, unless it has become another thing with a new
 * spec: then a person is asked about that, or the model told that it does not fit any more. */
haft_status haft__decide_retry(haft__decision *d, const haft__run_call *call, haft_str note);

/* What was approved is another thing by now: a person is asked about that, if the tool takes it. */
haft_status haft__decide_new_approval(haft__decision *d, const haft__run_call *call,
                                      haft__json arguments);

/* Whether a control tool's guard lets it run; if not, what is missing is in the decider's text. */
haft_status haft__decide_guard(haft__decision *d, haft_str tool, bool *ret_passes);

/* A built-in that needs no host: decides the events of its call, which has started. */
haft_status haft__decide_builtin(haft__decision *d, const haft__run_call *call);

/* Tools that searches have shown are more than may be: decides which of them go. */
haft_status haft__decide_evictions(haft__decision *d, bool *ret_decided);

/* What a tool_search has found is there: decides its result. */
haft_status haft__decide_search(haft__decision *d, const haft__run_call *call);

/* A call of a tool that the model does not have: why it is refused if there is such a tool all the
 * same, and the decider's text says so; NULL when there is none. */
const char *haft__decide_missing_tool(haft__decision *d, const haft__run_call *call);

#endif
