/* SPDX-License-Identifier: Apache-2.0 */
/* engine/ops/first_turn.h - decides the first turn of a run without running anything. */
#ifndef HAFT_ENGINE_OPS_FIRST_TURN_H
#define HAFT_ENGINE_OPS_FIRST_TURN_H

#include "exec/mcp/mcp.h"
#include "run/decide/decide.h"
#include "run/offer/resolve.h"

typedef struct haft__first_turn_preview {
    haft__run run;   /* the state before the first request to the model */
    haft__json turn; /* the event turn_started; null if it does not exist */
    const haft__mcp_listing
        *listings; /* cached lists of the spec's servers; no server is started */
    size_t listing_count;
    haft__offer offer;   /* the verdict on every tool */
    haft__reveal search; /* the search before the turn; all 0 without a search */
} haft__first_turn_preview;

/* Folds run_started and the first decisions, up to the first request to the model. Everything lives
 * in the arena. */
HAFT_MUST_USE haft_status haft__first_turn_decide(haft__arena *arena, const haft__spec *spec,
                                                  haft_str task, haft__hash_key hash_key,
                                                  haft__first_turn_preview *ret_preview,
                                                  haft_error *err);

/* Like haft__first_turn_decide, with these listings of the servers. */
HAFT_MUST_USE haft_status haft__first_turn_decide_with(haft__arena *arena, const haft__spec *spec,
                                                       haft_str task, haft__hash_key hash_key,
                                                       const haft__mcp_listing *listings,
                                                       size_t count,
                                                       haft__first_turn_preview *ret_preview,
                                                       haft_error *err);

/* Folds the refusal of an optional member of the first request, as a run does that has read the
 * refusal. The caller must decide the request again. */
HAFT_MUST_USE haft_status haft__first_turn_refuse(haft__arena *arena,
                                                  haft__first_turn_preview *preview,
                                                  const haft__optional_member *member,
                                                  uint16_t http_status, haft__hash_key hash_key,
                                                  haft_error *err);

#endif
