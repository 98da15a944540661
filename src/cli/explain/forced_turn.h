/* SPDX-License-Identifier: Apache-2.0 */
/* cli/explain/forced_turn.h - what replies are held to where a tool must be called, for `haft
 * explain`. */
#ifndef HAFT_CLI_EXPLAIN_FORCED_TURN_H
#define HAFT_CLI_EXPLAIN_FORCED_TURN_H

#include <stdio.h>

#include "run/offer/constraint.h"
#include "json/write.h"

typedef struct haft__forced_turn {
    haft__constraint_kind kind;
    const char *why;
    bool again;      /* only when the model took no notice of the provider's own way */
    haft_str format; /* of such a request */
    size_t bytes;    /* of the constraint, with all tools allowed */
    haft__relax_report relaxed;
} haft__forced_turn;

/* Of any forced turn of the spec, with the tools of `request`. Lives in `arena`. */
HAFT_MUST_USE haft_status haft__forced_turn_inspect(const haft__spec *spec,
                                                    const haft__request *request,
                                                    haft__arena *arena,
                                                    haft__forced_turn *ret_forced, haft_error *err);

/* As a member `forced` of an object, and in words. */
void haft__forced_turn_write(haft__json_writer *w, haft__arena *arena,
                             const haft__forced_turn *forced);
void haft__forced_turn_print(FILE *out, const haft__forced_turn *forced);

#endif
