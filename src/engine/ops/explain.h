/* SPDX-License-Identifier: Apache-2.0 */
/* engine/ops/explain.h - explains the verdict on each tool, and writes the first request of a run.
 * Decides the first turn as in a run, but runs nothing. */
#ifndef HAFT_ENGINE_OPS_EXPLAIN_H
#define HAFT_ENGINE_OPS_EXPLAIN_H

#include "engine/members/refusal_file.h"
#include "engine/ops/context_report.h"
#include "engine/ops/declaration_report.h"
#include "engine/ops/first_turn.h"
#include "engine/ops/forced_turn.h"
#include "model/optional_member.h"

typedef struct haft__explanation {
    const haft__spec *spec;
    haft_str model; /* provider:model */
    haft__first_turn_preview preview;
    haft__request request;
    haft__buf prompt; /* the request as JSON */
    haft__forced_turn forced;
    const haft__optional_member *members; /* of the provider; NULL without a server */
    haft__member_set sent;                /* members in the request */
    const haft__refusals *refusals;       /* known refusals of the server */
    uint64_t now_ms;                      /* time at which the refusals must be valid */
    haft__member_set refused;             /* refused members that the first request omits */
    uint16_t refused_statuses[HAFT__MEMBER_COUNT];
    haft__declaration_report declared;
    haft__context_report context;
} haft__explanation;

/* Explains the first turn of a run with this task, which may be "". `refusals` are the refusals of
 * the model's server; they must outlive the explanation. Call haft__explain_finish also after a
 * failure. Results live in `arena`. */
HAFT_MUST_USE haft_status haft__explain(haft__arena *arena, const haft__spec *spec, haft_str task,
                                        const haft__refusals *refusals, uint64_t now_ms,
                                        haft__hash_key hash_key, haft__explanation *ret_explanation,
                                        haft_error *err);
void haft__explain_finish(haft__explanation *explanation);

/* The reason why an option of the spec is not sent to its model; NULL if it is sent. */
const char *haft__explain_why_unsent(const haft__explanation *explanation, haft_str option);

/* Appends the explanation as one JSON object and a line feed. */
void haft__explain_write(haft__arena *arena, haft__buf *buf, const haft__explanation *e);

#endif
