/* SPDX-License-Identifier: Apache-2.0 */
/* spec/load/diff.h - the differences between two specs, for people. */
#ifndef HAFT_SPEC_LOAD_DIFF_H
#define HAFT_SPEC_LOAD_DIFF_H

#include "base/buf.h"
#include "json/value.h"

/* Appends a line for each part that differs (haft__spec.source of both), each ended by '\n':
 *
 *     limits.turns: 12 -> 5
 *     tools.send: removed
 *
 * At most HAFT__LIMIT_SPEC_DIFF_LINES lines, then the number of omitted ones. A value that may hold
 * a secret is named but not shown. */
HAFT_MUST_USE haft_status haft__spec_diff(haft__buf *buf, haft__json before, haft__json after,
                                          haft_error *err);

#endif
