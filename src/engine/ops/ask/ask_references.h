/* SPDX-License-Identifier: Apache-2.0 */
/* engine/ops/ask/ask_references.h - compares references with the files that they name. */
#ifndef HAFT_ENGINE_OPS_ASK_ASK_REFERENCES_H
#define HAFT_ENGINE_OPS_ASK_ASK_REFERENCES_H

#include "base/arena.h"
#include "run/reference/reference.h"
#include "spec/spec.h"

/* Compares each reference with its file, below the root of the spec and within its `within`. The
 * fields `path` and `line` of a good one are set in `arena`; the line is truncated. References to a
 * file that cannot be read are wrong. Fails if the root cannot be opened, or if out of memory. */
HAFT_MUST_USE haft_status haft__ask_references_check(const haft__spec *spec,
                                                     haft__reference *references, size_t count,
                                                     haft__arena *arena, haft_error *err);

#endif
