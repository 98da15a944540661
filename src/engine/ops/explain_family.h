/* SPDX-License-Identifier: Apache-2.0 */
/* engine/ops/explain_family.h - writes the model family of a spec's model, and the defaults that
 * come from the family. */
#ifndef HAFT_ENGINE_OPS_EXPLAIN_FAMILY_H
#define HAFT_ENGINE_OPS_EXPLAIN_FAMILY_H

#include "spec/spec.h"
#include "json/write.h"

/* Writes the members `size_in_name` and, if the family is known, `family` of an object. */
void haft__explain_family_write(haft__json_writer *w, const haft__spec *spec);

#endif
