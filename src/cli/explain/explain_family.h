/* SPDX-License-Identifier: Apache-2.0 */
/* cli/explain/explain_family.h - the row of the table of model families that a spec's model has,
 * and what is taken from it because the spec does not say it. Nothing where there is no row. */
#ifndef HAFT_CLI_EXPLAIN_EXPLAIN_FAMILY_H
#define HAFT_CLI_EXPLAIN_EXPLAIN_FAMILY_H

#include <stdio.h>

#include "spec/spec.h"
#include "json/write.h"

/* The member "family" of the object that is being written. */
void haft__explain_family_write(haft__json_writer *w, const haft__spec *spec);

/* The same in words, a line or two. */
void haft__explain_family_print(FILE *out, const haft__spec *spec);

#endif
