/* SPDX-License-Identifier: Apache-2.0 */
/*
 * run/offer/constraint.h - the constraint of a request that forces a tool call: whether the server
 * supports one, of which kind, and its text.
 *
 * In a text format every forced request is constrained if the server supports it. With native
 * calling the provider's own `tool_choice` comes first. If the model ignores it, haft repeats the
 * request in a text format, with a constraint. See docs/choice.md.
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

/* Whether options of a request set a constraint themselves. They take precedence. */
bool haft__constraint_has_own(haft__json options);

haft__constraint_support haft__constraint_detect(const haft__spec *spec);

/* The format of the next request if it is to be constrained, else "". It is "" if the turn forces
 * nothing, if the server supports no constraint, or if the server has refused one. */
haft_str haft__constraint_format(const haft__run *run);

/* Adds the constraint for the format `format` to a request. `again`: the model ignored the mode
 * before and must make exactly one call. Lives in `arena`. If the constraint cannot be expressed,
 * the request stays as it is. Fails only when out of memory. `report` may be NULL. */
HAFT_MUST_USE haft_status haft__constraint_apply(const haft__spec *spec, haft_str format,
                                                 bool again, haft__request *request,
                                                 haft__arena *arena, haft__relax_report *report,
                                                 haft_error *err);

#endif
