/* SPDX-License-Identifier: Apache-2.0 */
/* run/fold/fold_int.h - declarations shared by the files of run/fold. Private to its folder. */
#ifndef HAFT_RUN_FOLD_FOLD_INT_H
#define HAFT_RUN_FOLD_FOLD_INT_H

#include "run/run.h"

/* Fills `err`: the event is not valid in the current state; `what` says why. */
void haft__fold_set_error(const haft__event *event, const char *what, haft_error *err);

/* Calls haft__fold_set_error and returns BAD_INPUT. Inline, so that a static analyzer sees that the
 * result is never OK. */
static inline haft_status haft__fold_fail(const haft__event *event, const char *what,
                                          haft_error *err)
{
    haft__fold_set_error(event, what, err);
    return HAFT_BAD_INPUT;
}

/* Adds tool_search if tools are deferred: a model can call it even where the spec does not enable
 * it. */
HAFT_MUST_USE haft_status haft__fold_add_search_tool(haft__run *run, haft_error *err);

/* The log says whether a variable chose the server of the model, and the price that the spec does
 * not state. The environment and the settings of a process that reads or continues the run do not
 * count. */
HAFT_MUST_USE haft_status haft__fold_resolve_model(haft__run *run, haft_error *err);

/* The price of a model in this run: that of the spec, or the recorded one. */
haft__price haft__fold_find_price(const haft__run *run, const haft__model_spec *model);

/* OK if the run is in `stage`; else fails with `what`. */
HAFT_MUST_USE haft_status haft__fold_expect_stage(const haft__run *run, const haft__event *event,
                                                  haft__run_stage stage, const char *what,
                                                  haft_error *err);

/* Appends a message of the user. */
HAFT_MUST_USE haft_status haft__fold_add_user_message(haft__run *run, haft_str text,
                                                      haft_error *err);

/* Appends the reply, which is not a violation, to the conversation. Later calls for the same reply
 * do nothing. */
HAFT_MUST_USE haft_status haft__fold_commit_reply(haft__run *run, haft_error *err);

/* Copies a value of an event into the run's arena. Only the texts of an event live as long as the
 * run without a copy. NULL becomes null. */
HAFT_MUST_USE haft_status haft__fold_copy_json(haft__run *run, const haft__json *value,
                                               haft__json *ret_kept, haft_error *err);

/* One function for each kind of event about the model, */
HAFT_MUST_USE haft_status haft__fold_model_replied(haft__run *run, const haft__event *event,
                                                   haft_error *err);
HAFT_MUST_USE haft_status haft__fold_model_failed(haft__run *run, const haft__event *event,
                                                  haft_error *err);
HAFT_MUST_USE haft_status haft__fold_violation(haft__run *run, const haft__event *event,
                                               haft_error *err);
HAFT_MUST_USE haft_status haft__fold_reminded(haft__run *run, const haft__event *event,
                                              haft_error *err);
HAFT_MUST_USE haft_status haft__fold_constrained(haft__run *run, const haft__event *event,
                                                 haft_error *err);
/* ---- context.c ---- */

/* Observations were cleared, or turns were replaced by a text. */
HAFT_MUST_USE haft_status haft__fold_context_changed(haft__run *run, const haft__event *event,
                                                     haft_error *err);
HAFT_MUST_USE haft_status haft__fold_summary_started(haft__run *run, const haft__event *event,
                                                     haft_error *err);
/* A reply, or the failure, of the model that summarises. */
HAFT_MUST_USE haft_status haft__fold_summary_replied(haft__run *run, const haft__event *event,
                                                     haft_error *err);
HAFT_MUST_USE haft_status haft__fold_summary_failed(haft__run *run, const haft__event *event,
                                                    haft_error *err);

/* ---- demand.c ---- */

/* Demands a call in words if the turn forces one and the model cannot be forced. */
HAFT_MUST_USE haft_status haft__fold_add_demand(haft__run *run, haft_error *err);
/* Makes run->correction a part of the conversation if the history may only grow. */
HAFT_MUST_USE haft_status haft__fold_keep_correction(haft__run *run, haft_error *err);

HAFT_MUST_USE haft_status haft__fold_option_refused(haft__run *run, const haft__event *event,
                                                    haft_error *err);

/* Makes room for `more` calls. */
HAFT_MUST_USE haft_status haft__fold_grow_calls(haft__run *run, size_t more, haft_error *err);

/* ... about child runs (the first reads the fields of run_started), */
HAFT_MUST_USE haft_status haft__fold_child_of(haft__run *run, const haft__event *event,
                                              haft_error *err);
HAFT_MUST_USE haft_status haft__fold_child_started(haft__run *run, const haft__event *event,
                                                   haft_error *err);
HAFT_MUST_USE haft_status haft__fold_child_finished(haft__run *run, const haft__event *event,
                                                    haft_error *err);

/* ... and about calls. */
HAFT_MUST_USE haft_status haft__fold_call_started(haft__run *run, const haft__event *event,
                                                  haft_error *err);
HAFT_MUST_USE haft_status haft__fold_call_asked(haft__run *run, const haft__event *event,
                                                haft_error *err);
HAFT_MUST_USE haft_status haft__fold_call_finished(haft__run *run, const haft__event *event,
                                                   haft_error *err);
HAFT_MUST_USE haft_status haft__fold_call_refused(haft__run *run, const haft__event *event,
                                                  haft_error *err);
HAFT_MUST_USE haft_status haft__fold_paused(haft__run *run, const haft__event *event,
                                            haft_error *err);
HAFT_MUST_USE haft_status haft__fold_answered(haft__run *run, const haft__event *event,
                                              haft_error *err);
HAFT_MUST_USE haft_status haft__fold_artifact_stored(haft__run *run, const haft__event *event,
                                                     haft_error *err);

/* ---- graph.c ---- */

/* A run of a graph has started: only its calls are decided from now on. */
haft_status haft__fold_graph_started(haft__run *run, const haft__event *event, haft_error *err);
/* The calls of the step are over. */
HAFT_MUST_USE haft_status haft__fold_thread_state(const haft__run *run, const haft__event *event,
                                                  haft_error *err);
HAFT_MUST_USE haft_status haft__fold_graph_step(haft__run *run, const haft__event *event,
                                                haft_error *err);

/* Appends the system prompt of the run's spec, if it has one. */
HAFT_MUST_USE haft_status haft__fold_add_system_prompt(haft__run *run, haft_error *err);

/* The run continues with another spec. */
HAFT_MUST_USE haft_status haft__fold_handed_off(haft__run *run, const haft__event *event,
                                                haft_error *err);
HAFT_MUST_USE haft_status haft__fold_spec_changed(haft__run *run, const haft__event *event,
                                                  haft_error *err);
HAFT_MUST_USE haft_status haft__fold_model_changed(haft__run *run, const haft__event *event,
                                                   haft_error *err);

/* A search revealed tools; the cap evicted tools. */
HAFT_MUST_USE haft_status haft__fold_tools_revealed(haft__run *run, const haft__event *event,
                                                    haft_error *err);
HAFT_MUST_USE haft_status haft__fold_tools_hidden(haft__run *run, const haft__event *event,
                                                  haft_error *err);

#endif
