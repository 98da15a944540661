/* SPDX-License-Identifier: Apache-2.0 */
/*
 * model/rules/offline.h - the model `offline`: a planner that works by rules, without key and
 * network.
 *
 * It searches for the words of the task with the tools on offer, reads around the matches and
 * quotes them. It obeys the contract of a model (modes, allowed tools), gives the same reply to the
 * same request, and says that it is not a language model. See docs/offline.md.
 */
#ifndef HAFT_MODEL_RULES_OFFLINE_H
#define HAFT_MODEL_RULES_OFFLINE_H

#include "model/model.h"

/* Replies to a request. Texts live in `arena`. The time is proportional to the request. Fails only
 * if out of memory. */
HAFT_MUST_USE haft_status haft__offline_ask(const haft__request *request, haft__arena *arena,
                                            haft__reply *ret_reply, haft_error *err);

#endif
