/* SPDX-License-Identifier: Apache-2.0 */
/*
 * run/offer/narrowing.h - the tools that the skills of a run do not allow.
 *
 * Once a call of a skill with `allowed-tools` has succeeded, only those data tools are allowed for
 * the rest of the run. Several such skills allow only what all of them allow, so reading a skill
 * never makes a tool callable. Tools that the spec names in its phases or its choice stay allowed,
 * because the spec requires them; so do tools that are not data tools.
 */
#ifndef HAFT_RUN_OFFER_NARROWING_H
#define HAFT_RUN_OFFER_NARROWING_H

#include "run/run.h"

/* The skills that were read and have `allowed-tools`. */
typedef struct haft__narrowing {
    const haft__skill **skills;
    size_t count;
} haft__narrowing;

/* Lives in `arena`. */
HAFT_MUST_USE haft_status haft__narrowing_collect(const haft__run *run, haft__arena *arena,
                                                  haft__narrowing *ret_narrowing, haft_error *err);

/* The first skill that does not allow the tool, or NULL. */
const haft__skill *haft__narrowing_find(const haft__narrowing *narrowing, const haft__spec *spec,
                                        const haft__tool *tool);

/* Whether a skill allows a tool of this name. The case of letters does not count. */
bool haft__skill_allows(const haft__skill *skill, haft_str name);

#endif
