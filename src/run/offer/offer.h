/* SPDX-License-Identifier: Apache-2.0 */
/*
 * run/offer/offer.h - the offer of a turn: the tools that resolve() makes callable, and the format
 * of the calls.
 */
#ifndef HAFT_RUN_OFFER_OFFER_H
#define HAFT_RUN_OFFER_OFFER_H

#include "run/offer/resolve.h"

/* The format of calls: the first of the spec's formats that is available. */
haft_str haft__offer_format(const haft__spec *spec, const char **ret_reason);

/* The callable tools of the run, by index. Declared tools come first, in the order of the request,
 * which is append-only. Lives in `arena`. */
typedef struct haft__offered {
    size_t *items;
    size_t count, declared;
} haft__offered;

HAFT_MUST_USE haft_status haft__offer_tools(const haft__run *run, haft__arena *arena,
                                            haft__offered *ret_offered, haft_error *err);

/* Collects the facts of the choice policy for the turn that is about to start. The tools are those
 * of haft__offer_tools; everything lives in `arena`. */
HAFT_MUST_USE haft_status haft__offer_facts(const haft__run *run, haft__arena *arena,
                                            haft__choice_facts *ret_facts, haft_error *err);

/* Whether the model calls tools natively, not in its text. */
bool haft__offer_is_native(const haft__spec *spec);

/* Whether system prompt, tools and messages may only grow during a run, because the model's
 * reasoning is bound to them (model/model_rules.h). */
bool haft__offer_keeps_prefix(const haft__spec *spec);

/* Appends a line for each artifact tool that is declared although the gate is closed, because
 * tools may not be added later: it says when the tool may be called. */
void haft__offer_write_early_tools(haft__buf *buf, const haft__spec *spec,
                                   const haft__tools *tools);

#endif
