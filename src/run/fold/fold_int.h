/* SPDX-License-Identifier: Apache-2.0 */
/* run/fold/fold_int.h - what the files of folding share. Private to src/run. */
#ifndef HAFT_RUN_FOLD_FOLD_INT_H
#define HAFT_RUN_FOLD_FOLD_INT_H

#include "run/run.h"

/* BAD_INPUT: the event cannot follow the state; `what` says why. */
haft_status haft__fold_fail(const haft__event *event, const char *what, haft_error *err);

/* OK in that stage; else it fails with `what`. */
HAFT_MUST_USE haft_status haft__fold_expect_stage(const haft__run *run, const haft__event *event,
                                                  haft__run_stage stage, const char *what,
                                                  haft_error *err);

/* A message of the user's. */
HAFT_MUST_USE haft_status haft__fold_add_user_message(haft__run *run, haft_str text,
                                                      haft_error *err);

/* The reply was no violation: it becomes part of the conversation. */
HAFT_MUST_USE haft_status haft__fold_commit_reply(haft__run *run, haft_error *err);

/* What is to be known of an event later on: only texts outlive it by themselves. NULL is null. */
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
HAFT_MUST_USE haft_status haft__fold_constraint_refused(haft__run *run, const haft__event *event,
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

/* The system prompt of the run's spec, if it has one. */
HAFT_MUST_USE haft_status haft__fold_add_system_prompt(haft__run *run, haft_error *err);

/* Another spec. */
HAFT_MUST_USE haft_status haft__fold_spec_changed(haft__run *run, const haft__event *event,
                                                  haft_error *err);

/* Tools that became visible, and tools that were evicted. */
HAFT_MUST_USE haft_status haft__fold_tools_revealed(haft__run *run, const haft__event *event,
                                                    haft_error *err);
HAFT_MUST_USE haft_status haft__fold_tools_hidden(haft__run *run, const haft__event *event,
                                                  haft_error *err);

#endif
