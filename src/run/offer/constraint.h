/* SPDX-License-Identifier: Apache-2.0 */
/*
 * run/offer/constraint.h - the constraint of a request that forces a tool call: whether the server
 * supports a constraint, the kind of constraint, and its text.
 *
 * In a text format every forced request has a constraint if the server supports one. With native
 * calling haft first uses the provider's own `tool_choice`. If the model ignores `tool_choice`,
 * haft repeats the request in a text format, with a constraint. See docs/choice.md.
 */
#ifndef HAFT_RUN_OFFER_CONSTRAINT_H
#define HAFT_RUN_OFFER_CONSTRAINT_H

#include "run/run.h"
#include "schema/downlevel/downlevel.h"

/* The constraint that the server of a spec's model supports, and why. */
typedef struct haft__constraint_support {
    haft__constraint_kind kind;
    haft__schema_target target; /* for JSON_SCHEMA */
    const char *why;            /* static text */
} haft__constraint_support;

/* Whether options of a request set a constraint themselves. Such options take precedence. */
bool haft__constraint_has_own(haft__json options);

haft__constraint_support haft__constraint_detect(const haft__spec *spec);

/* Returns the format of the next request if the request must have a constraint, else "": the turn
 * forces no call, the server supports no constraint, or the server has refused a constraint. */
haft_str haft__constraint_format(const haft__run *run);

/* Adds the constraint for the format `format` to a request. `again`: the model has ignored the mode
 * and must now make exactly one call. The constraint lives in `arena`. If the constraint cannot be
 * expressed, the request stays unchanged. Fails only when out of memory. `report` may be NULL. */
HAFT_MUST_USE haft_status haft__constraint_apply(const haft__spec *spec, haft_str format,
                                                 bool again, haft__request *request,
                                                 haft__arena *arena, haft__relax_report *report,
                                                 haft_error *err);

#endif
