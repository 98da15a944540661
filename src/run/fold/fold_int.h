/* SPDX-License-Identifier: Apache-2.0 */
/* run/fold/fold_int.h - declarations shared by the files of run/fold. Private to its folder. */
#ifndef HAFT_RUN_FOLD_FOLD_INT_H
#define HAFT_RUN_FOLD_FOLD_INT_H

#include "run/run.h"

/* Fills `err`: the event is not valid in the current state, for the reason `what`. */
void haft__fold_set_error(const haft__event *event, const char *what, haft_error *err);

/* Calls haft__fold_set_error and returns BAD_INPUT. Inline, so that a static analyzer sees that the
 * result is never OK. */
static inline haft_status haft__fold_fail(const haft__event *event, const char *what,
                                          haft_error *err)
{
    haft__fold_set_error(event, what, err);
    return HAFT_BAD_INPUT;
}

/* Adds tool_search if tools are deferred. A model can then call it even if the spec does not enable
 * it. */
HAFT_MUST_USE haft_status haft__fold_add_search_tool(haft__run *run, haft_error *err);

/* Sets the server and the price of the model from the log: whether a variable chose the server, and
 * the price if the spec states none. The environment and settings of the current process are
 * ignored. */
HAFT_MUST_USE haft_status haft__fold_resolve_model(haft__run *run, haft_error *err);

/* The price of a model in this run: the price in the spec, or the recorded price. */
haft__price haft__fold_find_price(const haft__run *run, const haft__model_spec *model);

/* OK if the run is in `stage`; else fails with `what`. */
HAFT_MUST_USE haft_status haft__fold_expect_stage(const haft__run *run, const haft__event *event,
                                                  haft__run_stage stage, const char *what,
                                                  haft_error *err);

/* Appends a message of the user. */
HAFT_MUST_USE haft_status haft__fold_add_user_message(haft__run *run, haft_str text,
                                                      haft_error *err);

/* Appends the accepted reply to the conversation. Further calls for the same reply do nothing. */
HAFT_MUST_USE haft_status haft__fold_commit_reply(haft__run *run, haft_error *err);

/* Copies a JSON value of an event into the run's arena. Texts are not copied, because the texts of
 * an event live as long as the run. NULL becomes null. */
HAFT_MUST_USE haft_status haft__fold_copy_json(haft__run *run, const haft__json *value,
                                               haft__json *ret_kept, haft_error *err);

/* One function for each kind of event about the model. */
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
/* Appends run->correction to the conversation if the history is append-only. */
HAFT_MUST_USE haft_status haft__fold_keep_correction(haft__run *run, haft_error *err);

HAFT_MUST_USE haft_status haft__fold_option_refused(haft__run *run, const haft__event *event,
                                                    haft_error *err);

/* Reserves memory for `more` calls. */
HAFT_MUST_USE haft_status haft__fold_grow_calls(haft__run *run, size_t more, haft_error *err);

/* One function for each kind of event about child runs. The first function reads the fields of
 * run_started. */
HAFT_MUST_USE haft_status haft__fold_child_of(haft__run *run, const haft__event *event,
                                              haft_error *err);
HAFT_MUST_USE haft_status haft__fold_child_started(haft__run *run, const haft__event *event,
                                                   haft_error *err);
HAFT_MUST_USE haft_status haft__fold_child_finished(haft__run *run, const haft__event *event,
                                                    haft_error *err);

/* One function for each kind of event about calls. */
HAFT_MUST_USE haft_status haft__fold_call_requested(haft__run *run, const haft__event *event,
                                                    haft_error *err);
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

/* Finds the call of an event in the last reply, and commits the reply to the conversation. */
HAFT_MUST_USE haft_status haft__fold_find_call(haft__run *run, const haft__event *event,
                                               haft__run_call **ret_call, haft_error *err);
/* The result of a call is complete: it counts, and the model sees it. */
HAFT_MUST_USE haft_status haft__fold_finish_call(haft__run *run, haft__run_call *call,
                                                 haft_error *err);

/* ---- middleware.c ---- */

HAFT_MUST_USE haft_status haft__fold_hook_started(haft__run *run, const haft__event *event,
                                                  haft_error *err);
HAFT_MUST_USE haft_status haft__fold_intervention(haft__run *run, const haft__event *event,
                                                  haft_error *err);
/* Reads the member `personal` of an event with a text of this place. */
HAFT_MUST_USE haft_status haft__fold_personal(haft__run *run, const haft__event *event,
                                              haft__redact_place place, haft_error *err);
/* The next request passes the middleware from the start. */
void haft__fold_reset_request(haft__run *run);

/* ---- graph.c ---- */

/* A run of a graph has started. From now on only calls are decided. */
haft_status haft__fold_graph_started(haft__run *run, const haft__event *event, haft_error *err);
/* The calls of the step have ended. */
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
