/* SPDX-License-Identifier: Apache-2.0 */
/* engine/ops/forced_turn.h - how a spec makes a model call a tool: by a constraint on the reply, or
 * by the provider. */
#ifndef HAFT_ENGINE_OPS_FORCED_TURN_H
#define HAFT_ENGINE_OPS_FORCED_TURN_H

#include "model/model_rules.h"
#include "run/offer/constraint.h"
#include "json/write.h"

typedef struct haft__forced_turn {
    /* How the model is first made to call a tool: "choice" or "subset" (tool_choice of the
     * provider, which can name the allowed tools or not), "grammar", "schema", or "local": the
     * request asks for a call in words, and haft checks the reply. */
    const char *means;
    haft__constraint_kind kind;
    const char *why;
    haft__force_rule rule;    /* of the first request, if calls are native */
    bool second_request_only; /* if the model ignored the provider's tool_choice */
    haft_str format;          /* of the constrained request */
    size_t bytes;             /* of the constraint, with all tools allowed */
    haft__relax_report relaxed;
} haft__forced_turn;

/* Inspects any forced turn of the spec, with the tools of `request`. `refusals`: optional members
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
