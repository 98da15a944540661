/* SPDX-License-Identifier: Apache-2.0 */
/* spec/load/diff/diff.h - writes the differences between two specs for people. */
#ifndef HAFT_SPEC_LOAD_DIFF_H
#define HAFT_SPEC_LOAD_DIFF_H

#include "base/buf.h"
#include "json/value.h"

/* Compares haft__spec.source of two specs. Appends a line for each part that differs, with '\n' at
 * the end:
 *
 *     limits.turns: 12 -> 5
 *     tools.send: removed
 *
 * Appends at most HAFT__LIMIT_SPEC_DIFF_LINES lines, then the number of omitted lines. Does not
 * show a value that may contain a secret. */
HAFT_MUST_USE haft_status haft__spec_diff(haft__buf *buf, haft__json before, haft__json after,
                                          haft_error *err);

#endif
