/* SPDX-License-Identifier: Apache-2.0 */
/*
 * run/offer.h - the capability resolver: which tools a model sees, and why.
 *
 * Every tool gets a verdict and a reason; `haft explain` prints them.
 */
#ifndef HAFT_RUN_OFFER_H
#define HAFT_RUN_OFFER_H

#include "run/run.h"

typedef struct haft__offer {
    const haft__tool *tool;
    bool offered;       /* it can be called */
    const char *reason; /* static */
} haft__offer;

/* The verdict on one tool of the spec. */
haft__offer haft__offer_look(const haft__spec *spec, const haft__tool *tool);

/* Which format calls are written in: the first of the spec's that is available. */
haft_str haft__offer_format(const haft__spec *spec, const char **ret_reason);

/* What the choice policy looks at, for the turn that is about to start. The tools
 * offered are in the spec's order; everything lives in `arena`. */
HAFT_MUST_USE haft_status haft__offer_facts(const haft__run *run, haft__arena *arena,
                                            haft__choice_facts *ret_facts, haft_error *err);

#endif
