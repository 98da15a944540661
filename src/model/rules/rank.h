/* SPDX-License-Identifier: Apache-2.0 */
/* model/rules/rank.h - puts what was found in order: the last step of haft__offline_found_read.
 */
#ifndef HAFT_MODEL_RULES_RANK_H
#define HAFT_MODEL_RULES_RANK_H

#include "model/rules/offline_int.h"

HAFT_MUST_USE haft_status haft__offline_rank(haft__offline_found *found,
                                             const haft__offline_words *words, haft__arena *arena,
                                             haft_error *err);

/* Fills in `kinds`. */
HAFT_MUST_USE haft_status haft__offline_count_kinds(haft__offline_found *found, haft__arena *arena,
                                                    haft_error *err);

bool haft__offline_is_among(haft_str word, const char *const *words, size_t count);

#endif
