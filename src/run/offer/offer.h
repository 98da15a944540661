/* SPDX-License-Identifier: Apache-2.0 */
/*
 * run/offer/offer.h - what a turn begins with: the tools that resolve() lets a model have, and the
 * format of its calls.
 */
#ifndef HAFT_RUN_OFFER_OFFER_H
#define HAFT_RUN_OFFER_OFFER_H

#include "run/offer/resolve.h"

/* Which format calls are written in: the first of the spec's that is available. */
haft_str haft__offer_format(const haft__spec *spec, const char **ret_reason);

/* The tools of the run that can be called, by their index: those that are declared first, in the
 * order in which a request has them, which only grows at its end. Lives in `arena`. */
typedef struct haft__offered {
    size_t *items;
    size_t count, declared;
} haft__offered;

HAFT_MUST_USE haft_status haft__offer_tools(const haft__run *run, haft__arena *arena,
                                            haft__offered *ret_offered, haft_error *err);

/* What the choice policy looks at, for the turn that is about to start. The tools are those of
 * haft__offer_tools; everything lives in `arena`. */
HAFT_MUST_USE haft_status haft__offer_facts(const haft__run *run, haft__arena *arena,
                                            haft__choice_facts *ret_facts, haft_error *err);

#endif
