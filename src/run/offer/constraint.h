/* SPDX-License-Identifier: Apache-2.0 */
/*
 * run/offer/constraint.h - what a reply is held to where a tool must be called: whether the server
 * can be told to make every other reply impossible, how, and with which text.
 *
 * In a text format every forced request is constrained, where the server has a way. With native
 * calling the provider's own `tool_choice` comes first; only when the model took no notice of it is
 * the same turn asked again in text, with a constraint. docs/choice.md has it in words.
 */
#ifndef HAFT_RUN_OFFER_CONSTRAINT_H
#define HAFT_RUN_OFFER_CONSTRAINT_H

#include "run/run.h"
#include "schema/downlevel/downlevel.h"

/* What the server of a spec's model takes, and why. */
typedef struct haft__constraint_support {
    haft__constraint_kind kind;
    haft__schema_target target; /* of JSON_SCHEMA */
    const char *why;            /* static */
} haft__constraint_support;

haft__constraint_support haft__constraint_detect(const haft__spec *spec);

/* The format of the next request if it is to be constrained, else "". A turn that forces nothing, a
 * server without a way, and one that has refused it have none. */
haft_str haft__constraint_format(const haft__run *run);

/* Makes the constraint of a request in the format `format` and puts all of that into it. `again`:
 * the model has taken no notice before, and is to make exactly one call. Lives in `arena`. What
 * cannot be expressed at all leaves the request as it is; fails only for want of memory. `report`
 * may be NULL. */
HAFT_MUST_USE haft_status haft__constraint_apply(const haft__spec *spec, haft_str format,
                                                 bool again, haft__request *request,
                                                 haft__arena *arena, haft__relax_report *report,
                                                 haft_error *err);

#endif
