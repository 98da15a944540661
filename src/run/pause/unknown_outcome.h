/* SPDX-License-Identifier: Apache-2.0 */
/* run/pause/unknown_outcome.h - commands to an interrupted call whose outcome is unknown. */
#ifndef HAFT_RUN_PAUSE_UNKNOWN_OUTCOME_H
#define HAFT_RUN_PAUSE_UNKNOWN_OUTCOME_H

#include "run/pause/command.h"

/* Rejects a command that would run the call again with new arguments (BAD_INPUT), and a second
 * approval of a call that was already approved (BAD_STATE). */
HAFT_MUST_USE haft_status haft__unknown_outcome_check_command(const haft__run *run,
                                                              const haft__run_call *call,
                                                              const haft__run_command *command,
                                                              haft_error *err);

/* Adds a hint that says how to continue the call. Returns `status`. */
haft_status haft__unknown_outcome_hint(const haft__run_call *call, haft_status status,
                                       haft_error *err);

#endif
