/* SPDX-License-Identifier: Apache-2.0 */
/* cli/first_turn.h - what the first turn of a run would be, without running anything. */
#ifndef HAFT_CLI_FIRST_TURN_H
#define HAFT_CLI_FIRST_TURN_H

#include "run/decide.h"

/* Folds a run_started and the first decisions, up to the first question to the model. *ret_turn is
 * the turn_started as a value, null when there would be none. All lives in the arena. */
HAFT_MUST_USE haft_status haft__first_turn(haft__arena *arena, const haft__spec *spec,
                                           haft_str task, haft__hash_key hash_key,
                                           haft__run *ret_run, haft__json *ret_turn,
                                           haft_error *err);

#endif
