/* SPDX-License-Identifier: Apache-2.0 */
/* engine/ops/first_turn.h - what the first turn of a run would be, without running anything. */
#ifndef HAFT_ENGINE_OPS_FIRST_TURN_H
#define HAFT_ENGINE_OPS_FIRST_TURN_H

#include "exec/mcp/mcp.h"
#include "run/decide/decide.h"
#include "run/offer/resolve.h"

typedef struct haft__first_turn_preview {
    haft__run run;                     /* where it asks the model for the first time */
    haft__json turn;                   /* the turn_started as a value; null when there is none */
    const haft__mcp_listing *listings; /* what is known of its servers: none of them is started */
    size_t listing_count;
    haft__offer offer;   /* the verdict on every tool */
    haft__reveal search; /* what the search in front of it found; all 0 when there was none */
} haft__first_turn_preview;

/* Folds a run_started and the first decisions, up to the first question to the model. All lives in
 * the arena. */
HAFT_MUST_USE haft_status haft__first_turn_decide(haft__arena *arena, const haft__spec *spec,
                                                  haft_str task, haft__hash_key hash_key,
                                                  haft__first_turn_preview *ret_first,
                                                  haft_error *err);

/* The same for a run whose servers list what is given. */
HAFT_MUST_USE haft_status haft__first_turn_decide_with(haft__arena *arena, const haft__spec *spec,
                                                       haft_str task, haft__hash_key hash_key,
                                                       const haft__mcp_listing *listings,
                                                       size_t count,
                                                       haft__first_turn_preview *ret_first,
                                                       haft_error *err);

#endif
