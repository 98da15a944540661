/* SPDX-License-Identifier: Apache-2.0 */
/* engine/ops/forced_turn.h - how a spec makes a model call a tool: by a constraint on the reply, or
 * by the provider. */
#ifndef HAFT_ENGINE_OPS_FORCED_TURN_H
#define HAFT_ENGINE_OPS_FORCED_TURN_H

#include "model/model_rules.h"
#include "run/offer/constraint.h"
#include "json/write.h"

typedef struct haft__forced_turn {
    /* The means by which the first request forces a call: "choice" (tool_choice of the provider),
     * "subset" (tool_choice that also names the allowed tools), "grammar", "schema", or "local"
     * (the request asks for a call in words, and haft checks the reply). */
    const char *means;
    haft__constraint_kind kind;
    const char *why;
    haft__force_rule rule;    /* for native calls: the rule of the first request */
    bool second_request_only; /* constrains only after the model ignored tool_choice */
    haft_str format;          /* format of the constrained request */
    size_t bytes;             /* size of the constraint, with all tools allowed */
    haft__relax_report relaxed;
} haft__forced_turn;

/* Describes a forced turn of the spec, with the tools of `request`. `refusals`: optional members
 * that the server is known to reject. Lives in `arena`. */
HAFT_MUST_USE haft_status haft__forced_turn_inspect(const haft__spec *spec,
                                                    const haft__request *request,
                                                    const haft__refusals *refusals, uint64_t now_ms,
                                                    haft__arena *arena,
                                                    haft__forced_turn *ret_forced, haft_error *err);

/* The member `forced` of an object. */
void haft__forced_turn_write(haft__json_writer *w, haft__arena *arena,
                             const haft__forced_turn *forced);

#endif
