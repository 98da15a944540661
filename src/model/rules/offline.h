/* SPDX-License-Identifier: Apache-2.0 */
/*
 * model/rules/offline.h - a planner of rules in the place of a language model: no key, no network.
 *
 * It looks for the words of the task with the tools it is offered, reads around what it found, and
 * quotes it. It keeps to the contract of a model (modes, allowed tools, ends), makes the same reply
 * to the same request, and says what it is. docs/offline.md describes it.
 */
#ifndef HAFT_MODEL_RULES_OFFLINE_H
#define HAFT_MODEL_RULES_OFFLINE_H

#include "model/model.h"

/* What it has to say to a request; texts live in `arena`. Takes time in proportion to the request.
 * Fails only for want of memory. */
HAFT_MUST_USE haft_status haft__offline_ask(const haft__request *request, haft__arena *arena,
                                            haft__reply *ret_reply, haft_error *err);

#endif
