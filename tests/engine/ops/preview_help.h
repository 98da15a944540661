/* SPDX-License-Identifier: Apache-2.0 */
/* preview_help.h - the first turn of a spec that is described in words (run/run_help.h). */
#ifndef HAFT_TESTS_PREVIEW_HELP_H
#define HAFT_TESTS_PREVIEW_HELP_H

#include "engine/ops/first_turn.h"
#include "run/run_help.h"

void help_preview(const char *words, const char *task, haft__arena *arena, help_spec *s,
                  haft__first_turn_preview *ret_first);

/* The text with N for each score, because scores depend on the index. */
haft_str help_without_scores(haft_str text);

#endif
