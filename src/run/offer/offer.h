/* SPDX-License-Identifier: Apache-2.0 */
/*
 * run/offer/offer.h - the offer of a turn: the tools that resolve() makes callable, and the format
 * of the calls.
 */
#ifndef HAFT_RUN_OFFER_OFFER_H
#define HAFT_RUN_OFFER_OFFER_H

#include "model/model.h"
#include "run/offer/resolve.h"

/* The format of calls: the first of the spec's formats that is available. */
haft_str haft__offer_format(const haft__spec *spec, const char **ret_reason);

/* How deferred tools reach the model. `run` is NULL before the run exists. */
haft__deferral haft__offer_deferral(const haft__spec *spec, const haft__run *run);

/* The tools of a request, by index: first the declared tools, in the order of the request, then the
 * others. Later requests only append tools. All tools can be called, except deferred tools that no
 * search has revealed. Lives in `arena`. */
typedef struct haft__offered {
    size_t *items;
    size_t count;
    size_t declared; /* number of tools in the request's list of tools */
    size_t deferred; /* number of deferred tools, which are the last of the declared tools
                      * (haft__request.deferred_count) */
    size_t appended; /* number of tools that messages of the history declare; they follow the
                      * declared tools in `items` */
} haft__offered;

HAFT_MUST_USE haft_status haft__offer_tools(const haft__run *run, haft__arena *arena,
                                            haft__offered *ret_offered, haft_error *err);

/* Like haft__offer_tools, for a request with calls in its text. Such a request declares only tools
 * that can be called. */
HAFT_MUST_USE haft_status haft__offer_text_tools(const haft__run *run, haft__arena *arena,
                                                 haft__offered *ret_offered, haft_error *err);

/* Collects the facts of the choice policy for the turn that is about to start. The tools are the
 * callable tools of haft__offer_tools. The facts live in `arena`. */
HAFT_MUST_USE haft_status haft__offer_facts(const haft__run *run, haft__arena *arena,
                                            haft__choice_facts *ret_facts, haft_error *err);

/* Whether the model calls tools natively, not in its text. */
bool haft__offer_is_native(const haft__spec *spec);

/* Whether system prompt, tools and messages are append-only during a run. Some models need this:
 * the provider rejects their reasoning in the history if anything before it has changed
 * (model/model_rules.h). */
bool haft__offer_keeps_prefix(const haft__spec *spec);

/* Appends a line for each artifact tool that is declared while the gate is closed (tools must not
 * be added later). The line says when the tool may be called. */
void haft__offer_write_early_tools(haft__buf *buf, const haft__spec *spec,
                                   const haft__tools *tools);

#endif
